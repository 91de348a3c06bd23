"""What an ASGI server says besides requests: it starts, it stops, it offers a websocket."""

from collections.abc import Callable

from starlette.types import Receive, Scope, Send


async def attend(start: Callable[[], None], scope: Scope, receive: Receive, send: Send) -> None:
    """Close a websocket; call `start` when the server starts, and say yes whatever came of it: requests are told."""
    if scope["type"] == "websocket":
        await send({"type": "websocket.close"})
        return
    while True:
        message = await receive()
        if message["type"] == "lifespan.startup":
            start()
        await send({"type": f"{message['type']}.complete"})
        if message["type"] == "lifespan.shutdown":
            return
