"""laurel.js in Chromium without a connection, a page or a storage to count on: everything counts, and once."""

import asyncio
import json
import time
from typing import Any

import pytest
from playwright.async_api import BrowserContext, Request, Route

from tests.browser.chromium import Stack, open_game, until
from tests.browser.client_calls import call, kept, sums

pytestmark = pytest.mark.needs("chromium")
BLOCKED = """for (const kind of ["localStorage", "sessionStorage"])
  Object.defineProperty(window, kind, { get() { throw new DOMException("blocked", "SecurityError"); } });"""


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
