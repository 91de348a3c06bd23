"""Rabbit Hole, a browser game's global board on Upstash, told with its own configuration over HTTP.

Its names could be claimed by anyone; what tickets do about that is shown here once, and in full in their own tests.
"""

import asyncio
from typing import Any

from tests.support.harness import NOON, Harness, harness
from tests.support.playing import beside, expiries, page, status, stored
from tools.upstash_emulator.backends import Backend

RABBIT = """
[board.rabbit]
windows = ["daily", "all"]
cap = 100
retain = { daily = "7d", all = "90d" }
remember = "90d"
meta = { depth = "int" }
limits = { per_ip = "30/1m" }
[board.rabbit.splits]
burrow = { pattern = "[a-z0-9-]{1,32}", max = 500 }
by = ["burrow"]
"""
DAY = 86_400
MIDNIGHT = NOON // 1000 + DAY // 2
GARDEN = "db-:all:all:burrow=garden"


async def dig(here: Harness, player: str, score: float, burrow: str = "garden", **more: Any) -> dict[str, Any]:
    """Send one run, three seconds after the one before: slowly enough for the limit of one address."""
    here.now += 3000
    return await here.submit(player, score, board="rabbit", splits={"burrow": burrow}, **more)


async def rows(here: Harness, window: str, burrow: str = "garden") -> list[tuple[str, float, int]]:
    return await page(here, board="rabbit", window=window, burrow=burrow)


def without_gates(values: Any) -> dict[str, Any]:
    return {key: value for key, value in values.items() if ":gate:" not in key}


async def test_one_best_per_player_and_board(backend: Backend) -> None:
    """A lower or an equal run changes nothing: no name, no depth, no time, not a byte in the store."""
    async with harness(RABBIT, backend) as here:
        first = await dig(here, "ada", 1200, name="Ada", meta={"depth": 12})
        assert [(s["window"], s["improved"], s["rank"]) for s in first["standings"]] == [
            ("daily", True, 1),
            ("all", True, 1),
        ]
        before = without_gates(await stored(here))
        for score in (900, 1200):
            worse = await dig(here, "ada", score, name="Renamed", meta={"depth": 99})
            assert (worse["improved"], worse["standings"][1]["score"]) == (False, 1200)
        assert without_gates(await stored(here)) == before
        [row] = (await here.get("/top", board="rabbit", burrow="garden"))["entries"]
        assert (row["name"], row["meta"], row["score"]) == ("Ada", {"depth": 12}, 1200)


async def test_name_and_depth_are_of_the_run_that_set_the_best_of_each_board(backend: Backend) -> None:
    async with harness(RABBIT, backend) as here:
        await dig(here, "ada", 1200, name="Ada", meta={"depth": 12})
        here.now += DAY * 1000
        tomorrow = await dig(here, "ada", 800, name="Ada L.", meta={"depth": 8})
        assert [s["improved"] for s in tomorrow["standings"]] == [True, False]
        tops = (await here.get("/top", board="rabbit", windows="daily,all", splits="burrow:garden"))["tops"]
        told = [(r["score"], r["name"], r["meta"]["depth"]) for top in tops for r in top["entries"]]
        assert told == [(800, "Ada L.", 8), (1200, "Ada", 12)]


async def test_every_burrow_has_boards_of_its_own(backend: Backend) -> None:
    async with harness(RABBIT, backend) as here:
        await dig(here, "ada", 1200)
        await dig(here, "bob", 50, "cellar-2")
        for window in ("daily", "all"):
            assert await rows(here, window) == [("ada", 1200, 1)]
            assert await rows(here, window, "cellar-2") == [("bob", 50, 1)]
            assert await rows(here, window, "unheard-of") == []
        assert await status(here, "/top", board="rabbit") == (422, "unknown_split")
        assert await status(here, "/top", board="rabbit", burrow="Not A Burrow") == (422, "unknown_split")


async def test_a_daily_board_lives_a_week_and_no_write_makes_it_longer(backend: Backend) -> None:
    async with harness(RABBIT, backend) as here:
        for _ in range(3):
            await dig(here, "ada", here.now)
            assert (await expiries(here))["db-:daily:2033-05-18:burrow=garden"] == MIDNIGHT + 7 * DAY
            here.now += 3_600_000
        here.now += DAY * 1000
        await dig(here, "ada", 1)
        times = await expiries(here)
        assert times["db-:daily:2033-05-18:burrow=garden"] == MIDNIGHT + 7 * DAY
        assert times["db-:daily:2033-05-19:burrow=garden"] == MIDNIGHT + 8 * DAY
        yesterday = await here.get("/top", board="rabbit", burrow="garden", at="-1")
        assert (yesterday["period"], yesterday["total"], yesterday["resets_in"]) == ("2033-05-18", 1, 0)


async def test_an_all_time_board_evaporates_when_nobody_digs_for_90_days(backend: Backend) -> None:
    """Any run that belongs to it keeps it alive, a miss too; a run in another burrow does not."""
    async with harness(RABBIT, backend) as here:
        await dig(here, "ada", 1200)
        assert (await expiries(here))[GARDEN] == MIDNIGHT + 90 * DAY
        here.now += DAY * 1000
        await dig(here, "ada", 5)
        assert (await expiries(here))[GARDEN] == MIDNIGHT + 91 * DAY
        here.now += DAY * 1000
        await dig(here, "ada", 2000, "cellar")
        assert (await expiries(here))[GARDEN] == MIDNIGHT + 91 * DAY
        await here.command("DEL", f"laurel:{{rabbit}}:{GARDEN}")  # as it will be gone in its time
        here.now += 91 * DAY * 1000
        again = await dig(here, "ada", 7)
        assert (again["standings"][1]["improved"], again["standings"][1]["previous"]) == (True, None)
        assert await rows(here, "all") == [("ada", 7, 1)]


async def test_everything_cleans_itself_up(backend: Backend) -> None:
    """Standings, lists of burrows, records and gates: there is no other kind of key, and none without a timer."""
    async with harness(RABBIT, backend) as here:
        for day in range(3):
            here.now = NOON + day * DAY * 1000
            for number in range(4):
                await dig(here, f"p{number}", 10 * day + number, f"burrow-{number % 2}", name=f"Name {number}")
        times = await expiries(here)
        assert {key.split(":")[0 if key.startswith("gate") else 1] for key in times} == {
            "daily",
            "all",
            "player",
            "gate",
        }
        assert [key for key, end in times.items() if end <= here.now // 1000 and not key.startswith("gate:")] == []
        [gate] = [key for key in times if key.startswith("gate:")]
        assert 0 < await here.command("PTTL", f"laurel:{{rabbit}}:{gate}") <= 60_000


async def test_a_board_keeps_its_best_100_with_their_names(backend: Backend) -> None:
    async with harness(RABBIT, backend) as here:
        for number in range(103):
            last = await dig(here, f"p{number}", 1000 + number, name=f"Name {number}", ranks="none")
        cut = await dig(here, "late", 1002, name="Late")
        for standing in [*last["standings"], *cut["standings"]]:
            assert standing["kept"] == (standing["score"] != 1002)
        assert [(s["rank"], s["cutoff"]) for s in cut["standings"]] == [(None, 1003)] * 2
        answer = await here.get("/top", board="rabbit", window="all", burrow="garden", limit=100)
        assert (answer["total"], answer["cap"], answer["next"]) == (100, 100, None)
        assert [(r["rank"], r["name"]) for r in answer["entries"]] == [(n, f"Name {103 - n}") for n in range(1, 101)]
        for key in (GARDEN, "db-:daily:2033-05-18:burrow=garden"):
            assert await here.command("ZCARD", f"laurel:{{rabbit}}:{key}") == 100


async def test_the_rate_limit_is_shared_by_all_processes(backend: Backend) -> None:
    body = {"board": "rabbit", "player": "ada", "score": 1, "splits": {"burrow": "garden"}}
    async with harness(RABBIT, backend) as one, beside(one, backend, RABBIT) as two:
        answers = await asyncio.gather(*((one, two)[i % 2].post("/submit", **body) for i in range(34)))
        assert sorted(answer.status_code for answer in answers) == [200] * 30 + [429] * 4
        refused = await two.post("/submit", **body)
        assert (refused.json()["code"], refused.headers["retry-after"]) == ("rate_limited", "60")
        two.start_meter()
        assert (await two.post("/submit", **body)).status_code == 429
        assert two.requests == 0
        two.now += 60_000
        assert (await two.post("/submit", **body)).status_code == 200


async def test_each_call_is_one_request_and_few_commands(backend: Backend) -> None:
    async with harness(RABBIT, backend) as here:
        await dig(here, "ada", 100, name="Ada", meta={"depth": 1})
        await here.get("/top", board="rabbit", burrow="garden")
        await here.get("/rank", board="rabbit", burrow="garden", player="ada")
        gate, told = 2, {}
        for name, score in (("miss", 50), ("improved", 200)):
            here.start_meter()
            await dig(here, "ada", score, ranks="none")
            told[name] = (here.requests, here.billed)
        for name, path, query in (
            ("page", "/top", {"burrow": "garden"}),
            ("both pages", "/top", {"windows": "daily,all", "splits": "burrow:garden"}),
            ("place", "/rank", {"burrow": "garden", "player": "ada", "around": 3}),
        ):
            here.start_meter()
            await here.get(path, board="rabbit", **query)
            told[name] = (here.requests, here.billed)
        allowed = {"miss": 2 + gate, "improved": 3 + 2 * 2 + gate, "page": 2, "both pages": 4, "place": 5}
        assert {name: requests for name, (requests, _) in told.items()} == dict.fromkeys(allowed, 1)
        assert [name for name, (_, billed) in told.items() if billed > allowed[name]] == []


async def test_with_tickets_nobody_claims_anothers_name(backend: Backend) -> None:
    board = RABBIT.replace("[board.rabbit.splits]", 'auth = "ticket"\n[board.rabbit.splits]')
    async with harness(board, backend, secrets=("a secret for tests",)) as here:
        ada = (await here.post("/start", board="rabbit")).json()
        await dig(here, ada["player"], 100, name="Ada", ticket=ada["ticket"])
        mallory = (await here.post("/start", board="rabbit")).json()
        claimed = await here.post("/start", board="rabbit", player=ada["player"])
        assert (claimed.status_code, claimed.json()["code"]) == (403, "not_your_player")
        body = {"board": "rabbit", "player": ada["player"], "score": 999, "splits": {"burrow": "garden"}}
        assert (await here.post("/submit", **body)).json()["code"] == "ticket_required"
        assert (await here.post("/submit", **body, ticket=mallory["ticket"])).json()["code"] == "ticket_invalid"
        assert await rows(here, "all") == [(ada["player"], 100, 1)]
