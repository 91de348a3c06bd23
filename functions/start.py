"""POST /start: sign the ticket of one run, and mint a player for whoever has none."""

from lib.calls.start import start as start_run
from lib.http.app import Call, Function, Reply
from lib.http.aws_lambda import lambda_entry
from lib.schemas.writes import StartRequest


async def start(call: Call) -> Reply:
    """Answer with a ticket."""
    return Reply.of(await start_run(call.deployment, call.body(StartRequest), call.caller, call.now))


app = Function(post=start)
lambda_handler = lambda_entry(app)
