"""The arguments that several commands share."""

import argparse
import re
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, TypeAlias

from lib.boards import durations
from lib.schemas.writes import PLAYER

Options: TypeAlias = argparse.Namespace
Run: TypeAlias = Callable[[Options, Mapping[str, str]], Awaitable[int | None]]
# The type that `add_subparsers` returns is private.
Commands: TypeAlias = Any

_PLAYER = re.compile(PLAYER.strip("^$"))


def add_command(commands: Commands, name: str, run: Run, summary: str) -> argparse.ArgumentParser:
    """Add a command with its `--json`, and return its parser."""
    parser: argparse.ArgumentParser = commands.add_parser(
        name, help=summary, description=f"{summary[:1].upper()}{summary[1:]}."
    )
    parser.add_argument("--json", action="store_true", help="answer with one JSON document")
    parser.set_defaults(run=run)
    return parser


def add_board(parser: argparse.ArgumentParser) -> None:
    """Let a command take the name of a board."""
    parser.add_argument("board", metavar="BOARD", help="the name of a board in boards.toml")


def add_player(parser: argparse.ArgumentParser) -> None:
    """Let a command take a player's id, as they submit it."""
    parser.add_argument("player", metavar="PLAYER", type=player, help="the player's id")


def add_yes(parser: argparse.ArgumentParser) -> None:
    """Let a command that destroys something go on without a question."""
    parser.add_argument("--yes", action="store_true", help="do not ask")


def player(text: str) -> str:
    """Return a player's id; raise ArgumentTypeError for what cannot be one."""
    if _PLAYER.fullmatch(text) is None:
        raise argparse.ArgumentTypeError("a player is 1 to 64 of A-Z a-z 0-9 _ . : @ -")
    return text


def duration(text: str) -> int:
    """Return a duration such as "90d" in milliseconds; raise ArgumentTypeError for what is none."""
    try:
        return durations.parse_duration(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def split(text: str) -> tuple[str, str]:
    """Return the name and the value of a split; raise ArgumentTypeError for another form."""
    name, mark, value = text.partition("=")
    if not mark:
        raise argparse.ArgumentTypeError("a split is NAME=VALUE")
    return name, value
