"""Parser of the store's replies: typed values, or `BadReply` where a reply is not of the form that was asked for.

A reply is parsed to its end before anything is built from it, so that what fails afterwards is a fault of our own and
is told as one. What a reply held stays out of the error: the log may not have players and names.
"""

import math
import re
from typing import Any

from lib.boards.scores import HIGHEST
from lib.errors import StoreUnavailable

_WHOLE = re.compile(r"-?[0-9]{1,16}")


class BadReply(StoreUnavailable):
    """The store answered in a form that nobody asked for; `wanted` says in the log what was."""

    def __init__(self, wanted: str) -> None:
        super().__init__("The store did not answer in a form that is known.")
        self.add_note(f"wanted: {wanted}")


def text(value: object) -> str:
    """Return text."""
    if not isinstance(value, str):
        raise BadReply("text")
    return value


def optional_text(value: object) -> str | None:
    """Return text, or None where a field is missing."""
    return None if value is None else text(value)


def whole(value: object, least: int = 0) -> int:
    """Return a whole number of at least `least`, as JSON has it or as a script writes it."""
    if isinstance(value, str) and _WHOLE.fullmatch(value):
        value = int(value)
    if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= HIGHEST:
        raise BadReply(f"a whole number from {least}")
    return value


def number(value: object) -> float:
    """Return a number that JSON can show."""
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise BadReply("a number")
    try:
        read = float(value)
    except (ValueError, OverflowError):
        read = math.nan
    if not math.isfinite(read):
        raise BadReply("a finite number")
    return read


def optional_number(value: object) -> float | None:
    """Return a number of a script, where empty text is nothing."""
    return None if value == "" else number(value)


def items(value: object, count: int | None = None) -> list[Any]:
    """Return the parts of a list, `count` of them where that is known."""
    if not isinstance(value, list | tuple) or count not in (None, len(value)):
        raise BadReply("a list" if count is None else f"a list of {count}")
    return list(value)


def texts(value: object) -> list[str]:
    """Return a list of texts."""
    return [text(part) for part in items(value)]


def scored(value: object) -> list[tuple[str, float]]:
    """Return members with their scores, which come as a list of pairs."""
    return [(text(member), number(score)) for member, score in (items(pair, 2) for pair in items(value))]


def scored_flat(value: object) -> list[tuple[str, float]]:
    """Return members with their scores, which a script gives as {member, score, member, score, …}."""
    flat = items(value)
    if len(flat) % 2:
        raise BadReply("pairs")
    return [(text(member), number(score)) for member, score in zip(flat[::2], flat[1::2], strict=True)]


def fields(value: object) -> dict[str, str]:
    """Return the fields of a hash."""
    if not isinstance(value, dict):
        raise BadReply("the fields of a hash")
    return {text(name): text(content) for name, content in value.items()}
