"""The client of the store: what it sends, what it sends again, which connections it keeps, which flag it tries."""

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from types import SimpleNamespace
from typing import Any

import httpx
import pytest
import redis
import respx
from starlette.types import Receive, Scope, Send
from upstash_redis.asyncio import Redis

from lib.errors import StoreUnavailable
from lib.storage.scripts import script
from lib.storage.upstash import IDLE_SECONDS, Unanswered, Upstash
from tests.support.failing_stores import Unreliable, each, of
from tests.support.harness import TOKEN, harness
from tests.support.project import ROOT
from tests.support.servers import serve
from tools.upstash_emulator.backends import MemoryBackend
from tools.upstash_emulator.endpoint import make_endpoint

URL = "http://store.test"
SCRIPTS = sorted(path.stem for path in (ROOT / "lib/storage/lua").glob("*.lua"))
GATED = """
[board.b]
keep = "sum"
limits = { per_ip = "9/1m", per_player = "9/1m", cooldown = "1h" }
"""
OPEN = """
[board.b]
limits = { per_ip = "0" }
"""


async def test_the_error_says_whether_a_request_may_have_been_carried_out() -> None:
    upstash = Upstash(URL, TOKEN, timeout=1)
    with respx.mock:
        respx.route(host="store.test").mock(side_effect=[httpx.ConnectError("no"), httpx.ReadError("lost")])
        with pytest.raises(StoreUnavailable) as never_sent:
            await upstash.command("GET", "k")
        with pytest.raises(Unanswered):
            await upstash.command("GET", "k")
    assert not isinstance(never_sent.value, Unanswered)
    await upstash.close()


async def test_the_sdk_still_has_the_private_client_that_is_replaced() -> None:
    """`Upstash` reaches into the SDK at one place; if this fails, the SDK has changed and so must that place."""
    sdk = Redis(URL, TOKEN)
    assert type(sdk._http._client) is httpx.AsyncClient
    await sdk.close()
    upstash = Upstash(URL, TOKEN, timeout=1.5)
    client = upstash._redis._http._client
    assert client.timeout == httpx.Timeout(1.5)
    pool = client._transport._pool  # type: ignore[attr-defined]  # the pool of httpx' own transport
    assert pool._keepalive_expiry == IDLE_SECONDS
    await upstash.close()


async def test_the_sdk_sends_plain_text_and_no_telemetry() -> None:
    """What a function sends is its command and its token; answers come back as they are."""
    upstash = Upstash(URL, TOKEN, timeout=1)
    with respx.mock:
        route = respx.post(f"{URL}/multi-exec").mock(side_effect=each("v"))
        assert await upstash.command("GET", "k") == "v"
    headers = route.calls.last.request.headers
    assert headers["authorization"] == f"Bearer {TOKEN}"
    assert not [name for name in headers if "telemetry" in name or "encoding" in name.removeprefix("accept-encoding")]
    await upstash.close()


@pytest.mark.parametrize("fault", [httpx.ReadError, httpx.RemoteProtocolError, httpx.WriteError])
async def test_a_write_whose_answer_got_lost_is_sent_again_and_counted_once(fault: type[httpx.TransportError]) -> None:
    """The second try finds the first: no gate refuses or counts it, and the sum has the score once."""
    async with harness(GATED, MemoryBackend()) as here:
        await here.submit("p2", 1)  # brings the script
        way = Unreliable(here, 1, fault=fault)
        answer = await here.submit("p1", 5)
        assert len(way.sent) == 2
        assert answer["replayed"]
        assert [(row["score"], row["kept"], row["improved"]) for row in answer["standings"]] == [(5, True, True)]
        gate = await here.command("HGET", "laurel:{b}:ds-:player:p1", "gate")
        assert gate.startswith("1 ")
        [address] = await here.command("KEYS", "laurel:{b}:gate:*")
        assert (await here.command("GET", address)).startswith("2 ")  # p2's and p1's first try


async def test_a_write_that_was_lost_on_its_way_is_stored_by_the_second_try() -> None:
    async with harness(GATED, MemoryBackend()) as here:
        await here.submit("p2", 1)
        way = Unreliable(here, lost_requests=[1], fault=httpx.RemoteProtocolError)
        answer = await here.submit("p1", 5)
        assert (answer["replayed"], answer["improved"], len(way.sent)) == (False, True, 2)


async def test_a_write_is_sent_twice_at_most_and_its_callers_retry_is_a_replay() -> None:
    async with harness(GATED, MemoryBackend()) as here:
        await here.submit("p2", 1)
        way = Unreliable(here, 1, 2)
        body = {"board": "b", "player": "p1", "score": 5, "id": "an-id-of-mine"}
        lost = await here.post("/submit", **body)
        assert (lost.status_code, lost.json()["code"], len(way.sent)) == (503, "store_unavailable", 2)
        again = (await here.post("/submit", **body)).json()
        assert (again["replayed"], again["standings"][0]["score"], len(way.sent)) == (True, 5, 3)


async def test_a_read_whose_answer_got_lost_is_not_sent_again() -> None:
    async with harness(OPEN, MemoryBackend()) as here:
        for path in ("/top?board=b", "/top?board=b&player=p1", "/rank?board=b&player=p1", "/health"):
            way = Unreliable(here, 1)
            assert (await here.client.get(path)).status_code == 503
            assert len(way.sent) == 1


async def test_an_error_of_the_server_is_not_sent_again() -> None:
    """The server's own word is no lost answer, for writes neither."""
    async with harness(OPEN, MemoryBackend()) as here:
        await here.command("SET", "laurel:{b}:db-:player:p1", "not a hash")
        await here.submit("p2", 1)
        way = Unreliable(here)
        answer = await here.post("/submit", board="b", player="p1", score=1)
        assert (answer.status_code, len(way.sent)) == (503, 1)


async def test_the_flag_that_locks_only_the_keys_goes_first() -> None:
    """Upstash would lock the whole database for a script without it."""
    async with harness(OPEN, MemoryBackend()) as here:
        way = Unreliable(here)
        await here.submit("p1", 1)
        await here.submit("p1", 2)
        await here.get("/rank", player="p1")
    told, brought, again, asked, text = [command[:2] for command in way.sent]
    assert told == again == ["EVALSHA", script("submit").flagged_sha]
    assert brought == ["EVAL", script("submit").flagged]
    assert asked == ["EVALSHA_RO", script("rank").flagged_sha]
    assert text[1].startswith("#!lua flags=no-writes,allow-key-locking\n")


async def test_a_server_that_does_not_know_the_flag_gets_the_text_without_it_from_then_on() -> None:
    async with harness(OPEN, MemoryBackend(), flags="unknown") as here:
        way = Unreliable(here)
        await here.submit("p1", 1)
        await here.submit("p1", 2)
        await here.get("/rank", player="p1")
        await here.command("SCRIPT", "FLUSH")
        await here.submit("p1", 3)
    submit, rank = script("submit"), script("rank")
    assert [command[1] for command in way.sent] == [
        *(submit.flagged_sha, submit.flagged, submit.plain),
        submit.plain_sha,
        *(rank.plain_sha, rank.plain),
        ["SCRIPT", "FLUSH"],
        *(submit.plain_sha, submit.plain),
    ]


async def test_calls_that_learn_of_the_unknown_flag_together_are_all_answered() -> None:
    async with harness(OPEN, MemoryBackend(), flags="unknown") as here:
        answers = await asyncio.gather(*(here.submit(f"p{number}", number) for number in range(20)))
        assert all(answer["improved"] for answer in answers)


async def test_a_key_outside_of_keys_is_no_unknown_flag() -> None:
    """Its refusal names the flag too; going on without the flag would hide the fault and lock the database."""
    upstash = Upstash(URL, TOKEN, timeout=1)
    dynamic = "ERR Dynamic keys are not allowed in Lua scripts when 'allow-key-locking' flag is set."
    with respx.mock:
        route = respx.route(host="store.test").mock(
            side_effect=[of({"error": "NOSCRIPT No matching script."}, 400), of({"error": dynamic}, 400)]
        )
        with pytest.raises(StoreUnavailable):
            await upstash.run(script("submit"), ["k"], ["1"])
        assert route.call_count == 2
    await upstash.close()


@pytest.mark.needs("redis")
@pytest.mark.parametrize("name", SCRIPTS)
def test_a_script_goes_by_the_name_the_server_gives_it(name: str, redis_url: str) -> None:
    """A hash that differed would cost a request and the whole text with every call."""
    with redis.Redis.from_url(redis_url) as server:
        assert server.script_load(script(name).plain) == script(name).plain_sha


@asynccontextmanager
async def counted() -> AsyncIterator[tuple[Upstash, set[Any]]]:
    """Serve an endpoint on a socket, with a client, and the set of the client's ends of its connections."""
    endpoint, ends = make_endpoint(MemoryBackend(), TOKEN), set()

    async def counting(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            ends.add(scope["client"])
        await endpoint(scope, receive, send)

    with serve(counting) as url:
        upstash = Upstash(url, TOKEN, timeout=5)
        yield upstash, ends
        await upstash.close()


async def test_calls_share_one_connection() -> None:
    """A new one would cost a TLS handshake."""
    async with counted() as (upstash, ends):
        for _ in range(10):
            await upstash.ping()
            await upstash.transaction(["SET", "k", "v"], ["GET", "k"])
        assert len(ends) == 1


@pytest.mark.parametrize(("idle", "connections"), [(60, 1), (IDLE_SECONDS + 1, 2)])
async def test_an_idle_connection_is_kept(idle: int, connections: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """A quiet minute costs no handshake; the pool by itself would close it after five seconds."""
    skipped = 0
    clock = SimpleNamespace(monotonic=lambda: time.monotonic() + skipped)
    monkeypatch.setattr("httpcore._async.http11.time", clock)
    async with counted() as (upstash, ends):
        await upstash.ping()
        skipped = idle
        await upstash.ping()
        assert len(ends) == connections


async def test_concurrent_calls_each_get_their_own_answer() -> None:
    async with counted() as (upstash, ends):
        texts = [f"text {number}" for number in range(200)]
        assert await asyncio.gather(*(upstash.command("ECHO", text) for text in texts)) == texts
        assert len(ends) <= 64
