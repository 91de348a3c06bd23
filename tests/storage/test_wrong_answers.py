"""Answers to another question: a way to the store that repeats itself is found out, and nothing of it is believed."""

import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import httpx
import pytest
import respx
from starlette.types import Message, Receive, Scope
from starlette.types import Send as SendMessage

from lib.storage.upstash import Unanswered, Upstash
from tests.regressions.test_writes import connect
from tests.support.failing_stores import CALLS, assert_unavailable, of, send, site
from tests.support.harness import TOKEN, Harness, harness
from tests.support.playing import page
from tests.support.servers import serve
from tools.upstash_emulator.backends import Backend, MemoryBackend
from tools.upstash_emulator.endpoint import make_endpoint

OPEN = "limits = { per_ip = '0' }"
BOARDS = f"[board.b]\ncache = '1m'\n{OPEN}\n[board.x]\ncache = '1m'\n{OPEN}\n"
COUNTED = f"[board.b]\nkeep = 'sum'\n{OPEN}\n"


class Repeating(httpx.AsyncBaseTransport):
    """A gateway that, once told to, gives every request the answer to the one before it."""

    def __init__(self, here: Harness) -> None:
        self._inner = httpx.ASGITransport(app=here.endpoint)
        self._last: httpx.Response | None = None
        self.repeats = False

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        answer = await self._inner.handle_async_request(request)
        body = await answer.aread()
        answer = httpx.Response(answer.status_code, headers={"Content-Type": "application/json"}, content=body)
        shown = self._last if self.repeats and self._last else answer
        self._last = answer
        return shown


async def test_a_page_never_shows_another_boards_rows_and_keeps_none_of_them(backend: Backend) -> None:
    async with harness(BOARDS, backend) as here:
        await here.submit("on-b", 1)
        await here.submit("on-x", 2, board="x")
        way = Repeating(here)
        connect(here, way)
        assert await page(here) == [("on-b", 1, 1)]
        here.now += 120_000
        way.repeats = True
        assert (await here.client.get("/top", params={"board": "x"})).status_code == 503
        way.repeats = False
        assert await page(here, board="x") == [("on-x", 2, 1)]


@pytest.mark.parametrize("path", ["/top?board=x&player=p", "/rank?board=x&player=p", "/rank?board=x&score=3"])
async def test_no_read_takes_another_answer_for_its_own(path: str) -> None:
    async with harness(BOARDS, MemoryBackend()) as here:
        await here.submit("on-b", 1)
        await here.submit("on-x", 2, board="x")
        connect(here, way := Repeating(here))
        await here.client.get(path.replace("x", "b"))
        way.repeats = True
        here.now += 120_000
        assert (await here.client.get(path)).status_code == 503


async def test_a_run_is_never_said_to_be_stored_that_was_not() -> None:
    """The second try is answered as the first should have been; the run counts once."""
    async with harness(COUNTED, MemoryBackend()) as here:
        await here.submit("p1", 1)
        connect(here, way := Repeating(here))
        await here.submit("p2", 5)
        way.repeats = True
        answer = await here.post("/submit", board="b", player="p3", score=7)
        # The answer to the second try is the one to the first, which carries the first one's word.
        assert answer.status_code == 503
        way.repeats = False
        assert await page(here) == [("p3", 7, 1), ("p2", 5, 2), ("p1", 1, 3)]


@asynccontextmanager
async def behind_by_one() -> AsyncIterator[tuple[Upstash, list[Any]]]:
    """Serve an endpoint whose connections, after their first answer, stay one behind; with a client, and its ends."""
    endpoint = make_endpoint(MemoryBackend(), TOKEN)
    last: dict[Any, list[Message]] = {}
    ends: list[Any] = []

    async def repeating(scope: Scope, receive: Receive, answer: SendMessage) -> None:
        if scope["type"] != "http":
            await endpoint(scope, receive, answer)
            return
        messages: list[Message] = []

        async def keep(message: Message) -> None:
            messages.append(message)

        await endpoint(scope, receive, keep)
        ends.append(scope["client"])
        shown = last.get(scope["client"], messages)
        last[scope["client"]] = messages
        for message in shown:
            await answer(message)

    with serve(repeating) as url:
        upstash = Upstash(url, TOKEN, timeout=5)
        yield upstash, ends
        await upstash.close()


async def test_a_connection_that_gave_a_wrong_answer_is_closed(caplog: pytest.LogCaptureFixture) -> None:
    async with behind_by_one() as (upstash, ends):
        assert await upstash.command("SET", "k", "v")
        with pytest.raises(Unanswered), caplog.at_level(logging.WARNING):
            await upstash.command("GET", "k")
        assert await upstash.command("GET", "k") == "v"
        assert ends[0] == ends[1] != ends[2]
    assert "does not repeat" in caplog.text


@pytest.mark.parametrize("error", ["WRONGPASS invalid or missing auth token", "ERR max daily request limit exceeded"])
@pytest.mark.parametrize("call", CALLS)
async def test_every_refusal_is_logged_in_its_own_words(
    call: str, error: str, caplog: pytest.LogCaptureFixture
) -> None:
    with respx.mock:
        respx.route(host="store.test").mock(return_value=of({"error": error}, 401))
        async with site() as (client, _):
            assert_unavailable(await send(client, call))
    assert f"store: {error}" in caplog.text
