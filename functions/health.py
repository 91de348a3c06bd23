"""GET /health: whether the store answers."""

from time import perf_counter

from mangum import Mangum

from lib.http import Call, Function, Reply
from lib.pages import Health


async def health(call: Call) -> Reply:
    """Answer how long the store took; a store out of reach is a 503."""
    started = perf_counter()
    await call.deployment.store.ping()
    return Reply.of(Health(ok=True, store="up", latency_ms=round((perf_counter() - started) * 1000, 1)))


app = Function(get=health)
lambda_handler = Mangum(app, lifespan="off")
