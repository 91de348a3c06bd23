"""`reset`: delete what a board has stored. It looks through the whole database, as only `sweep` does too."""

from collections.abc import Mapping

from lib.operations import sweep
from tools.cli.arguments import Commands, Options, add_board, add_command, add_yes
from tools.cli.context import operator
from tools.cli.terminal import confirm, say, say_json


def add_to(commands: Commands) -> None:
    """Add the command."""
    parser = add_command(commands, "reset", run, "delete everything a board has stored, bans included")
    add_board(parser)
    add_yes(parser)


async def run(options: Options, environ: Mapping[str, str]) -> None:
    """Delete a board's keys."""
    async with operator(environ) as here:
        board = here.board(options.board)
        confirm(f"Delete every key of {board.name} under the prefix {here.store.prefix}?", yes=options.yes)
        keys = await sweep.reset(here.store, board)
    if options.json:
        say_json({"board": board.name, "keys": keys})
    else:
        say(f"{board.name} is empty: {keys} keys are deleted.")
