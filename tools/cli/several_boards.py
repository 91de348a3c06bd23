"""One action for a player on one board or on all of them: what `ban`, `unban` and `remove` share."""

import argparse
from collections.abc import Awaitable, Callable
from typing import Any

from lib.boards.board import Board
from lib.storage.store import Store
from tools.cli.arguments import Commands, Options, Run, add_command, add_player
from tools.cli.context import Operator
from tools.cli.terminal import Refused, say_json


def add_for_boards(commands: Commands, name: str, run: Run, summary: str) -> argparse.ArgumentParser:
    """Add a command that takes a board or `--all-boards`, and return its parser."""
    parser = add_command(commands, name, run, summary)
    parser.usage = f"python -m tools {name} [BOARD] PLAYER [options]"
    parser.add_argument("board", metavar="BOARD", nargs="?", help="the name of a board; left out with --all-boards")
    add_player(parser)
    parser.add_argument("--all-boards", action="store_true", help="on every board of boards.toml")
    return parser


def chosen(here: Operator, options: Options) -> list[Board]:
    """Return the boards that are meant; raise Refused where none is named, UnknownBoard where there is none."""
    if options.board is not None:
        board = here.board(options.board)
        return list(here.boards.values()) if options.all_boards else [board]
    if not options.all_boards:
        raise Refused(f"Name the board of {options.player}, or say --all-boards.")
    return list(here.boards.values())


def names_of(boards: list[Board]) -> str:
    """Return the names of boards for a sentence."""
    return ", ".join(board.name for board in boards)


Action = Callable[[Store, Board, str, int], Awaitable[Any]]
"""Carried out on a store for a board, a player and now in epoch milliseconds."""


async def on_each(here: Operator, boards: list[Board], options: Options, key: str, action: Action) -> list[Any]:
    """Carry out an action on each board; with --json print what came of it under `key`. Return the results."""
    results = [await action(here.store, board, options.player, here.now) for board in boards]
    if options.json:
        told = [{"board": board.name, key: result} for board, result in zip(boards, results, strict=True)]
        if options.all_boards:
            totals = {key: sum(results)} if key == "standings" else {}
            say_json({"player": options.player, **totals, "boards": told})
        else:
            say_json({"board": boards[0].name, "player": options.player, key: results[0]})
    return results


def standings(count: int) -> str:
    """Return a number of standings for a sentence."""
    return f"{count} standing" if count == 1 else f"{count} standings"
