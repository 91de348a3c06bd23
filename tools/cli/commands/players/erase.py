"""`erase`: delete what is stored of a player, but a ban."""

from collections.abc import Mapping

from lib.operations import moderate
from tools.cli.arguments import Commands, Options, add_board, add_command, add_player, add_yes
from tools.cli.context import operator
from tools.cli.several_boards import standings
from tools.cli.terminal import confirm, say, say_json


def add_to(commands: Commands) -> None:
    """Add the command."""
    parser = add_command(commands, "erase", run, "delete all that is stored of a player; a ban survives it")
    add_board(parser)
    add_player(parser)
    add_yes(parser)


async def run(options: Options, environ: Mapping[str, str]) -> None:
    """Delete what is stored of a player."""
    async with operator(environ) as here:
        board = here.board(options.board)
        confirm(f"Delete all that is stored of {options.player} on {board.name}, but a ban?", yes=options.yes)
        removed = await moderate.erase(here.store, board, options.player, here.now)
    if options.json:
        say_json({"board": board.name, "player": options.player, "standings": removed})
    else:
        say(f"{options.player} is erased from {board.name}, with {standings(removed)}.")
