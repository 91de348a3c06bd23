"""Clocks that differ: a process that was ahead locks nobody out, and one that steps back forgets what is to come."""

import asyncio
from collections.abc import Sequence

import httpx
import pytest

from lib.reading.page_cache import KeptPage, KeptPages
from tests.support.harness import Harness, harness
from tests.support.playing import beside
from tests.support.ticket_runs import HOUR
from tools.upstash_emulator.backends import Backend, MemoryBackend
from tools.upstash_emulator.wire import Command, Reply

SECOND, DAY = 1000, 24 * HOUR
PER_IP = '[board.b]\nlimits = { per_ip = "3/1m" }\n'
PER_PLAYER = '[board.b]\nlimits = { per_ip = "0", per_player = "3/1m" }\n'
COOLDOWN = '[board.b]\nlimits = { per_ip = "0", cooldown = "10s" }\n'
GATES = [(PER_IP, 3, 60), (PER_PLAYER, 3, 60), (COOLDOWN, 1, 10)]
gates = pytest.mark.parametrize(("boards", "limit", "period"), GATES, ids=["per_ip", "per_player", "cooldown"])


async def play(here: Harness) -> httpx.Response:
    """Submit, as the same player from the same address."""
    return await here.post("/submit", board="b", player="p1", score=1)


async def shut(here: Harness, limit: int) -> None:
    """Use a gate up, and be refused by it."""
    assert [(await play(here)).status_code for _ in range(limit + 1)] == [200] * limit + [429]


def told(answer: httpx.Response) -> int:
    """Return the seconds to wait that a refusal tells, which all its headers agree about."""
    assert answer.status_code == 429, answer.text
    wait = int(answer.headers["retry-after"])
    assert answer.headers["ratelimit"].endswith(f";r=0;t={wait}")
    return wait


@gates
@pytest.mark.parametrize("ahead", [10_001, HOUR, DAY, 365 * DAY])
async def test_a_gate_that_a_process_ahead_has_shut_is_open_to_the_others(
    ahead: int, boards: str, limit: int, period: int, backend: Backend
) -> None:
    """Its stamp is stale; the period that begins instead is as strict and as long as any."""
    async with harness(boards, backend) as here, beside(here, backend, boards) as other:
        other.now += ahead
        await shut(other, limit)
        await shut(here, limit)
        assert told(await play(here)) == period
        here.now += period * SECOND
        await shut(here, limit)


@gates
@pytest.mark.parametrize("ahead", [1, 5 * SECOND, 10 * SECOND])
async def test_clocks_a_few_seconds_apart_share_one_gate(
    ahead: int, boards: str, limit: int, period: int, backend: Backend
) -> None:
    """Nor does a request pass that was read first and comes second; and the wait is never longer than the period."""
    async with harness(boards, backend) as here, beside(here, backend, boards) as other:
        other.now += ahead
        await shut(other, limit)
        assert told(await play(here)) == period
        here.now += ahead + period * SECOND
        assert (await play(here)).status_code == 200


@pytest.mark.parametrize("boards", [PER_IP, PER_PLAYER], ids=["per_ip", "per_player"])
async def test_a_period_that_a_clock_ahead_began_ends_by_the_others(boards: str, backend: Backend) -> None:
    """Whoever is let through writes the end as their own clock has it."""
    async with harness(boards, backend) as here, beside(here, backend, boards) as other:
        other.now += 5 * SECOND
        for one in (other, here):
            assert (await play(one)).status_code == 200
        here.now += 60 * SECOND
        await shut(here, 3)


@gates
@pytest.mark.parametrize("back", [10_001, DAY])
async def test_a_process_that_steps_back_forgets_whom_it_refused(
    back: int, boards: str, limit: int, period: int, backend: Backend
) -> None:
    """What it remembers by itself is as stale as what it stored, also where that is gone."""
    async with harness(boards, backend) as here:
        await shut(here, limit)
        here.now -= back
        await shut(here, limit)
        assert told(await play(here)) == period
        await here.command("FLUSHALL")
        here.now -= back
        await shut(here, limit)


async def test_a_process_that_steps_back_a_little_tells_no_longer_wait_than_before() -> None:
    """It goes on refusing by itself, without asking the store."""
    async with harness(PER_IP, MemoryBackend()) as here:
        await shut(here, 3)
        here.now += 2 * SECOND
        assert told(await play(here)) == 58
        here.now -= 9 * SECOND
        here.start_meter()
        assert told(await play(here)) == 60
        assert here.requests == 0


async def test_a_short_period_is_forgotten_after_a_little_step(backend: Backend) -> None:
    """What is little is measured by the period too: nobody waits more than twice of it."""
    async with harness(PER_IP.replace("1m", "2s"), backend) as here:
        await shut(here, 3)
        here.now -= 2 * SECOND + 1
        await shut(here, 3)


@pytest.mark.parametrize("caller", ["198.51.100.1", "203.0.113.7"])
async def test_whoever_was_refused_ahead_is_not_refused_again_when_that_time_comes(caller: str) -> None:
    """A day later the clock is where it was when it was wrong, and the gate of that time is long gone."""
    async with harness(PER_IP, MemoryBackend()) as here:
        here.now += DAY
        await shut(here, 3)
        here.now -= DAY
        await here.command("FLUSHALL")
        async with here.client_at(caller) as client:
            assert (await client.post("/submit", json={"board": "b", "player": "p2", "score": 1})).status_code == 200
        here.now += DAY + SECOND
        await here.command("FLUSHALL")
        assert (await play(here)).status_code == 200


class Busy(MemoryBackend):
    """A store that takes a moment, and knows how many have asked it at once."""

    def __init__(self) -> None:
        super().__init__()
        self.asking = self.most = 0

    async def run(self, commands: Sequence[Command]) -> list[Reply]:
        """Return one reply a command, later."""
        self.asking += 1
        self.most = max(self.most, self.asking)
        await asyncio.sleep(0.01)
        self.asking -= 1
        return await super().run(commands)


@pytest.mark.parametrize("back", [0, 75 * SECOND, DAY])
async def test_a_process_that_steps_back_begins_to_count_what_it_sent_anew(back: int) -> None:
    """Calls beyond a limit's worth stand in a row; after the step these are within it again."""
    store = Busy()
    async with harness(PER_IP.replace("3", "9"), store) as here:
        for _ in range(8):
            await play(here)
        here.now -= back
        store.most = 0
        answers = await asyncio.gather(*(play(here) for _ in range(4)))
        assert [answer.status_code for answer in answers].count(200) == (4 if back else 1)
        assert store.most == (4 if back else 2)


CACHED = '[board.b]\ncache = "10s"\n[board.b.splits]\nmode = ["time", "words"]\nby = ["overall", "mode"]\n'


async def look(here: Harness, query: str = "") -> tuple[int, int]:
    """Return how many rows a page says there are, and its age, which every cache on the way must be able to read."""
    answer = await here.client.get(f"/top?board=b&{query}")
    age = answer.headers.get("age", "0")
    assert age.isdigit(), age
    return int(answer.json()["total"]), int(age)


@pytest.mark.parametrize("back", [1, SECOND, 9 * SECOND, DAY])
async def test_a_page_from_the_future_is_not_shown(back: int) -> None:
    """It is read again, by the clock that goes now, and kept by that one."""
    async with harness(CACHED, MemoryBackend()) as here:
        await here.submit("p1", 1)
        assert await look(here) == (1, 0)
        await here.submit("p2", 1)
        here.now -= back
        here.start_meter()
        assert await look(here) == (2, 0)
        here.now += 9 * SECOND
        assert await look(here) == (2, 9)
        assert here.requests == 1


@pytest.mark.parametrize("query", ["", "mode=time"])
async def test_a_page_from_the_future_is_not_kept_until_then(query: str) -> None:
    """A day later its time has come, and it is a day old; whatever page was asked for in between."""
    async with harness(CACHED, MemoryBackend()) as here:
        await here.submit("p1", 1)
        here.now += DAY
        assert await look(here) == (1, 0)
        here.now -= DAY
        await look(here, query)
        assert len(here.deployment.pages) == 1
        await here.submit("p2", 1)
        here.now += DAY + SECOND
        assert await look(here) == (2, 0)


async def test_a_read_that_the_step_overtook_leaves_no_page_of_the_future() -> None:
    """It began before the step and ended after it."""
    async with harness(CACHED, Busy()) as here:
        here.now += DAY
        slow = asyncio.create_task(look(here))
        await asyncio.sleep(0.005)
        here.now -= DAY
        await slow
        await look(here, "mode=time")
        assert len(here.deployment.pages) == 1
        await here.submit("p1", 1)
        here.now += DAY + SECOND
        assert await look(here) == (1, 0)


def test_pages_of_the_future_leave_their_room_to_others() -> None:
    """Two of the present have as many rows as may be kept."""
    pages = KeptPages(most=9, most_rows=100)
    pages.keep("a", KeptPage.of({}, 60, 1000, until=2000))
    assert pages.get("a", 999) is None
    for key in "bc":
        pages.keep(key, KeptPage.of({}, 50, 0, until=2000))
    assert [pages.get(key, 999) is not None for key in "abc"] == [False, True, True]
