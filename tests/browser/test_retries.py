"""laurel.js in Chromium against a server that answers 429 and 503: it tries again, and never floods."""

import asyncio
import json
import time
from itertools import pairwise

import pytest
from playwright.async_api import BrowserContext, Route

from tests.browser.chromium import Stack, load, open_game, until
from tests.browser.client_calls import CORS, call, kept, sums

pytestmark = pytest.mark.needs("chromium")
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
    """That one waits as long as it is told to, and the others go their way without asking for it again."""
    page = await open_game(visitor, local)

    asked: list[int] = []

    async def full(route: Route) -> None:
        asked.append(json.loads(route.request.post_data or "{}")["score"])
        if asked[-1] == 1:
            headers = {**CORS, "Retry-After": "86400"}
            await route.fulfill(status=429, headers=headers, json={"code": "too_many_split_values"})
        else:
            await route.continue_()

    await page.route("**/submit", full)
    assert await call(page, "return board('sum').submit(1)") == {"code": "queued"}
    assert (await call(page, "return board('sum').submit(2)"))["standings"][0]["score"] == 2
    assert (await call(page, "return board('sum').submit(4)"))["standings"][0]["score"] == 6
    assert len(await kept(page)) == 1
    assert asked == [1, 2, 4]
