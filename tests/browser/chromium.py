"""Chromium, and the stack it talks to: the functions and static files on one origin, a game's own pages on another."""

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import ExitStack, asynccontextmanager, contextmanager
from dataclasses import dataclass
from typing import Any

import httpx
from playwright.async_api import Browser, BrowserContext, Page, async_playwright
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from functions.web import app
from lib.access.rate_limits import Blocked
from lib.boards.toml_file import parse_boards
from lib.deployment import Deployment
from lib.reading.page_cache import KeptPages
from lib.settings import Settings
from tests.conftest import require
from tests.support.project import ROOT
from tests.support.servers import serve
from tools.dev.static_files import StaticSite
from tools.upstash_emulator.backends import MemoryBackend
from tools.upstash_emulator.endpoint import Endpoint, make_endpoint

PUBLIC = ROOT / "public"
TOKEN = "a-token-for-tests"
BOARDS = """
[board.best]
windows = ["all", "daily"]
[board.sum]
keep = "sum"
score = { max = 1000000 }
[board.cached]
cache = "10m"
[board.kept]
cache = "10m"
[board.ticket]
auth = "ticket"
[board.strict]
limits = { per_ip = "2/2s" }
[board.split]
name = { max = 96 }
meta = { depth = "int" }
[board.split.splits]
mode = ["a", "b"]
"""


@dataclass
class Seen:
    """One request that reached the functions, and what they answered."""

    method: str
    path: str
    headers: dict[str, str]
    status: int = 0


class Recorder:
    """The functions of a deployment, and a note of every request to them."""

    def __init__(self, deployment: Deployment) -> None:
        self.deployment = deployment
        self.app = app.on(deployment)
        self.seen: list[Seen] = []

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one ASGI connection."""
        if scope["type"] == "lifespan":
            await self._live(receive, send)
            return
        request = Request(scope)
        seen = Seen(request.method, request.url.path, dict(request.headers))
        self.seen.append(seen)

        async def note(message: Message) -> None:
            seen.status = message.get("status", seen.status)
            await send(message)

        await self.app(scope, receive, note)

    async def _live(self, receive: Receive, send: Send) -> None:
        while (kind := (await receive())["type"]) != "lifespan.shutdown":
            await send({"type": f"{kind}.complete"})
        await self.deployment.store.upstash.close()  # on the loop that opened its connections
        await send({"type": f"{kind}.complete"})

    def count(self, method: str, path: str) -> int:
        """Return how many such requests there were."""
        return sum(seen.method == method and seen.path == path for seen in self.seen)


class Switch:
    """The endpoint, which answers nothing but 503 while it is `down`."""

    def __init__(self, endpoint: Endpoint) -> None:
        self.endpoint = endpoint
        self.down = False

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one ASGI connection."""
        answer: ASGIApp = self.endpoint
        if self.down and scope["type"] == "http":
            answer = Response("down", 503)
        await answer(scope, receive, send)


class Pages:
    """The pages of a game, on an origin of their own; `policy` is sent as their Content-Security-Policy."""

    def __init__(self) -> None:
        self.html: dict[str, str] = {}
        self.scripts: dict[str, str] = {}
        self.policy: str | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one ASGI connection."""
        assert scope["type"] == "http"  # which tells the server that there is no lifespan
        path = scope["path"]
        headers = {"Content-Security-Policy": self.policy} if self.policy else {}
        if path in self.scripts:
            response = Response(self.scripts[path], media_type="text/javascript", headers=headers)
        else:
            response = HTMLResponse(self.html.get(path, "<!doctype html><title>Game</title>"), headers=headers)
        await response(scope, receive, send)


@dataclass
class Stack:
    """The local stack: `url` has the functions and the static files, `game` the pages of a game."""

    url: str
    game: str
    store: Switch
    recorder: Recorder
    pages: Pages
    deployment: Deployment

    def clear(self) -> None:
        """Begin again with nothing stored, nothing seen, and the store up."""
        self.store.down = False
        self.pages.policy = None
        httpx.post(
            self.deployment.settings.url,
            json=["FLUSHALL"],
            headers={"Authorization": f"Bearer {TOKEN}"},
            trust_env=False,
        ).raise_for_status()
        self.deployment.pages, self.deployment.blocked = KeptPages(), Blocked()
        self.recorder.seen.clear()

    def post(self, path: str, **body: Any) -> dict[str, Any]:
        """Post a body past the browser; the answer must be a 200."""
        answer = httpx.post(self.url + path, json=body, trust_env=False)
        assert answer.status_code == 200, answer.text
        document: dict[str, Any] = answer.json()
        return document

    def submit(self, board: str, player: str, score: float, **more: Any) -> dict[str, Any]:
        """Submit past the browser."""
        return self.post("/submit", board=board, player=player, score=score, **more)

    def top(self, board: str, **query: Any) -> list[dict[str, Any]]:
        """Return the rows of a board."""
        answer = httpx.get(self.url + "/top", params={"board": board, "v": "x", **query}, trust_env=False)
        assert answer.status_code == 200, answer.text
        rows: list[dict[str, Any]] = answer.json()["entries"]
        return rows


@contextmanager
def stack(boards: str = BOARDS, **settings: Any) -> Iterator[Stack]:
    """Serve the whole local stack over a Redis in memory, for as long as the block lasts."""
    with ExitStack() as servers:
        store = Switch(make_endpoint(MemoryBackend(), TOKEN))
        settings = {"secrets": ("a-secret-for-tests",), **settings}
        endpoint = servers.enter_context(serve(store))
        deployment = Deployment(Settings(url=endpoint, token=TOKEN, **settings), parse_boards(boards))
        recorder = Recorder(deployment)
        url = servers.enter_context(serve(StaticSite(recorder, PUBLIC)))
        pages = Pages()
        game = servers.enter_context(serve(pages))
        yield Stack(url, game, store, recorder, pages, deployment)


@asynccontextmanager
async def chromium() -> AsyncIterator[Browser]:
    """Run the machine's own Chromium."""
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(
            executable_path=require("chromium"), args=["--no-sandbox", "--font-render-hinting=none"]
        )
        yield browser
        await browser.close()


@asynccontextmanager
async def visit(browser: Browser, **options: Any) -> AsyncIterator[BrowserContext]:
    """Give a visitor with storage of their own."""
    context = await browser.new_context(**options)
    yield context
    await context.close()


async def open_game(context: BrowserContext, stack: Stack, path: str = "/") -> Page:
    """Open a game's page with `laurel` and `LaurelError` of the stack in its scope."""
    page = await context.new_page()
    await page.goto(stack.game + path)
    await load(page, stack)
    return page


async def load(page: Page, stack: Stack) -> None:
    """Put `laurel`, `LaurelError` and the stack's `url` into a page's scope."""
    await page.evaluate("async (url) => Object.assign(window, await import(url + '/laurel.js'), { url })", stack.url)


async def pass_time(page: Page, seconds: float, *, step: float = 3) -> None:
    """Let a page's installed clock run; the network gets real time in between, for its deadlines run along."""
    passed = 0.0
    while passed < seconds:
        await page.clock.run_for(round(min(step, seconds - passed) * 1000))
        await asyncio.sleep(0.03)
        passed += step


async def until(holds: Callable[[], bool], seconds: float = 10) -> None:
    """Wait until something holds; fail when it does not."""
    deadline = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < deadline, "it did not come to that"
        await asyncio.sleep(0.02)
