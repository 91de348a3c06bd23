"""Query strings: what is unknown, repeated, empty, malformed or out of range is refused by name."""

from collections.abc import AsyncIterator

import pytest

from tests.support.harness import Harness, harness
from tests.support.responses import BOARDS, read, refused
from tools.upstash_emulator.backends import MemoryBackend


@pytest.fixture
async def here() -> AsyncIterator[Harness]:
    """Open a harness."""
    more = """
    [board.calendar]
    windows = ["daily", "weekly", "monthly", "yearly", "season", "all"]
    [[board.calendar.season]]
    name = "s1"
    starts = 2033-01-01T00:00:00Z
    ends = 2033-04-01T00:00:00Z
    """
    async with harness(BOARDS + more, MemoryBackend()) as opened:
        yield opened


@pytest.mark.parametrize(
    ("query", "loc"),
    [
        *((f"limit={raw}", "limit") for raw in ("0", "101", "-1", "", "x", "+5", "%2B5", "%205", "5%20", "5.0", "1e1")),
        *(
            (f"limit={raw}", "limit")
            for raw in ("0x5", "1_0", "%EF%BC%95", "%D9%A5", "9" * 400, "true", "5%00", "null")
        ),
        *((f"offset={raw}", "offset") for raw in ("-1", "", "x", "+5", "1.5", "9" * 16, "9" * 5000, "%EF%BC%95")),
        ("limit=5&limit=5", "limit"),
        ("limit=5&%6Cimit=6", "limit"),
        ("board=b", "board"),
        ("mode=time&mode=words", "mode"),
        ("mode=time&mode=time", "mode"),
        ("wat=1", "wat"),
        ("Limit=5", "Limit"),
        ("limit%00=5", "limit\0"),
        ("LIMIT", "LIMIT"),
        ("=5", ""),
        ("constructor=1", "constructor"),
        ("__proto__=1", "__proto__"),
        ("model_config=1", "model_config"),
        ("plural_splits=overall", "plural_splits"),
        ("format=svg2", "format"),
        ("%F0%9F%98%80=1", "😀"),
        ("around=1", "around"),
        ("score=1", "score"),
        ("players=p1", "players"),
        ("player=p%201", "player"),
        ("player=", "player"),
        ("v=" + "x" * 65, "v"),
        ("v=" + "%F0%9F%98%80" * 65, "v"),
        ("v=%FF", ""),
        ("%FF=1", ""),
        ("player=%C0%AF", ""),
        ("player=%ED%A0%80", ""),
        ("&".join(f"x{n}=1" for n in range(1000)), ""),
        ("x" * 5000 + "=1", "x" * 64),
    ],
    ids=lambda part: part[:32],
)
async def test_a_parameter_at_fault_is_named(here: Harness, query: str, loc: str) -> None:
    """Nothing is guessed: neither case, nor which of two, nor digits of other scripts."""
    refused(await here.client.get(f"/top?board=b&{query}"), "invalid", loc)
    assert here.requests == 0


@pytest.mark.parametrize(
    ("query", "loc"),
    [
        ("top?windows=all,all", "windows"),
        ("top?windows=all,daily,all", "windows"),
        ("top?windows=all%2Call", "windows"),
        ("top?windows=" + ",".join(["all"] * 24), "windows"),
        ("top?windows=" + ",".join(["all"] * 2000), "windows"),
        ("top?splits=overall,overall", "splits"),
        ("top?splits=mode:time,overall,mode:time", "splits"),
        ("top?splits=mode:words;level:a1,level:a1;mode:words", "splits"),
        ("top?windows=all,daily&splits=mode:time,mode:time", "splits"),
        ("rank?players=p1,p1", "players"),
        ("rank?players=p1,p2,%701", "players"),
        ("rank?players=" + ",".join(["p1"] * 50), "players"),
    ],
    ids=lambda part: part[:40],
)
async def test_a_repeat_in_a_list_is_refused(here: Harness, query: str, loc: str) -> None:
    """Each would cost, and answer, once more: a short request must not make a long one, however a repeat is spelt."""
    route, _, asked = query.partition("?")
    problem = refused(await here.client.get(f"/{route}?board=b&{asked}"), "invalid", loc)
    assert problem["errors"][0]["msg"].endswith("more than once")
    assert here.requests == 0


async def test_lists_without_a_repeat_are_taken(here: Harness) -> None:
    """What differs in a single letter, or in one of two splits, is another."""
    splits = "overall,mode:time,mode:time;level:a1,mode:words;level:a1,level:a2;mode:words"
    assert len((await here.get("/top", windows="daily,all", splits=splits))["tops"]) == 10
    assert len((await here.get("/rank", players="p1,P1,p11"))["entries"]) == 3


@pytest.mark.parametrize(
    "query",
    [
        "limit=1",
        "limit=100",
        "limit=007",
        "offset=0",
        "v=",
        "v=" + "%F0%9F%98%80" * 64,
        "v=a%26b%3Dc",
        "&&limit=5&",
        "at=0",
    ],
)
async def test_what_is_within_bounds_is_taken(here: Harness, query: str) -> None:
    """Both ends of each range."""
    assert read(await here.client.get(f"/top?board=b&{query}"))["entries"] == []


@pytest.mark.parametrize("path", ["/top", "/rank"])
async def test_a_board_must_be_asked_for(here: Harness, path: str) -> None:
    """Missing is not unknown."""
    for query in ("", "?", "?player=p1", "?Board=b&player=p1"):
        assert refused(await here.client.get(path + query), "invalid")["errors"][0]["loc"] == "board"
    refused(await here.client.get(f"{path}?board=&player=p1"), "unknown_board")
    refused(await here.client.get(f"{path}?board&player=p1"), "unknown_board")


@pytest.mark.parametrize("query", ["x=1", "board=b", "limit=5&limit=5", "=", "%FF"])
async def test_calls_without_parameters_take_none(here: Harness, query: str) -> None:
    """Unknown parameters are refused everywhere, whatever else comes along."""
    refused(await here.client.get(f"/health?{query}"), "invalid")
    body = b'{"board": "b", "player": "p1", "score": 1}'
    refused(await here.client.post(f"/submit?{query}", content=body), "invalid")
    refused(await here.client.post(f"/start?{query}", content=b'{"board": "b"}'), "invalid")
    assert here.requests == 0


@pytest.mark.parametrize(
    ("query", "loc"),
    [
        ("window=", "window"),
        ("window=never", "window"),
        ("window=Daily", "window"),
        ("window=daily%20", "window"),
        ("window=weekly", "window"),
        ("window=season", "window"),
        *((f"window=all&at={raw}", "at") for raw in ("-1", "all", "2033", "")),
        *((f"window=daily&at={raw}", "at") for raw in ("", "1", "+1", "%2B1", "-0", "-01", "--1", "-1.0", "-x", "00")),
        *((f"window=daily&at={raw}", "at") for raw in ("2033-5-18", "2033-02-29", "20330518", "2033-W20", "2033-05")),
        *(
            (f"window=daily&at={raw}", "at")
            for raw in ("2033-05-18T00:00:00Z", "%202033-05-18", "2033-05-18%0A", "today")
        ),
        *(
            (f"window=daily&at={raw}", "at")
            for raw in ("-9999999", "-99999999999999999999", "0000-01-01", "10000-01-01")
        ),
        *((f"window=daily&at={raw}", "at") for raw in ("%EF%BC%92033-05-18", "-%EF%BC%91", "-%C2%B9", "9" * 5000)),
    ],
    ids=lambda part: part[:32],
)
async def test_an_unknown_window_or_period_is_refused(here: Harness, query: str, loc: str) -> None:
    """What the calendar does not have, and what is spelt in another way than its ids."""
    refused(await here.client.get(f"/top?board=b&{query}"), "unknown_window", loc)
    refused(await here.client.get(f"/rank?board=b&player=p1&{query}"), "unknown_window", loc)
    assert here.requests == 0


@pytest.mark.parametrize(
    ("window", "period", "malformed"),
    [
        ("daily", "2030-02-28", "2030-02-29"),
        ("daily", "2099-12-31", "2099-12-32"),
        ("weekly", "2032-W53", "2033-W53"),
        ("weekly", "2033-W01", "2033-W1"),
        ("weekly", "2033-W20", "2033-05-16"),
        ("monthly", "2033-12", "2033-13"),
        ("yearly", "2050", "50"),
        ("season", "s1", "s2"),
    ],
)
async def test_a_well_formed_period_without_data_is_empty(
    here: Harness, window: str, period: str, malformed: str
) -> None:
    """Past or future; its neighbour that is no period is refused."""
    answer = await here.get("/top", board="calendar", window=window, at=period)
    assert (answer["period"], answer["total"], answer["entries"]) == (period, 0, [])
    params = {"board": "calendar", "window": window, "at": malformed}
    refused(await here.client.get("/top", params=params), "unknown_window", "at")


async def test_a_selection_that_is_not_kept_is_an_unknown_split(here: Harness) -> None:
    """By name, by value and by combination; a parameter that is no split is invalid."""
    refused(await here.client.get("/top?board=b&mode=nope"), "unknown_split", "splits.mode")
    refused(await here.client.get("/top?board=b&mode="), "unknown_split", "splits.mode")
    refused(await here.client.get("/top?board=b&level=a1"), "unknown_split", "splits")
    refused(await here.client.get("/top?board=moded"), "unknown_split", "splits")
    refused(await here.client.get("/rank?board=moded&player=p1"), "unknown_split", "splits")
    refused(await here.client.get("/top?board=moded&level=a1"), "invalid", "level")
    refused(await here.client.get("/top?board=b&mode.x=time"), "invalid", "mode.x")
