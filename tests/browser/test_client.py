"""laurel.js in Chromium, on a game's page of another origin: every call, its answers and its refusals."""

import asyncio
import json

import pytest
from playwright.async_api import BrowserContext

from tests.browser.chromium import Stack, load, open_game
from tests.browser.client_calls import call, kept

pytestmark = pytest.mark.needs("chromium")


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
