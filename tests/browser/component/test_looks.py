"""How `<laurel-board>` looks in Chromium: with hostile names, under a strict policy, in the light and in the dark."""

import pytest
from axe_playwright_python.async_playwright import Axe  # type: ignore[import-untyped]  # it has no hints
from playwright.async_api import Browser, BrowserContext, Page

from tests.browser.chromium import Stack, visit
from tests.browser.component.pages import HOSTILE, embed, own, shown

pytestmark = pytest.mark.needs("chromium")


async def widths(page: Page) -> tuple[int, int]:
    """Return how wide the page's content is, and how wide the window."""
    found: list[int] = await page.evaluate("[document.documentElement.scrollWidth, innerWidth]")
    return found[0], found[1]


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
