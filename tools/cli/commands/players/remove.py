"""`remove`: take a player off the standings; the next run stands again."""

from collections.abc import Mapping

from lib.operations import moderate
from tools.cli.arguments import Commands, Options, add_yes
from tools.cli.context import operator
from tools.cli.several_boards import add_for_boards, chosen, names_of, on_each, standings
from tools.cli.terminal import confirm, say


def add_to(commands: Commands) -> None:
    """Add the command."""
    add_yes(add_for_boards(commands, "remove", run, "take a player off every live standing"))


async def run(options: Options, environ: Mapping[str, str]) -> None:
    """Take a player off the standings."""
    async with operator(environ) as here:
        boards = chosen(here, options)
        confirm(f"Take {options.player} off every standing of {names_of(boards)}?", yes=options.yes)
        removed = await on_each(here, boards, options, "standings", moderate.remove)
        if not options.json:
            say(f"{options.player} is off {standings(sum(removed))} of {names_of(boards)}.")
