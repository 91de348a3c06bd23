"""What an operator does to one player: ban, unban, remove, erase, export, token."""

import argparse
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from lib.access.tickets import Signer
from lib.boards.board import Board
from lib.operations import moderate
from lib.settings import Settings
from lib.storage.store import Store
from tools.cli.arguments import (
    Commands,
    Options,
    Run,
    add_board,
    add_command,
    add_player,
    add_yes,
    player,
)
from tools.cli.context import Operator, boards_of, find_board, operator
from tools.cli.terminal import Refused, confirm, say, say_json


def add_commands(commands: Commands) -> None:
    """Add the commands that are about one player."""
    _add_for_boards(commands, "ban", ban, "refuse a player's submissions; rows stay, `remove` takes them off")
    _add_for_boards(commands, "unban", unban, "take a ban back")
    add_yes(_add_for_boards(commands, "remove", remove, "take a player off every live standing"))
    parser = add_command(commands, "erase", erase, "delete all that is stored of a player; a ban survives it")
    add_board(parser)
    add_player(parser)
    add_yes(parser)
    parser = add_command(commands, "export", export, "print all that is stored of a player, always as JSON")
    add_board(parser)
    add_player(parser)
    parser = add_command(commands, "token", token, "sign a new player_token, for a player who lost theirs")
    add_board(parser)
    add_player(parser)


def _add_for_boards(commands: Commands, name: str, run: Run, summary: str) -> argparse.ArgumentParser:
    parser = add_command(commands, name, run, summary)
    parser.usage = f"python -m tools {name} [BOARD] PLAYER [options]"
    parser.add_argument("board", metavar="BOARD", nargs="?", help="the name of a board; left out with --all-boards")
    add_player(parser)
    parser.add_argument("--all-boards", action="store_true", help="on every board of boards.toml")
    return parser


def _chosen(here: Operator, options: Options) -> list[Board]:
    if options.board is not None:
        board = here.board(options.board)
        return list(here.boards.values()) if options.all_boards else [board]
    if not options.all_boards:
        raise Refused(f"Name the board of {options.player}, or say --all-boards.")
    return list(here.boards.values())


def _where(boards: list[Board]) -> str:
    return ", ".join(board.name for board in boards)


Action = Callable[[Store, Board, str, int], Awaitable[Any]]


async def _each(here: Operator, boards: list[Board], options: Options, key: str, action: Action) -> list[Any]:
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


async def ban(options: Options, environ: Mapping[str, str]) -> None:
    """Refuse a player from now on."""

    async def ban_one(*arguments: Any) -> bool:
        await moderate.ban(*arguments)
        return True

    async with operator(environ) as here:
        boards = _chosen(here, options)
        await _each(here, boards, options, "banned", ban_one)
        if not options.json:
            say(f"{options.player} is banned from {_where(boards)}. Rows stay as they are: `remove` takes them off.")


async def unban(options: Options, environ: Mapping[str, str]) -> None:
    """Let a player submit again."""

    async def unban_one(*arguments: Any) -> bool:
        await moderate.unban(*arguments)
        return False

    async with operator(environ) as here:
        boards = _chosen(here, options)
        await _each(here, boards, options, "banned", unban_one)
        if not options.json:
            say(f"{options.player} may submit to {_where(boards)}.")


async def remove(options: Options, environ: Mapping[str, str]) -> None:
    """Take a player off the standings."""
    async with operator(environ) as here:
        boards = _chosen(here, options)
        confirm(f"Take {options.player} off every standing of {_where(boards)}?", yes=options.yes)
        removed = await _each(here, boards, options, "standings", moderate.remove)
        if not options.json:
            say(f"{options.player} is off {_standings(sum(removed))} of {_where(boards)}.")


async def erase(options: Options, environ: Mapping[str, str]) -> None:
    """Delete what is stored of a player."""
    async with operator(environ) as here:
        board = here.board(options.board)
        confirm(f"Delete all that is stored of {options.player} on {board.name}, but a ban?", yes=options.yes)
        removed = await moderate.erase(here.store, board, options.player, here.now)
    if options.json:
        say_json({"board": board.name, "player": options.player, "standings": removed})
    else:
        say(f"{options.player} is erased from {board.name}, with {_standings(removed)}.")


def _standings(count: int) -> str:
    return f"{count} standing" if count == 1 else f"{count} standings"


async def export(options: Options, environ: Mapping[str, str]) -> None:
    """Print what is stored of a player."""
    async with operator(environ) as here:
        say_json(await moderate.export(here.store, here.board(options.board), options.player, here.now))


async def token(options: Options, environ: Mapping[str, str]) -> None:
    """Print a token that proves ownership of a player; the store is not asked."""
    settings = Settings.read(environ)
    find_board(boards_of(environ), options.board)
    signed = Signer(settings.secrets).sign_player(player(options.player))
    if options.json:
        say_json({"player": options.player, "player_token": signed})
    else:
        say(signed)
