"""docs/clients.md: every request in it is sent, and its JavaScript runs as it stands in Chromium."""

import json
import re
from collections.abc import AsyncIterator, Iterator

import httpx
import pytest
from playwright.async_api import Browser, Page

from tests.browser.chromium import Stack, chromium, stack, until, visit
from tests.support.project import ROOT

TEXT = (ROOT / "docs" / "clients.md").read_text("utf-8")
PLACE = "https://laurel.example"
SECTIONS = dict(re.findall(r"^## (.+?)\n(.*?)(?=^## |\Z)", TEXT, re.MULTILINE | re.DOTALL))


def blocks(section: str, kind: str) -> list[str]:
    """Return the code blocks of a kind in a section."""
    return re.findall(rf"^```{kind}\n(.*?)^```", SECTIONS[section], re.MULTILINE | re.DOTALL)


REQUESTS = [(section, text) for section in SECTIONS for text in blocks(section, "http")]


@pytest.fixture(scope="module")
def running() -> Iterator[Stack]:
    """Give one stack with the shipped boards for the module."""
    with stack((ROOT / "boards.toml").read_text("utf-8")) as served:
        yield served


@pytest.fixture
def local(running: Stack) -> Stack:
    """Give the stack, empty."""
    running.clear()
    return running


@pytest.fixture(scope="module")
async def browser() -> AsyncIterator[Browser]:
    """Give one browser for the module."""
    async with chromium() as launched:
        yield launched


@pytest.fixture
async def page(browser: Browser, local: Stack) -> AsyncIterator[Page]:
    """Give a game's page, on another origin than the stack's."""
    async with visit(browser) as context:
        opened = await context.new_page()
        await opened.goto(local.game)
        yield opened


@pytest.mark.parametrize(("section", "text"), REQUESTS)
def test_every_request_is_answered(local: Stack, section: str, text: str) -> None:
    """What is said to go over the wire is accepted, as it stands."""
    head, _, body = text.partition("\n\n")
    line, *headers = head.strip().split("\n")
    method, path, _ = line.split(" ")
    answer = httpx.request(
        method,
        local.url + path,
        headers=dict(header.split(": ", 1) for header in headers),
        content=body.strip() or None,
        trust_env=False,
    )
    assert answer.status_code == 200, answer.text


@pytest.mark.parametrize(("section", "kind"), [("Godot", "gdscript"), ("Unity WebGL", "csharp")])
def test_what_engines_send_is_what_their_code_says(section: str, kind: str) -> None:
    """The code names the paths, the content type and the fields of the requests below it."""
    [code] = blocks(section, kind)
    for request in blocks(section, "http"):
        method, path = request.split(" ")[:2]
        for part in re.split(r"p3", path):
            assert part in code
        if method == "POST":
            assert "text/plain" in code
            for field in json.loads(request.partition("\n\n")[2]):
                assert re.search(rf"\b{field}\b", code), field


def test_no_snippet_makes_an_id_of_what_repeats_or_is_no_id() -> None:
    """A player may hold characters that an id may not, and a clock that counts from the start begins anew."""
    made = re.findall(r'^\s*"?id"?: (.*)$', TEXT, re.M)
    assert len(made) > 1
    for way in made:
        assert not re.search(r"player|ticks|[Tt]ime|now\(", way), way


@pytest.mark.needs("chromium")
@pytest.mark.parametrize("section", ["With laurel.js", "Plain fetch"])
async def test_scripts_submit(local: Stack, page: Page, section: str) -> None:
    """The snippet runs as a module of a page, and its score is on the board."""
    [code] = blocks(section, "js")
    await run(local, page, code)
    assert [(row["score"], row["name"]) for row in local.top("burrow", mode="time")] == [(1850, "Mina")]
    assert local.recorder.count("OPTIONS", "/submit") == 0


@pytest.mark.needs("chromium")
async def test_a_beacon_arrives(local: Stack, page: Page) -> None:
    """It is sent while the page goes away, without asking beforehand."""
    [code] = blocks("sendBeacon", "js")
    await run(local, page, code)
    await page.goto("about:blank")
    await until(lambda: [row["score"] for row in local.top("burrow")] == [1900])
    assert local.recorder.count("OPTIONS", "/submit") == 0


@pytest.mark.needs("chromium")
async def test_a_scene_shows_the_board(local: Stack, page: Page) -> None:
    """The Phaser scene submits and shows the day's rows; of Phaser only what it uses is there."""
    [code] = blocks("Phaser", "js")
    frame = """
      globalThis.label = { setText(text) { this.text = text; } };
      globalThis.Phaser = { Scene: class { add = { text: () => label }; } };
    """
    await page.evaluate(f"() => {{ {frame} }}")
    await run(local, page, code + "\nnew GameOver().create({ score: 2100, depth: 7 });")
    await page.wait_for_function("label.text !== undefined")
    assert await page.evaluate("label.text") == ["1  Mina  2100"]


@pytest.mark.needs("chromium")
async def test_the_embed_shows_the_board(local: Stack, page: Page) -> None:
    """The lines of HTML show a board on another origin's page."""
    local.submit("burrow", "p1", 5, name="Mina")
    local.pages.html["/embed"] = blocks("Show a board", "html")[0].replace(PLACE, local.url)
    await page.goto(local.game + "/embed")
    await page.locator("laurel-board tbody tr", has_text="Mina").wait_for()


async def run(local: Stack, page: Page, code: str) -> None:
    """Run a snippet as a module of the page, until it is through."""
    local.pages.scripts["/snippet.js"] = code.replace(PLACE, local.url)
    await page.evaluate("() => import('/snippet.js').then(() => undefined)")
