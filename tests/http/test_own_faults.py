"""Faults of our own: 500 `internal` with a trace in the log, wherever they lie; they are never told as the store's."""

import logging
from collections.abc import Callable
from typing import Any

import pytest

import lib.access.rate_limits
import lib.http.app
import lib.operations.find_player
import lib.reading.rank
import lib.reading.rows
import lib.reading.top
import lib.schemas.reads
import lib.storage.entries
import lib.storage.replies
import lib.storage.upstash
import lib.submitting.arguments
import lib.submitting.submit
from tests.support.failing_stores import BOARDS, CALLS, send
from tests.support.harness import Harness, harness
from tools.upstash_emulator.backends import MemoryBackend

# Module and function, and the calls of CALLS that reach it.
PLACES: list[tuple[Any, str, tuple[str, ...]]] = [
    (lib.submitting.submit, "arguments_of", ("submit",)),
    (lib.submitting.submit, "_parse", ("submit",)),
    (lib.submitting.submit, "_parse_row", ("submit",)),
    (lib.submitting.submit, "_answer", ("submit",)),
    (lib.submitting.submit, "_result", ("submit",)),
    (lib.access.rate_limits, "whole", ("start",)),
    (lib.access.rate_limits, "text", ("start",)),
    (lib.reading.top, "_is_plain", ("top", "top-profile", "tops")),
    (lib.reading.top, "numbered", ("top", "top-profile", "top-player", "tops")),
    (lib.reading.top, "parse_entries", ("top", "top-profile", "top-player", "tops")),
    (lib.reading.top, "_parse", ("top-profile", "top-player")),
    (lib.reading.top, "parse_profiles", ("top-profile", "top-player")),
    (lib.reading.top, "rows_of", ("top", "top-profile", "top-player", "tops")),
    (lib.reading.rank, "_parse_place", ("rank-player",)),
    (lib.reading.rank, "_neighbourhood", ("rank-player",)),
    (lib.reading.rank, "_parse_row", ("rank-players",)),
    (lib.reading.rank, "rows_of", ("rank-player", "rank-players")),
    (lib.reading.rank, "scored", ("rank-score-dense",)),
    (lib.reading.rank, "whole", ("rank-player", "rank-players", "rank-score")),
    (lib.reading.rows, "parse_entry", ("top", "tops", "top-profile", "rank-player")),
    (lib.reading.rows, "row_of", ("top", "top-profile", "rank-player", "rank-players")),
    (lib.storage.entries, "parse_meta", ("top", "top-player", "rank-player", "rank-players")),
    (lib.storage.upstash, "whole", ("submit", "start", "top-profile", "rank-player")),
    (lib.storage.upstash, "note_store", ("submit", "start", "top", "rank-score", "health")),
    (lib.http.app, "render_model", tuple(call for call in CALLS if not call.startswith("top"))),
]


def breaks(error: type[Exception]) -> Callable[..., Any]:
    """Return a function with a bug."""

    def broken(*_: Any, **__: Any) -> Any:
        raise error("a bug of ours")

    return broken


async def filled(here: Harness) -> None:
    """Let two players stand on every board that CALLS ask for, with a name and a meta."""
    for board in ("b", "p", "d"):
        for player in ("p1", "p2"):
            await here.submit(player, 10, board=board, name="Mina")


@pytest.mark.parametrize("error", [AttributeError, KeyError, TypeError, ValueError, ZeroDivisionError, AssertionError])
@pytest.mark.parametrize(
    ("module", "name", "call"),
    [
        pytest.param(module, name, call, id=f"{module.__name__}.{name}-{call}")
        for module, name, calls in PLACES
        for call in calls
    ],
)
async def test_a_bug_is_an_internal_error(
    module: Any,
    name: str,
    call: str,
    error: type[Exception],
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    async with harness(BOARDS, MemoryBackend(), secrets=("a-secret",)) as here:
        await filled(here)
        caplog.clear()
        # The reply that a blocked address gets is the only one of `start` that holds a number.
        if (module, name) == (lib.access.rate_limits, "whole"):
            monkeypatch.setattr(here.deployment.store.upstash.__class__, "run", _refuses)
        monkeypatch.setattr(module, name, breaks(error))
        answer = await send(here.client, call)
    assert (answer.status_code, answer.json()["code"]) == (500, "internal"), answer.text
    [record] = [record for record in caplog.records if record.levelno >= logging.WARNING]
    assert answer.json()["request_id"] in record.getMessage()
    assert record.exc_info is not None
    assert record.exc_info[0] is error


async def _refuses(*_: Any, **__: Any) -> str:
    return "1000"


async def test_a_reply_that_nobody_asked_for_is_logged_with_its_trace(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, capsys: pytest.CaptureFixture[str]
) -> None:
    """The caller is told that the store is out of reach; the log says which parser wanted what."""
    async with harness(BOARDS, MemoryBackend()) as here:
        await here.submit("player-one", 10)
        await here.command("ZADD", *(await here.command("KEYS", "*:all:*"))[:1], "5", "player-two\tis no entry")
        answer = await send(here.client, "top")
    assert (answer.status_code, answer.json()["code"]) == (503, "store_unavailable")
    [record] = caplog.records
    assert capsys.readouterr().out.splitlines()[-1].split('"')[3] in record.getMessage()
    assert "parse_entry" in caplog.text
    assert "wanted: an entry" in caplog.text
    assert "player-two" not in caplog.text
