"""What people see, at phone and desktop width, in the light and in the dark, next to pictures that were looked at.

`SCREENS=write` in the environment takes the pictures anew; look at them before they become the reference. Fonts differ
from machine to machine, so what is compared is coarse: the colours of a grid, and the height.
"""

import base64
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

import pytest
from playwright.async_api import Browser, BrowserContext, Page

from tests.browser.chromium import Stack, pass_time, stack, visit
from tests.support.project import ROOT

pytestmark = pytest.mark.needs("chromium")

SCREENS = Path(__file__).parent / "screens"
WIDTHS = {"phone": 390, "desktop": 1200}
FURTHEST = 10
"""How far apart two pictures' cells may be on average, of 255."""
TALLER = 0.15
"""How much taller or shorter one may be than the other."""

BOARDS = """
[board.names]
windows = ["daily", "all"]
name = { max = 96 }
[board.times]
order = "asc"
[board.empty]
"""
NAMES = {
    "Ana Lucía": 24000,
    "🦊🐇🦉🌿🍄🌰🦔🦝🦫🐾🌲🍂🦊🐇🦉🌿🍄🌰🦔🦝🦫🐾🌲🍂": 22630,
    "<img src=x onerror=alert(1)>": 21260,
    "شهرزاد (١٢٣)!": 19890,
    "__proto__": 18520,
    "W" * 40: 17150,
    "i" * 40: 15780,
    "Mina": 14410,
    "Noor": 13040,
    "Grace": 11670,
    "Ida": 10300,
}
SEEDED = "let seed = 7; Math.random = () => (seed = (seed * 16807) % 2147483647) / 2147483647;"
# Draws both pictures on a coarse grid; returns the mean distance of their cells, and the ratio of their heights.
COMPARE = """async ([one, other]) => {
  const pixels = async (data) => {
    const image = await createImageBitmap(await (await fetch("data:image/png;base64," + data)).blob());
    const small = new OffscreenCanvas(24, 48);
    const pen = small.getContext("2d");
    pen.imageSmoothingQuality = "high";
    pen.drawImage(image, 0, 0, 24, 48);
    return { cells: pen.getImageData(0, 0, 24, 48).data, height: image.height };
  };
  const [a, b] = [await pixels(one), await pixels(other)];
  const apart = a.cells.reduce((sum, value, i) => sum + Math.abs(value - b.cells[i]), 0) / a.cells.length;
  return [apart, a.height / b.height];
}"""


@pytest.fixture(scope="module")
def showcase() -> Iterator[Stack]:
    """Give a stack with names of every kind, times, and nothing."""
    with stack(BOARDS) as running:
        for index, (name, score) in enumerate(NAMES.items()):
            running.submit("names", f"p{index}", score, name=name)
            running.submit("times", f"p{index}", 61 + index * 7.25, name=name[:24])
        running.pages.html["/"] = f"""<!doctype html><html lang="en"><meta name="viewport" content="width=device-width">
<title>Boards</title><style>
  body {{ display: grid; gap: 1rem; max-width: 60rem; margin: 1rem auto; padding: 0 1rem; background: #f6f5ef }}
  @media (min-width: 50rem) {{ body {{ grid-template-columns: 1fr 1fr; align-items: start }} }}
  @media (prefers-color-scheme: dark) {{ body {{ background: #10130f }} }}
</style><script type="module" src="{running.url}/laurel-board.js"></script>
<laurel-board src="{running.url}" board="names" windows="daily,all" limit="7" player="p9" label-title="Names">
</laurel-board>
<laurel-board src="{running.url}" board="times" format="time" limit="5" player="p0"></laurel-board>
<laurel-board src="{running.url}" board="empty" windows="all"></laurel-board>
<laurel-board src="{running.url}" board="nothing"></laurel-board>"""
        yield running


@pytest.fixture(scope="module")
def demo() -> Iterator[Stack]:
    """Give a stack with the shipped boards, played by some."""
    with stack((ROOT / "boards.toml").read_text("utf-8")) as running:
        for index, name in enumerate(
            ("Ana Lucía", "Mina", "Tomasz", "شهرزاد", "🦊 Fuchs", "Bo", "Priya", "Lou", "Sam")
        ):
            running.submit("burrow", f"p{index}", 24000 - 1370 * index, name=name, splits={"mode": "time"})
        yield running


async def same(context: BrowserContext, page: Page, name: str) -> None:
    """Compare a whole page with its picture, or take the picture; nothing may be wider than the window."""
    assert await page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    taken = await page.screenshot(full_page=True)
    path = SCREENS / f"{name}.png"
    if os.environ.get("SCREENS") == "write":
        path.write_bytes(taken)
    judge = await context.new_page()
    apart, ratio = await judge.evaluate(
        COMPARE, [base64.b64encode(picture).decode() for picture in (taken, path.read_bytes())]
    )
    assert apart <= FURTHEST
    assert abs(ratio - 1) <= TALLER


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", WIDTHS)
async def test_boards(browser: Browser, showcase: Stack, scheme: Literal["light", "dark"], size: str) -> None:
    """Tabs, names of every kind, an own row off the page, times, an empty board, and one that is not there."""
    viewport = {"width": WIDTHS[size], "height": 900}
    async with visit(browser, color_scheme=scheme, viewport=viewport, locale="en") as context:
        page = await context.new_page()
        await page.goto(showcase.game)
        for part in ('tr[aria-current="true"]', "[part=empty]", "[role=alert]"):
            await page.locator("laurel-board").locator(part).first.wait_for()
        await same(context, page, f"boards-{size}-{scheme}")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", WIDTHS)
async def test_demo(browser: Browser, demo: Stack, scheme: Literal["light", "dark"], size: str) -> None:
    """The page as a newcomer finds it, two seconds in."""
    viewport = {"width": WIDTHS[size], "height": 900}
    async with visit(browser, color_scheme=scheme, viewport=viewport, locale="en") as context:
        await context.add_init_script(SEEDED)
        page = await context.new_page()
        await page.clock.install()
        await page.clock.pause_at(2_000_000_000)
        await page.goto(demo.url)
        await pass_time(page, 2, step=0.2)
        await page.locator("laurel-board").locator("tbody tr").nth(7).wait_for()
        await same(context, page, f"demo-{size}-{scheme}")
