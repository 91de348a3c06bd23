"""The demo page and the reference page in Chromium: a whole game, what it cost, nothing from elsewhere."""

from collections.abc import AsyncIterator, Iterator

import pytest
from axe_playwright_python.async_playwright import Axe  # type: ignore[import-untyped]  # it has no hints
from playwright.async_api import Browser, BrowserContext, Page, Request, Response, expect

from tests.browser.chromium import Stack, pass_time, stack, visit
from tests.support.project import ROOT

pytestmark = pytest.mark.needs("chromium")

OTHERS = {"Ana": 24000, "Bo": 20000, "Kim": 10}


@pytest.fixture
def local() -> Iterator[Stack]:
    """Give a stack with the shipped boards, on which two have scored much and one little."""
    with stack((ROOT / "boards.toml").read_text("utf-8")) as running:
        for name, score in OTHERS.items():
            running.submit("burrow", name, score, name=name, splits={"mode": "time"})
        yield running


@pytest.fixture
async def visitor(browser: Browser) -> AsyncIterator[BrowserContext]:
    """Give a visitor with a phone."""
    async with visit(browser, viewport={"width": 390, "height": 844}, has_touch=True, locale="en") as context:
        yield context


async def opened(context: BrowserContext, local: Stack) -> tuple[Page, list[str]]:
    """Open the demo with a clock that the test moves; give the page, and what goes wrong on it."""
    page = await context.new_page()
    faults: list[str] = []
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.on("console", lambda message: faults.append(message.text) if message.type == "error" else None)
    await page.clock.install()
    await page.goto(local.url)
    await pass_time(page, 0.2, step=0.1)
    return page, faults


async def played(page: Page) -> None:
    """Let a game run until it is over: nobody steers, and rocks take time."""
    save = page.locator("#save")
    for _ in range(30):
        if await save.is_visible():
            return
        await pass_time(page, 2.5, step=2.5)
    await expect(save).to_be_visible()


def answers_of(page: Page) -> dict[str, int]:
    """Return a mapping that fills with every address a page asks for, and the status of its answer."""
    answers: dict[str, int] = {}

    def ask(request: Request) -> None:
        answers.setdefault(request.url, 200)

    def note(answer: Response) -> None:
        answers[answer.url] = answer.status

    page.on("request", ask)
    page.on("response", note)
    return answers


async def test_a_full_game(local: Stack, visitor: BrowserContext) -> None:
    """Start, play with keys, submit, and see oneself with the right rank; a reload keeps the player."""
    page, faults = await opened(visitor, local)
    game, board = page.locator("#game"), page.locator("laurel-board")
    await expect(board.locator("tbody tr")).to_have_count(3)
    await page.get_by_role("button", name="Dig!").click()
    assert "playing" in (await game.get_attribute("class") or "")
    await page.keyboard.down("ArrowLeft")
    await pass_time(page, 1, step=0.5)
    await page.keyboard.up("ArrowLeft")
    await page.keyboard.press("ArrowRight", delay=1)
    await played(page)
    score = int((await page.locator("#score").inner_text()).replace(",", ""))
    assert score > 100
    await page.fill("#name", "<b>Grace</b>")
    await page.get_by_role("button", name="Save").click()
    await expect(page.locator("#message")).to_have_text("You are 3rd of 4 today.")
    await pass_time(page, 0.5, step=0.1)
    mine = board.locator('tr[aria-current="true"]')
    await expect(mine.locator("td")).to_have_text(["3", "<b>Grace</b>", f"{score:,}"])
    stored = next(row for row in local.top("burrow", window="daily") if row["name"] == "<b>Grace</b>")
    assert (stored["score"], stored["meta"]["ship"]) == (score, "mole")
    assert local.recorder.count("POST", "/start") == local.recorder.count("POST", "/submit") - len(OTHERS) == 1
    await page.reload()
    await pass_time(page, 0.5, step=0.1)
    await expect(mine).to_contain_text("Grace")
    assert await page.input_value("#name") == "<b>Grace</b>"
    assert faults == []


async def test_it_is_played_with_a_finger(local: Stack, visitor: BrowserContext) -> None:
    """Dragging steers the mole, which leaves its way to the right; no part of the page scrolls sideways."""
    page, faults = await opened(visitor, local)
    await page.get_by_role("button", name="Dig!").tap()
    canvas = page.locator("#canvas")
    box = await canvas.bounding_box()
    assert box
    await page.mouse.move(box["x"] + 200, box["y"] + 100)
    await page.mouse.down()
    await page.mouse.move(box["x"] + box["width"] - 30, box["y"] + 120)
    await pass_time(page, 1.2, step=0.2)
    # The mole has pink hands: look for them where the finger is, and on the other side.
    at = """(canvas, part) => {
      const { width, height } = canvas;
      const strip = canvas.getContext("2d").getImageData(width * part, height * 0.26, width * 0.2, height * 0.1).data;
      let pink = 0;
      for (let i = 0; i < strip.length; i += 4)
        pink += strip[i] > 200 && strip[i + 1] > 130 && strip[i + 1] < 190 && strip[i + 2] > 120 && strip[i + 2] < 180;
      return pink;
    }"""
    assert await canvas.evaluate(at, 0.78) > 50
    assert await canvas.evaluate(at, 0.05) < 50
    assert await page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert faults == []


async def test_every_request_stands_next_to_its_cost(local: Stack, visitor: BrowserContext) -> None:
    """The panel shows method, path, status and commands, with body and answer inside, and adds them up."""
    page, _ = await opened(visitor, local)
    first = page.locator("#requests li").last
    await expect(first.locator(".what")).to_contain_text("GET /top?board=burrow&window=daily")
    await expect(first.locator(".cost")).to_have_text("2 commands")
    await expect(page.locator("#total")).to_have_text("1 request, 2 commands on the store since you came.")
    await first.locator("summary").click()
    await expect(first.locator("pre")).to_contain_text('"total": 3')
    await page.get_by_role("button", name="Dig!").click()
    await pass_time(page, 0.2, step=0.1)
    start = page.locator("#requests li", has_text="POST /start")
    await expect(start.locator(".cost")).to_contain_text("command")
    assert '"board": "burrow"' in (await start.locator("pre").text_content() or "")
    before = local.store.endpoint.meter.billed
    await page.evaluate("document.querySelector('laurel-board').refresh()")
    cost = int((await page.locator("#requests li .cost").first.inner_text()).split()[0])
    assert local.store.endpoint.meter.billed - before == cost


async def test_offline_the_score_is_kept(local: Stack, visitor: BrowserContext) -> None:
    """Without a network the game says that the score goes out later, and it does."""
    page, _ = await opened(visitor, local)
    await page.get_by_role("button", name="Dig!").click()
    await played(page)
    await visitor.set_offline(True)
    await page.get_by_role("button", name="Save").click()
    await expect(page.locator("#message")).to_contain_text("kept")
    await visitor.set_offline(False)
    await pass_time(page, 1, step=0.2)
    assert len(local.top("burrow")) == 4


@pytest.mark.parametrize("path", ["/", "/docs.html"])
async def test_pages_fetch_nothing_from_elsewhere_and_axe_finds_nothing(
    local: Stack, browser: Browser, path: str
) -> None:
    """All requests go to the own origin, all succeed, and there are no violations in the light and in the dark."""
    for scheme, width in (("light", 1200), ("dark", 390)):
        async with visit(browser, color_scheme=scheme, viewport={"width": width, "height": 900}) as context:
            page = await context.new_page()
            answers = answers_of(page)
            await page.goto(local.url + path)
            await page.locator("laurel-board tbody tr, #problems").first.wait_for()
            assert answers
            assert [url for url in answers if not url.startswith(local.url + "/")] == []
            assert {status for status in answers.values() if status not in (200, 304)} == set()
            assert await page.evaluate("document.documentElement.scrollWidth <= innerWidth")
            results = await Axe().run(page)
            assert results.violations_count == 0, results.generate_report()


async def test_the_reference_shows_all_routes(local: Stack, visitor: BrowserContext) -> None:
    """What openapi.json knows stands on the page."""
    page = await visitor.new_page()
    await page.goto(local.url + "/docs.html")
    await page.locator("#problems").wait_for()
    paths = await page.locator("h2 .path").all_inner_texts()
    assert paths == ["/submit", "/start", "/top", "/rank", "/health"]
    await expect(page.locator("#top")).to_contain_text("limit")
    await expect(page.locator("#top")).to_contain_text("1 to 100")
    await expect(page.locator("#submit")).to_contain_text("score_out_of_range")


async def test_the_modules_may_be_loaded_by_any_page(local: Stack, visitor: BrowserContext) -> None:
    """The two modules carry the header for it."""
    for name in ("laurel.js", "laurel-board.js"):
        answer = await visitor.request.get(f"{local.url}/{name}")
        assert answer.headers["access-control-allow-origin"] == "*"
        assert answer.headers["content-type"].startswith("text/javascript")
