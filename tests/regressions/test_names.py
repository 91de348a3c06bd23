"""Faults that real leaderboards shipped, in ids, names, meta and bans: none of them can happen here."""

import json

import httpx
import pytest

from tests.support.harness import Harness, harness
from tests.support.playing import page, play, players, stored
from tools.upstash_emulator.backends import Backend

OPEN = "limits = { per_ip = '0' }"
BOARD = f"[board.b]\n{OPEN}\nname = {{ max = 96 }}\nmeta = {{ ship = 'str', depth = 'int' }}\n"
PROFILE = f"[board.b]\n{OPEN}\ncap = 0\nnames = 'profile'\nmeta = {{ ship = 'str' }}\n"
IDS = ["123", "null", "true", "1e5", "007", "7", "-0", "0", "NaN", "undefined", "__proto__"]


async def name_of(here: Harness, raw: str, player: str = "p") -> str | None:
    """Submit a name with a score that improves, and return how it is shown."""
    here.now += 1
    await here.submit(player, here.now, name=raw)
    [row] = (await here.get("/rank", players=player))["entries"]
    name: str | None = row["name"]
    return name


@pytest.mark.parametrize("board", [BOARD, PROFILE], ids=["entry", "profile"])
async def test_an_id_never_changes_its_type_or_its_spelling(board: str, backend: Backend) -> None:
    async with harness(board, backend) as here:
        for number, player in enumerate(IDS):
            [answer] = await play(here, (player, -number), name=player, meta={"ship": player})
            assert answer["player"] == player
        entries = (await here.get("/top", limit=100))["entries"]
        assert [(row["player"], row["name"], row["meta"]["ship"]) for row in entries] == [(i, i, i) for i in IDS]
        assert [row["player"] for row in (await here.get("/rank", players=",".join(IDS)))["entries"]] == IDS
        for player in IDS:
            assert (await here.get("/rank", player=player))["entry"]["player"] == player
            assert (await here.get("/top", player=player))["me"]["player"] == player


async def test_markup_in_a_name_goes_out_as_text(backend: Backend) -> None:
    """No browser may take an answer for a page; showing the name as text is the client's part."""
    markup = "<img src=x onerror=alert(1)>"
    async with harness(BOARD, backend) as here:
        await here.submit("p", 1, name=markup, meta={"ship": f"</script>{markup}"})
        answers = [await here.client.get("/top", params={"board": "b"})]
        answers += [await here.client.get("/rank", params={"board": "b", "player": "p"})]
        assert all(answer.json()["entries"][0]["name"] == markup for answer in answers)
        answers += [await here.client.get("/top", params={"board": markup})]
        answers += [await here.post("/submit", board="b", player=markup, score=markup)]
        for answer in answers:
            assert answer.headers["content-type"] in ("application/json", "application/problem+json")
            assert answer.headers["x-content-type-options"] == "nosniff"
        assert not [answer for answer in answers[2:] if markup in answer.text]


@pytest.mark.parametrize(
    ("raw", "shown"),
    [
        ("\u200b" * 5, None),
        ("\u202e\u2066 \u2069\ufeff\u00ad", None),
        ("Mi\u200bna", "Mina"),
        ("\u202eanim", "anim"),
        ("Cafe\u0301", "Caf\u00e9"),
        ("  a \t\n b  ", "a b"),
        ("\u0301\u0302", None),
        ("a\u0000b", "ab"),
    ],
)
async def test_nothing_unseen_is_part_of_a_name(raw: str, shown: str | None, backend: Backend) -> None:
    async with harness(BOARD, backend) as here:
        assert await name_of(here, raw) == shown


async def test_a_name_that_must_be_there_has_something_to_see(backend: Backend) -> None:
    async with harness(f"[board.b]\n{OPEN}\nname = {{ required = true }}", backend) as here:
        for name in ("", "   ", "\u200b" * 5, "\u202e"):
            response = await here.post("/submit", board="b", player="p", score=1, name=name)
            assert (response.status_code, response.json()["code"]) == (422, "invalid")


async def test_a_name_is_refused_when_too_long_and_never_cut(backend: Backend) -> None:
    async with harness(f"[board.b]\n{OPEN}", backend) as here:
        assert await name_of(here, "x" * 24) == "x" * 24
        for name in ("x" * 25, "\u20ac" * 25):
            response = await here.post("/submit", board="b", player="p", score=1e9, name=name)
            assert (response.status_code, response.json()["errors"][0]["loc"]) == (422, "name")


async def test_an_addition_without_a_name_leaves_the_name_that_stands(backend: Backend) -> None:
    """What a run does not bring stays, what it brings is shown, each for itself."""
    async with harness(f"{BOARD}keep = 'sum'", backend) as here:
        for brought, name, ship in (
            ({"name": "Mina", "meta": {"ship": "A"}}, "Mina", "A"),
            ({}, "Mina", "A"),
            ({"meta": {"ship": "B"}}, "Mina", "B"),
            ({"name": "Mia"}, "Mia", "B"),
        ):
            await play(here, ("p", 5), **brought)
            [row] = (await here.get("/top"))["entries"]
            assert (row["name"], row["meta"]) == (name, {"ship": ship})
        assert row["score"] == 20


def code(response: httpx.Response) -> tuple[int, str]:
    return response.status_code, response.json()["code"]


async def test_meta_has_neither_any_size_nor_any_depth(backend: Backend) -> None:
    """Nor any keys or kinds but those of its board; what is refused has cost no request to the store."""
    async with harness(BOARD, backend) as here:
        front = b'{"board":"b","player":"p","score":1,"meta":'
        huge = front + json.dumps({"ship": "x" * 5_000_000}).encode() + b"}"
        assert code(await here.client.post("/submit", content=huge)) == (413, "body_too_large")
        for opening in (b"[" * 8000, b'{"ship":' * 900, b"[" * 4000 + b"]" * 4000):
            assert (await here.client.post("/submit", content=front + opening)).status_code == 400
        for meta in (
            {"ship": {"ship": "x"}},
            {"ship": ["x"]},
            {"ship": 1},
            {"ship": None},
            {"ship": "x" * 65},
            {"depth": "7"},
            {"depth": True},
            {"depth": 7.5},
            {"other": 1},
            {f"k{number}": number for number in range(500)},
        ):
            assert code(await here.post("/submit", board="b", player="p", score=1, meta=meta)) == (422, "invalid")
        assert here.requests == 0


def spoils(name: str) -> bool:
    """Tell whether a name gives the answer of the game away: the word filter of the next test."""
    return "answer" in name.casefold()


async def test_a_name_can_be_kept_off_the_board(backend: Backend) -> None:
    """The filter sees the name as it would be shown, so what cannot be seen does not get a word past it."""
    async with harness(BOARD, backend, name_filter=f"{__name__}:spoils") as here:
        for name in ("THE ANSWER IS 42", "the an\u200bswer", "\uff54he Ans\u00adwer"):
            refused = await here.post("/submit", board="b", player="p", score=1, name=name)
            assert (refused.status_code, refused.json()["errors"][0]["loc"]) == (422, "name")
        assert await name_of(here, "Mina") == "Mina"
        assert await players(here) == ["p"]


@pytest.mark.parametrize("order", ["desc", "asc"])
async def test_a_banned_player_is_neither_counted_nor_comes_back(order: str, backend: Backend) -> None:
    """Row and field go, the record keeps the ban for good, the others close up; the script that would store refuses."""
    rules = f"{order[0]}b-"
    record, key = f"laurel:{{b}}:{rules}:player:cheat", f"laurel:{{b}}:{rules}:all:all:"
    best, second, third = (300, 200, 100) if order == "desc" else (100, 200, 300)
    async with harness(f"{BOARD}order = '{order}'", backend) as here:
        await play(here, ("cheat", best), ("a", second), ("b", third))
        [text, *_] = await here.command("ZRANGE", key, "0", "-1", *(["REV"] if order == "desc" else []))
        await here.command("ZREM", key, text)
        await here.command("HDEL", record, "all#0:")
        await here.command("HSET", record, "ban", "1")
        await here.command("PERSIST", record)
        before = await stored(here)
        for score in (best, best * 2, -best):
            assert code(await here.post("/submit", board="b", player="cheat", score=score)) == (403, "banned")
        assert await stored(here) == before
        assert await page(here) == [("a", second, 1), ("b", third, 2)]
        shown = await here.get("/rank", player="cheat")
        assert (shown["entry"], shown["best"], shown["total"]) == (None, None, 2)
        assert await here.command("TTL", record) == -1
