"""Pages that embed `<laurel-board>`, and what stands in it."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from playwright.async_api import BrowserContext, Locator, Page

from tests.browser.chromium import Stack, stack

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


@contextmanager
def peopled_stack() -> Iterator[Stack]:
    """Serve a stack with ten players on `best` and hostile names on `split`."""
    with stack() as running:
        for place in range(1, 11):
            running.submit("best", f"p{place}", 1000 * (11 - place), name=f"Player {place}")
        for index, (player, name) in enumerate(HOSTILE.items()):
            running.submit("split", player, 1234.5 - index, name=name, splits={"mode": "a"})
        yield running


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
