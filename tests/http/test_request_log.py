"""One JSON line for each request, and what it says: enough to find a fault and to foresee a bill, and nobody's data."""

import json
import logging
import sys
from collections.abc import AsyncIterator
from typing import Any

import httpx
import pytest

from functions.web import app
from lib import request_log
from lib.deployment import Deployment
from lib.http.app import Call, Function, Reply
from tests.support.harness import ADDRESS, TOKEN, Harness, harness
from tools.upstash_emulator.backends import MemoryBackend

BOARDS = """
[board.b]
windows = ["all", "daily"]
cap = 3
limits = { per_ip = "1000/1m", per_player = "1000/1m" }
splits = { mode = ["time", "words"], level = { pattern = "[a-z]{1,8}", max = 5 } }

[board.shared]
rank = "competition"
names = "profile"
cap = 0

[board.total]
keep = "sum"
rank = "dense"

[board.tickets]
auth = "ticket"
ticket = { per_second = 1000 }
"""
SECRET = "a-secret-of-thirty-two-characters"
# Newcomers, a miss, a better score, a new value of a split, somebody who is pushed out, somebody who is not let in.
RUNS = [
    *(("p1", 10, "a"), ("p1", 5, "a"), ("p1", 20, "b"), ("p2", 1, "a")),
    *(("p3", 2, "a"), ("p4", 3, "a"), ("p5", 0, "c")),
]
KEYS = ["request_id", "route", "board", "status", "code", "ms", "store_ms", "commands"]


@pytest.fixture
async def here() -> AsyncIterator[Harness]:
    """A deployment of several kinds of board."""
    async with harness(BOARDS, MemoryBackend(), secrets=(SECRET,)) as opened:
        yield opened


def lines(capsys: pytest.CaptureFixture[str]) -> list[dict[str, Any]]:
    """Return what was logged since the last look."""
    return [json.loads(line) for line in capsys.readouterr().out.splitlines()]


async def test_a_request_is_one_line(here: Harness, capsys: pytest.CaptureFixture[str]) -> None:
    """Its parts are those that docs/deploy.md explains."""
    await here.submit("p1", 10, splits={"mode": "time"})
    [line] = lines(capsys)
    assert list(line) == KEYS
    assert (line["route"], line["board"], line["status"], line["code"]) == ("submit", "b", 200, None)
    assert 0 <= line["store_ms"] <= line["ms"]


@pytest.mark.parametrize(
    ("method", "path", "route", "board", "status", "code"),
    [
        ("GET", "/top?board=b", "top", "b", 200, None),
        ("HEAD", "/rank?board=b&score=1", "rank", "b", 200, None),
        ("GET", "/health", "health", None, 200, None),
        ("OPTIONS", "/start", "start", None, 204, None),
        ("GET", "/top?board=B", "top", None, 404, "unknown_board"),
        ("GET", "/top?board=b&window=weekly", "top", "b", 422, "unknown_window"),
        ("DELETE", "/submit", "submit", None, 405, "method_not_allowed"),
        ("POST", "/submit", "submit", None, 400, "bad_json"),
        ("GET", "/wp-login.php?user=b", "not_found", None, 404, "not_found"),
    ],
)
async def test_every_answer_is_told(
    here: Harness,
    capsys: pytest.CaptureFixture[str],
    method: str,
    path: str,
    route: str,
    board: str | None,
    status: int,
    code: str | None,
) -> None:
    """Refusals and strays too; a path is not logged, only the function it led to."""
    await here.client.request(method, path)
    [line] = lines(capsys)
    assert (line["route"], line["board"], line["status"], line["code"]) == (route, board, status, code)


async def test_an_answer_carries_its_timing(here: Harness) -> None:
    """Browsers show it beside the request; it is as long as the line says, and the store is a part of it."""
    answer = await here.client.get("/top?board=b")
    [timing] = answer.headers.get_list("server-timing")
    assert timing.startswith("store;dur=")
    assert ", total;dur=" in timing


async def test_commands_are_those_that_are_billed(here: Harness, capsys: pytest.CaptureFixture[str]) -> None:
    """The estimate is what the endpoint counts, for each kind of request, script or not, known or new."""

    async def told(method: str, path: str, **body: Any) -> tuple[str, int, int]:
        here.start_meter()
        await here.client.request(method, path, content=json.dumps(body) if body else None)
        [line] = lines(capsys)
        return path, line["commands"], here.billed

    ticket = (await here.post("/start", board="tickets")).json()
    lines(capsys)
    requests: list[tuple[str, str, dict[str, Any]]] = [
        (
            "POST",
            "/submit",
            {"board": "b", "player": player, "score": score, "splits": {"mode": "time", "level": level}},
        )
        for player, score, level in RUNS
    ]
    requests += [
        ("POST", "/submit", {"board": "shared", "player": "p1", "score": 1, "name": "Mina", "ranks": "all"}),
        ("POST", "/submit", {"board": "total", "player": "p1", "score": 1, "id": "an-id-of-mine"}),
        ("POST", "/submit", {"board": "total", "player": "p1", "score": 1, "id": "an-id-of-mine"}),
        ("POST", "/submit", {"board": "total", "player": "p1", "score": 2, "id": "an-id-of-mine"}),
        ("POST", "/submit", {"board": "tickets", "player": ticket["player"], "score": 0, "ticket": ticket["ticket"]}),
        ("POST", "/start", {"board": "b"}),
        ("GET", "/top?board=b", {}),
        ("GET", "/top?board=b&player=p1", {}),
        ("GET", "/top?board=b&windows=all,daily&splits=overall,mode:time", {}),
        ("GET", "/top?board=shared&player=p1", {}),
        ("GET", "/rank?board=b&player=p1&around=2", {}),
        ("GET", "/rank?board=b&players=p1,p2,nobody", {}),
        ("GET", "/rank?board=shared&player=p1", {}),
        ("GET", "/rank?board=total&score=1", {}),
        ("GET", "/rank?board=b&score=1", {}),
        ("GET", "/health", {}),
        ("GET", "/top?board=nowhere", {}),
    ]
    for method, path, body in requests:
        path, estimated, billed = await told(method, path, **body)
        assert estimated == billed, (path, body)


def _fail(request: httpx.Request) -> httpx.Response:
    raise httpx.ReadError(f"{request.url} {request.headers} {request.content!r}")


async def test_no_line_names_anybody(
    here: Harness, capsys: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    """Players, names, tokens, tickets and addresses stay out, of what goes well and of what does not."""
    ticket = (await here.post("/start", board="tickets")).json()
    secrets = {"player-one", "Mina-the-name", "a-server-token", ADDRESS, TOKEN, SECRET, *ticket.values()}
    with caplog.at_level(logging.INFO):
        await here.submit("player-one", 10, name="Mina-the-name", splits={"mode": "time"})
        await here.get("/rank", player="player-one")
        await here.post("/submit", board="player-one", player="Mina-the-name", score="player-one")
        await here.post("/submit", board="b", player="player-one", score=1, name="Mina-the-name" * 9)
        await here.post("/submit", board="tickets", player=ticket["player"], score=1, ticket=ticket["ticket"] + "x")
        await here.client.get("/player-one?player=player-one", headers={"Authorization": "Bearer a-server-token"})
        here.way.through = httpx.MockTransport(_fail)
        assert (await here.client.get("/rank?board=b&player=player-one")).status_code == 503
    told = capsys.readouterr().out + caplog.text
    assert told
    assert not [secret for secret in secrets if secret in told]


async def _broken(_: Call) -> Reply:
    raise RuntimeError("what went wrong")


async def test_an_internal_error_can_be_found_by_its_id(
    here: Harness, capsys: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    """The answer, the line and the traceback share the request's id."""
    transport = httpx.ASGITransport(app=Function(get=_broken).on(here.deployment))
    async with httpx.AsyncClient(transport=transport, base_url="http://laurel.test") as client:
        answer = await client.get("/")
    [line] = lines(capsys)
    assert (line["status"], line["code"], line["route"]) == (500, "internal", "broken")
    assert line["request_id"] == answer.json()["request_id"]
    assert line["request_id"] in caplog.text
    assert "what went wrong" in caplog.text


async def test_a_log_that_nobody_reads_takes_no_answer_away(here: Harness, monkeypatch: pytest.MonkeyPatch) -> None:
    """A pipe that was closed at its other end is no reason to fail."""

    class Gone:
        def write(self, _: str) -> None:
            raise BrokenPipeError

    monkeypatch.setattr(sys, "stdout", Gone())
    assert (await here.client.get("/health")).status_code == 200


async def test_the_start_of_a_server_checks_the_environment(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """What is wrong is in the log before the first request, once, and the server starts all the same."""
    request_log.log_misconfigured.cache_clear()
    monkeypatch.setenv("UPSTASH_REDIS_REST_URL", "redis://wrong")
    said: list[str] = []
    events = iter(["lifespan.startup", "lifespan.shutdown"])

    async def receive() -> dict[str, Any]:
        return {"type": next(events)}

    async def send(message: Any) -> None:
        said.append(message["type"])

    await app({"type": "lifespan"}, receive, send)
    assert said == ["lifespan.startup.complete", "lifespan.shutdown.complete"]
    transport = httpx.ASGITransport(app=app)
    async with httpx.AsyncClient(transport=transport, base_url="http://laurel.test") as client:
        answer = await client.get("/top?board=b")
    assert (answer.status_code, answer.json()["code"]) == (503, "misconfigured")
    [record] = caplog.records
    assert record.getMessage().startswith("misconfigured: UPSTASH_REDIS_REST_URL: should be")


async def test_a_deployment_of_its_own_reads_no_environment(here: Harness, caplog: pytest.LogCaptureFixture) -> None:
    """Only what runs on the process's environment checks it at its start."""
    app.on(here.deployment)._nothing.start()
    assert isinstance(here.deployment, Deployment)
    assert not caplog.records
