"""The most that one request costs, on boards built for that: the table of docs/security.md, counted on a real Redis."""

import re
from collections import defaultdict
from dataclasses import dataclass
from typing import Any

import httpx
import pytest

from tests.limits.costliest_boards import (
    ABSENT,
    CAP,
    CASES,
    DAY,
    NAME,
    PLAYERS,
    SCORES,
    SELECTION,
    SERVER_TOKEN,
    SPLITS,
    UNKNOWN,
    WORSE,
    Case,
    fill,
    player,
    submit,
)
from tests.limits.priced_calls import counted
from tests.support.harness import Harness, harness
from tests.support.project import ROOT
from tools.upstash_emulator.backends import RedisBackend

SECURITY = (ROOT / "docs" / "security.md").read_text("utf-8")
MOST_BYTES = 8192


def documented() -> dict[str, tuple[int, ...]]:
    """Return the table of docs/security.md: request → billed commands, requests to Upstash, bytes of the answer."""
    rows = re.findall(r"^\| `([A-Z]+ [^`]+)` \| (\d+) \| (\d+) \| (\d+) \|", SECURITY, re.MULTILINE)
    return {name: (int(billed), int(requests), int(size)) for name, billed, requests, size in rows}


def questions(case: Case) -> list[tuple[str, str, dict[str, Any]]]:
    """Return what is asked on a board: its line in the table, the path, the parameters."""
    rows = min(case.rows, CAP)
    one = {"board": NAME, SPLITS[0]: SELECTION[SPLITS[0]]}
    page, last = {**one, "limit": 100, "offset": rows - 100}, {"player": player(0)}
    several = ",".join(f"{split}:{value}" for split, value in SELECTION.items())
    players = [player(number) for number in PLAYERS]
    return [
        ("GET /top", "/top", page),
        ("GET /top?player=", "/top", page | last),
        ("GET /top?splits=", "/top", {"board": NAME, "splits": several, "limit": 100}),
        ("GET /top?format=svg", "/top", {**page, **last, "offset": rows - 200, "format": "svg"}),
        ("GET /rank?player=", "/rank", {**one, **last, "around": 25}),
        ("GET /rank?player=", "/rank", {**one, "player": player(UNKNOWN), "around": 25}),
        ("GET /rank?players=", "/rank", {**one, "players": ",".join(players)}),
        ("GET /rank?players=", "/rank", {**one, "players": ",".join([*players[1:], player(UNKNOWN)])}),
        ("GET /rank?score=", "/rank", {**one, "score": "0." + "1" * 300}),
        ("GET /health", "/health", {}),
    ]


@dataclass
class Counts:
    """The most of each line, in each column by itself: no single board is the worst in all of them."""

    here: Harness
    backend: RedisBackend
    most: dict[str, tuple[int, ...]]
    before: int = 0

    async def begin(self) -> None:
        """Count from nothing."""
        self.here.start_meter()
        self.before = await counted(self.backend)

    async def take(self, line: str, answer: httpx.Response) -> None:
        """Note what a request cost since the beginning; the Redis must have counted the same."""
        assert answer.status_code == 200, answer.text
        assert len(answer.request.content) + len(answer.request.url.raw_path) <= MOST_BYTES
        cost = (self.here.billed, self.here.requests, len(answer.content))
        assert await counted(self.backend) - self.before == cost[0]
        self.most[line] = tuple(max(pair) for pair in zip(self.most[line], cost, strict=True))


async def measure(case: Case, backend: RedisBackend, most: dict[str, tuple[int, ...]]) -> None:
    """Ask everything on one board, each script known to the store and nothing kept by the process."""
    async with harness(case.text, backend, secrets=("a-secret",), server_token=SERVER_TOKEN) as here:
        await fill(here, case, backend)
        await submit(here, case, WORSE, SCORES[-1])
        counts = Counts(here, backend, most)
        for line, path, query in questions(case):
            await here.client.get(path, params=query)
            await counts.begin()
            await counts.take(line, await here.client.get(path, params=query))
        here.now += DAY
        for number, score in ((ABSENT, SCORES[CAP - 2]), (WORSE, SCORES[-2]), (UNKNOWN, SCORES[-3])):
            await counts.take("POST /submit", await submit(here, case, number, score, counts.begin))
        await here.client.post("/start", json={"board": NAME})
        await counts.begin()
        await counts.take("POST /start", await here.client.post("/start", json={"board": NAME}))


@pytest.mark.needs("redis")
async def test_no_request_costs_more_than_the_table_says(redis_url: str) -> None:
    """Each number of the table was counted on one of the boards: it is neither too low nor much too high."""
    most: dict[str, tuple[int, ...]] = defaultdict(lambda: (0, 0, 0))
    backend = RedisBackend(redis_url)
    for case in CASES:
        await measure(case, backend, most)
    await backend.close()
    said = documented()
    assert {line: cost[:2] for line, cost in most.items()} == {line: cost[:2] for line, cost in said.items()}
    # How long the store took is a number of some digits.
    assert not [line for line, cost in most.items() if not 0.9 * said[line][2] <= cost[2] <= said[line][2]], dict(most)
