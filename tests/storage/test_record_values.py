"""The fields that a record keeps for the values of open splits: they go with their periods, for one command."""

import pytest

from tests.limits.priced_calls import board, warm_up
from tests.support.harness import NOON, Harness, harness
from tests.support.playing import page, play, stored
from tools.upstash_emulator.backends import Backend

DAY = 86_400_000
PUZZLE = 'level = { pattern = "[a-z0-9-]+", max = 9 }\nby = ["level"]'
DAILY = board("keep = 'sum'", "windows = ['daily', 'weekly']", splits=PUZZLE)
UNCAPPED = board("keep = 'sum'", "cap = 0", "windows = ['daily', 'weekly']", splits=PUZZLE)
RECORD = "laurel:{b}:ds-:player:p"


async def puzzle(here: Harness, day: int) -> int:
    """Play a day's own puzzle; return what it was billed."""
    here.now = NOON + day * DAY
    here.start_meter()
    await here.submit("p", 1, splits={"level": f"day-{day}"}, ranks="none")
    return here.billed


async def slots(here: Harness) -> list[str]:
    """Return the record's fields of standings."""
    return [name for name in (await stored(here))[RECORD] if "#" in name]


@pytest.mark.parametrize("boards", [DAILY, UNCAPPED], ids=["capped", "uncapped"])
async def test_a_daily_puzzle_leaves_the_fields_of_the_last_weeks(boards: str, backend: Backend) -> None:
    async with harness(boards, backend) as here:
        await warm_up(here)
        billed = [await puzzle(here, day) for day in range(61)]
        # Two days, and at most two weeks and a day of the third.
        assert 2 < len(await slots(here)) <= 2 + 15
        # In every week but the first the only change of price is the command that lets fields go.
        assert max(billed[21:]) <= max(billed[2:7]) + 1


async def test_fields_from_before_they_were_listed_go_too(backend: Backend) -> None:
    async with harness(DAILY, backend) as here:
        for day in range(20):
            await puzzle(here, day)
        for day in range(18):
            await here.command("HSET", RECORD, f"daily#{day % 2}:level=day-{day}", f"{day * DAY // 1000} x - 1 1")
        await here.command("HDEL", RECORD, "values")
        await puzzle(here, 20)
        assert {name for name in await slots(here) if name.startswith("daily")} <= {
            f"daily#{number}:level=day-{day}" for day in (19, 20) for number in range(4)
        }


@pytest.mark.parametrize("ahead", [2, 9, 30])
async def test_a_clock_that_was_ahead_lets_fields_go_but_counts_nothing_anew(ahead: int, backend: Backend) -> None:
    async with harness(DAILY, backend) as here:
        await play(here, ("p", 1), splits={"level": "a"})
        here.now = NOON + ahead * DAY
        await play(here, ("p", 10), splits={"level": "b"})
        here.now = NOON + 1000
        await play(here, ("p", 2), splits={"level": "a"})
        for window in ("daily", "weekly"):
            assert await page(here, window=window, level="a") == [("p", 3, 1)]
