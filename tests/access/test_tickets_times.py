"""A ticket's times: how long a run takes, when it expires, and the day it counts for."""

import json
from typing import Any

from tests.support.harness import NOON, Harness, harness
from tests.support.ticket_runs import HOUR, OPEN_GATES, SECRETS, TICKETS, again, begin, kept, run_of, send
from tools.upstash_emulator.backends import Backend

TIMED = '[board.b]\nauth = "ticket"\nticket = { shortest = "5s", longest = "1h", per_second = 10 }\n' + OPEN_GATES
MIDNIGHT = NOON + 12 * HOUR
NIGHT = """
[board.b]
auth = "ticket"
windows = ["daily", "all"]
retain = { daily = "%s" }
ticket = { longest = "40h", period_of = "start" }
limits = { per_ip = "0" }
"""


async def test_a_ticket_is_good_to_its_last_millisecond(backend: Backend) -> None:
    async with harness(TIMED, backend, secrets=SECRETS) as here:
        started = await begin(here)
        here.now += HOUR
        assert await send(here, run_of(started)) == (200, "stored")
        here.now += 1
        assert await send(here, run_of(started)) == (403, "ticket_expired")


async def test_a_run_takes_as_long_as_it_must(backend: Backend) -> None:
    """Too early by a millisecond, too fast by a point; what was refused was not spent."""
    async with harness(TIMED, backend, secrets=SECRETS) as here:
        started = await begin(here)
        here.now += 4_999
        assert await send(here, run_of(started, 1)) == (403, "too_early")
        here.now += 1
        assert await send(here, run_of(started, 51)) == (403, "too_fast")
        assert await kept(here) == {}
        assert await send(here, run_of(started, 50)) == (200, "stored")


async def test_a_start_a_second_ahead_of_the_clock_counts(backend: Backend) -> None:
    """Two instances' clocks differ; the run then took no time at all, and belongs to now."""
    boards = TICKETS.replace("limits", 'windows = ["daily"]\nticket = { period_of = "start" }\nlimits')
    async with harness(boards, backend, secrets=SECRETS) as here:
        started = await begin(here)
        here.now -= 1000
        assert await send(here, run_of(started)) == (200, "stored")


async def days(here: Harness, body: dict[str, Any]) -> dict[str, tuple[str, bool]]:
    """Submit; return for each window the period it counted for and whether it improved there."""
    answer = (await here.client.post("/submit", content=json.dumps(body))).json()
    return {s["window"]: (s["period"], s["improved"]) for s in answer["standings"]}


async def test_a_run_over_midnight_counts_for_the_day_it_began(backend: Backend) -> None:
    async with harness(NIGHT % "8d", backend, secrets=SECRETS) as here:
        here.now = MIDNIGHT - 60_000
        started = await begin(here)
        here.now = MIDNIGHT + 60_000
        assert await days(here, run_of(started)) == {"daily": ("2033-05-18", True), "all": ("all", True)}


async def test_a_day_that_has_expired_meanwhile_is_skipped(backend: Backend) -> None:
    """With no retention the day is gone at midnight; the all-time board still takes the run."""
    async with harness(NIGHT % "0s", backend, secrets=SECRETS) as here:
        here.now = MIDNIGHT - 60_000
        started = await begin(here)
        here.now = MIDNIGHT + 60_000
        assert await days(here, run_of(started)) == {"all": ("all", True)}


async def test_a_slot_that_holds_a_later_day_is_skipped(backend: Backend) -> None:
    """Two days later the record's slot is taken by today; a run from then must not push today out of it."""
    async with harness(NIGHT % "8d", backend, secrets=SECRETS) as here:
        here.now = MIDNIGHT - HOUR
        started = await begin(here)
        here.now = MIDNIGHT + 25 * HOUR
        today = await again(here, started)
        assert (await days(here, run_of(today, 5)))["daily"] == ("2033-05-20", True)
        assert await days(here, run_of(started, 9)) == {"daily": ("2033-05-18", False), "all": ("all", True)}
        rows = (await here.get("/top", window="daily"))["entries"]
        assert [(row["player"], row["score"]) for row in rows] == [(started["player"], 5)]
        assert (await here.get("/top", window="daily", at="2033-05-18"))["entries"] == []
