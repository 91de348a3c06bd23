"""GET /health: whether the store answers."""

from time import perf_counter

from lib.http.app import Call, Function, Reply
from lib.http.aws_lambda import lambda_entry
from lib.schemas.query_string import refuse_parameters
from lib.schemas.reads import Health
from lib.storage.entries import plain_number


async def health(call: Call) -> Reply:
    """Answer how long the store took; a store out of reach is a 503."""
    refuse_parameters(call.query)
    started = perf_counter()
    await call.deployment.store.ping()
    latency_ms = plain_number(round((perf_counter() - started) * 1000, 1))
    return Reply.of(Health(ok=True, store="up", latency_ms=latency_ms))


app = Function(get=health)
lambda_handler = lambda_entry(app)
