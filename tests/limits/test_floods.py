"""Floods: what one caller, or ten thousand that pretend to be different ones, can make the store do."""

import asyncio
import json
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from typing import Any

import httpx
import pytest

from functions import start, submit
from lib.access.rate_limits import MOST_BLOCKED, Blocked
from lib.deployment import Deployment
from lib.http import aws_lambda, function_url
from tests.support.harness import TOKEN, Harness, harness
from tests.support.ticket_runs import SECRETS, TICKETS
from tools.upstash_emulator.backends import MemoryBackend
from tools.upstash_emulator.endpoint import make_endpoint
from tools.upstash_emulator.wire import Command, Reply

LIMIT = 60
BOARD = '[board.b]\nlimits = { per_ip = "60/1m" }\n'
RUN = json.dumps({"board": "b", "player": "p1", "score": 1}).encode()
FLOOD, CALLERS = 20_000, 10_000
# Requests that are under way at the same time in one process, as a platform or a server lets them be.
AT_ONCE = 500
SOCKET = "203.0.113.7"

Headers = Sequence[tuple[bytes, bytes]]


class Distant(MemoryBackend):
    """A store that takes a moment, so that others are asked meanwhile."""

    async def run(self, commands: Sequence[Command]) -> list[Reply]:
        """Return one reply a command, later."""
        await asyncio.sleep(0)
        return await super().run(commands)


async def call(
    app: Any, content: bytes = RUN, headers: Headers = (), *, path: str = "/submit", socket: str = SOCKET
) -> int:
    """Call an ASGI application as a server does, for the status; an HTTP client would take most of the time."""
    statuses = []

    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": content, "more_body": False}

    async def send(message: Any) -> None:
        if message["type"] == "http.response.start":
            statuses.append(int(message["status"]))

    scope = {"type": "http", "method": "POST", "path": path, "raw_path": path.encode(), "query_string": b""}
    scope |= {
        "headers": [*headers],
        "client": (socket, 50_000),
        "server": ("x", 443),
        "scheme": "https",
        "root_path": "",
    }
    await app(scope, receive, send)
    return statuses[0]


async def flood(here: Harness, app: Any, times: int, at_once: int) -> list[int]:
    """Send the same request many times, some of them at once; return the statuses."""
    statuses: list[int] = []
    while len(statuses) < times:
        statuses += await asyncio.gather(*(call(app) for _ in range(min(at_once, times - len(statuses)))))
    return statuses


@pytest.mark.parametrize("at_once", [1, AT_ONCE])
async def test_a_flood_through_a_warm_process_hardly_reaches_the_store(at_once: int) -> None:
    """Twenty thousand requests of one caller: at most limit + 2 reach it, and each refused one costs 2 commands."""
    async with harness(BOARD, Distant()) as here:
        app = submit.app.on(here.deployment)
        assert await call(app) == 200
        for _ in range(LIMIT - 2):
            assert await call(app) == 200
        before = here.requests
        here.start_meter()
        statuses = await flood(here, app, FLOOD, at_once)
        assert (statuses.count(200), statuses.count(429)) == (1, FLOOD - 1)
        assert before + here.requests <= LIMIT + 2 + 1  # the script's text travelled once
        here.start_meter()
        async with cold(here) as other:
            assert await call(submit.app.on(other)) == 429
        assert (here.requests, here.billed) == (1, 2)


@pytest.mark.parametrize("at_once", [1, 50, 1000])
async def test_a_flood_into_a_fresh_process_is_no_worse(at_once: int) -> None:
    """However many come at once, and in whatever groups, also before the first refusal is known."""
    async with harness(BOARD, Distant()) as here:
        app = submit.app.on(here.deployment)
        statuses = await flood(here, app, 2000, at_once)
        assert (statuses.count(200), statuses.count(429)) == (LIMIT, 2000 - LIMIT)
        # Until the script is known to the server, each first call brings its text: one request more.
        assert here.endpoint.meter.billed <= 8 * (LIMIT + 2)
        assert here.requests <= 2 * (LIMIT + 2)


async def test_a_flood_of_starts_stays_at_the_same_gate() -> None:
    async with harness(TICKETS.replace('"0"', '"60/1m"'), MemoryBackend(), secrets=SECRETS) as here:
        await call(start.app.on(here.deployment), b'{"board": "b"}')
        here.start_meter()
        for _ in range(1000):
            await call(start.app.on(here.deployment), b'{"board": "b"}')
        assert here.requests <= LIMIT + 1
        assert here.billed <= 3 * LIMIT


async def hang(_: httpx.Request) -> httpx.Response:
    """Never answer."""
    await asyncio.Event().wait()
    raise AssertionError("nobody sets this event")


async def test_a_store_that_hangs_holds_no_flood_longer_than_its_deadline() -> None:
    """Whoever waits for a place in the row is told in time that there is none."""
    async with harness('[board.b]\nlimits = { per_ip = "1/1m" }\n', MemoryBackend(), timeout=0.2) as here:
        here.way.through = httpx.MockTransport(hang)
        async with asyncio.timeout(2):
            statuses = await flood(here, submit.app.on(here.deployment), 50, 50)
        assert statuses == [503] * 50


async def test_nobody_waits_for_a_place_and_then_for_the_store_as_well() -> None:
    """The deadline is for both together, also where those ahead leave their place one by one."""
    async with harness('[board.b]\nlimits = { per_ip = "1/1m" }\n', MemoryBackend(), timeout=0.8) as here:
        function = submit.app.on(here.deployment)
        here.way.through = httpx.MockTransport(hang)

        async def call_later(number: int) -> float:
            await asyncio.sleep(0.2 * number)
            begun = asyncio.get_running_loop().time()
            assert await call(function, b'{"board": "b", "player": "p1", "score": 1}') == 503
            return asyncio.get_running_loop().time() - begun

        taken = await asyncio.gather(*map(call_later, range(6)))
        assert max(taken) < 1.5 * min(taken)


@asynccontextmanager
async def cold(here: Harness) -> AsyncIterator[Deployment]:
    """Open a process that has seen nothing yet, on the same store."""
    other = Harness(BOARD, here.endpoint)
    other.now = here.now
    try:
        yield other.deployment
    finally:
        await other.close()


def forged(number: int) -> str:
    """Return an address, another one for each number."""
    return f"198.{18 + number // 65536}.{number // 256 % 256}.{number % 256}"


def event(forwarded: str, source: str = SOCKET) -> dict[str, Any]:
    """Return what a Function URL hands to Lambda for a submission, with headers that the caller made up."""
    headers = {"content-type": "application/json", "x-forwarded-for": f"{forwarded}, {source}", "x-real-ip": forwarded}
    return {
        "version": "2.0",
        "rawPath": "/",
        "rawQueryString": "",
        "headers": {**headers, "forwarded": f"for={forwarded}", "x-vercel-forwarded-for": forwarded},
        "requestContext": {"http": {"method": "POST", "path": "/", "sourceIp": source, "protocol": "HTTP/1.1"}},
        "body": RUN.decode(),
        "isBase64Encoded": False,
    }


@contextmanager
def on_lambda(deployment: Deployment) -> Iterator[aws_lambda.LambdaHandler]:
    """Give the handler that Lambda would call, and take its loop away afterwards."""
    function_url.loop.cache_clear()
    try:
        yield aws_lambda.lambda_entry(submit.app.on(deployment))
    finally:
        loop = function_url.loop()
        loop.run_until_complete(deployment.store.upstash.close())
        loop.close()
        function_url.loop.cache_clear()
        asyncio.set_event_loop(None)


def test_ten_thousand_made_up_addresses_on_lambda_are_one_caller() -> None:
    """Only the source address of the event counts: one gate, and after the limit no request to the store."""
    here = Harness(BOARD, make_endpoint(MemoryBackend(), TOKEN))
    with on_lambda(here.deployment) as handler:
        statuses = [handler(event(forged(number)), None)["statusCode"] for number in range(CALLERS)]
        assert (statuses.count(200), statuses.count(429)) == (LIMIT, CALLERS - LIMIT)
        assert here.requests <= LIMIT + 2
        names = function_url.loop().run_until_complete(here.command("KEYS", "*:gate:*"))
        assert len(names) == 1
        assert handler(event(forged(0), "203.0.113.8"), None)["statusCode"] == 200


# What a caller sends, and what Vercel's edge makes of it: it writes its own address over these two.
FORGED = (
    b"x-forwarded-for",
    b"x-vercel-forwarded-for",
    b"forwarded",
    b"cf-connecting-ip",
    b"true-client-ip",
    b"x-client-ip",
)


def caller_headers(number: int) -> list[tuple[bytes, bytes]]:
    """Return every header in which a caller could claim an address."""
    return [(name, forged(number).encode()) for name in FORGED]


async def test_ten_thousand_made_up_addresses_on_vercel_are_one_caller() -> None:
    """Only the header that the edge overwrites counts, whatever stands in the others and in the socket."""
    async with harness(BOARD, MemoryBackend(), address_header="x-real-ip") as here:
        app = submit.app.on(here.deployment)
        edge = (b"x-real-ip", SOCKET.encode())
        statuses = [await call(app, headers=[*caller_headers(n), edge], socket="127.0.0.1") for n in range(CALLERS)]
        assert (statuses.count(200), statuses.count(429)) == (LIMIT, CALLERS - LIMIT)
        assert len(await here.command("KEYS", "*:gate:*")) == 1
        assert await call(app, headers=[(b"x-real-ip", b"203.0.113.8")], socket="127.0.0.1") == 200


@pytest.mark.parametrize("hops", [0, 1])
async def test_ten_thousand_made_up_addresses_on_a_server_are_one_caller(hops: int) -> None:
    """Only the socket counts, or behind a proxy of one's own the hop that it added."""
    async with harness(BOARD, MemoryBackend(), trust_proxy=hops) as here:
        app = submit.app.on(here.deployment)
        added = [(b"x-forwarded-for", SOCKET.encode())] if hops else []
        statuses = []
        for number in range(CALLERS):
            headers = [*caller_headers(number), (b"x-real-ip", forged(number).encode()), *added]
            statuses.append(await call(app, headers=headers))
        assert (statuses.count(200), statuses.count(429)) == (LIMIT, CALLERS - LIMIT)
        assert len(await here.command("KEYS", "*:gate:*")) == 1


async def test_the_memory_of_a_flood_from_everywhere_is_bounded() -> None:
    """More real addresses than are remembered: the process forgets those not seen for longest, and goes on."""
    board = '[board.b]\nlimits = { per_ip = "1/1m" }\n'
    async with harness(board, MemoryBackend()) as here:
        here.deployment.blocked = Blocked(most=50)
        app = submit.app.on(here.deployment)
        for number in range(200):
            assert [await call(app, socket=forged(number)) for _ in range(2)] == [200, 429]
        assert len(here.deployment.blocked) == len(here.deployment.blocked._sent) == 50
    assert MOST_BLOCKED == 10_000
