"""`reset` and `sweep`: the only commands that look through the database."""

from collections.abc import Mapping

from lib.boards.durations import UNITS
from lib.operations import sweep as sweeping
from tools.cli.arguments import Commands, Options, add_board, add_command, add_yes, duration
from tools.cli.context import operator
from tools.cli.terminal import confirm, say, say_json


def add_commands(commands: Commands) -> None:
    """Add the commands that clean up."""
    parser = add_command(commands, "reset", reset, "delete everything a board has stored, bans included")
    add_board(parser)
    add_yes(parser)
    parser = add_command(commands, "sweep", sweep, "remove the idle players of a board without a cap")
    add_board(parser)
    parser.add_argument("--idle", type=duration, default=90 * UNITS["d"], help='for how long, by default "90d"')
    add_yes(parser)


async def reset(options: Options, environ: Mapping[str, str]) -> None:
    """Delete a board's keys."""
    async with operator(environ) as here:
        board = here.board(options.board)
        confirm(f"Delete every key of {board.name} under the prefix {here.store.prefix}?", yes=options.yes)
        keys = await sweeping.reset(here.store, board)
    if options.json:
        say_json({"board": board.name, "keys": keys})
    else:
        say(f"{board.name} is empty: {keys} keys are deleted.")


async def sweep(options: Options, environ: Mapping[str, str]) -> None:
    """Remove idle players."""
    async with operator(environ) as here:
        board = here.board(options.board)
        days = f"{options.idle / UNITS['d']:g} days"
        confirm(f"Remove all players of {board.name} without a change for {days}?", yes=options.yes)
        swept = await sweeping.sweep(here.store, board, options.idle, here.now)
    if options.json:
        told = {"players": swept.players, "standings": swept.standings, "looked_at": swept.looked_at}
        say_json({"board": board.name, **told})
    else:
        say(f"{board.name}: {swept.players} of {swept.looked_at} players are removed, with {swept.standings} rows.")
