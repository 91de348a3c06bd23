"""A deployment under test: its own boards and clock, on the local endpoint over a store, without a socket between."""

import json
import ssl
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from functools import cache
from typing import Any, Literal
from unittest.mock import patch

import httpx

from functions.web import app
from lib.boards.toml_file import parse_boards
from lib.deployment import Deployment
from lib.settings import Settings
from tools.upstash_emulator.backends import Backend
from tools.upstash_emulator.endpoint import Endpoint, make_endpoint

TOKEN = "a-token-for-tests"
# Far ahead, because the store's own clock must not expire what a test's clock has not.
NOON = 2_000_000_000_000 - 2_000_000_000_000 % 86_400_000 + 43_200_000
ADDRESS = "203.0.113.7"

_trust = cache(ssl.create_default_context)


class Way(httpx.AsyncBaseTransport):
    """The way to the store: what carries requests can be exchanged, and whoever listens hears every answer."""

    def __init__(self, through: httpx.AsyncBaseTransport) -> None:
        self.through = through
        self.listeners: list[Callable[[httpx.Response], None]] = []

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Carry one request."""
        response = await self.through.handle_async_request(request)
        await response.aread()
        for listener in self.listeners:
            listener(response)
        return response


class Harness:
    """What a test holds: `now` is the clock (ms), `billed` and `requests` count what the last calls cost."""

    def __init__(self, boards: str, endpoint: Endpoint, **settings: Any) -> None:
        self.now = NOON
        self.endpoint = endpoint
        self.way = Way(httpx.ASGITransport(app=endpoint))
        self._settings = Settings(url="http://store.test", token=TOKEN, **settings)
        self.deploy(boards)

    def deploy(self, boards: str) -> None:
        """Start anew with these boards, on the same store: a process that remembers nothing."""
        # Reading the certificates takes most of what a harness costs, and nothing here leaves the process.
        with patch.object(ssl, "create_default_context", _trust):
            self.deployment = Deployment(
                self._settings, parse_boards(boards), clock=lambda: self.now, transport=self.way
            )
            _ = self.deployment.store.upstash._redis  # which reads them
        self.client = self.client_at(ADDRESS)

    def client_at(self, address: str) -> httpx.AsyncClient:
        """Return a client that calls from an address."""
        site = app.on(self.deployment)
        transport = httpx.ASGITransport(app=site, client=(address, 50_000), raise_app_exceptions=True)
        return httpx.AsyncClient(transport=transport, base_url="http://laurel.test")

    @property
    def billed(self) -> int:
        """The commands billed since `start_meter`."""
        return self.endpoint.meter.billed

    @property
    def requests(self) -> int:
        """The requests to the endpoint since `start_meter`."""
        return self.endpoint.meter.requests

    def start_meter(self) -> None:
        """Count from nothing."""
        self.endpoint.meter.reset()

    async def post(self, path: str, **body: Any) -> httpx.Response:
        """Post a JSON body."""
        return await self.client.post(path, content=json.dumps(body))

    async def submit(self, player: str, score: float, *, board: str = "b", **more: Any) -> dict[str, Any]:
        """Submit and return the answer, which must be a 200."""
        response = await self.post("/submit", board=board, player=player, score=score, **more)
        assert response.status_code == 200, response.text
        answer: dict[str, Any] = response.json()
        return answer

    async def get(self, path: str, **query: Any) -> dict[str, Any]:
        """Get and return the answer, which must be a 200."""
        response = await self.client.get(path, params={"board": "b", **query})
        assert response.status_code == 200, response.text
        answer: dict[str, Any] = response.json()
        return answer

    async def command(self, *command: str) -> Any:
        """Send the store a command past everything."""
        return await self.deployment.store.upstash.command(*command)

    async def close(self) -> None:
        """Close what was opened."""
        await self.client.aclose()
        await self.deployment.store.upstash.close()


@asynccontextmanager
async def harness(
    boards: str, backend: Backend, *, flags: Literal["known", "unknown"] = "known", **settings: Any
) -> AsyncIterator[Harness]:
    """Open a harness on a store and empty the store; `flags` says whether the endpoint knows Upstash's."""
    opened = Harness(boards, make_endpoint(backend, TOKEN, flags=flags), **settings)
    try:
        await opened.command("FLUSHALL")
        opened.start_meter()
        yield opened
    finally:
        await opened.close()
