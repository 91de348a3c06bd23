"""laurel.js in Chromium, on a game's page of another origin: everything goes once, without preflights and floods."""

import asyncio
import json
import time
from collections.abc import AsyncIterator, Iterator
from itertools import pairwise
from typing import Any

import pytest
from playwright.async_api import Browser, BrowserContext, Page, Request, Route

from tests.browser import Stack, chromium, load, open_game, stack, until, visit

pytestmark = pytest.mark.needs("chromium")

CORS = {"Access-Control-Allow-Origin": "*", "Access-Control-Expose-Headers": "Retry-After"}
BLOCKED = """for (const kind of ["localStorage", "sessionStorage"])
  Object.defineProperty(window, kind, { get() { throw new DOMException("blocked", "SecurityError"); } });"""


@pytest.fixture(scope="module")
async def browser() -> AsyncIterator[Browser]:
    """Give one browser for the module."""
    async with chromium() as launched:
        yield launched


@pytest.fixture(scope="module")
def running() -> Iterator[Stack]:
    """Give one stack for the module."""
    with stack() as served:
        yield served


@pytest.fixture
def local(running: Stack) -> Stack:
    """Give the stack, empty."""
    running.clear()
    return running


@pytest.fixture
async def visitor(browser: Browser) -> AsyncIterator[BrowserContext]:
    """Give a visitor who has never been here."""
    async with visit(browser) as context:
        yield context


async def call(page: Page, script: str, **values: Any) -> Any:
    """Run a script with `board(name)` at hand; a LaurelError comes back as its code."""
    return await page.evaluate(
        """async ({ script, values }) => {
          const board = (name) => laurel(url, { board: name });
          const run = new (async () => {}).constructor("board", ...Object.keys(values), script);
          try { return await run(board, ...Object.values(values)); }
          catch (error) { return error instanceof LaurelError ? { code: error.code } : { broken: String(error) }; }
        }""",
        {"script": script, "values": values},
    )


async def kept(page: Page) -> list[str]:
    """Return the keys of what the page keeps to send."""
    keys: list[str] = await page.evaluate("Object.keys(localStorage).filter((key) => key.startsWith('laurel:queue:'))")
    return keys


def sums(local: Stack) -> dict[str, float]:
    """Return the total of each player of the board that adds up."""
    return {row["player"]: row["score"] for row in local.top("sum")}


async def test_a_full_round_without_a_preflight(local: Stack, visitor: BrowserContext) -> None:
    """Start, submit, top and rank answer with the API's JSON from another origin, as simple requests."""
    page = await open_game(visitor, local)
    started = await call(page, "return board('best').start()")
    assert set(started) == {"ticket", "player", "player_token", "expires"}
    answer = await call(page, "return board('best').submit(1850, { name: 'Mina' })")
    assert answer["player"] == started["player"] == await call(page, "return board('best').player")
    assert [(one["window"], one["rank"]) for one in answer["standings"]] == [("all", 1), ("daily", 1)]
    top = await call(page, "return board('best').top({ window: 'daily', limit: 3, at: 0 })")
    assert [(row["name"], row["score"]) for row in top["entries"]] == [("Mina", 1850)]
    mine = await call(page, "return board('best').rank({ around: 1 })")
    assert (mine["entry"]["rank"], mine["percentile"]) == (1, 100)
    assert (await call(page, "return board('best').rank({ score: 900 })"))["rank"] == 2
    several = await call(page, "return board('best').rank({ players: ['nobody'] })")
    assert several["entries"][0]["rank"] is None
    assert {one.method for one in local.recorder.seen} == {"GET", "POST"}
    assert {one.headers.get("content-type") for one in local.recorder.seen if one.method == "POST"} == {
        "text/plain;charset=UTF-8"
    }
    assert all("origin" in one.headers for one in local.recorder.seen)


async def test_splits_select_a_standing_and_plural_reads_work(local: Stack, visitor: BrowserContext) -> None:
    """Splits go as parameters of their own, or as the list that several standings are asked for by."""
    page = await open_game(visitor, local)
    await call(page, "return board('split').submit(5, { splits: { mode: 'a' }, meta: { depth: 7 } })")
    one = await call(page, "return board('split').top({ splits: { mode: 'a' } })")
    assert (one["splits"], one["entries"][0]["meta"]) == ({"mode": "a"}, {"depth": 7})
    tops = await call(page, "return board('split').top({ windows: ['all'], splits: 'overall,mode:a,mode:b' })")
    assert [top["total"] for top in tops["tops"]] == [1, 1, 0]
    own = await call(page, "return board('split').rank({ splits: { mode: 'a' } })")
    assert own["entry"]["rank"] == 1


async def test_an_object_names_one_url_for_each_function(local: Stack, visitor: BrowserContext) -> None:
    """On Lambda every function has an address of its own, and a trailing slash."""
    page = await open_game(visitor, local)
    answer = await page.evaluate(
        """async () => {
          const urls = { submit: url + "/submit/", top: url + "/top/", rank: url + "/rank/", start: url + "/start/" };
          const board = laurel(urls, { board: "best" });
          await board.start();
          const { player } = await board.submit(7);
          const [top, rank] = [await board.top(), await board.rank()];
          return [player == top.entries[0].player, rank.entry.rank, laurel(url + "//", { board: "best" }).player];
        }"""
    )
    assert answer == [True, 1, None]


async def test_an_open_board_makes_a_player_and_keeps_it(local: Stack, visitor: BrowserContext) -> None:
    """Nobody is kept before the first submission; afterwards the same player is, over reloads."""
    page = await open_game(visitor, local)
    assert await call(page, "return board('best').player") is None
    assert await call(page, "return board('best').rank()") == {"code": "invalid"}
    first = await call(page, "return board('best').submit(5)")
    assert first["player"].startswith("p_")
    await page.close()
    page = await open_game(visitor, local)
    assert await call(page, "return board('best').player") == first["player"]
    assert (await call(page, "return board('sum').submit(5)"))["player"] == first["player"]
    assert (await call(page, "return board('best').rank()"))["entry"]["rank"] == 1


async def test_a_ticket_is_used_once_and_a_token_is_kept(local: Stack, visitor: BrowserContext) -> None:
    """Start keeps player, token and ticket; the next submission takes the ticket; the next start proves the player."""
    page = await open_game(visitor, local)
    assert await call(page, "return board('ticket').submit(1)") == {"code": "ticket_required"}
    started = await call(page, "return board('ticket').start()")
    await page.reload()
    await load(page, local)
    answer = await call(page, "return board('ticket').submit(10)")
    assert answer["player"] == started["player"]
    assert await call(page, "return board('ticket').submit(20)") == {"code": "ticket_required"}
    again = await call(page, "return board('ticket').start()")
    assert again["player"] == started["player"]
    stored = await page.evaluate("Object.entries(localStorage).find(([key]) => key.startsWith('laurel:player:'))[1]")
    assert json.loads(stored) == {"player": started["player"], "token": again["player_token"]}


async def test_two_tabs_that_start_at_once_are_one_player(local: Stack, visitor: BrowserContext) -> None:
    """The second start waits for the first, and proves the player that it brought."""
    pages = [await open_game(visitor, local) for _ in range(2)]
    started = await asyncio.gather(*(call(page, "return board('ticket').start()") for page in pages))
    assert started[0]["player"] == started[1]["player"]
    answers = await asyncio.gather(*(call(page, "return board('ticket').submit(5)") for page in pages))
    assert {answer["player"] for answer in answers} == {started[0]["player"]}


async def test_a_cached_page_shows_ones_own_submission(local: Stack, visitor: BrowserContext) -> None:
    """After a submission the page is asked for under another cache key, so a reload shows it too."""
    page = await open_game(visitor, local)
    local.submit("cached", "other", 1)
    assert (await call(page, "return board('cached').top()"))["total"] == 1
    await call(page, "return board('cached').submit(5)")
    assert (await call(page, "return board('cached').top()"))["total"] == 2
    await page.close()
    page = await open_game(visitor, local)
    assert (await call(page, "return board('cached').top()"))["total"] == 2


async def test_refusals_can_be_read_from_another_origin(local: Stack, visitor: BrowserContext) -> None:
    """CORS is right on success, 4xx, 429 and 503: the page sees the code, and how long to wait."""
    page = await open_game(visitor, local)
    assert await call(page, "return board('nope').top()") == {"code": "unknown_board"}
    assert await call(page, "return board('best').top({ window: 'weekly' })") == {"code": "unknown_window"}
    problem = await call(
        page,
        "return board('best').submit(1, { name: 'x'.repeat(30) }).catch(({ status, problem }) => [status, problem])",
    )
    assert (problem[0], problem[1]["errors"][0]["loc"]) == (422, "name")
    assert await kept(page) == []
    for _ in range(3):
        last = await call(page, "return board('strict').start().catch(({ code, wait }) => [code, wait])")
    assert last[0] == "rate_limited"
    assert 1000 <= last[1] <= 2000
    local.store.down = True
    down = await call(page, "return board('best').top().catch(({ code, wait }) => [code, wait > 0])")
    assert down == ["store_unavailable", True]
    assert local.recorder.count("OPTIONS", "/submit") == 0
    assert {one.status for one in local.recorder.seen} >= {200, 404, 422, 429, 503}


async def test_no_answer_is_told_apart_from_a_refusal(local: Stack, visitor: BrowserContext) -> None:
    """A read without an answer has the code `network`; an answer of something else carries its status."""
    page = await open_game(visitor, local)
    await page.route("**/top?*", lambda route: route.abort())
    assert await call(page, "return board('best').top()") == {"code": "network"}
    await page.route("**/rank?*", lambda route: route.fulfill(status=502, body="<h1>Bad gateway</h1>"))
    assert await call(page, "return board('best').rank({ score: 1 })") == {"code": "http_502"}
    await page.route("**/top?*", lambda route: route.fulfill(status=200, body="<h1>Log in to this Wi-Fi</h1>"))
    assert await call(page, "return board('best').top()") == {"code": "network"}


async def test_an_answer_that_is_swallowed_counts_once(local: Stack, visitor: BrowserContext) -> None:
    """The store has it, the page does not know: the second try has the same id."""
    page = await open_game(visitor, local)
    ids: list[str] = []

    async def swallow(route: Route) -> None:
        ids.append(json.loads(route.request.post_data or "{}")["id"])
        if len(ids) == 1:
            await route.fetch()
            await route.abort()
        else:
            await route.continue_()

    await page.route("**/submit", swallow)
    answer = await call(page, "return board('sum').submit(5)")
    assert answer["replayed"] is True
    assert len(ids) == 2
    assert len(set(ids)) == 1
    assert sums(local) == {answer["player"]: 5}
    assert await kept(page) == []


async def test_it_is_stored_before_it_is_sent(local: Stack, visitor: BrowserContext) -> None:
    """When the first request is on its way the submission is in storage already, with the id of the request."""
    page = await open_game(visitor, local)
    seen: list[Any] = []

    async def look(route: Route) -> None:
        stored = await page.evaluate(
            "Object.entries(localStorage).filter(([key]) => key.startsWith('laurel:queue:')).map(([, text]) => text)"
        )
        seen.append([json.loads(text) for text in stored] == [json.loads(route.request.post_data or "{}")])
        await route.continue_()

    await page.route("**/submit", look)
    await call(page, "return board('sum').submit(5, { name: 'Mina' })")
    assert seen == [True]
    assert await kept(page) == []


async def test_offline_in_the_middle_and_a_closed_page(local: Stack, visitor: BrowserContext) -> None:
    """The connection goes while the request is out, the page is closed and opened again: counted exactly once."""
    page = await open_game(visitor, local)

    async def lose(route: Route) -> None:
        await route.fetch()  # it arrives, and the answer finds nobody
        await visitor.set_offline(True)
        await route.abort("internetdisconnected")

    await page.route("**/submit", lose)
    began = time.monotonic()
    assert await call(page, "return board('sum').submit(5)") == {"code": "queued"}
    assert time.monotonic() - began < 5
    assert await call(page, "return board('sum').submit(7)") == {"code": "queued"}
    assert len(await kept(page)) == 2
    await page.close()
    await visitor.set_offline(False)
    page = await open_game(visitor, local)
    assert len(await kept(page)) == 2
    await call(page, "board('sum')")
    await until(lambda: list(sums(local).values()) == [12])
    await page.wait_for_function("!Object.keys(localStorage).some((key) => key.startsWith('laurel:queue:'))")
    await page.close()
    page = await open_game(visitor, local)
    await call(page, "return board('sum').top()")
    assert list(sums(local).values()) == [12]


async def test_what_waited_goes_out_in_order_from_one_tab(local: Stack, visitor: BrowserContext) -> None:
    """Two tabs come online with what they kept: everything goes in order, and counts once."""
    pages = [await open_game(visitor, local) for _ in range(2)]
    for page in pages:
        await call(page, "board('sum')")
    await visitor.set_offline(True)
    for score in (1, 2, 4, 8):
        assert await call(pages[score % 3 - 1], "return board('sum').submit(score)", score=score) == {"code": "queued"}
    sent: list[int] = []

    def note(request: Request) -> None:
        if request.method == "POST":
            sent.append(json.loads(request.post_data or "{}")["score"])

    visitor.on("request", note)
    await visitor.set_offline(False)
    await until(lambda: list(sums(local).values()) == [15])
    await asyncio.sleep(0.3)
    # A tab may see a little late what the other took out of storage: such a repetition is a replay, and counts nothing.
    assert list(dict.fromkeys(sent)) == [1, 2, 4, 8]
    assert sent == sorted(sent)
    assert await kept(pages[0]) == []


async def test_a_later_submission_takes_along_what_waited(local: Stack, visitor: BrowserContext) -> None:
    """Older ones go first; and one that is refused now does not hold up the next."""
    page = await open_game(visitor, local)
    await visitor.set_offline(True)
    for options in ("{}", "{ name: 'x'.repeat(30) }", "{}"):
        assert await call(page, f"return board('sum').submit(1, {options})") == {"code": "queued"}
    await visitor.set_offline(False)
    answer = await call(page, "return board('sum').submit(10)")
    assert answer["standings"][0]["score"] == 12
    assert await kept(page) == []


STORM = """(board) => {
  window.done = [];
  const failed = ({ code }) => done.push(code);
  for (const score of [1, 2, 4])
    laurel(url, { board }).submit(score).then(() => done.push(score), failed);
}"""


async def test_a_storm_of_503_is_no_flood(local: Stack, visitor: BrowserContext) -> None:
    """Against a lasting 503, with Retry-After or without, there are at most 8 requests in 6 s, however many wait.

    Once it is over, each counts, once.
    """
    page, other = [await open_game(visitor, local) for _ in range(2)]
    bare: list[str] = []

    async def storm(route: Route) -> None:
        bare.append(route.request.url)
        await route.fulfill(status=503, headers=CORS, body="")

    await other.route("**/submit", storm)
    local.store.down = True
    await page.evaluate(STORM, "sum")
    await other.evaluate(STORM, "best")
    await asyncio.sleep(6)
    assert 2 <= local.recorder.count("POST", "/submit") <= 8
    assert 3 <= len(bare) <= 8
    assert await page.evaluate("done") == await other.evaluate("done") == []
    local.store.down = False
    await page.wait_for_function("done.length == 3", timeout=15_000)
    assert await page.evaluate("done") == [1, 2, 4]
    assert list(sums(local).values()) == [7]


async def test_retry_after_is_honoured(local: Stack, visitor: BrowserContext) -> None:
    """After a 429 nothing is sent before the time the server named, and it counts once."""
    page = await open_game(visitor, local)
    times: list[float] = []

    async def refuse(route: Route) -> None:
        times.append(time.monotonic())
        headers = {
            "Access-Control-Allow-Origin": "*",
            "Access-Control-Expose-Headers": "Retry-After",
            "Retry-After": "1",
        }
        if len(times) < 3:
            await route.fulfill(status=429, headers=headers, json={"code": "rate_limited"})
        else:
            await route.continue_()

    await page.route("**/submit", refuse)
    answer = await call(page, "return board('sum').submit(5)")
    assert answer["replayed"] is False
    assert [later - earlier >= 0.95 for earlier, later in pairwise(times)] == [True, True]
    assert sums(local) == {answer["player"]: 5}


async def test_after_30_seconds_it_is_queued(local: Stack, visitor: BrowserContext) -> None:
    """The promise stays open through several tries and 30 s; the next visit sends what was kept."""
    page = await visitor.new_page()
    await page.clock.install()
    await page.goto(local.game)
    await load(page, local)
    local.store.down = True
    await page.evaluate("laurel(url, { board: 'sum' }).submit(5).catch((error) => (window.code = error.code)); 0")
    for _ in range(29):
        await page.clock.run_for(1000)
        await asyncio.sleep(0.03)
    assert await page.evaluate("window.code") is None
    tries = local.recorder.count("POST", "/submit")
    assert tries >= 3
    await page.clock.run_for(2000)
    assert await page.evaluate("window.code") == "queued"
    local.store.down = False
    # While the page stays it tries again by and by; another page of the origin does at once.
    other = await open_game(visitor, local)
    await call(other, "board('sum')")
    await until(lambda: list(sums(local).values()) == [5])
    await page.clock.run_for(120_000)
    await asyncio.sleep(0.2)
    assert list(sums(local).values()) == [5]
    assert await kept(other) == []


async def test_a_full_split_does_not_hold_up_the_others(local: Stack, visitor: BrowserContext) -> None:
    """That one waits, as any 429 does; the next goes its way."""
    page = await open_game(visitor, local)

    async def full(route: Route) -> None:
        if json.loads(route.request.post_data or "{}")["score"] == 1:
            headers = {**CORS, "Retry-After": "86400"}
            await route.fulfill(status=429, headers=headers, json={"code": "too_many_split_values"})
        else:
            await route.continue_()

    await page.route("**/submit", full)
    assert await call(page, "return board('sum').submit(1)") == {"code": "queued"}
    assert (await call(page, "return board('sum').submit(2)"))["standings"][0]["score"] == 2
    assert len(await kept(page)) == 1


async def test_a_page_that_closes_still_submits(local: Stack, visitor: BrowserContext) -> None:
    """What is submitted while the page goes away is on its way already, and lives longer than the page."""
    page = await open_game(visitor, local)
    await page.evaluate(
        """() => {
          const plain = fetch;
          window.lives = [];
          window.fetch = (input, options) => (lives.push(options.keepalive === true), plain(input, options));
          addEventListener("pagehide", () => void laurel(url, { board: "sum" }).submit(5));
        }"""
    )
    await call(page, "return board('best').submit(1)")
    assert await page.evaluate("lives") == [True]
    await page.goto("about:blank")
    await until(lambda: list(sums(local).values()) == [5])
    page = await open_game(visitor, local)
    await call(page, "return board('sum').submit(1)")
    assert list(sums(local).values()) == [6]


async def test_blocked_storage_still_plays(local: Stack, visitor: BrowserContext) -> None:
    """Where storage throws, player, ticket and queue live as long as the page."""
    await visitor.add_init_script(BLOCKED)
    page = await open_game(visitor, local)
    started = await call(page, "return board('ticket').start()")
    answer = await call(page, "return board('ticket').submit(5)")
    assert answer["player"] == started["player"] == await call(page, "return board('ticket').player")
    await visitor.set_offline(True)
    assert await call(page, "return board('sum').submit(5)") == {"code": "queued"}
    assert await call(page, "return board('sum').submit(6)") == {"code": "queued"}
    await visitor.set_offline(False)
    await until(lambda: list(sums(local).values()) == [11])


async def test_full_storage_still_submits(local: Stack, visitor: BrowserContext) -> None:
    """Where storage takes nothing more, what does not fit lives as long as the page."""
    page = await open_game(visitor, local)
    await page.evaluate(
        """() => {
          for (let size = 2 ** 23; size >= 1; size /= 2)
            try { localStorage["filler" + size] = "x".repeat(size); } catch {}
        }"""
    )
    answer = await call(page, "return board('sum').submit(5)")
    assert answer["player"] == await call(page, "return board('sum').player")
    assert sums(local) == {answer["player"]: 5}
