"""`unban`: let a player submit again."""

from collections.abc import Mapping
from typing import Any

from lib.operations import moderate
from tools.cli.arguments import Commands, Options
from tools.cli.context import operator
from tools.cli.several_boards import add_for_boards, chosen, names_of, on_each
from tools.cli.terminal import say


def add_to(commands: Commands) -> None:
    """Add the command."""
    add_for_boards(commands, "unban", run, "take a ban back")


async def run(options: Options, environ: Mapping[str, str]) -> None:
    """Let a player submit again."""

    async def unban_one(*arguments: Any) -> bool:
        await moderate.unban(*arguments)
        return False

    async with operator(environ) as here:
        boards = chosen(here, options)
        await on_each(here, boards, options, "banned", unban_one)
        if not options.json:
            say(f"{options.player} may submit to {names_of(boards)}.")
