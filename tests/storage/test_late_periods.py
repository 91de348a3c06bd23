"""Submissions behind a later period: whatever a clock or another calendar has left there, the current one is stored."""

import pytest

from tests.support.harness import NOON, harness
from tests.support.playing import beside, page, play
from tools.upstash_emulator.backends import Backend

DAY = 86_400_000
OPEN = "limits = { per_ip = '0' }"
DAILY = f"[board.b]\nkeep = 'sum'\nwindows = ['daily']\n{OPEN}\ncap = %d\n"
WEEKLY = f"[board.b]\nkeep = 'sum'\nwindows = ['weekly']\nweek_start = '%s'\n{OPEN}\n"
# NOON is on 18 May 2033, a Wednesday.
SEASON = f"[board.b]\nkeep = 'sum'\nwindows = ['season']\n{OPEN}\n[[board.b.season]]\n%s\n"
EARLY = 'name = "early"\nstarts = 2033-03-01T00:00:00Z\nends = 2033-06-01T00:00:00Z'
LATER = 'name = "later"\nstarts = 2033-05-10T00:00:00Z\nends = 2033-08-01T00:00:00Z'
LATE = 'name = "late"\nstarts = 2033-05-01T00:00:00Z\nends = 2033-07-01T00:00:00Z'


@pytest.mark.parametrize("cap", [0, 1000])
@pytest.mark.parametrize("ahead", [1, 2, 3, 4])
async def test_a_clock_that_was_days_ahead_swallows_nothing(ahead: int, cap: int, backend: Backend) -> None:
    """Today's total goes on, and so does the one of the day that came early, once it comes."""
    async with harness(DAILY % cap, backend) as here:
        await play(here, ("p", 1))
        here.now = NOON + ahead * DAY
        await play(here, ("p", 10))
        here.now = NOON + 1000
        [answer] = await play(here, ("p", 2))
        assert [(row["score"], row["kept"]) for row in answer["standings"]] == [(3, True)]
        assert await page(here) == [("p", 3, 1)]
        here.now = NOON + ahead * DAY + 1000
        await play(here, ("p", 20))
        assert await page(here) == [("p", 30, 1)]


async def test_two_clocks_that_were_ahead_leave_nobody_twice(backend: Backend) -> None:
    """A record has room for two days of one kind; what it had to leave out is looked for."""
    async with harness(DAILY % 1000, backend) as here:
        for day in (0, 2, 4, 0, 2, 4, 6, 4, 2, 0):
            here.now = max(here.now, NOON) % DAY + NOON - NOON % DAY + day * DAY
            await play(here, ("p", 1))
        for day, total in ((0, 3), (2, 3), (4, 3), (6, 1)):
            here.now = NOON + day * DAY
            assert await page(here) == [("p", total, 1)]


@pytest.mark.parametrize(("first", "then"), [("monday", "sunday"), ("saturday", "monday"), ("sunday", "saturday")])
async def test_a_week_that_begins_on_another_day_is_stored_and_the_old_one_comes_back(
    first: str, then: str, backend: Backend
) -> None:
    async with harness(WEEKLY % first, backend) as here, beside(here, backend, WEEKLY % then) as other:
        await play(here, ("p", 1))
        await play(other, ("p", 10), ("p", 10))
        assert await page(other) == [("p", 20, 1)]
        await play(here, ("p", 1))
        assert await page(here) == [("p", 2, 1)]


async def test_a_season_that_begins_earlier_than_those_it_replaces_is_stored(backend: Backend) -> None:
    """A record has room for two seasons, whichever they are."""
    seasons = [SEASON % season for season in (LATE, LATER, EARLY)]
    async with (
        harness(seasons[0], backend) as late,
        beside(late, backend, seasons[1]) as later,
        beside(late, backend, seasons[2]) as early,
    ):
        for _ in range(2):
            for here in (late, later, early):
                await play(here, ("p", 1))
        for here in (late, later, early):
            assert await page(here) == [("p", 2, 1)]
