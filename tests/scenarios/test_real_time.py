"""A real-time leaderboard for millions of players, told with its own configuration over HTTP.

What ten million players cost is for the benchmarks, and the sweep of idle ones for the command's own tests.
"""

import asyncio
from typing import Any

import pytest

from tests.support.harness import NOON, Harness, harness
from tests.support.playing import beside, expiries, ms, page, status
from tools.upstash_emulator.backends import Backend

WORLD = """
[board.world]
keep = "sum"
windows = ["daily", "weekly", "monthly", "all"]
cap = 0
names = "profile"
meta = { avatar = "str", level = "int" }
[board.world.splits]
region = ["eu", "us", "asia"]
by = ["overall", "region"]
"""
DAY = 86_400
MIDNIGHT = NOON // 1000 + DAY // 2
ALL = {"board": "world", "window": "all"}


async def score(here: Harness, player: str, points: float, region: str | None = None, **more: Any) -> dict[str, Any]:
    """Add points, two seconds after what came before: slowly enough for the limit of one address."""
    here.now += 2000
    splits = {"splits": {"region": region}} if region else {}
    return await here.submit(player, points, board="world", **splits, **more)


async def crowd(here: Harness, size: int) -> None:
    """Let p1 to p<size> in, with one point more each than the one after them."""
    for number in range(1, size + 1):
        await score(here, f"p{number}", size - number + 1, ranks="none")


async def test_points_add_up_in_every_window_at_once(backend: Backend) -> None:
    """Daily, weekly, monthly and all-time, for all and for the region: eight standings, one request."""
    async with harness(WORLD, backend) as here:
        await score(here, "ann", 10, "eu")
        here.start_meter()
        answer = await score(here, "ann", 5, "eu")
        assert here.requests == 1
        told = [(s["window"], s["splits"], s["previous"], s["score"], s["rank"]) for s in answer["standings"]]
        windows = ["daily", "weekly", "monthly", "all"]
        assert told == [(w, splits, 10, 15, 1) for w in windows for splits in ({}, {"region": "eu"})]
        here.now += DAY * 1000
        assert [s["score"] for s in (await score(here, "ann", 1, "eu"))["standings"][::2]] == [1, 16, 16, 16]


async def test_no_addition_is_lost_to_another_at_the_same_time(backend: Backend) -> None:
    async with harness(WORLD, backend) as here, beside(here, backend, WORLD) as other:
        await asyncio.gather(*((here, other)[i % 2].submit("ann", i, board="world") for i in range(30)))
        for window in ("daily", "weekly", "monthly", "all"):
            assert await page(here, board="world", window=window) == [("ann", sum(range(30)), 1)]


@pytest.mark.parametrize(
    ("before", "after", "weeks", "scores"),
    [
        ("2037-12-31T23:59:59+00:00", "2038-01-01T00:00:00+00:00", ("2037-W53", "2037-W53"), [7, 12, 7, 12]),
        ("2036-12-29T12:00:00+00:00", "2037-01-02T12:00:00+00:00", ("2037-W01", "2037-W01"), [7, 12, 7, 12]),
        ("2034-12-31T23:59:59+00:00", "2035-01-01T00:00:00+00:00", ("2034-W52", "2035-W01"), [7, 7, 7, 12]),
    ],
)
async def test_a_week_runs_on_over_the_end_of_a_year(
    before: str, after: str, weeks: tuple[str, str], scores: list[int], backend: Backend
) -> None:
    """By the ISO calendar: the calendar year with the week's number would end or repeat a week there."""
    async with harness(WORLD, backend) as here:
        seen = []
        for now, points in ((before, 5), (after, 7)):
            here.now = ms(now) - 2000
            seen.append((await score(here, "ann", points))["standings"])
        assert tuple(standings[1]["period"] for standings in seen) == weeks
        assert [standing["score"] for standing in seen[1]] == scores
        assert [standing["period"] for standing in seen[1]][2:] == [after[:7], "all"]


async def test_windows_end_by_themselves_and_all_time_does_not(backend: Backend) -> None:
    async with harness(WORLD, backend) as here:
        for hour in range(3):
            here.now = NOON + hour * 3_600_000
            await score(here, "ann", 1, "eu", name="Ann")
        times = await expiries(here)
        for of in ("", "region=eu"):
            assert times[f"ds-:daily:2033-05-18:{of}"] == MIDNIGHT + 8 * DAY
            assert times[f"ds-:weekly:2033-W20:{of}"] == MIDNIGHT + 4 * DAY + 35 * DAY
            assert times[f"ds-:monthly:2033-05:{of}"] == MIDNIGHT + 13 * DAY + 100 * DAY
            assert times[f"ds-:all:all:{of}"] == -1
        assert (times["profiles"], times["ds-:player:ann"]) == (-1, -1)


async def test_rows_show_the_latest_profile_beside_old_scores(backend: Backend) -> None:
    """A run without a name leaves what is known; a page of a hundred rows is one request all the same."""
    async with harness(WORLD, backend) as here:
        await score(here, "ann", 10, name="Ann", meta={"avatar": "fox", "level": 3})
        await score(here, "bob", 7, name="Bob", meta={"avatar": "owl", "level": 1})
        here.now += DAY * 1000
        await score(here, "ann", 1)
        await score(here, "bob", 0, name="Bobby", meta={"avatar": "owl", "level": 2})
        for query in ({"window": "all"}, {"window": "daily", "at": "-1"}):
            rows = (await here.get("/top", board="world", **query))["entries"]
            assert [(row["name"], row["meta"]) for row in rows] == [
                ("Ann", {"avatar": "fox", "level": 3}),
                ("Bobby", {"avatar": "owl", "level": 2}),
            ]
        await crowd(here, 60)
        here.start_meter()
        rows = (await here.get("/top", **ALL, limit=100))["entries"]
        assert (here.requests, here.billed, len(rows)) == (1, 4, 62)
        assert [row["name"] for row in rows if row["name"]] == ["Ann", "Bobby"]


async def test_regions_have_boards_of_their_own(backend: Backend) -> None:
    async with harness(WORLD, backend) as here:
        for player, points, region in (("ann", 10, "eu"), ("bob", 7, "us"), ("eve", 8, "eu"), ("zoe", 9, None)):
            await score(here, player, points, region)
        assert await page(here, **ALL) == [("ann", 10, 1), ("zoe", 9, 2), ("eve", 8, 3), ("bob", 7, 4)]
        assert await page(here, **ALL, region="eu") == [("ann", 10, 1), ("eve", 8, 2)]
        assert await page(here, **ALL, region="asia") == []
        assert await status(here, "/top", **ALL, region="mars") == (422, "unknown_split")
        place = await here.get("/rank", **ALL, region="us", player="bob")
        assert (place["entry"]["rank"], place["total"]) == (1, 1)


async def test_rank_score_top_and_any_page(backend: Backend) -> None:
    """Nothing is cut, a page by rank has as many rows as were asked for, and 51 to 60 are ten."""
    async with harness(WORLD, backend) as here:
        await crowd(here, 120)
        place = await here.get("/rank", **ALL, player="p104")
        assert (place["entry"]["rank"], place["entry"]["score"], place["total"]) == (104, 17, 120)
        fifties = await here.get("/top", **ALL, limit=10, offset=50)
        assert [row["rank"] for row in fifties["entries"]] == [*range(51, 61)]
        assert (fifties["next"], fifties["cap"], fifties["total"]) == (60, 0, 120)
        last = await here.get("/top", **ALL, limit=50, offset=100)
        assert ([row["player"] for row in last["entries"]], last["next"]) == ([f"p{n}" for n in range(101, 121)], None)
        assert await page(here, **ALL, limit=3) == [("p1", 120, 1), ("p2", 119, 2), ("p3", 118, 3)]


async def test_the_neighbourhood_and_how_far_up_a_player_is(backend: Backend) -> None:
    async with harness(WORLD, backend) as here:
        await crowd(here, 40)
        await here.get("/rank", **ALL, player="p1")  # so that the script is there
        here.start_meter()
        place = await here.get("/rank", **ALL, player="p30", around=2)
        assert here.requests == 1
        assert [(row["player"], row["rank"]) for row in place["entries"]] == [(f"p{n}", n) for n in range(28, 33)]
        assert place["ahead"] == {"player": "p29", "score": 12, "gap": 1}
        assert place["percentile"] == round(100 * (40 - 29) / 40, 2)
        assert (await here.get("/rank", **ALL, player="p40", around=2))["entries"][0]["rank"] == 36
        assert (await here.get("/rank", **ALL, player="p1"))["percentile"] == 100
        assert (await here.get("/rank", **ALL, score=12.5))["rank"] == 29


async def test_page_own_row_and_total_are_of_one_moment(backend: Backend) -> None:
    """One script reads them all: while others write, no answer contradicts itself."""
    async with harness(WORLD, backend) as here:
        await crowd(here, 20)
        reads = [here.get("/top", **ALL, limit=100, player="p20") for _ in range(10)]
        writes = [here.submit(f"p{number}", 100 + number, board="world") for number in range(20, 10, -1)]
        answers = await asyncio.gather(*(call for pair in zip(reads, writes, strict=True) for call in pair))
        for top in answers[::2]:
            assert len(top["entries"]) == top["total"] == 20
            assert top["entries"][top["me"]["rank"] - 1] == top["me"]
            scores = [row["score"] for row in top["entries"]]
            assert scores == sorted(scores, reverse=True)


async def test_points_keep_their_fractions_and_all_their_digits(backend: Backend) -> None:
    """A score that is read by its first digits is another score: all of it goes out, as a plain number."""
    async with harness(WORLD, backend) as here:
        for player, points in (("ann", 0.1), ("ann", 0.2), ("bob", 1e15), ("bob", 21), ("eve", 2.5)):
            await score(here, player, points)
        text = (await here.client.get("/top", params=ALL)).text
        assert [part.split(",")[0] for part in text.split('"score":')[1:]] == [
            "1000000000000021",
            "2.5",
            "0.30000000000000004",
        ]


async def test_best_scores_are_a_matter_of_one_word(backend: Backend) -> None:
    async with harness(WORLD.replace('"sum"', '"best"'), backend) as here, beside(here, backend, WORLD) as sums:
        for points in (950, 900, 920):
            answer = await score(here, "ann", points)
            await score(sums, "ann", points)
        assert {standing["score"] for standing in answer["standings"]} == {950}
        assert await page(here, **ALL) == [("ann", 950, 1)]
        assert await page(sums, **ALL) == [("ann", 2770, 1)]
