"""Typestrix, a typing test's boards, told with its own configuration over HTTP.

That a failing leaderboard does not fail the saved test, which lies in Postgres, is part of the ledger's own tests;
here is what the store has to do with it.
"""

from typing import Any

import httpx

from tests.support.harness import NOON, Harness, harness
from tests.support.playing import expiries, ms, page, stored
from tools.upstash_emulator.backends import Backend

TYPESTRIX = """
[board.typing]
windows = ["all", "daily"]
timezone = "Asia/Kolkata"
retain = { daily = "0s" }
score = { min = 0, max = 400, step = 1 }
meta = { wpm = "int", accuracy = "float", avatar = "str" }
limits = { cooldown = "10s" }
[board.typing.splits]
mode = ["time", "words"]
by = ["overall", "mode"]
"""
SIX = {"windows": "all,daily", "splits": "overall,mode:time,mode:words", "limit": 10}
# The harness' noon is 17:30 in India, and its day ends there at 18:30 UTC.
INDIAN_MIDNIGHT = NOON // 1000 + 6 * 3600 + 1800
TODAY, TOMORROW = "2033-05-18", "2033-05-19"
COOLDOWN = 10_000


def run(player: str, wpm: int, accuracy: float, mode: str = "time", **more: Any) -> dict[str, Any]:
    """Return the body of one typing test, with the score as the game counts it."""
    meta = {"wpm": wpm, "accuracy": accuracy}
    return {
        "board": "typing",
        "player": player,
        "score": round(wpm * accuracy / 100),
        "meta": meta,
        "splits": {"mode": mode},
        **more,
    }


async def type_(here: Harness, *told: Any, **more: Any) -> dict[str, Any]:
    """Send one typing test when the cooldown of the one before is over."""
    here.now += COOLDOWN
    response = await here.post("/submit", **run(*told, **more))
    assert response.status_code == 200, response.text
    answer: dict[str, Any] = response.json()
    return answer


async def six(here: Harness) -> dict[str, list[tuple[str, float, int]]]:
    """Return the six standings of the page as (player, score, words per minute)."""
    tops = (await here.get("/top", board="typing", **SIX))["tops"]
    return {
        f"{top['window']} {top['splits'].get('mode', 'overall')}": [
            (row["player"], row["score"], row["meta"]["wpm"]) for row in top["entries"]
        ]
        for top in tops
    }


async def test_the_score_is_one_number_and_its_parts_are_kept_beside_it(backend: Backend) -> None:
    async with harness(TYPESTRIX, backend) as here:
        answer = await type_(here, "asha", 100, 98.0)
        assert [standing["score"] for standing in answer["standings"]] == [98] * 4
        [row] = (await here.get("/top", board="typing"))["entries"]
        assert (row["score"], row["meta"]) == (98, {"wpm": 100, "accuracy": 98})
        await type_(here, "ravi", 100, 97.6)
        assert (await here.get("/top", board="typing"))["entries"][1]["meta"]["accuracy"] == 97.6
        for score in (401, -1, 97.5):
            refused = await here.post("/submit", **run("asha", 100, 98) | {"score": score})
            assert (refused.status_code, refused.json()["code"]) == (422, "score_out_of_range")


async def test_one_test_goes_to_four_standings_at_once(backend: Backend) -> None:
    async with harness(TYPESTRIX, backend) as here:
        await type_(here, "asha", 80, 95.0)
        here.start_meter()
        answer = await type_(here, "ravi", 90, 100.0, "words")
        assert here.requests == 1
        told = [(s["window"], s["splits"], s["rank"], s["total"]) for s in answer["standings"]]
        assert told == [
            ("all", {}, 1, 2),
            ("all", {"mode": "words"}, 1, 1),
            ("daily", {}, 1, 2),
            ("daily", {"mode": "words"}, 1, 1),
        ]


async def test_the_page_of_six_standings_is_one_request_for_any_number_of_players(backend: Backend) -> None:
    async with harness(TYPESTRIX, backend) as here:
        costs = []
        for players in (1, 12):
            for number in range(players):
                await type_(here, f"p{number}", 50 + number, 100, "time" if number % 2 else "words", ranks="none")
            here.start_meter()
            shown = await six(here)
            costs.append((here.requests, here.billed))
        assert costs == [(1, 12), (1, 12)]
        assert [(name, len(rows)) for name, rows in shown.items()] == [
            ("all overall", 10),
            ("all time", 6),
            ("all words", 6),
            ("daily overall", 10),
            ("daily time", 6),
            ("daily words", 6),
        ]
        assert shown["all overall"][0] == ("p11", 61, 61)


async def test_data_belongs_to_the_standing_that_changed(backend: Backend) -> None:
    """Today's best does not relabel the all-time best, a mode's not the overall one, and an equal score nothing."""
    async with harness(TYPESTRIX, backend) as here:
        await type_(here, "asha", 100, 98, "time")
        here.now += 86_400_000
        today = await type_(here, "asha", 90, 100, "words")
        equal = await type_(here, "asha", 98, 100, "time")
        assert [standing["improved"] for standing in today["standings"]] == [False, True, True, True]
        assert [standing["improved"] for standing in equal["standings"]] == [False, False, True, True]
        assert await six(here) == {
            "all overall": [("asha", 98, 100)],
            "all time": [("asha", 98, 100)],
            "all words": [("asha", 90, 90)],
            "daily overall": [("asha", 98, 98)],
            "daily time": [("asha", 98, 98)],
            "daily words": [("asha", 90, 90)],
        }


async def test_a_day_ends_at_midnight_in_india(backend: Backend) -> None:
    async with harness(TYPESTRIX, backend) as here:
        for last, day in ((ms("2033-05-18T18:29:59+00:00") + 999, TODAY), (INDIAN_MIDNIGHT * 1000, TOMORROW)):
            here.now = last - COOLDOWN
            answer = await type_(here, f"asha-{day}", 100, 98)
            assert {s["period"] for s in answer["standings"]} == {"all", day}
        shown = await here.get("/top", board="typing", window="daily")
        assert (shown["starts"], shown["ends"]) == ("2033-05-18T18:30:00.000Z", "2033-05-19T18:30:00.000Z")
        assert [row["player"] for row in shown["entries"]] == [f"asha-{TOMORROW}"]
        assert shown["resets_in"] == 86_400


async def test_the_daily_standing_is_gone_at_the_next_midnight(backend: Backend) -> None:
    """Shown no longer at once, and out of the store at that second; the all-time standing stays."""
    async with harness(TYPESTRIX, backend) as here:
        await type_(here, "asha", 100, 98)
        times = await expiries(here)
        daily = {key: end for key, end in times.items() if ":daily:" in key}
        assert daily == {f"db-:daily:{TODAY}:{of}": INDIAN_MIDNIGHT for of in ("", "mode=time")}
        assert [end for key, end in times.items() if ":all:" in key] == [-1, -1]
        here.now = INDIAN_MIDNIGHT * 1000
        shown = await six(here)
        assert [name for name, rows in shown.items() if rows] == ["all overall", "all time"]


async def test_a_better_score_inside_the_cooldown_is_not_lost(backend: Backend) -> None:
    """It is refused, with the time to wait and nothing stored; sent again then, it counts."""
    async with harness(TYPESTRIX, backend) as here:
        await type_(here, "asha", 100, 98)
        before = await stored(here)
        here.now += 3_500
        better = run("asha", 120, 100, id="test-00000002")
        refused = await here.post("/submit", **better)
        assert (refused.status_code, refused.json()["code"]) == (429, "cooldown")
        assert {key: value for key, value in (await stored(here)).items() if ":gate:" not in key} == {
            key: value for key, value in before.items() if ":gate:" not in key
        }
        assert (await here.post("/submit", **run("ravi", 50, 100))).status_code == 200
        wait = int(refused.headers["retry-after"])
        assert wait == 7
        here.now += wait * 1000
        assert (await here.post("/submit", **better)).json()["improved"]
        assert await page(here, board="typing") == [("asha", 120, 1), ("ravi", 50, 2)]


async def test_the_cooldown_is_ten_seconds_to_the_millisecond(backend: Backend) -> None:
    async with harness(TYPESTRIX, backend) as here:
        await type_(here, "asha", 50, 100)
        for later, status in ((COOLDOWN - 1, 429), (1, 200), (COOLDOWN - 1, 429)):
            here.now += later
            assert (await here.post("/submit", **run("asha", 60, 100))).status_code == status


async def test_a_changed_best_is_seen_by_the_next_read(backend: Backend) -> None:
    """As printed nobody keeps pages; where a board lets them, a client that sends `v` is past what they keep."""
    async with harness(TYPESTRIX, backend) as here:
        for wpm in (50, 60, 70):
            await type_(here, "asha", wpm, 100)
            assert (await six(here))["daily time"] == [("asha", wpm, wpm)]
        kept = (await here.client.get("/top", params={"board": "typing"})).headers["cache-control"]
        assert kept == "no-store"
    async with harness(TYPESTRIX.replace("limits =", 'cache = "1m"\nlimits ='), backend) as here:
        for wpm in (50, 60, 70):
            await type_(here, "asha", wpm, 100, id=f"test-000000{wpm}")
            assert (await here.get("/top", board="typing", v=f"test-000000{wpm}"))["entries"][0]["score"] == wpm


class Broken(httpx.AsyncBaseTransport):
    """A store that cannot be reached."""

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        raise httpx.ConnectError("refused")


async def test_a_store_that_fails_is_told_so_and_what_was_to_be_stored_can_be_sent_again(backend: Backend) -> None:
    """The caller learns it in the answer, can keep the test, and repeat the same submission until it is in, once."""
    async with harness(TYPESTRIX, backend) as here:
        working, here.way.through = here.way.through, Broken()
        body = run("asha", 100, 98, id="test-00000001")
        failed = await here.post("/submit", **body)
        assert (failed.status_code, failed.json()["code"]) == (503, "store_unavailable")
        assert int(failed.headers["retry-after"]) > 0
        here.way.through = working
        answers = [(await here.post("/submit", **body)).json() for _ in range(3)]
        assert [answer["replayed"] for answer in answers] == [False, True, True]
        assert await page(here, board="typing") == [("asha", 98, 1)]
