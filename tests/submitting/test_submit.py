"""What `POST /submit` takes and what it answers: the values of every field, by the rules of their board."""

import re
from collections.abc import AsyncIterator
from typing import Any

import pytest

from tests.support.harness import Harness, harness
from tests.support.responses import BOARDS, everything, read, refused
from tools.upstash_emulator.backends import MemoryBackend

LARGEST = 2**53 - 1


@pytest.fixture
async def here() -> AsyncIterator[Harness]:
    """Open a harness."""
    async with harness(BOARDS, MemoryBackend()) as opened:
        yield opened


async def post(here: Harness, score: str, board: str = "b", more: str = "") -> Any:
    """Submit a score as it is written."""
    content = f'{{"board": "{board}", "player": "p1", "score": {score}{more}}}'
    return await here.client.post("/submit", content=content)


async def test_an_answer_has_all_fields_in_the_documented_order(here: Harness) -> None:
    """One standing for each window and selection, windows outermost."""
    response = await here.post("/submit", board="b", player="p1", score=7, splits={"mode": "time", "level": "a1"})
    answer = read(response)
    assert list(answer) == ["board", "player", "improved", "replayed", "standings"]
    assert (answer["board"], answer["player"], answer["improved"], answer["replayed"]) == ("b", "p1", True, False)
    assert [(standing["window"], standing["splits"]) for standing in answer["standings"]] == [
        (window, splits)
        for window in ("all", "daily")
        for splits in ({}, {"mode": "time"}, {"level": "a1", "mode": "time"})
    ]
    assert answer["standings"][3] == {
        "window": "daily",
        "period": "2033-05-18",
        "starts": "2033-05-18T00:00:00.000Z",
        "ends": "2033-05-19T00:00:00.000Z",
        "splits": {},
        "improved": True,
        "kept": True,
        "score": 7,
        "previous": None,
        "rank": 1,
        "total": 1,
        "cutoff": None,
    }
    assert answer["standings"][0] | {"starts": None, "ends": None, "period": "all"} == answer["standings"][0]


@pytest.mark.parametrize(
    ("raw", "stored"),
    [
        ("0", 0),
        ("-0", 0),
        ("-0.0", 0),
        ("0e999999999999999999999", 0),
        ("1E3", 1000),
        ("1.50", 1.5),
        ("0.1", 0.1),
        ("-5", -5),
        ("5.0", 5),
        ("1e-400", 0),
        ("-1e-99999999999999999999", 0),
        ("123456789012345.5", 123456789012345.5),
        (str(LARGEST), LARGEST),
        (str(-LARGEST), -LARGEST),
        ("9007199254740991.0", LARGEST),
        ("1." + "0" * 5000, 1),
    ],
)
async def test_a_score_is_stored_as_its_nearest_double(here: Harness, raw: str, stored: float) -> None:
    """Minus zero is zero, a whole number has no fraction, and the text of the answer is plain."""
    answer = read(await post(here, raw))
    top = read(await here.client.get("/top?board=b"))
    assert answer["standings"][0]["score"] == top["entries"][0]["score"] == stored
    assert not str(stored).startswith("-0")


@pytest.mark.parametrize(
    "raw",
    [
        *("9007199254740992", "-9007199254740992", "9007199254740991.1", "1e16", "1e308", "1e309", "1e999", "-1e999"),
        *("1e99999999999999999999", "-1e99999999999999999999", "1e1000000", "9" * 300, "9" * 301, "9" * 5000),
        "-" + "9" * 5000,
    ],
    ids=lambda raw: f"{raw[:24]} of {len(raw)}",
)
async def test_a_score_that_no_board_takes_is_out_of_range(here: Harness, raw: str) -> None:
    """Beyond 2^53 − 1 whole numbers collide; beyond a double there is only infinity."""
    here.start_meter()
    refused(await post(here, raw), "score_out_of_range", "score")
    refused(await post(here, "1", "tied", f', "tiebreak": {raw}'), "score_out_of_range", "tiebreak")
    assert here.requests == 0


@pytest.mark.parametrize(
    ("raw", "taken"),
    [
        *(("-10", True), ("-10.1", False), ("1000000", True), ("1000000.1", False), ("0.3", True), ("0.30", True)),
        *(("0.35", False), ("0.1000000000000000055511151231257827", False), ("1e-400", False), ("1e-9999999", False)),
        *(("1e-99999999999999999999", False), ("0", True), ("-0.1", True), ("1e2", True)),
    ],
)
async def test_the_range_and_the_step_of_a_board_are_judged_in_decimals(here: Harness, raw: str, taken: bool) -> None:
    """0.3 is three tenths, although its double is not."""
    response = await post(here, raw, "bounded")
    if taken:
        assert read(response)["improved"]
    else:
        refused(response, "score_out_of_range", "score")


async def test_a_tiebreak_goes_with_boards_that_have_one(here: Harness) -> None:
    """It is demanded there and refused elsewhere."""
    refused(await here.post("/submit", board="tied", player="p1", score=1), "invalid", "tiebreak")
    refused(await here.post("/submit", board="b", player="p1", score=1, tiebreak=1), "invalid", "tiebreak")
    assert (await here.submit("p1", 1, board="tied", tiebreak=-0.0))["improved"]
    assert read(await here.client.get("/top?board=tied"))["entries"][0]["tiebreak"] == 0


@pytest.mark.parametrize(
    "player",
    [
        *("__proto__", "a.b:c@d-e", "123", "null", "true", "false", "NaN", "007", "1e5", "-1", "constructor", "."),
        *("..", "-", "@", "0", "p" * 64, "P1", "p1"),
    ],
)
async def test_a_player_id_keeps_its_text(here: Harness, player: str) -> None:
    """No id changes its type, its case or its zeros on any way in or out."""
    assert (await here.submit(player, 5))["player"] == player
    top = await here.get("/top", player=player)
    assert [top["entries"][0]["player"], top["me"]["player"]] == [player, player]
    assert (await here.get("/rank", player=player))["entry"]["player"] == player
    assert [row["player"] for row in (await here.get("/rank", players=f"{player},other"))["entries"]] == [
        player,
        "other",
    ]


@pytest.mark.parametrize(
    "player",
    ["", "p" * 65, "a b", "a\n", "\na", "a\t", "a;b", "a/b", "a\\b", "a{b}", "a*", "é", "\uff41", "a\0", "😀", "a%20"],
)
async def test_a_player_id_of_other_characters_is_refused(here: Harness, player: str) -> None:
    """Whatever would mean something in a key, a list or an entry."""
    refused(await here.post("/submit", board="b", player=player, score=1), "invalid", "player")
    for query in ({"player": player}, {"players": f"ok,{player}"}):
        response = await here.client.get("/rank", params={"board": "b", **query})
        refused(response, "invalid", *query)
    refused(await here.client.get("/top", params={"board": "b", "player": player}), "invalid", "player")
    assert here.requests == 0


@pytest.mark.parametrize(
    "board", ["", "B", " b", "b ", "nowhere", "__proto__", "b\0", "laurel", "*", "{b}", "x" * 5000]
)
async def test_a_board_that_is_not_declared_is_unknown_however_it_is_spelt(here: Harness, board: str) -> None:
    """Only declared boards have keys, so nobody can fill the store with boards of their own."""
    refused(await here.post("/submit", board=board, player="p1", score=1), "unknown_board")
    for path in ("/top", "/rank"):
        refused(await here.client.get(path, params={"board": board, "player": "p1"}), "unknown_board")
    assert here.requests == 0
    assert await everything(here) == {}


@pytest.mark.parametrize("given", ["", "short12", "x" * 65, "sp ace123", "semi;colon", "nül-nül-nül", "abcdefgh\n"])
async def test_an_id_has_8_to_64_plain_characters(here: Harness, given: str) -> None:
    """Both ends of the length are taken."""
    refused(await here.post("/submit", board="b", player="p1", score=1, id=given), "invalid", "id")
    for good in ("a-b_C123", "x" * 64):
        assert read(await here.post("/submit", board="b", player="p1", score=1, id=good))["replayed"] is False


@pytest.mark.parametrize(
    ("splits", "code", "loc"),
    [
        ({"mode": "nope"}, "unknown_split", "splits.mode"),
        ({"mode": "Time"}, "unknown_split", "splits.mode"),
        ({"mode": ""}, "unknown_split", "splits.mode"),
        ({"level": "A"}, "unknown_split", "splits.level"),
        ({"level": "a\n"}, "unknown_split", "splits.level"),
        ({"level": "x" * 33}, "unknown_split", "splits.level"),
        ({"world": "a"}, "unknown_split", "splits"),
        ({"mode": 1}, "invalid", "splits.mode"),
        ({"mode": None}, "invalid", "splits.mode"),
        ({"mode": ["time"]}, "invalid", "splits.mode"),
    ],
)
async def test_a_split_that_a_board_does_not_take_is_refused(here: Harness, splits: Any, code: str, loc: str) -> None:
    """By name and by value."""
    refused(await here.post("/submit", board="b", player="p1", score=1, splits=splits), code, loc)
    assert here.requests == 0


async def test_a_missing_split_skips_what_needs_it_and_leaving_nothing_is_refused(here: Harness) -> None:
    """A level alone belongs to no selection of its own here, so only overall counts it."""
    answer = await here.submit("p1", 1, splits={"level": "a1"})
    assert [standing["splits"] for standing in answer["standings"]] == [{}, {}]
    refused(await here.post("/submit", board="moded", player="p1", score=1), "invalid", "splits")
    refused(await here.post("/submit", board="moded", player="p1", score=1, splits={}), "invalid", "splits")


async def test_ranks_come_where_they_are_asked_for(here: Harness) -> None:
    """`improved` is the default, `all` looks on a miss too, `none` never; another word is refused."""
    await here.submit("p1", 10)
    for ranks, on_miss, on_hit in (("improved", None, 1), ("all", 1, 1), ("none", None, None)):
        assert (await here.submit("p1", 1, ranks=ranks))["standings"][0]["rank"] == on_miss
        here.now += 1000
        score = here.now % 10**9
        assert (await here.submit("p1", score, ranks=ranks))["standings"][0]["rank"] == on_hit
    refused(await here.post("/submit", board="b", player="p1", score=1, ranks="All"), "invalid", "ranks")


async def test_times_are_written_in_milliseconds_of_utc(here: Harness) -> None:
    """One form for every instant."""
    here.now += 7
    await here.submit("p1", 1)
    text = (await here.client.get("/top?board=b&window=daily")).text
    assert re.findall(r'"(20[^"]*T[^"]*)"', text) == [
        "2033-05-18T00:00:00.000Z",
        "2033-05-19T00:00:00.000Z",
        "2033-05-18T12:00:00.007Z",
    ]
