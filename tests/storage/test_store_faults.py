"""A store that fails: whatever a healthy one never does, a caller gets an honest 503 and learns no secret."""

import asyncio
import json
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, suppress
from typing import Any

import httpx
import pytest
import respx

from lib.storage import upstash
from tests.support.failing_stores import BOARDS, CALLS, FAULTS, SENSE, TOKEN, assert_unavailable, every_call, send, site
from tests.support.harness import Harness, harness
from tests.support.servers import free_port
from tools.upstash_emulator.backends import MemoryBackend


@pytest.mark.parametrize("fault", FAULTS)
async def test_a_store_that_fails_is_a_503(
    fault: str, caplog: pytest.LogCaptureFixture, capsys: pytest.CaptureFixture[str]
) -> None:
    """Whatever comes back in place of an answer, the caller is told to try again; answer and log keep the token."""
    answer = FAULTS[fault]
    with caplog.at_level(logging.DEBUG), respx.mock:
        route = respx.route(host="store.test")
        if isinstance(answer, httpx.Response):
            route.mock(return_value=answer)
        else:
            route.mock(side_effect=answer)
        async with site() as (client, _):
            for call in CALLS:
                if fault not in SENSE.get(call, ()):
                    assert_unavailable(await send(client, call))
    assert TOKEN not in caplog.text + "".join(capsys.readouterr())
    assert "internal error" not in caplog.text


@pytest.mark.parametrize(
    ("error", "logged"),
    [
        (
            "ERR unknown command 'EVALSHA', with args beginning with: '023a' '5' 'laurel:{b}:db-:player:p_1' 'Mi",
            "store: ERR unknown command 'EVALSHA'",
        ),
        (
            "ERR Dynamic keys are not allowed in Lua scripts when 'allow-key-locking' flag is set. 'laurel:{b}:p_1' is",
            "store: ERR Dynamic keys are not allowed in Lua scripts when '…' flag is set. '…' is",
        ),
        (
            "ERR max daily request limit exceeded. Limit: 10000, Usage: 10000",
            "store: ERR max daily request limit exceeded. Limit: 10000, Usage: 10000",
        ),
    ],
)
async def test_what_an_error_quotes_is_not_logged(error: str, logged: str, caplog: pytest.LogCaptureFixture) -> None:
    """A server that repeats keys and arguments would put players and names into the log."""
    with respx.mock:
        respx.route(host="store.test").respond(400, json={"error": error})
        async with site() as (client, _):
            assert_unavailable(await send(client, "submit"))
    assert [record.getMessage() for record in caplog.records] == [logged]


@every_call
async def test_a_store_that_hangs_is_a_503(call: str) -> None:
    """The deadline bounds the whole call, whatever the store does with the connection."""

    async def hang(_: httpx.Request) -> httpx.Response:
        await asyncio.Event().wait()
        raise AssertionError

    with respx.mock:
        respx.route(host="store.test").mock(side_effect=hang)
        async with site(timeout=0.05) as (client, _):
            assert_unavailable(await send(client, call))


Handler = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


@asynccontextmanager
async def listening(handle: Handler) -> AsyncIterator[str]:
    """Serve raw connections, closing each after its handler, and give the address."""
    handled = []

    async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        handled.append(asyncio.current_task())
        # A caller may hang up at any time, also before it has asked for anything.
        with suppress(ConnectionError, asyncio.IncompleteReadError):
            await handle(reader, writer)
        writer.close()

    async with await asyncio.start_server(connected, "127.0.0.1", 0) as server:
        port = server.sockets[0].getsockname()[1]
        yield f"http://127.0.0.1:{port}"
        # Callers are taken in their order: after this one, none that gave up early is still to come.
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write_eof()
        await reader.read()
        writer.close()
        await asyncio.gather(*filter(None, handled))


async def trickle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Send an answer byte by byte for as long as somebody listens."""
    await reader.readuntil(b"\r\n\r\n")
    writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n")
    while True:
        writer.write(b" ")
        await writer.drain()
        with suppress(TimeoutError):
            async with asyncio.timeout(0.005):
                if not await reader.read(10_000):
                    return


@every_call
async def test_an_answer_that_only_trickles_is_a_503(call: str) -> None:
    """Each byte comes in time and the answer does not: a timeout between two bytes would never end this."""
    async with listening(trickle) as url, site(url, timeout=0.05) as (client, _):
        assert_unavailable(await send(client, call))


@every_call
async def test_nobody_listening_is_a_503(call: str) -> None:
    async with site(f"http://127.0.0.1:{free_port()}") as (client, _):
        assert_unavailable(await send(client, call))


@every_call
async def test_only_a_submission_is_sent_again_when_its_answer_is_lost(call: str) -> None:
    """The connection is closed after the request was read: it may have been carried out."""
    heard = 0

    async def hang_up(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal heard
        await reader.readuntil(b"\r\n\r\n")
        heard += 1

    async with listening(hang_up) as url, site(url) as (client, _):
        assert_unavailable(await send(client, call))
    assert heard == (2 if call == "submit" else 1)


JUNK: tuple[Any, ...] = (None, True, -1, 1.5, 10**400, [], {}, [[[]]])
JUNK += ("", "banana", "\ud83d", "-5", "1e999", "nan", "9" * 5000)


def spoilt(value: Any) -> Iterator[Any]:
    """Yield an answer with each of its parts, at any depth, replaced by junk, left out or doubled."""
    yield from JUNK
    if isinstance(value, str):
        yield value.replace("\t", " ")
        yield value + "\t{"
    if isinstance(value, dict):
        yield from ({"result": other} for other in spoilt(value["result"]))
    for at, part in enumerate(value) if isinstance(value, list) else []:
        yield value[:at] + value[at + 1 :]
        yield value[: at + 1] + value[at:]
        yield from ([*value[:at], other, *value[at + 1 :]] for other in spoilt(part))


async def answer_to(here: Harness, call: str) -> Any:
    """Make a call as it should be, and return what the store answered to it."""
    answers: list[httpx.Response] = []
    here.way.listeners.append(answers.append)
    assert (await send(here.client, call)).status_code == 200
    return answers[-1].json()


@every_call
async def test_a_spoilt_answer_is_no_internal_error(
    call: str, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A right answer with one part of it wrong is either still understood or a 503, never a 500."""
    monkeypatch.setattr(upstash, "_word", lambda: "a word")  # the recorded answer repeats it
    async with harness(BOARDS, MemoryBackend(), secrets=("a-secret",)) as here:
        for number, board in enumerate("bpdbpd"):
            await here.submit(f"p{number // 3 + 1}", 10 * number, board=board, name="Mina")
        document = await answer_to(here, call)
        for answer in spoilt(document):
            text = json.dumps(answer)
            here.way.through = httpx.MockTransport(lambda _, text=text: httpx.Response(200, text=text))
            seen = await send(here.client, call)
            assert seen.status_code < 500 or seen.json()["code"] == "store_unavailable", text[:300]
    assert "internal error" not in caplog.text
