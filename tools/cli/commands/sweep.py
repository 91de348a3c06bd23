"""`sweep`: remove the idle players of a board without a cap."""

from collections.abc import Mapping

from lib.boards.durations import UNITS
from lib.operations import sweep
from tools.cli.arguments import Commands, Options, add_board, add_command, add_yes, duration
from tools.cli.context import operator
from tools.cli.terminal import confirm, say, say_json


def add_to(commands: Commands) -> None:
    """Add the command."""
    parser = add_command(commands, "sweep", run, "remove the idle players of a board without a cap")
    add_board(parser)
    parser.add_argument("--idle", type=duration, default=90 * UNITS["d"], help='for how long, by default "90d"')
    add_yes(parser)


async def run(options: Options, environ: Mapping[str, str]) -> None:
    """Remove idle players."""
    async with operator(environ) as here:
        board = here.board(options.board)
        days = f"{options.idle / UNITS['d']:g} days"
        confirm(f"Remove all players of {board.name} without a change for {days}?", yes=options.yes)
        swept = await sweep.sweep(here.store, board, options.idle, here.now)
    if options.json:
        told = {"players": swept.players, "standings": swept.standings, "looked_at": swept.looked_at}
        say_json({"board": board.name, **told})
    else:
        say(f"{board.name}: {swept.players} of {swept.looked_at} players are removed, with {swept.standings} rows.")
