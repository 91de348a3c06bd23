"""GET /rank: where a player, several players or a score stand."""

from lib.calls.rank import rank as read_rank
from lib.http.app import Call, Function, Reply
from lib.http.aws_lambda import lambda_entry
from lib.reading.queries import RankQuery


async def rank(call: Call) -> Reply:
    """Answer with the places asked for."""
    return Reply.of(await read_rank(call.deployment, RankQuery.read(call.query), call.now))


app = Function(get=rank)
lambda_handler = lambda_entry(app)
