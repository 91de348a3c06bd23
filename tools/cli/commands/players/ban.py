"""`ban`: refuse a player's submissions."""

from collections.abc import Mapping
from typing import Any

from lib.operations import moderate
from tools.cli.arguments import Commands, Options
from tools.cli.context import operator
from tools.cli.several_boards import add_for_boards, chosen, names_of, on_each
from tools.cli.terminal import say


def add_to(commands: Commands) -> None:
    """Add the command."""
    add_for_boards(commands, "ban", run, "refuse a player's submissions; rows stay, `remove` takes them off")


async def run(options: Options, environ: Mapping[str, str]) -> None:
    """Refuse a player from now on."""

    async def ban_one(*arguments: Any) -> bool:
        await moderate.ban(*arguments)
        return True

    async with operator(environ) as here:
        boards = chosen(here, options)
        await on_each(here, boards, options, "banned", ban_one)
        if not options.json:
            say(f"{options.player} is banned from {names_of(boards)}. Rows stay as they are: `remove` takes them off.")
