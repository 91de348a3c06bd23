"""A request that is wrong in several ways is refused for the first of them: design §6 fixes the order.

method, origin, media type, size, JSON, shape, board, values, auth, gates.
"""

import json
from collections.abc import AsyncIterator
from typing import Any, NamedTuple

import pytest

from tests.support.harness import Harness, harness
from tests.support.responses import BOARDS, everything, problem, read
from tools.upstash_emulator.backends import MemoryBackend

HERE = "https://game.example"
GOOD: dict[str, Any] = {"board": "bounded", "player": "p1", "score": 10}


@pytest.fixture
async def here() -> AsyncIterator[Harness]:
    """Open a harness that only one origin may call."""
    boards = BOARDS + '[board.kept]\nauth = "server"\nscore = { max = 100 }\nlimits = { per_ip = "1/1m" }\n'
    boards += '[board.split]\nauth = "server"\nsplits = { mode = ["time"], by = ["mode"] }\n'
    async with harness(boards, MemoryBackend(), origins=(HERE,), server_token="s" * 32) as opened:
        yield opened


FAULTS: list[dict[str, Any]] = [
    {"method": "PUT"},
    {"origin": "https://elsewhere.example"},
    {"media_type": "text/xml"},
    {"padding": 9000},
    {"json": "{"},
    {"shape": {"player": 5}},
    {"board": {"board": "nowhere"}},
    {"values": {"score": 10**7}},
]


CODES = [
    "method_not_allowed",
    "origin_not_allowed",
    "unsupported_media_type",
    "body_too_large",
    "bad_json",
    "invalid",
    "unknown_board",
    "score_out_of_range",
]


def request_of(faults: dict[str, Any]) -> dict[str, Any]:
    """Return the arguments of a request with all of these faults."""
    body = {**GOOD, **faults.get("shape", {}), **faults.get("board", {}), **faults.get("values", {})}
    content = faults.get("json", "") + json.dumps(body) + " " * faults.get("padding", 0)
    headers = {"Origin": faults.get("origin", HERE), "Content-Type": faults.get("media_type", "application/json")}
    return {"method": faults.get("method", "POST"), "url": "/submit", "content": content, "headers": headers}


@pytest.mark.parametrize(
    ("first", "second"), [(first, second) for first in range(8) for second in range(first, 8)], ids=str
)
async def test_the_earlier_of_two_faults_is_told(here: Harness, first: int, second: int) -> None:
    """Each pair of faults, and each by itself; nothing of it reaches the store."""
    here.start_meter()
    response = await here.client.request(**request_of({**FAULTS[second], **FAULTS[first]}))
    assert problem(response)["code"] == CODES[first]
    assert here.requests == 0


async def test_wrong_in_every_way_is_told_as_wrong_in_the_first(here: Harness) -> None:
    """Taking the faults away one by one shows the next."""
    for first, code in enumerate(CODES):
        faults = {key: value for later in FAULTS[first:] for key, value in later.items()}
        response = await here.client.request(**request_of(faults))
        assert problem(response)["code"] == code
    assert read(await here.client.request(**request_of({})))["improved"]


async def test_values_are_judged_before_auth_and_auth_before_the_gates(here: Harness) -> None:
    """A caller who may not submit learns nothing of the gates, and uses none of them up."""
    here.start_meter()
    assert problem(await here.post("/submit", board="split", player="p1", score=1))["code"] == "invalid"
    for _ in range(3):
        assert problem(await here.post("/submit", board="kept", player="p1", score=101))["code"] == "score_out_of_range"
        assert problem(await here.post("/submit", board="kept", player="p1", score=1))["code"] == "auth_required"
    assert here.requests == 0
    assert await everything(here) == {}


class Query(NamedTuple):
    """A GET that is wrong in two ways, and what it is told."""

    url: str
    code: str


@pytest.mark.parametrize(
    "query",
    [
        Query("/top?board=nowhere&limit=0", "invalid"),
        Query("/top?board=nowhere&board=b&window=never", "invalid"),
        Query("/top?board=nowhere&windows=all&window=all", "invalid"),
        Query("/top?board=nowhere&window=never", "unknown_board"),
        Query("/top?board=nowhere&wat=1", "unknown_board"),
        Query("/top?board=b&limit=x&window=never", "invalid"),
        Query("/rank?board=nowhere", "invalid"),
        Query("/rank?board=nowhere&player=p1&score=5", "invalid"),
        Query("/rank?board=nowhere&player=p1&at=never", "unknown_board"),
    ],
    ids=lambda query: query.url,
)
async def test_reads_judge_shape_then_board_then_values(here: Harness, query: Query) -> None:
    """The same order where there is no body."""
    here.start_meter()
    assert problem(await here.client.get(query.url))["code"] == query.code
    assert problem(await here.client.get(query.url, headers={"Origin": "https://elsewhere.example"}))["code"] == (
        "origin_not_allowed"
    )
    assert here.requests == 0
