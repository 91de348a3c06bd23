"""The local endpoint as part of a running stack: its port, the Redis behind it, and the variables that lead to it."""

import asyncio
import secrets
import socket
from collections.abc import AsyncIterator, Generator, Mapping
from contextlib import asynccontextmanager, contextmanager

import uvicorn

from lib.errors import Misconfigured
from tools.upstash_emulator.backends import Backend, MemoryBackend, RedisBackend
from tools.upstash_emulator.endpoint import make_endpoint
from tools.upstash_emulator.wire import ReplyError


class _EndpointServer(uvicorn.Server):
    @contextmanager
    def capture_signals(self) -> Generator[None, None, None]:
        """Leave the signals to the process as a whole."""
        yield


def address(listener: socket.socket) -> str:
    """Return the `http://` address of a listening loopback socket."""
    return f"http://127.0.0.1:{listener.getsockname()[1]}"


def listen(variable: str, default: int, environ: Mapping[str, str]) -> socket.socket:
    """Return a listening loopback socket on the port that a variable names; raise Misconfigured where there is none."""
    text = environ.get(variable, "").strip() or str(default)
    if not (text.isascii() and text.isdigit() and int(text) < 65536):
        raise Misconfigured(f"{variable}: should be a port, 0 to 65535.")
    # The protocol is spelt out because asyncio sets TCP_NODELAY only on sockets that name it.
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind(("127.0.0.1", int(text)))
    except OSError as error:
        listener.close()
        raise Misconfigured(
            f"{variable}: port {text} cannot be used ({error.strerror}); set {variable} to another."
        ) from None
    listener.listen(1024)
    return listener


async def _backend(environ: Mapping[str, str]) -> Backend:
    """Return the Redis that REDIS_URL names, once it has answered, or one in memory."""
    url = environ.get("REDIS_URL", "").strip()
    if not url:
        return MemoryBackend()
    backend = RedisBackend(url)
    try:
        await asyncio.wait_for(backend.run([[b"PING"]]), 5)
    except (OSError, ReplyError, ValueError) as error:
        reason = error.strerror or "no answer" if isinstance(error, OSError) else str(error)
        raise Misconfigured(f"REDIS_URL: no Redis can be used there ({reason}); should be redis://host:port.") from None
    return backend


@asynccontextmanager
async def local_store(environ: dict[str, str]) -> AsyncIterator[str]:
    """Run the local endpoint unless `environ` names another, enter it there, and give the line that says where."""
    if environ.get("UPSTASH_REDIS_REST_URL", "").strip():
        yield "Store: the endpoint that UPSTASH_REDIS_REST_URL names."
        return
    backend = await _backend(environ)
    token = environ.get("UPSTASH_REDIS_REST_TOKEN", "").strip() or secrets.token_urlsafe(16)
    listener = listen("STORE_PORT", 8079, environ)
    environ.update(UPSTASH_REDIS_REST_URL=address(listener), UPSTASH_REDIS_REST_TOKEN=token)
    config = uvicorn.Config(
        make_endpoint(backend, token), proxy_headers=False, log_level="warning", ws="none", timeout_graceful_shutdown=1
    )
    server = _EndpointServer(config)
    serving = asyncio.create_task(server.serve([listener]))
    kind = "a Redis server" if isinstance(backend, RedisBackend) else "memory"
    try:
        yield f"Store, in {kind}: UPSTASH_REDIS_REST_URL={address(listener)} UPSTASH_REDIS_REST_TOKEN={token}"
    finally:
        server.should_exit = True
        await serving
