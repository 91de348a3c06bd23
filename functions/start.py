"""POST /start: sign the ticket of one run, and mint a player for whoever has none."""

from secrets import token_urlsafe

from lib.access.admission import carries_server_token, signer_of
from lib.access.callers import caller_of
from lib.access.rate_limits import count_call
from lib.access.tickets import Ticket
from lib.errors import Invalid
from lib.http.app import Call, Function, Reply
from lib.http.aws_lambda import lambda_entry
from lib.schemas.timestamps import instant
from lib.schemas.writes import StartAnswer, StartRequest


async def start(call: Call) -> Reply:
    """Answer with a ticket; the player's token is signed anew, so that old keys can be retired."""
    here, now = call.deployment, call.now
    request = call.body(StartRequest)
    board = here.board(request.board)
    signer = signer_of(here.settings.secrets)
    by_server = carries_server_token(here.settings, call.headers)
    if request.player is None:
        if request.player_token is not None:
            raise Invalid.field("player_token", "goes with the player it belongs to")
        player = "p_" + token_urlsafe(12)
    else:
        player = request.player
        if not by_server:
            signer.check_player(player, request.player_token)
    caller = caller_of(call.address, here.settings.address_key)
    async with here.blocked.guard(board, caller, now):
        await count_call(here.store, board, caller, now)
    ticket = Ticket(board.name, player, now, token_urlsafe(12), now + board.ticket.longest)
    return Reply.of(
        StartAnswer(
            ticket=signer.sign_ticket(ticket),
            player=player,
            player_token=signer.sign_player(player) if request.player is None or not by_server else None,
            expires=instant(ticket.expires),
        )
    )


app = Function(post=start)
lambda_handler = lambda_entry(app)
