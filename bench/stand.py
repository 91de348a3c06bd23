"""What every benchmark stands on: a Redis server, and the local endpoint over it in a process of its own."""

import json
import socket
import subprocess
import sys
from collections.abc import Coroutine, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import redis

from functions import rank, submit, top
from lib.boards.board import Board
from lib.boards.toml_file import parse_boards
from lib.deployment import Deployment
from lib.http.app import Function
from lib.settings import Settings
from lib.storage.keys import Keyspace
from tests.support.servers import redis_server

TOKEN = "a-token-for-benchmarks"
ROOT = Path(__file__).parent.parent
# A fixed noon, far ahead: the server's own clock must not expire what this clock has not.
NOON = 2_000_000_000_000 - 2_000_000_000_000 % 86_400_000 + 43_200_000

_SCOPE = {
    "type": "http",
    "asgi": {"version": "3.0"},
    "http_version": "1.1",
    "scheme": "https",
    "path": "/",
    "raw_path": b"/",
    "root_path": "",
    "server": ("laurel.test", 443),
    "headers": [(b"content-type", b"application/json")],
}


@dataclass
class Count:
    """What the endpoint says it did: requests, and commands as Upstash would bill them."""

    requests: int = 0
    billed: int = 0


class Bench:
    """A deployment on the stand, called as a platform calls it; `now` is its clock (ms), `count` what it cost."""

    def __init__(self, stand: "Stand", boards: str, timeout: float = 10.0) -> None:
        self.now = NOON
        self.count = Count()
        settings = Settings(url=stand.url, token=TOKEN, timeout=timeout)
        self.deployment = Deployment(settings, parse_boards(boards), clock=lambda: self.now)
        self.upstash = self.deployment.store.upstash
        self._functions = {f: f.app.on(self.deployment) for f in (submit, top, rank)}
        self.upstash._redis._http._client.event_hooks["response"].append(self._note)

    async def _note(self, response: Any) -> None:
        self.count.requests += 1
        self.count.billed += int(response.headers.get("x-billed-commands", 0))

    def board(self, name: str = "b") -> Board:
        """Return a board."""
        return self.deployment.board(name)

    def keyspace(self, name: str = "b") -> Keyspace:
        """Return the names of what a board stores."""
        return self.deployment.store.keyspace(self.board(name))

    def submit(self, *, board: str = "b", address: str = "203.0.113.7", **body: Any) -> Coroutine[Any, Any, bytes]:
        """Return a submission to be awaited, made up already so that a clock sees the handler alone."""
        content = json.dumps({"board": board, **body}).encode()
        return _call(self._functions[submit], _scope("POST", "", address), content)

    def top(self, query: str, board: str = "b") -> Coroutine[Any, Any, bytes]:
        """Return the reading of a page likewise."""
        return _call(self._functions[top], _scope("GET", f"board={board}&{query}"))

    def rank(self, query: str, board: str = "b") -> Coroutine[Any, Any, bytes]:
        """Return the reading of ranks likewise."""
        return _call(self._functions[rank], _scope("GET", f"board={board}&{query}"))

    async def close(self) -> None:
        """Close the connections to the endpoint."""
        await self.upstash.close()


def _scope(method: str, query: str, address: str = "203.0.113.7") -> dict[str, Any]:
    return {**_SCOPE, "method": method, "query_string": query.encode(), "client": (address, 50_000)}


async def _call(function: Function, scope: dict[str, Any], content: bytes = b"") -> bytes:
    """Call one function and return its body; raise RuntimeError unless it answers 200."""
    status, body = 0, b""

    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": content, "more_body": False}

    async def send(message: Any) -> None:
        nonlocal status, body
        if message["type"] == "http.response.start":
            status = message["status"]
        else:
            body += message["body"]

    await function(scope, receive, send)
    if status != 200:
        raise RuntimeError(f"{scope['method']} {scope['query_string']}: {status} {body.decode()}")
    return body


@dataclass
class Stand:
    """The running servers: `url` is the endpoint's address, `redis` a client past it."""

    url: str
    redis_url: str
    redis: "redis.Redis"

    def empty(self) -> None:
        """Forget everything that is stored; scripts stay."""
        self.redis.flushall()


@contextmanager
def running() -> Iterator[Stand]:
    """Start the servers, and stop them at the end."""
    with (
        redis_server() as redis_url,
        redis.Redis.from_url(redis_url, decode_responses=True) as client,
        endpoint(redis_url) as url,
    ):
        yield Stand(url, redis_url, client)


@contextmanager
def endpoint(redis_url: str) -> Iterator[str]:
    """Run the local endpoint over a Redis in a process of its own, and give its address."""
    # The protocol is spelt out because asyncio sets TCP_NODELAY only on sockets that name it.
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP) as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen(1024)
        port = listener.getsockname()[1]
        command = [sys.executable, "-m", "bench.endpoint", redis_url, str(listener.fileno())]
        process = subprocess.Popen(command, cwd=ROOT, pass_fds=[listener.fileno()])
    try:
        _wait_for(port)
        yield f"http://127.0.0.1:{port}"
    finally:
        process.terminate()
        process.wait(10)


def _wait_for(port: int) -> None:
    """Ask once: the socket listens already, so the answer comes when somebody serves it."""
    with httpx.Client(timeout=15) as client:
        client.get(f"http://127.0.0.1:{port}/PING?_token={TOKEN}").raise_for_status()
