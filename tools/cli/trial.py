"""The functions on a store of one's choice, called in this process without their log lines: for `cost` and `smoke`."""

import json
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, redirect_stdout
from io import StringIO
from typing import Any

import httpx

from functions.web import app
from lib.deployment import Deployment

ADDRESS = "192.0.2.1"


class Trial:
    """Calls the functions of a deployment."""

    def __init__(self, deployment: Deployment) -> None:
        self.deployment = deployment
        self._calls, self._redirected = 0, ExitStack()
        transport = httpx.ASGITransport(app=app.on(deployment), client=(ADDRESS, 50_000))
        self._client = httpx.AsyncClient(transport=transport, base_url="http://laurel.invalid")

    async def call(self, method: str, path: str, body: dict[str, Any] | None = None, **query: Any) -> httpx.Response:
        """Call one function, as the game's own backend where the deployment has a token for that."""
        token = self.deployment.settings.server_token
        headers = {} if token is None else {"Authorization": f"Bearer {token}"}
        content = None if body is None else json.dumps(body)
        with self._silence():
            return await self._client.request(method, path, content=content, params=query, headers=headers)

    @contextmanager
    def _silence(self) -> Iterator[None]:
        """Keep the functions' log off stdout, where a command's answer belongs, while any call is under way."""
        if self._calls == 0:
            self._redirected.enter_context(redirect_stdout(StringIO()))
        self._calls += 1
        try:
            yield
        finally:
            self._calls -= 1
            if self._calls == 0:
                self._redirected.close()

    async def close(self) -> None:
        """Close all connections."""
        await self._client.aclose()
        await self.deployment.store.upstash.close()
