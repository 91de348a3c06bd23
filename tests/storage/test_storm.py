"""Thousands of submissions through a way that fails: none is lost, none counts twice, none is answered for another."""

import asyncio
import os
import random
from collections import Counter
from contextlib import AsyncExitStack
from typing import Any

import httpx

from tests.regressions.test_writes import connect
from tests.support.harness import Harness, harness
from tests.support.playing import beside
from tools.upstash_emulator.backends import Backend

# Fewer where every change waits for them.
SUBMISSIONS = 2_000 if os.environ.get("CI") else 10_000
FAULTY = 0.1
PROCESSES = 4
PLAYERS = [f"p{number}" for number in range(40)]
BOARDS = "".join(
    f"""
[board.{name}]
keep = "sum"
windows = ["all", "daily"]
cap = {cap}
limits = {{ per_ip = "0" }}
cache = "1s"
splits = {{ level = {{ pattern = "[a-z]", max = 9 }}, by = ["overall", "level"] }}
"""
    for name, cap in (("b", 1000), ("cut", 10), ("x", 0))
)
DAY = 86_400_000


class Stormy(httpx.AsyncBaseTransport):
    """A way to the store that loses requests and answers, and gives answers of its own or of other questions."""

    def __init__(self, here: Harness, chance: random.Random) -> None:
        self._inner = httpx.ASGITransport(app=here.endpoint)
        self._chance = chance
        self._earlier: list[bytes] = []
        self.faults: Counter[str] = Counter()

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        kinds = ["not sent", "lost request", "lost answer", "an earlier answer", "nonsense", "an error page"]
        fault = self._chance.choice(kinds) if self._chance.random() < FAULTY else ""
        self.faults[fault] += 1
        if fault == "not sent":
            raise httpx.ConnectError("not sent")
        if fault == "lost request":
            raise httpx.RemoteProtocolError("lost")
        answer = await self._inner.handle_async_request(request)
        body = await answer.aread()
        if fault == "lost answer":
            raise httpx.ReadError("lost")
        if fault == "an earlier answer" and self._earlier:
            body = self._chance.choice(self._earlier)
        self._earlier = [*self._earlier[-20:], body]
        if fault == "nonsense":
            return httpx.Response(200, content=b'{"result": [1, [], "x"]}')
        if fault == "an error page":
            return httpx.Response(502, html="<h1>Bad gateway</h1>")
        return httpx.Response(answer.status_code, headers={"Content-Type": "application/json"}, content=body)


class Crowd:
    """Players who send each run until it is answered, and what their totals must come to."""

    def __init__(self, processes: list[Harness], chance: random.Random) -> None:
        self._processes, self._chance = processes, chance
        self.totals: Counter[tuple[str, str, str]] = Counter()

    async def play(self, count: int) -> None:
        """Submit runs one after the other, now and then reading a page."""
        for _ in range(count):
            board, player = self._chance.choice(["b", "cut", "x"]), f"{self._chance.choice(PLAYERS)}"
            level, score = self._chance.choice("abc"), self._chance.randint(1, 1000)
            run = {
                "board": board,
                "player": f"{player}-{board}",
                "score": score,
                "id": f"{self._chance.getrandbits(64):016x}",
                "splits": {"level": level},
            }
            await self._send(run)
            for standing in ("", level):
                self.totals[board, standing, player] += score
            await self._read()

    async def _send(self, run: dict[str, Any]) -> None:
        """Send a run until it is answered, as a client does, wherever the next try arrives."""
        for _ in range(50):
            answer = await self._chance.choice(self._processes).post("/submit", **run)
            if answer.status_code == 200:
                told = answer.json()
                assert (told["board"], told["player"]) == (run["board"], run["player"])
                assert all(row["score"] >= run["score"] for row in told["standings"])
                return
            assert (answer.status_code, answer.json()["code"]) == (503, "store_unavailable")
        raise AssertionError(f"never answered: {run}")

    async def _read(self) -> None:
        """Read a page of one board, or a player of it: nothing of another board is on it."""
        board, here = self._chance.choice(["b", "cut", "x"]), self._chance.choice(self._processes)
        path = self._chance.choice(["/top", "/rank"])
        query = {"board": board, **({"player": f"p1-{board}", "around": "3"} if path == "/rank" else {})}
        answer = await here.client.get(path, params=query)
        if answer.status_code == 200:
            players = [row["player"] for row in answer.json()["entries"]]
            assert all(player.endswith(f"-{board}") for player in players)
            assert len(set(players)) == len(players)


async def test_a_storm_loses_nothing_counts_nothing_twice_and_mixes_nothing_up(backend: Backend) -> None:
    chance = random.Random(8)
    async with AsyncExitStack() as stack:
        first = await stack.enter_async_context(harness(BOARDS, backend))
        others = [await stack.enter_async_context(beside(first, backend, BOARDS)) for _ in range(PROCESSES - 1)]
        processes = [first, *others]
        ways = [Stormy(here, chance) for here in processes]
        for here, way in zip(processes, ways, strict=True):
            connect(here, way)
        crowd = Crowd(processes, chance)
        await asyncio.gather(*(crowd.play(SUBMISSIONS // 20) for _ in range(20)))
        assert min(sum((way.faults for way in ways), Counter()).values()) > SUBMISSIONS / 200
        connect(first, httpx.ASGITransport(app=first.endpoint))
        first.now += DAY  # past what a process keeps
        for (board, level, player), total in crowd.totals.items():
            query = {"board": board, "player": f"{player}-{board}", **({"level": level} if level else {})}
            answer = await first.get("/rank", **query)
            assert (answer["entry"]["score"] if answer["entry"] else answer["best"]) == total
