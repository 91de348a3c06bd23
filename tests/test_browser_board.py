"""`<laurel-board>` in Chromium, on a game's page of another origin and under a strict policy."""

import asyncio
import re
from collections.abc import AsyncIterator, Iterator
from typing import Any

import pytest
from axe_playwright_python.async_playwright import Axe  # type: ignore[import-untyped]
from playwright.async_api import Browser, BrowserContext, ElementHandle, Locator, Page, expect

from tests.browser import Stack, chromium, open_game, pass_time, stack, visit

pytestmark = pytest.mark.needs("chromium")

HOSTILE = {
    "img": "<img src=x onerror=alert()>",
    "proto": "__proto__",
    "rtl": "شهرزاد (١٢٣)!",
    "emoji": "🦊🐇🦉🌿🍄🌰🦔🦝🦫🐾🌲🍂🦊🐇🦉🌿🍄🌰🦔🦝🦫🐾🌲🍂",
    "wide": "W" * 40,
    "thin": "i" * 40,
    "joined": "👩‍👩‍👧‍👦👩‍👩‍👧‍👦",
    "plain": "Ana",
}


@pytest.fixture(scope="module")
async def browser() -> AsyncIterator[Browser]:
    """Give one browser for the module."""
    async with chromium() as launched:
        yield launched


@pytest.fixture(scope="module")
def local() -> Iterator[Stack]:
    """Give one stack for the module: ten players on `best`, hostile names on `split`."""
    with stack() as running:
        for place in range(1, 11):
            running.submit("best", f"p{place}", 1000 * (11 - place), name=f"Player {place}")
        for index, (player, name) in enumerate(HOSTILE.items()):
            running.submit("split", player, 1234.5 - index, name=name, splits={"mode": "a"})
        yield running


@pytest.fixture
async def visitor(browser: Browser) -> AsyncIterator[BrowserContext]:
    """Give a visitor with a phone."""
    async with visit(browser, viewport={"width": 390, "height": 844}, locale="en-GB") as context:
        yield context


def html(local: Stack, attributes: str, *, lang: str = "en", more: str = "") -> str:
    """Return a page that embeds the component, in three lines."""
    return f"""<!doctype html><html lang="{lang}"><meta name="viewport" content="width=device-width"><title>Game</title>
<main><h1>Game</h1>
<script type="module" src="{local.url}/laurel-board.js"></script>
<laurel-board src="{local.url}" {attributes}></laurel-board></main>{more}"""


async def shown(context: BrowserContext, local: Stack, attributes: str, **more: Any) -> Page:
    """Open a page with the component and wait until it shows something."""
    page = await context.new_page()
    await embed(page, local, attributes, **more)
    await page.locator("laurel-board").locator("table, [part=empty], [role=alert]").first.wait_for()
    return page


async def embed(page: Page, local: Stack, attributes: str, *, path: str = "/board", **more: Any) -> None:
    """Go to a page with the component."""
    local.pages.html[path] = html(local, attributes, **more)
    await page.goto(local.game + path)


async def texts(page: Page, selector: str) -> list[str]:
    """Return the texts of all elements in the component that match."""
    return [text.strip() for text in await page.locator("laurel-board").locator(selector).all_inner_texts()]


def own(page: Page) -> Locator:
    """Return the rows that are the player's own."""
    return page.locator("laurel-board").locator('tr[aria-current="true"]')


async def widths(page: Page) -> tuple[int, int]:
    """Return how wide the page's content is, and how wide the window."""
    found: list[int] = await page.evaluate("[document.documentElement.scrollWidth, innerWidth]")
    return found[0], found[1]


async def test_one_real_table_in_an_open_shadow_root(local: Stack, visitor: BrowserContext) -> None:
    """Ranks, names and scores stand in the cells of a table with heads."""
    page = await shown(visitor, local, 'board="best" limit="3"')
    assert (
        await page.evaluate("document.querySelector('laurel-board').shadowRoot.querySelectorAll('table').length") == 1
    )
    assert await texts(page, "th") == ["Rank", "Player", "Score"]
    assert await texts(page, "tbody td:nth-child(1)") == ["1", "2", "3"]
    assert await texts(page, "tbody td:nth-child(2)") == ["Player 1", "Player 2", "Player 3"]
    assert await texts(page, "tbody td:nth-child(3)") == ["10,000", "9,000", "8,000"]
    assert await own(page).count() == 0
    assert await texts(page, "[part=total]") == ["10 ranked"]


@pytest.mark.parametrize(
    ("player", "ranks", "mine"),
    [
        ("p2", ["1", "2", "3"], "Player 2"),
        ("p4", ["1", "2", "3", "4", "5"], "Player 4"),
        ("p8", ["1", "2", "3", "7", "8", "9"], "Player 8"),
        ("p10", ["1", "2", "3", "9", "10"], "Player 10"),
    ],
)
async def test_the_own_row_is_always_there(
    local: Stack, visitor: BrowserContext, player: str, ranks: list[str], mine: str
) -> None:
    """On the page it is marked; off the page it follows with its neighbours, nobody shown twice."""
    page = await shown(visitor, local, f'board="best" limit="3" player="{player}"')
    assert await texts(page, "tbody td:nth-child(1)") == ranks
    assert await own(page).locator("td").nth(1).inner_text() == mine


async def test_an_unknown_player_changes_nothing(local: Stack, visitor: BrowserContext) -> None:
    """Whoever is not ranked has no row, and that is no error."""
    page = await shown(visitor, local, 'board="best" limit="3" player="nobody"')
    assert await texts(page, "tbody td:nth-child(1)") == ["1", "2", "3"]
    assert await own(page).count() == 0


async def test_tabs_by_mouse_and_by_keyboard(local: Stack, visitor: BrowserContext) -> None:
    """One tab is selected, arrows, Home and End move, and the countdown is of the period that is shown."""
    page = await shown(visitor, local, 'board="best" windows="all,daily" limit="2"')
    tabs = page.locator("laurel-board").get_by_role("tab")
    assert await tabs.all_inner_texts() == ["All time", "Today"]
    selected = page.locator("laurel-board").locator('[role=tab][aria-selected="true"]')
    await expect(selected).to_have_text("All time")
    await expect(page.locator("laurel-board").locator("[part=reset]")).to_be_empty()
    await tabs.nth(1).click()
    await expect(selected).to_have_text("Today")
    await expect(page.locator("laurel-board").locator("[part=reset]")).to_contain_text("Resets in")
    for key, wanted in (
        ("ArrowRight", "All time"),
        ("ArrowLeft", "Today"),
        ("Home", "All time"),
        ("End", "Today"),
        ("ArrowLeft", "All time"),
    ):
        await page.keyboard.press(key)
        await expect(selected).to_have_text(wanted)
        await expect(selected).to_be_focused()
    assert await page.locator("laurel-board").get_attribute("window") == "all"
    await expect(page.locator("laurel-board").locator("[part=reset]")).to_be_empty()
    panel = page.locator("laurel-board").get_by_role("tabpanel")
    assert await panel.get_attribute("aria-labelledby") == await selected.get_attribute("id")


async def test_an_empty_board_and_an_error_say_so(local: Stack, visitor: BrowserContext) -> None:
    """Neither leaves a blank: a text, or an alert; when the board can be read again the alert goes away."""
    page = await shown(visitor, local, 'board="sum"')
    assert await texts(page, "[part=empty]") == ["No scores yet. The first place is free."]
    assert await page.locator("laurel-board").locator("[role=alert]").count() == 0
    page = await shown(visitor, local, 'board="nope"')
    assert await texts(page, "[role=alert]") == ["This leaderboard cannot be shown."]
    local.store.down = True
    page = await visitor.new_page()
    await page.clock.install()
    await embed(page, local, 'board="best" label-error="Gerade nicht"')
    await page.clock.run_for(100)
    await expect(page.locator("laurel-board").locator("[role=alert]")).to_have_text("Gerade nicht")
    local.store.down = False
    await pass_time(page, 30)
    await expect(page.locator("laurel-board").locator("tbody tr")).to_have_count(10)
    assert await page.locator("laurel-board").locator("[role=alert]").count() == 0


async def test_an_error_leaves_what_is_shown(local: Stack, visitor: BrowserContext) -> None:
    """A refresh that fails adds an alert, and takes nothing away."""
    page = await shown(visitor, local, 'board="best" limit="3"')
    local.store.down = True
    await page.evaluate("document.querySelector('laurel-board').refresh()")
    local.store.down = False
    assert await page.locator("laurel-board").locator("[role=alert]").count() == 1
    assert len(await texts(page, "tbody tr")) == 3


async def test_names_are_text_and_nothing_scrolls_sideways(local: Stack, visitor: BrowserContext) -> None:
    """Markup stays text, other directions stay in their cell, and 40 W's wrap, at 390 and at 320 pixels."""
    dialogs: list[str] = []
    visitor.on("dialog", lambda dialog: dialogs.append(dialog.message))
    page = await shown(visitor, local, 'board="split" player="wide"')
    names = await page.locator("laurel-board").locator("bdi").all_text_contents()
    assert names == list(HOSTILE.values())
    assert await page.locator("laurel-board").locator("img, script").count() == 0
    assert dialogs == []
    for width in (390, 320):
        await page.set_viewport_size({"width": width, "height": 844})
        assert (await widths(page))[0] <= width
        inside = await page.evaluate(
            """() => {
              const root = document.querySelector("laurel-board").shadowRoot;
              const edge = document.querySelector("laurel-board").getBoundingClientRect().right;
              return [...root.querySelectorAll("*")].every((one) => one.getBoundingClientRect().right <= edge + 0.5);
            }"""
        )
        assert inside
    left = await page.evaluate(
        """[...document.querySelector("laurel-board").shadowRoot.querySelectorAll("bdi")]
             .map((one) => Math.round(one.getBoundingClientRect().left))"""
    )
    assert len(set(left)) == 1


async def test_scores_are_written_as_asked(local: Stack, visitor: BrowserContext) -> None:
    """Numbers in the page's language, points with their word, times with as many decimals as any of the page."""
    page = await shown(visitor, local, 'board="best" limit="1" format="points" label-points="{n} Punkte"', lang="de")
    assert await texts(page, "tbody td:nth-child(3)") == ["10.000 Punkte"]
    page = await shown(visitor, local, 'board="split" limit="2" format="time"')
    assert await texts(page, "tbody td:nth-child(3)") == ["20:34.5", "20:33.5"]
    page = await shown(visitor, local, 'board="best" limit="2" format="time"')
    assert await texts(page, "tbody td:nth-child(3)") == ["2:46:40", "2:30:00"]
    page = await shown(visitor, local, 'board="best" limit="2" format="time" unit="ms"')
    assert await texts(page, "tbody td:nth-child(3)") == ["0:10", "0:09"]


async def test_labels_are_translated_by_attributes(local: Stack, visitor: BrowserContext) -> None:
    """Every word comes from an attribute where there is one, also when it changes."""
    page = await shown(
        visitor,
        local,
        'board="best" limit="2" windows="daily,all" player="p1" label-rank="Platz" label-player="Name" '
        'label-score="Punkte" label-daily="Heute" label-all="Ewig" label-title="Bestenliste" '
        'label-total="{n} dabei" label-resets="Neu in {time}" label-you="Du"',
        lang="de",
    )
    assert await texts(page, "th") == ["Platz", "Name", "Punkte"]
    assert await texts(page, "[role=tab]") == ["Heute", "Ewig"]
    assert await texts(page, "caption") == ["Bestenliste"]
    assert await texts(page, "[part=total]") == ["10 dabei"]
    assert (await texts(page, "[part=reset]"))[0].startswith("Neu in ")
    await page.evaluate("document.querySelector('laurel-board').setAttribute('label-rank', 'Rang')")
    await expect(page.locator("laurel-board").locator("th").first).to_have_text("Rang")


async def test_it_works_under_a_strict_policy(local: Stack, visitor: BrowserContext) -> None:
    """With nothing allowed but its scripts and its requests it looks and works as ever, without a complaint."""
    page = await visitor.new_page()
    complaints: list[str] = []
    page.on("console", lambda message: complaints.append(message.text) if message.type == "error" else None)
    local.pages.policy = f"default-src 'none'; script-src {local.url}; connect-src {local.url}"
    try:
        await embed(page, local, 'board="split" player="rtl" windows="all"')
    finally:
        local.pages.policy = None
    await page.locator("laurel-board").locator("tbody tr").nth(7).wait_for()
    style = await own(page).locator("td").first.evaluate("(cell) => getComputedStyle(cell).backgroundColor")
    assert style == "rgb(230, 243, 233)"
    assert [text for text in complaints if "favicon" not in text] == []


async def test_light_dark_and_custom_properties(local: Stack, browser: Browser) -> None:
    """It follows the system; a page changes colours by properties and parts."""
    looks = {}
    for scheme in ("light", "dark"):
        async with visit(browser, color_scheme=scheme) as context:
            page = await shown(context, local, 'board="best" limit="2"')
            host = page.locator("laurel-board")
            looks[scheme] = await host.evaluate("(one) => getComputedStyle(one).backgroundColor")
            rules = "laurel-board { --laurel-background: #123456 } laurel-board::part(name) { color: #654321 }"
            page = await shown(context, local, 'board="best" limit="2"', more=f"<style>{rules}</style>")
            host = page.locator("laurel-board")
            assert await host.evaluate("(one) => getComputedStyle(one).backgroundColor") == "rgb(18, 52, 86)"
            name = host.locator("td").nth(1)
            assert await name.evaluate("(one) => getComputedStyle(one).color") == "rgb(101, 67, 33)"
    assert looks == {"light": "rgb(255, 255, 255)", "dark": "rgb(25, 29, 24)"}


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


async def test_the_countdown_runs_and_the_board_resets(local: Stack, visitor: BrowserContext) -> None:
    """It counts in the two largest units; at the end the new period is asked for, once."""
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
    await pass_time(page, 600, step=8)
    await expect(reset).to_have_text(re.compile("Resets in 52m [0-4]s"))
    before = local.recorder.count("GET", "/top")
    await page.clock.fast_forward(52 * 60_000)
    await pass_time(page, 15)
    await expect(reset).to_contain_text("Resets in 1h")
    assert 1 <= local.recorder.count("GET", "/top") - before <= 3


async def test_axe_finds_nothing(local: Stack, browser: Browser) -> None:
    """The component has no violations, in the light, in the dark, with an alert and empty."""
    for scheme in ("light", "dark"):
        async with visit(browser, color_scheme=scheme, viewport={"width": 390, "height": 844}) as context:
            for attributes in (
                'board="best" windows="all,daily" limit="4" player="p8" label-title="Best"',
                'board="split" player="emoji"',
                'board="sum"',
                'board="nope"',
            ):
                dark = "<style>body { background: #0d0f0c; color: #eee }</style>" if scheme == "dark" else ""
                page = await shown(context, local, attributes, more=dark)
                results = await Axe().run(page)
                assert results.violations_count == 0, results.generate_report()
                await page.close()


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
