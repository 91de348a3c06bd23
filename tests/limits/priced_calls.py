"""One call and its price: what the tests of the budget table of docs/design.md are written in."""

import re
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Any

from lib.storage.scripts import script
from tests.support.harness import Harness, harness
from tools.upstash_emulator.backends import Backend, RedisBackend

DAY = 86_400_000
SCRIPTS = ("submit", "top", "rank", "start")
# What a Redis counts and Upstash does not: the frame of a transaction, a greeting, and asking for the counts.
FRAME = {"multi", "exec", "ping", "info"}

Step = Callable[[Harness], Awaitable[Any]]


@dataclass(frozen=True)
class Case:
    """One call: `allowed` billed commands by the table, `reached` where we do with fewer."""

    name: str
    board: str
    prepare: Sequence[Step]
    call: Step
    allowed: int
    reached: int | None = None
    requests: int = 1


def board(*lines: str, limits: str = 'per_ip = "0"', splits: str = "") -> str:
    """Return the text of one board without an address gate unless `limits` sets one."""
    return "\n".join(["[board.b]", *lines, f"limits = {{ {limits} }}", "[board.b.splits]", splits])


def run(player: str, score: float, **more: Any) -> Step:
    """Submit a millisecond after what came before, without ranks in the reply unless they are asked for."""

    async def step(here: Harness) -> None:
        here.now += 1
        await here.submit(player, score, **{"ranks": "none", **more})

    return step


def refused(player: str, score: float, **more: Any) -> Step:
    """Submit what is going to be refused."""

    async def step(here: Harness) -> None:
        answer = await here.post("/submit", board="b", player=player, score=score, ranks="none", **more)
        assert answer.status_code == 429, answer.text

    return step


def ask(path: str, **query: Any) -> Step:
    """Read."""
    return lambda here: here.get(path, **query)


async def next_day(here: Harness) -> None:
    """Let a day pass."""
    here.now += DAY


def forget(player: str) -> Step:
    """Lose a player's record."""
    return lambda here: here.command("DEL", f"laurel:{{b}}:db-:player:{player}")


HERE = {"splits": {"mode": "a", "tier": "1"}}
ONE = board()
ADDRESSED = board(limits='per_ip = "2/1m"')
TWELVE_WINDOWS = 'windows = ["all", "daily", "weekly", "monthly"]'
TWELVE_SPLITS = 'mode = ["a", "b"]\ntier = ["1", "2"]'
TWELVE = board(TWELVE_WINDOWS, splits=TWELVE_SPLITS)
CAP1 = board("cap = 1")
PROFILE = board('names = "profile"', "cap = 0")
# Shared ranks are read in other ways up to a cap of 1000, above it, and without one.
SHARED, SHARED_5000, SHARED_OPEN = (board('rank = "competition"', f"cap = {cap}") for cap in (1000, 5000, 0))
DENSE = board('rank = "dense"')


async def warm_up(here: Harness) -> None:
    """Bring every script to the server, so that calls cost what they cost from the second one on."""
    for name in SCRIPTS:
        await here.command("SCRIPT", "LOAD", script(name).flagged)


async def counted(backend: RedisBackend) -> int:
    """Return how many commands a Redis has carried out, by its own count, those inside scripts included."""
    [stats] = await backend.run([[b"INFO", b"commandstats"]])
    assert isinstance(stats, bytes)
    calls = re.findall(r"cmdstat_(\S+):calls=(\d+)", stats.decode())
    return sum(int(number) for name, number in calls if name not in FRAME)


async def check(case: Case, backend: Backend) -> None:
    """Fail where a call costs more than the table allows, or other than it did; a real Redis must agree."""
    async with harness(case.board, backend) as here:
        await warm_up(here)
        for step in case.prepare:
            await step(here)
        here.start_meter()
        before = await counted(backend) if isinstance(backend, RedisBackend) else 0
        await case.call(here)
        billed, requests = here.billed, here.requests
        if isinstance(backend, RedisBackend):
            assert await counted(backend) - before == billed
        assert billed <= case.allowed
        assert (billed, requests) == (case.allowed if case.reached is None else case.reached, case.requests)
