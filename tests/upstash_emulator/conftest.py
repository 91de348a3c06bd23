"""An endpoint that is being served, over each kind of Redis."""

from collections.abc import Iterator

import httpx
import pytest

from tests.support.servers import serve
from tests.upstash_emulator.local_endpoint import TOKEN, Local
from tools.upstash_emulator.backends import MemoryBackend, RedisBackend
from tools.upstash_emulator.endpoint import make_endpoint


@pytest.fixture(scope="module", params=["memory", "redis"])
def served(request: pytest.FixtureRequest) -> Iterator[Local]:
    """Serve an endpoint over each kind of Redis."""
    backend = MemoryBackend() if request.param == "memory" else RedisBackend(request.getfixturevalue("redis_url"))
    endpoint = make_endpoint(backend, TOKEN)
    headers = {"Authorization": f"Bearer {TOKEN}"}
    with serve(endpoint) as url, httpx.Client(base_url=url, headers=headers) as client:
        yield Local(endpoint, url, client)


@pytest.fixture
def local(served: Local) -> Local:
    """Give an endpoint whose Redis is empty and knows no script."""
    served.forget()
    return served
