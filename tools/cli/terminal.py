"""What the commands say: text for people, JSON for machines, and a question before anything is destroyed."""

import json
import sys
from collections.abc import Sequence
from typing import Any

_JOINER = "\N{ZERO WIDTH JOINER}"


class Refused(Exception):
    """Nothing was done; the message is the one line that says why."""


def printable(value: object) -> str:
    """Return a value on one line, without anything that a terminal would take for a command.

    Names are cleaned before they are stored; this holds for whatever else got into the database too.
    """
    return "".join(c if c.isprintable() or c == _JOINER else "\N{REPLACEMENT CHARACTER}" for c in str(value))


def say(text: str) -> None:
    """Print lines of text for people."""
    print("\n".join(printable(line) for line in text.split("\n")), flush=True)


def say_json(value: Any) -> None:
    """Print one JSON document, in ASCII: escapes cannot command a terminal."""
    print(json.dumps(value, indent=2, default=str), flush=True)


def say_error(text: str) -> None:
    """Print the one line that says what is wrong."""
    print(printable(text), file=sys.stderr, flush=True)


def table(heads: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    """Return rows under their heads, in columns; numbers stand to the right."""
    cells = [[*heads], *([printable("" if value is None else value) for value in row] for row in rows)]
    widths = [max(len(row[at]) for row in cells) for at in range(len(heads))]
    right = [all(isinstance(row[at], int | float | None) for row in rows) for at in range(len(heads))]
    lines = (
        "  ".join(
            cell.rjust(width) if to_right else cell.ljust(width)
            for cell, width, to_right in zip(row, widths, right, strict=True)
        ).rstrip()
        for row in cells
    )
    return "\n".join(lines)


def confirm(what: str, *, yes: bool) -> None:
    """Ask before something that cannot be undone; raise Refused without a yes, or where nobody can be asked."""
    if yes:
        return
    if not sys.stdin.isatty():
        raise Refused(f"{what} Nobody can be asked here: say --yes.")
    # On stderr, so that what stands on stdout is the answer alone.
    print(f"{printable(what)} Type yes: ", end="", file=sys.stderr, flush=True)
    if sys.stdin.readline().strip().lower() != "yes":
        raise Refused("Nothing was done.")
