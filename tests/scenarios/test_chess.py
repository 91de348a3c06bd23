"""Chess blitz, a leaderboard with a source of truth, told with its own configuration over HTTP.

The source of truth, the history of attempts and the rebuilding from it belong to the ledger, and are shown there.
"""

import math
from typing import Any

import pytest

from tests.support.harness import NOON, Harness, harness
from tests.support.playing import beside, expiries, ms, page, play
from tools.upstash_emulator.backends import Backend

CHESS = """
[board.chess]
windows = ["all", "daily", "weekly"]
rank = "competition"
cap = 0
"""
DAY = 86_400
MIDNIGHT = NOON // 1000 + DAY // 2
# Two players share the fifth place, three the eighth.
RATINGS = {"a": 99, "b": 98, "c": 97, "d": 96, "zoe": 90, "adam": 90, "g": 85, "y": 80, "x": 80, "w": 80, "k": 70}
RANKS = [1, 2, 3, 4, 5, 5, 7, 8, 8, 8, 11]


async def blitz(here: Harness, *games: tuple[str, float], **more: Any) -> list[dict[str, Any]]:
    """Send games, a minute apart."""
    answers = []
    for game in games:
        here.now += 60_000
        answers += await play(here, game, board="chess", **more)
    return answers


async def rank(here: Harness, **query: Any) -> dict[str, Any]:
    return await here.get("/rank", board="chess", **query)


async def test_a_personal_best_stands_and_rank_comes_with_score_and_total(backend: Backend) -> None:
    async with harness(CHESS, backend) as here:
        *_, worse = await blitz(here, ("magnus", 2850), ("hikaru", 2870), ("magnus", 2800))
        assert not worse["improved"]
        [better] = await blitz(here, ("magnus", 2882))
        assert [(s["rank"], s["total"], s["previous"]) for s in better["standings"]] == [(1, 2, 2850)] * 3
        place = await rank(here, player="magnus")
        assert (place["entry"]["rank"], place["entry"]["score"], place["total"]) == (1, 2882, 2)
        assert await page(here, board="chess") == [("magnus", 2882, 1), ("hikaru", 2870, 2)]
        unknown = await rank(here, player="nobody")
        assert (unknown["entry"], unknown["total"]) == (None, 2)


async def test_a_cumulative_board_is_a_choice_and_mixes_with_nothing(backend: Backend) -> None:
    cumulative = CHESS + 'keep = "sum"'
    async with harness(CHESS, backend) as here, beside(here, backend, cumulative) as sums:
        await blitz(here, ("magnus", 10), ("magnus", 7))
        await blitz(sums, ("magnus", 10), ("magnus", 7))
        assert await page(here, board="chess") == [("magnus", 10, 1)]
        assert await page(sums, board="chess") == [("magnus", 17, 1)]


async def test_all_time_daily_and_weekly_are_one_round_trip(backend: Backend) -> None:
    async with harness(CHESS, backend) as here:
        await blitz(here, ("magnus", 2850))
        here.start_meter()
        [answer] = await blitz(here, ("hikaru", 2870))
        assert (here.requests, [s["window"] for s in answer["standings"]]) == (1, ["all", "daily", "weekly"])
        here.start_meter()
        tops = (await here.get("/top", board="chess", windows="all,daily,weekly"))["tops"]
        assert (here.requests, here.billed) == (1, 6)
        assert [(t["window"], t["period"], t["total"]) for t in tops] == [
            ("all", "all", 2),
            ("daily", "2033-05-18", 2),
            ("weekly", "2033-W20", 2),
        ]


async def test_old_boards_expire_and_the_all_time_board_does_not(backend: Backend) -> None:
    """Eight days after its day a daily one goes: that timer is on no other."""
    async with harness(CHESS, backend) as here:
        for hours in (0, 5, 11):
            here.now = NOON + hours * 3_600_000
            await blitz(here, ("magnus", hours))
        times = await expiries(here)
        assert {key: end for key, end in times.items() if not key.startswith("gate:")} == {
            "db-:all:all:": -1,
            "db-:player:magnus": -1,
            "db-:daily:2033-05-18:": MIDNIGHT + 8 * DAY,
            "db-:weekly:2033-W20:": MIDNIGHT + 4 * DAY + 35 * DAY,
        }
        here.now += 7 * DAY * 1000
        daily, weekly = (await here.get("/top", board="chess", windows="daily,weekly"))["tops"]
        assert (daily["entries"], weekly["entries"]) == ([], [])
        assert (await here.get("/top", board="chess", window="weekly", at="-1"))["total"] == 1
        assert await page(here, board="chess") == [("magnus", 11, 1)]


@pytest.mark.parametrize(
    ("now", "day", "week"),
    [
        ("2033-05-15T23:59:59+00:00", "2033-05-15", "2033-W19"),
        ("2033-05-16T00:30:00+00:00", "2033-05-16", "2033-W20"),
        ("2033-05-16T00:30:00+09:00", "2033-05-15", "2033-W19"),
        ("2033-05-15T22:30:00-07:00", "2033-05-16", "2033-W20"),
    ],
)
async def test_weekday_and_date_are_of_the_same_zone(now: str, day: str, week: str, backend: Backend) -> None:
    """A Monday that is still Sunday in UTC, and the other way round: both say what UTC says."""
    async with harness(CHESS, backend) as here:
        here.now = ms(now)
        answer = await here.submit("magnus", 1, board="chess")
        assert [standing["period"] for standing in answer["standings"]] == ["all", day, week]


async def test_two_players_at_5th_and_the_next_is_7th(backend: Backend) -> None:
    """On the page, on any page, in the answer to a run, alone, among others, and for a score that nobody has yet."""
    async with harness(CHESS, backend) as here:
        answers = await blitz(here, *reversed(RATINGS.items()))
        assert [rank for _, _, rank in await page(here, board="chess", limit=100)] == RANKS
        for size in (1, 2, 3, 4, 5):
            paged = [await page(here, board="chess", limit=size, offset=start) for start in range(0, 11, size)]
            assert [rank for rows in paged for _, _, rank in rows] == RANKS
        alone = [(await rank(here, player=player))["entry"]["rank"] for player in RATINGS]
        together = [row["rank"] for row in (await rank(here, players=",".join(RATINGS)))["entries"]]
        assert alone == together == RANKS
        assert answers[-1]["standings"][0]["rank"] == 1
        hypothetical = {score: (await rank(here, score=score))["rank"] for score in (90, 89, 85, 80, 100)}
        assert hypothetical == {90: 5, 89: 7, 85: 7, 80: 8, 100: 1}
        [tied] = await blitz(here, ("k", 90))
        assert tied["standings"][0]["rank"] == 5
        assert (await rank(here, player="g"))["entry"]["rank"] == 8


async def test_equals_are_listed_as_they_came_and_not_by_the_alphabet(backend: Backend) -> None:
    async with harness(CHESS, backend) as here:
        await blitz(here, ("zoe", 90), ("adam", 90), ("mia", 90), ("bob", 80), ("adam", 70), ("bob", 90))
        assert await page(here, board="chess") == [("zoe", 90, 1), ("adam", 90, 1), ("mia", 90, 1), ("bob", 90, 1)]


async def test_pages_of_25_with_the_total(backend: Backend) -> None:
    async with harness(CHESS, backend) as here:
        await blitz(here, *((f"p{number}", 1000 - number // 2 * 2) for number in range(60)), ranks="none")
        seen: list[tuple[str, float, int]] = []
        for number, (size, following) in enumerate([(25, 25), (25, 50), (10, None)]):
            answer = await here.get("/top", board="chess", limit=25, offset=number * 25)
            assert (len(answer["entries"]), answer["total"], answer["next"]) == (size, 60, following)
            assert math.ceil(answer["total"] / 25) == 3
            seen += [(row["player"], row["score"], row["rank"]) for row in answer["entries"]]
        assert seen == [(f"p{n}", 1000 - n // 2 * 2, n // 2 * 2 + 1) for n in range(60)]
        beyond = await here.get("/top", board="chess", limit=25, offset=75)
        assert (beyond["entries"], beyond["total"], beyond["next"]) == ([], 60, None)


@pytest.mark.parametrize(
    ("player", "shown"),
    [
        ("adam", ["c", "d", "zoe", "adam", "g", "y", "x"]),
        ("a", ["a", "b", "c", "d", "zoe", "adam", "g"]),
        ("k", ["zoe", "adam", "g", "y", "x", "w", "k"]),
    ],
)
async def test_three_neighbours_on_either_side(player: str, shown: list[str], backend: Backend) -> None:
    """Seven rows at the edges too, and true ties in them."""
    async with harness(CHESS, backend) as here:
        await blitz(here, *RATINGS.items(), ranks="none")
        place = await rank(here, player=player, around=3)
    known = dict(zip(RATINGS, RANKS, strict=True))
    told = [(row["player"], row["rank"]) for row in place["entries"]]
    assert told == [(name, known[name]) for name in shown]
    better = sum(score > RATINGS[player] for score in RATINGS.values())
    assert place["percentile"] == round(100 * (11 - better) / 11, 2)
