"""What `GET /rank` takes and what it answers: a player with neighbours, several players, a score."""

from collections.abc import AsyncIterator

import pytest

from tests.support.harness import Harness, harness
from tests.support.responses import BOARDS, read, refused
from tools.upstash_emulator.backends import MemoryBackend

SELECTED = ["board", "window", "period", "starts", "ends", "resets_in", "splits", "total"]


@pytest.fixture
async def here() -> AsyncIterator[Harness]:
    """Open a harness with six players, in tenths apart."""
    async with harness(
        BOARDS + "[board.two]\ncap = 2\n[board.endless]\ncap = 0\nwindows = ['daily']\n", MemoryBackend()
    ) as opened:
        for place in range(6):
            await opened.submit(f"p{place}", round(10 - place / 10, 1), splits={"mode": "time"})
        opened.start_meter()
        yield opened


async def test_a_players_answer_has_all_fields_in_the_documented_order(here: Harness) -> None:
    """`entries` holds the player alone where no neighbours are asked for."""
    answer = read(await here.client.get("/rank?board=b&player=p1"))
    assert list(answer) == [*SELECTED, "entry", "best", "cutoff", "percentile", "ahead", "entries"]
    assert answer["entry"]["rank"] == 2
    assert answer["entries"] == [answer["entry"]]
    assert answer["percentile"] == 83.33
    assert answer["ahead"] == {"player": "p0", "score": 10, "gap": 0.1}
    assert (answer["best"], answer["cutoff"]) == (None, None)


@pytest.mark.parametrize(
    ("player", "around", "seen"),
    [
        ("p0", 2, "01234"),
        ("p1", 2, "01234"),
        ("p2", 2, "01234"),
        ("p3", 2, "12345"),
        ("p5", 2, "12345"),
        ("p5", 0, "5"),
        ("p0", 3, "012345"),
        ("p5", 25, "012345"),
    ],
)
async def test_neighbours_are_filled_at_the_edges(here: Harness, player: str, around: int, seen: str) -> None:
    """2 × around + 1 rows whenever the standing has as many."""
    answer = await here.get("/rank", player=player, around=around)
    assert [row["player"] for row in answer["entries"]] == [f"p{n}" for n in seen]
    assert [row["rank"] for row in answer["entries"]] == [int(n) + 1 for n in seen]


async def test_the_first_has_nobody_ahead_and_100_percent(here: Harness) -> None:
    """As a whole number."""
    answer = read(await here.client.get("/rank?board=b&player=p0"))  # which refuses 100.0
    assert (answer["ahead"], answer["percentile"], answer["entry"]["rank"]) == (None, 100, 1)


async def test_a_gap_is_written_in_the_decimals_of_its_scores(here: Harness) -> None:
    """9.9 − 9.8 is 0.1, whatever the doubles say."""
    gaps = [(await here.get("/rank", player=f"p{place}"))["ahead"]["gap"] for place in range(1, 6)]
    assert gaps == [0.1] * 5


async def test_an_unknown_player_is_no_error(here: Harness) -> None:
    """null, and never rank 0."""
    answer = await here.get("/rank", player="nobody", around=5)
    assert [answer[key] for key in ("entry", "best", "cutoff", "percentile", "ahead")] == [None] * 5
    assert (answer["entries"], answer["total"]) == ([], 6)


async def test_a_known_player_who_was_cut_learns_what_to_beat(here: Harness) -> None:
    """Their best and the cut-off, and no rank."""
    for player, score in (("a", 5), ("b", 4), ("c", 3)):
        await here.submit(player, score, board="two")
    answer = await here.get("/rank", board="two", player="c", around=1)
    assert [answer[key] for key in ("entry", "best", "cutoff", "entries", "total")] == [None, 3, 4, [], 2]


async def test_several_players_come_in_the_order_asked(here: Harness) -> None:
    """The unknown are rows of null, and shift nobody's rank."""
    answer = await here.get("/rank", players="p5,zz,p0")
    assert list(answer) == [*SELECTED, "entries"]
    assert [(row["player"], row["rank"]) for row in answer["entries"]] == [
        ("p5", 6),
        ("zz", None),
        ("p0", 1),
    ]
    assert answer["entries"][1] == {**dict.fromkeys(answer["entries"][0]), "player": "zz"}
    assert len((await here.get("/rank", players=",".join(f"q{n}" for n in range(50))))["entries"]) == 50


@pytest.mark.parametrize(
    ("score", "rank"), [("11", 1), ("10", 2), ("9.95", 2), ("9.5", 7), ("-1", 7), ("0009.8", 4), ("-0", 7), ("10.0", 2)]
)
async def test_the_rank_of_a_score(here: Harness, score: str, rank: int) -> None:
    """Behind all equals."""
    answer = read(await here.client.get(f"/rank?board=b&score={score}"))
    assert list(answer) == [*SELECTED, "rank"]
    assert answer["rank"] == rank


async def test_a_score_that_would_be_cut_has_no_rank(here: Harness) -> None:
    """Equal to the last of a full standing is behind it."""
    for player, score in (("a", 5), ("b", 4)):
        await here.submit(player, score, board="two")
    ranks = [(await here.get("/rank", board="two", score=score))["rank"] for score in (6, 5, 4.5, 4, 3)]
    assert ranks == [1, 2, 2, None, None]


@pytest.mark.parametrize(
    "score",
    [
        *("1e3", "+5", " 5", "5 ", "0x10", "1_000", "NaN", "nan", "inf", "Infinity", "", ".5", "5.", "--5", "true"),
        *("\uff15", "\u0665", "1,000", "5\n", "1.2.3", "−5"),
    ],
)
async def test_a_score_in_a_query_is_a_plain_ascii_decimal(here: Harness, score: str) -> None:
    """Whatever else float() of some language would take is refused."""
    refused(await here.client.get("/rank", params={"board": "b", "score": score}), "invalid", "score")
    assert here.requests == 0


@pytest.mark.parametrize("score", ["9007199254740992", "-9007199254740991.01", "1" + "0" * 400, "9" * 5000])
async def test_a_score_in_a_query_has_the_range_of_any_score(here: Harness, score: str) -> None:
    """2^53 − 1 either way, judged before it becomes a double."""
    refused(await here.client.get("/rank", params={"board": "b", "score": score}), "score_out_of_range", "score")
    assert read(await here.client.get("/rank?board=b&score=9007199254740991"))["rank"] == 1


@pytest.mark.parametrize(
    ("query", "loc"),
    [
        ("", "player"),
        ("player=p1&players=p1", "players"),
        ("player=p1&score=5", "score"),
        ("players=p1&score=5", "score"),
        ("players=p1&around=2", "around"),
        ("score=5&around=0", "around"),
        ("around=2", "player"),
        ("player=p1&around=26", "around"),
        ("player=p1&around=-1", "around"),
        ("player=p1&around=", "around"),
        ("player=p1&limit=5", "limit"),
        ("player=p1&offset=5", "offset"),
        ("player=p1&v=1", "v"),
        ("player=p1&windows=all", "windows"),
        ("player=p1&splits=overall", "splits"),
        ("player=p1&format=svg", "format"),
        ("player=", "player"),
        ("players=", "players"),
        ("players=a,,b", "players"),
        ("players=a,b,", "players"),
        ("players=" + ",".join("a" * 51), "players"),
    ],
)
async def test_what_does_not_make_one_question_is_named(here: Harness, query: str, loc: str) -> None:
    """One of player, players and score; nothing that means nothing."""
    refused(await here.client.get(f"/rank?board=b&{query}"), "invalid", loc)
    assert here.requests == 0


async def test_a_player_of_an_older_period_without_a_cap_cannot_be_found(here: Harness) -> None:
    """Their record speaks of two periods only; scores and pages are still there."""
    for path in ("/rank", "/top"):
        refused(await here.client.get(f"{path}?board=endless&at=-2&player=p1"), "unknown_window", "at")
        read(await here.client.get(f"{path}?board=endless&at=-1&player=p1"))
    assert read(await here.client.get("/rank?board=endless&at=-2&score=5"))["rank"] == 1
    refused(await here.client.get("/rank?board=endless&at=-2&players=p1,p2"), "unknown_window", "at")
