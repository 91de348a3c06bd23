"""Caching by design §6: what shared caches and the process itself may keep, for how long, and how it is asked again."""

from collections.abc import AsyncIterator

import httpx
import pytest

from lib.reading.etags import matches
from lib.reading.page_cache import KeptPage, KeptPages
from tests.support.harness import Harness, harness
from tests.support.responses import problem, read
from tools.upstash_emulator.backends import MemoryBackend

BOARDS = """
[board.b]
windows = ["all", "daily"]
cache = "10s"
splits = { mode = ["time", "words"], level = ["a"], by = ["overall", "mode", "mode+level"] }

[board.fresh]
windows = ["all", "daily"]
"""
EVENING = 43_200_000  # ms from the harness' noon to midnight


@pytest.fixture
async def here() -> AsyncIterator[Harness]:
    """Open a harness whose board is cached for ten seconds."""
    async with harness(BOARDS, MemoryBackend()) as opened:
        await opened.submit("p1", 10)
        opened.start_meter()
        yield opened


async def top(here: Harness, query: str = "", **headers: str) -> httpx.Response:
    """Get a page of the board."""
    names = {name.replace("_", "-"): value for name, value in headers.items()}
    return await here.client.get(f"/top?board=b&{query}", headers=names)


def kept(seconds: int) -> str:
    """Return the Cache-Control of a page that shared caches may keep for that long."""
    return f"public, max-age=0, s-maxage={seconds}"


@pytest.mark.parametrize(
    ("query", "before_midnight", "seconds"),
    [
        ("", 5000, 10),
        ("window=all", 1, 10),
        ("window=daily", 60_000, 10),
        ("window=daily", 10_000, 10),
        ("window=daily", 9999, 10),
        ("window=daily", 9000, 9),
        ("window=daily", 8999, 9),
        ("window=daily", 1, 1),
        ("window=daily&at=-1", 1, 10),
        ("window=daily&at=2000-01-01", 1, 10),
        ("window=daily&at=2099-01-01", 1, 10),
        ("windows=all,daily", 60_000, 10),
        ("windows=all,daily", 4000, 4),
        ("windows=daily&at=-1", 4000, 10),
    ],
)
async def test_a_page_is_kept_for_the_boards_time_but_not_past_a_reset(
    here: Harness, query: str, before_midnight: int, seconds: int
) -> None:
    """s-maxage is the smaller of `cache` and `resets_in`; past periods do not reset."""
    here.now += EVENING - before_midnight
    response = await top(here, query)
    assert read(response)
    assert response.headers["cache-control"] == kept(seconds)


async def test_the_process_keeps_a_page_as_long(here: Harness) -> None:
    """The store is asked once in ten seconds; the time until the reset goes on."""
    first = await top(here, "window=daily")
    for ms in (1, 5000, 9999):
        here.now = here.now // 10_000 * 10_000 + ms
        again = await top(here, "window=daily")
        assert read(again) == read(first) | {"resets_in": -(-(EVENING - ms) // 1000)}
        assert again.headers["etag"] == first.headers["etag"]
        assert again.headers["cache-control"] == kept(10)
        assert int(again.headers.get("age", 0)) == ms // 1000
    assert here.requests == 1
    here.now += 1
    assert "age" not in (await top(here, "window=daily")).headers
    assert here.requests == 2


async def test_a_kept_page_ends_with_its_period(here: Harness) -> None:
    """At midnight the new day is empty, although the page of the old one was kept a moment before."""
    here.now += EVENING - 500
    assert read(await top(here, "window=daily"))["period"] == "2033-05-18"
    here.now += 500
    answer = read(await top(here, "window=daily"))
    assert (answer["period"], answer["total"], answer["resets_in"]) == ("2033-05-19", 0, 86_400)


async def test_an_etag_changes_with_the_content_and_with_nothing_else(here: Harness) -> None:
    """Neither the time until the reset nor a reading again changes it; a submission does."""
    first = (await top(here, "window=daily")).headers["etag"]
    here.now += 60_000
    assert (await top(here, "window=daily")).headers["etag"] == first
    here.now += 60_000
    await here.submit("p2", 5)
    assert (await top(here, "window=daily")).headers["etag"] != first
    assert first.startswith('"')
    assert first.endswith('"')


@pytest.mark.parametrize("form", ["{}", "W/{}", '"x", {}', '"x",W/{},"y"', "*", " {} ", '"x" , {} '])
async def test_a_caller_who_has_the_page_gets_304(here: Harness, form: str) -> None:
    """By any form of If-None-Match; with all headers and without a body."""
    first = await top(here, "window=daily")
    again = await top(here, "window=daily", If_None_Match=form.format(first.headers["etag"]))
    assert again.status_code == 304
    assert read(again) is None
    for name in ("etag", "cache-control", "access-control-allow-origin", "x-content-type-options"):
        assert again.headers[name] == first.headers[name]
    assert "content-length" not in again.headers


async def test_several_if_none_match_headers_are_one_list(here: Harness) -> None:
    """A proxy may split it."""
    tag = (await top(here)).headers["etag"]
    response = await here.client.get("/top?board=b", headers=[("If-None-Match", '"x"'), ("If-None-Match", tag)])
    assert response.status_code == 304


@pytest.mark.parametrize("tag", ['"x"', "", "x", 'W/"x"', "{}x", "{bare}", '"*"', "w/{}", "W/ {}"])
async def test_a_caller_who_has_another_page_gets_this_one(here: Harness, tag: str) -> None:
    """An unquoted tag is no tag."""
    first = await top(here)
    form = tag.replace("{bare}", first.headers["etag"].strip('"')).replace("{}", first.headers["etag"])
    assert (await top(here, If_None_Match=form)).status_code == 200


async def test_a_304_comes_by_head_too_and_where_nothing_is_kept(here: Harness) -> None:
    """Saving the body is worth it in any case; who may keep it is another question."""
    tag = (await top(here)).headers["etag"]
    assert (await here.client.head("/top?board=b", headers={"If-None-Match": tag})).status_code == 304
    fresh = await here.client.get("/top?board=fresh")
    again = await here.client.get("/top?board=fresh", headers={"If-None-Match": fresh.headers["etag"]})
    assert (again.status_code, again.headers["cache-control"]) == (304, "no-store")


async def test_v_is_another_key_and_nothing_more(here: Harness) -> None:
    """A client that sends its last submission's id sees its own change, and the others keep their page."""
    await top(here)
    await here.submit("p2", 20)
    here.start_meter()
    assert read(await top(here))["total"] == 1
    assert read(await top(here, "v=sub-1234"))["total"] == 2
    assert read(await top(here, "v=sub-1234")) == read(await top(here, "v=sub-1234"))
    assert read(await top(here, "v="))["total"] == 1
    assert here.requests == 1


async def test_every_difference_that_shows_is_another_key(here: Harness) -> None:
    """Only order and spelling of a query make none."""
    alike = [
        *[["", "limit=10", "offset=0", "window=all", "at=0", "%6Cimit=0010"], ["limit=9", "%6Cimit=009"], ["offset=1"]],
        *[["window=daily"], ["window=daily&at=-1", "window=daily&at=2033-05-17"], ["windows=all", "splits=overall"]],
        *[["mode=time"], ["mode=time&level=a", "level=a&mode=time"]],
    ]
    for queries in alike:
        for query in queries:
            await top(here, query)
    assert here.requests == len(alike)


async def test_no_store_where_nothing_may_be_kept(here: Harness) -> None:
    """Personal answers, refusals, boards without `cache`, and everything but `top`."""
    for path in ("/top?board=b&player=p1", "/top?board=fresh", "/top?board=fresh&windows=all", "/health"):
        response = await here.client.get(path)
        assert (response.status_code, response.headers["cache-control"]) == (200, "no-store")
    for query in ("player=p1", "players=p1", "score=5"):
        response = await here.client.get(f"/rank?board=b&{query}")
        assert (response.status_code, response.headers["cache-control"]) == (200, "no-store")
    response = await here.post("/submit", board="b", player="p1", score=1)
    assert (response.status_code, response.headers["cache-control"]) == (200, "no-store")
    assert problem(await top(here, "limit=0"))  # which looks at the header
    here.start_meter()
    for _ in range(2):
        await top(here, "player=p1")
        await here.client.get("/top?board=fresh")
    assert here.requests == 4


async def test_a_kept_page_needs_no_store(here: Harness) -> None:
    """While the store is away a page is shown as long as it may be."""
    page = await top(here)
    here.way.through = httpx.MockTransport(lambda request: httpx.Response(500, content=b"down"))
    here.now += 9000
    assert read(await top(here)) == read(page)
    here.now += 1000
    assert problem(await top(here))["code"] == "store_unavailable"


async def test_anybody_may_ask_for_any_number_of_pages(here: Harness) -> None:
    """What a process keeps of them is bounded."""
    for n in range(300):
        await top(here, f"v={n}")
    assert len(here.deployment.pages) == 256
    here.start_meter()
    await top(here, "v=299")
    await top(here, "v=0")
    assert here.requests == 1


def test_kept_pages_are_bounded_in_number_and_in_rows() -> None:
    """The least used goes first; a page kept again does not count twice."""
    pages = KeptPages(most=3, most_rows=100)
    page = KeptPage.of({}, 10, 0, until=1000)
    for key in "abc":
        pages.keep(key, page)
    assert pages.get("a", 0) is page
    pages.keep("d", page)
    assert [pages.get(key, 0) is page for key in "abcd"] == [True, False, True, True]
    pages.keep("e", KeptPage.of({}, 95, 0, until=1000))
    assert [pages.get(key, 0) is not None for key in "acde"] == [False, False, False, True]
    for _ in range(20):
        pages.keep("e", KeptPage.of({}, 50, 0, until=1000))
    pages.keep("f", KeptPage.of({}, 50, 0, until=1000))
    assert len(pages) == 2
    assert pages.get("e", 1000) is None


def test_a_tag_matches_weakly() -> None:
    """W/ makes no difference, as RFC 9110 §13.1.2 says for If-None-Match."""
    assert matches('"a"', ['W/"a"'])
    assert not matches('"a"', [])
    assert not matches('"a"', ['"A"', "a"])
