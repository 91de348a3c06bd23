"""`token`: a new player_token, for a player who lost theirs."""

from collections.abc import Mapping

from lib.access.tickets import Signer
from lib.settings import Settings
from tools.cli.arguments import Commands, Options, add_board, add_command, add_player
from tools.cli.context import boards_of, find_board
from tools.cli.terminal import say, say_json


def add_to(commands: Commands) -> None:
    """Add the command."""
    parser = add_command(commands, "token", run, "sign a new player_token, for a player who lost theirs")
    add_board(parser)
    add_player(parser)


async def run(options: Options, environ: Mapping[str, str]) -> None:
    """Print a token that proves ownership of a player; the store is not asked."""
    settings = Settings.read(environ)
    find_board(boards_of(environ), options.board)
    signed = Signer(settings.secrets).sign_player(options.player)
    if options.json:
        say_json({"player": options.player, "player_token": signed})
    else:
        say(signed)
