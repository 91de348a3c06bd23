"""Start: sign the ticket of one run, and mint a player for whoever has none."""

from secrets import token_urlsafe

from lib.access.admission import is_backend, signer_of
from lib.access.callers import Caller
from lib.access.rate_limits import count_call
from lib.access.tickets import Ticket
from lib.deployment import Deployment
from lib.errors import Invalid
from lib.schemas.timestamps import instant
from lib.schemas.writes import StartAnswer, StartRequest


async def start(here: Deployment, request: StartRequest, caller: Caller, now: int) -> StartAnswer:
    """Answer with a ticket; the player's token is signed anew, so that old keys can be retired."""
    board = here.board(request.board)
    signer = signer_of(here.settings.secrets)
    by_backend = is_backend(here.settings, caller)
    if request.player is None:
        if request.player_token is not None:
            raise Invalid.field("player_token", "goes with the player it belongs to")
        player = "p_" + token_urlsafe(12)
    else:
        player = request.player
        if not by_backend:
            signer.check_player(player, request.player_token)
    name = caller.name(here.settings.address_key)
    async with here.blocked.guard(board, name, now):
        await count_call(here.store, board, name, now)
    ticket = Ticket(board.name, player, now, token_urlsafe(12), now + board.ticket.longest)
    return StartAnswer(
        ticket=signer.sign_ticket(ticket),
        player=player,
        player_token=signer.sign_player(player) if request.player is None or not by_backend else None,
        expires=instant(ticket.expires),
    )
