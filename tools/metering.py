"""What each call of the functions cost, told in a header: for the demo page, and only next to the local endpoint."""

from contextvars import ContextVar

import httpx
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from lib.deployment import Deployment

HEADER = "X-Billed-Commands"

_costs: ContextVar[list[int] | None] = ContextVar("costs", default=None)


class Metered:
    """An ASGI application whose answers say how many commands the local endpoint billed for them.

    Where another endpoint is behind the functions, which does not tell, the header is left out.
    """

    def __init__(self, app: ASGIApp, deployment: Deployment) -> None:
        self._app = app
        # The same private attribute that lib/upstash.py sets.
        client = deployment.store.upstash._redis._http._client
        client.event_hooks = {**client.event_hooks, "response": [*client.event_hooks["response"], _note]}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one ASGI connection."""
        costs: list[int] = []
        _costs.set(costs)

        async def tell(message: Message) -> None:
            if message["type"] == "http.response.start" and costs:
                message["headers"] = [*message["headers"], (HEADER.lower().encode(), str(sum(costs)).encode())]
            await send(message)

        await self._app(scope, receive, tell)


async def _note(response: httpx.Response) -> None:
    costs, billed = _costs.get(), response.headers.get(HEADER, "")
    if costs is not None and billed.isdigit():
        costs.append(int(billed))
