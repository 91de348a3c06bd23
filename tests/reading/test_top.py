"""What `GET /top` takes and what it answers: one standing, several, and the caller's own row."""

from collections.abc import AsyncIterator
from typing import Any

import pytest

from tests.support.harness import Harness, harness
from tests.support.responses import BOARDS, read, refused
from tools.upstash_emulator.backends import MemoryBackend

SELECTED = ["board", "window", "period", "starts", "ends", "resets_in", "splits", "total"]
FIELDS = [*SELECTED, "cap", "next", "entries"]


@pytest.fixture
async def here() -> AsyncIterator[Harness]:
    """Open a harness with three players on the first board."""
    windows = 'windows = ["all", "daily", "weekly", "monthly", "yearly"]'
    more = f'[board.wide]\n{windows}\nsplits = {{ m = ["a", "b", "c", "d", "e"] }}\n'
    async with harness(BOARDS + more, MemoryBackend()) as opened:
        for place in range(3):
            await opened.submit(f"p{place}", 100 - place, name=f"N{place}", splits={"mode": "time", "level": "a1"})
        opened.start_meter()
        yield opened


async def test_a_page_has_all_fields_in_the_documented_order(here: Harness) -> None:
    """Those of the standing, and those of each row."""
    answer = read(await here.client.get("/top?board=b&window=daily&limit=2"))
    assert list(answer) == FIELDS
    assert {key: answer[key] for key in FIELDS[:-1]} == {
        "board": "b",
        "window": "daily",
        "period": "2033-05-18",
        "starts": "2033-05-18T00:00:00.000Z",
        "ends": "2033-05-19T00:00:00.000Z",
        "resets_in": 43_200,
        "splits": {},
        "total": 3,
        "cap": 1000,
        "next": 2,
    }
    assert answer["entries"][1] == {
        "rank": 2,
        "player": "p1",
        "score": 99,
        "tiebreak": None,
        "name": "N1",
        "meta": {},
        "at": "2033-05-18T12:00:00.000Z",
    }
    assert [row["rank"] for row in answer["entries"]] == [1, 2]


async def test_all_never_resets_and_the_first_window_is_the_default(here: Harness) -> None:
    """Its start, its end and its reset are null."""
    answer = read(await here.client.get("/top?board=b"))
    assert [answer[key] for key in ("window", "period", "starts", "ends", "resets_in")] == [
        "all",
        "all",
        None,
        None,
        None,
    ]


@pytest.mark.parametrize(
    ("ms", "resets_in"),
    [(0, 43_200), (1, 43_200), (999, 43_200), (1000, 43_199), (43_199_000, 1), (43_199_999, 1), (43_200_000, 86_400)],
)
async def test_resets_in_is_rounded_up(here: Harness, ms: int, resets_in: int) -> None:
    """A countdown that shows 0 before the reset would be a lie."""
    here.now += ms
    assert (await here.get("/top", window="daily"))["resets_in"] == resets_in


async def test_pages_lie_end_to_end(here: Harness) -> None:
    """`next` leads through all rows, each once, and is null on the last page; beyond it a page is empty."""
    pages = [await here.get("/top", limit=2)]
    while pages[-1]["next"] is not None:
        pages.append(await here.get("/top", limit=2, offset=pages[-1]["next"]))
    assert [[row["player"] for row in page["entries"]] for page in pages] == [["p0", "p1"], ["p2"]]
    assert (await here.get("/top", limit=3))["next"] is None
    for beyond in (3, 999, 1000, 10**14):
        answer = await here.get("/top", offset=beyond)
        assert (answer["entries"], answer["next"], answer["total"]) == ([], None, 3)


async def test_splits_are_parameters_in_any_order(here: Harness) -> None:
    """They come back sorted by name, so that equal answers are equal text."""
    one = await here.client.get("/top?board=b&mode=time&level=a1")
    other = await here.client.get("/top?board=b&level=a1&mode=time")
    assert one.content == other.content
    assert list(read(one)["splits"]) == ["level", "mode"]
    assert read(one)["total"] == 3
    assert (await here.get("/top", mode="words"))["total"] == 0


async def test_with_player_the_answer_has_their_row_or_null(here: Harness) -> None:
    """On the page or off it; an unknown player is no error."""
    answer = await here.get("/top", player="p2", limit=1)
    assert list(answer) == [*FIELDS, "me"]
    assert answer["me"] == (await here.get("/top"))["entries"][2]
    assert (await here.get("/top", player="nobody"))["me"] is None


async def test_the_plural_form_answers_with_the_same_objects(here: Harness) -> None:
    """Windows outermost, in the order asked, in one request."""
    answer = await here.get("/top", windows="daily,all", splits="overall,mode:time,mode:time;level:a1", limit=1)
    assert here.requests == 1
    assert list(answer) == ["tops"]
    singles = [
        await here.get("/top", window=window, limit=1, **splits)
        for window in ("daily", "all")
        for splits in ({}, {"mode": "time"}, {"level": "a1", "mode": "time"})
    ]
    assert answer["tops"] == singles
    assert [list(top) for top in answer["tops"]] == [FIELDS] * 6


@pytest.mark.parametrize(
    ("query", "asked"),
    [
        ("windows=daily", [("daily", {})]),
        ("splits=mode:words", [("all", {"mode": "words"})]),
        ("splits=overall", [("all", {})]),
        ("windows=daily&at=-1", [("daily", {})]),
        ("windows=daily&at=0&v=1", [("daily", {})]),
    ],
)
async def test_either_plural_parameter_alone_makes_a_list(here: Harness, query: str, asked: list[Any]) -> None:
    """Windows default to the board's first, splits to overall."""
    answer = read(await here.client.get(f"/top?board=b&{query}"))
    assert [(top["window"], top["splits"]) for top in answer["tops"]] == asked


async def test_at_most_24_standings_at_once(here: Harness) -> None:
    """24 go in one request, 25 are refused."""
    splits = "overall,m:a,m:b,m:c,m:d"
    answer = await here.get("/top", board="wide", windows="all,daily,weekly,monthly", splits=f"{splits},m:e")
    assert len(answer["tops"]) == 24
    assert here.requests == 1
    response = await here.client.get(f"/top?board=wide&windows=all,daily,weekly,monthly,yearly&splits={splits}")
    refused(response, "invalid", "splits")


@pytest.mark.parametrize(
    ("query", "code", "loc"),
    [
        *((f"{plural}&{other}", "invalid", other.partition("=")[0]) for plural in ("windows=all", "splits=overall")
          for other in ("window=all", "offset=0", "offset=10", "player=p1", "mode=time", "wat=1")),
        ("windows=all,daily&at=2033-05-18", "unknown_window", "at"),
        ("windows=daily&at=x", "unknown_window", "at"),
        ("windows=all,daily&at=-1", "unknown_window", "at"),
        ("windows=", "unknown_window", "windows"),
        ("windows=all,", "unknown_window", "windows"),
        ("windows=all,weekly", "unknown_window", "windows"),
        ("windows=Daily", "unknown_window", "windows"),
        ("windows=all%20,daily", "unknown_window", "windows"),
        ("splits=", "invalid", "splits"),
        ("splits=overall,", "invalid", "splits"),
        ("splits=mode", "invalid", "splits"),
        ("splits=mode:", "invalid", "splits"),
        ("splits=mode:time;", "invalid", "splits"),
        ("splits=mode:time;mode:words", "invalid", "splits"),
        ("splits=mode:nope", "unknown_split", "splits.mode"),
        ("splits=wat:time", "unknown_split", "splits"),
        ("splits=level:a1", "unknown_split", "splits"),
        ("splits=overall:x", "unknown_split", "splits"),
        ("windows=all&limit=0", "invalid", "limit"),
    ],
)  # fmt: skip
async def test_what_does_not_go_with_the_plural_form(here: Harness, query: str, code: str, loc: str) -> None:
    """Nor does a period id, which only one window could have."""
    refused(await here.client.get(f"/top?board=b&{query}"), code, loc)
    assert here.requests == 0


async def test_the_plural_form_shows_earlier_periods_of_each_window(here: Harness) -> None:
    """-1 is yesterday for one and last week for another."""
    answer = await here.get("/top", board="wide", windows="daily,weekly,monthly", at="-1")
    assert [top["period"] for top in answer["tops"]] == ["2033-05-17", "2033-W19", "2033-04"]
    assert [top["resets_in"] for top in answer["tops"]] == [0, 0, 0]
