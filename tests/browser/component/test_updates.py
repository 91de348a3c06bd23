"""How `<laurel-board>` keeps up in Chromium: when it asks again, what that costs, and when it stops."""

import asyncio
import re
from typing import Any

import pytest
from playwright.async_api import Browser, BrowserContext, ElementHandle, Locator, Page, expect

from tests.browser.chromium import Stack, open_game, pass_time, visit
from tests.browser.component.pages import embed, own, shown, texts

pytestmark = pytest.mark.needs("chromium")


async def test_a_second_page_follows(local: Stack, visitor: BrowserContext) -> None:
    """The submission of one tab shows in the other at once, with the own row; elsewhere soon."""
    game = await open_game(visitor, local)
    page = await shown(visitor, local, 'board="cached"')
    assert await page.locator("laurel-board").locator("[part=empty]").count() == 1
    await game.evaluate("laurel(url, { board: 'cached' }).submit(7, { name: 'Mina' })")
    await expect(own(page)).to_contain_text("Mina", timeout=3000)


async def test_another_browser_follows_by_itself(local: Stack, browser: Browser) -> None:
    """Without a word from the page it looks again, after 10 s at first and within a minute at the slowest."""
    async with visit(browser) as context:
        page = await context.new_page()
        await page.clock.install()
        await embed(page, local, 'board="strict"')
        await page.clock.run_for(100)
        await page.locator("laurel-board").locator("[part=empty]").wait_for()
        local.submit("strict", "elsewhere", 7, name="Noor")
        await pass_time(page, 10.1)
        await expect(page.locator("laurel-board").locator("tbody tr")).to_have_count(1, timeout=3000)
        before = local.recorder.count("GET", "/top")
        await pass_time(page, 600, step=8)
        looks = local.recorder.count("GET", "/top") - before
        assert 10 <= looks <= 16
        # Nobody looks, so nothing is asked; the first look afterwards asks once.
        await page.evaluate("Object.defineProperty(document, 'hidden', { get: () => window.away, configurable: true })")
        await page.evaluate("window.away = true; document.dispatchEvent(new Event('visibilitychange'))")
        before = local.recorder.count("GET", "/top")
        await page.clock.run_for(600_000)
        await asyncio.sleep(0.1)
        assert local.recorder.count("GET", "/top") == before
        await page.evaluate("window.away = false; document.dispatchEvent(new Event('visibilitychange'))")
        await page.clock.run_for(100)
        await asyncio.sleep(0.3)
        assert local.recorder.count("GET", "/top") == before + 1


async def test_a_look_that_finds_nothing_new_costs_no_body(local: Stack, visitor: BrowserContext) -> None:
    """The browser asks with what it has, by itself: 304, and no preflight."""
    local.submit("kept", "p1", 5)
    page = await shown(visitor, local, 'board="kept"')
    local.recorder.seen.clear()
    await page.evaluate("document.querySelector('laurel-board').refresh()")
    assert [(one.method, one.path, one.status) for one in local.recorder.seen] == [("GET", "/top", 304)]
    assert len(await texts(page, "tbody tr")) == 1


async def counting(local: Stack, visitor: BrowserContext) -> tuple[Page, Locator]:
    """Show a board that always resets in 3,725 s, on a clock of its own; return the page and the countdown."""
    page = await visitor.new_page()
    await page.clock.install()

    async def soon(route: Any) -> None:
        answer = await route.fetch()
        document = {**await answer.json(), "resets_in": 3725}
        await route.fulfill(response=answer, json=document)

    await page.route("**/top?*", soon)
    await embed(page, local, 'board="best" window="daily"')
    await page.clock.run_for(100)
    reset = page.locator("laurel-board").locator("[part=reset]")
    await expect(reset).to_have_text("Resets in 1h 2m")
    return page, reset


async def test_a_look_that_ends_after_the_period_delays_the_reset_no_further(
    local: Stack, visitor: BrowserContext
) -> None:
    """An answer of the old period that comes when it is over is no reason to wait for the next look."""
    page, reset = await counting(local, visitor)
    await page.clock.set_system_time(await page.evaluate("Date.now()") + 3_725_000)
    before = local.recorder.count("GET", "/top")
    await page.evaluate("document.querySelector('laurel-board').refresh()")
    await expect(reset).to_have_text("")
    await pass_time(page, 3, step=1)
    await expect(reset).to_contain_text("Resets in 1h")
    assert local.recorder.count("GET", "/top") == before + 2


async def test_the_countdown_runs_and_the_board_resets(local: Stack, visitor: BrowserContext) -> None:
    """It counts in the two largest units; at the end the new period is asked for, once."""
    page, reset = await counting(local, visitor)
    await pass_time(page, 600, step=8)
    await expect(reset).to_have_text(re.compile("Resets in 52m [0-4]s"))
    before = local.recorder.count("GET", "/top")
    await page.clock.fast_forward(52 * 60_000)
    await pass_time(page, 15)
    await expect(reset).to_contain_text("Resets in 1h")
    assert 1 <= local.recorder.count("GET", "/top") - before <= 3


async def test_elements_that_come_and_go_leave_nothing_running(local: Stack, visitor: BrowserContext) -> None:
    """An element that is removed asks for nothing more, and one that is put back shows again."""
    page = await shown(visitor, local, 'board="best" limit="2"')
    element: ElementHandle = await page.evaluate_handle("document.querySelector('laurel-board')")  # type: ignore[assignment]
    await element.evaluate("(one) => { one.remove(); window.one = one; }")
    local.recorder.seen.clear()
    await page.evaluate("dispatchEvent(new CustomEvent('laurel', { detail: { board: 'best' } }))")
    await asyncio.sleep(0.2)
    assert local.recorder.seen == []
    await page.evaluate("document.body.append(one)")
    await expect(page.locator("laurel-board").locator("tbody tr")).to_have_count(2)
    await asyncio.sleep(0.2)
    assert local.recorder.count("GET", "/top") == 1
