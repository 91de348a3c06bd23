"""`export`: what is stored of a player."""

from collections.abc import Mapping

from lib.operations import moderate
from tools.cli.arguments import Commands, Options, add_board, add_command, add_player
from tools.cli.context import operator
from tools.cli.terminal import say_json


def add_to(commands: Commands) -> None:
    """Add the command."""
    parser = add_command(commands, "export", run, "print all that is stored of a player, always as JSON")
    add_board(parser)
    add_player(parser)


async def run(options: Options, environ: Mapping[str, str]) -> None:
    """Print what is stored of a player."""
    async with operator(environ) as here:
        say_json(await moderate.export(here.store, here.board(options.board), options.player, here.now))
