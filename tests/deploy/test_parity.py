"""The same requests get the same answers from `make dev`, on Vercel's runtime and on Lambda's."""

import asyncio
import json
import re
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest

from functions.web import app
from lib.boards.toml_file import parse_boards
from lib.deployment import Deployment
from lib.settings import Settings
from tests.deploy import fake_lambda, fake_vercel
from tests.deploy.builds import TOKEN, WatchedStore, dev_child, lambda_build, send, vercel_build, watched_store
from tests.deploy.fake_lambda import Answer, Sent
from tests.support.harness import NOON

BOARDS = """
[board.written]
splits = { mode = ["time", "words"] }
meta = { ship = "str" }

[board.read]
cache = "1h"
splits = { mode = ["time", "words"] }
"""
SETTINGS = {"LAUREL_ORIGINS": "https://game.example,null", "LAUREL_SECRET": "a-secret-of-thirty-two-characters"}
FUNCTIONS = ("submit", "start", "top", "rank", "health")
GAME = ("Origin", "https://game.example")
PREFLIGHT = (("Access-Control-Request-Method", "POST"), ("Access-Control-Request-Headers", "content-type"))
JSON = ("Content-Type", "application/json")

# What a server or a platform adds by itself, and what tells the time.
OWN_HEADERS = {"date", "server", "connection", "server-timing", "x-vercel-internal-timing"}
VARIES = re.compile(
    rb'"(latency_ms)":[0-9.]+|"(ticket|player|player_token)":"[\w.-]{18,}"|"(expires)":"[^"]*"|"(request_id)":"\w+"'
)


@dataclass(frozen=True)
class Case:
    """A request, and the status of its answer."""

    status: int
    sent: Sent


def get(status: int, path: str, *headers: tuple[str, str], method: str = "GET") -> Case:
    return Case(status, Sent(method=method, path=path, headers=headers))


def post(status: int, path: str, body: object, *headers: tuple[str, str]) -> Case:
    content = body if isinstance(body, bytes) else json.dumps(body, ensure_ascii=False).encode()
    return Case(status, Sent(method="POST", path=path, headers=headers, body=content))


RUN = {"board": "written", "player": "p1", "score": 1700, "id": "an-id-of-mine"}
CASES = {
    "a submission": post(200, "/submit", RUN, GAME, JSON),
    "its retry, as text/plain": post(200, "/submit", RUN, GAME, ("Content-Type", "text/plain;charset=UTF-8")),
    "without a content type": post(200, "/submit", {**RUN, "player": "p2", "id": "another-id"}),
    "names in Unicode": post(
        200, "/submit", {**RUN, "player": "p3", "name": "Zoë 🦔 漢字", "meta": {"ship": "é"}, "id": "a-third-id"}, JSON
    ),
    "a header in odd case": post(
        200, "/submit", {**RUN, "score": 1, "id": "a-fourth-id"}, ("cONTENT-tYPE", "TEXT/PLAIN")
    ),
    "an id for two": post(409, "/submit", {**RUN, "score": 3}, JSON),
    "no JSON": post(400, "/submit", b'{"board": ', GAME, JSON),
    "an empty body": post(400, "/submit", b"", JSON),
    "no UTF-8": post(400, "/submit", b'{"board": "\xff"}', JSON),
    "too much": post(413, "/submit", b" " * 9000, GAME, JSON),
    "another media type": post(415, "/submit", b"<x/>", GAME, ("Content-Type", "application/xml")),
    "an unknown field": post(422, "/submit", {**RUN, "admin": True}, JSON),
    "an unknown board": post(404, "/submit", {**RUN, "board": "Written"}, JSON),
    "the wrong method": get(405, "/submit", GAME),
    "a preflight": get(204, "/submit", GAME, *PREFLIGHT, method="OPTIONS"),
    "OPTIONS from no page": get(204, "/top", method="OPTIONS"),
    "a strange origin": post(403, "/submit", RUN, ("Origin", "https://evil.example"), JSON),
    "its preflight": get(204, "/submit", ("Origin", "https://evil.example"), *PREFLIGHT, method="OPTIONS"),
    "a sandboxed frame": get(200, "/top?board=read", ("Origin", "null")),
    "a page of the board": get(200, "/top?board=read", GAME),
    "HEAD": get(200, "/top?board=read", GAME, method="HEAD"),
    "what the caller has already": get(304, "/top?board=read", ("If-None-Match", "*")),
    "two lists of what the caller has": get(304, "/top?board=read", ("If-None-Match", '"x"'), ("If-None-Match", "*")),
    "a trailing slash": get(200, "/top/?board=read"),
    "a split": get(200, "/top?board=read&mode=words&limit=1"),
    "percent-encoding": get(200, "/top?%62oard=re%61d&mode=%77ords"),
    "plus and space": get(200, "/top?board=read&v=a+b%20c%2Bd"),
    "Unicode in a query": get(422, "/top?board=read&player=%C3%A9"),
    "half a character in a query": get(422, "/top?board=read&player=%C3"),
    "an unknown parameter": get(422, "/top?board=read&utm_source=%F0%9F%A6%94"),
    "a repeated parameter": get(422, "/top?board=read&board=read"),
    "a parameter without a value": get(404, "/top?board"),
    "cookies": get(200, "/top?board=read", ("Cookie", "a=1; b=2"), ("Cookie", "c=%20")),
    "a repeated header": get(200, "/top?board=read", ("X-Thing", "1"), ("X-Thing", "2")),
    "its content type twice": post(415, "/submit", RUN, JSON, JSON),
    "two origins": get(403, "/top?board=read", GAME, ("Origin", "https://evil.example")),
    "a forged address": get(200, "/rank?board=read&score=5", ("X-Forwarded-For", "198.51.100.1, 198.51.100.2")),
    "several pages": get(200, "/top?board=read&windows=all&splits=overall,mode:time,mode:words"),
    "neighbours": get(200, "/rank?board=read&player=p2&around=1"),
    "several players": get(200, "/rank?board=read&players=p2%2Cnobody,p1"),
    "a ticket": post(200, "/start", {"board": "written"}, JSON),
    "a ticket for somebody else": post(403, "/start", {"board": "written", "player": "p1", "player_token": "x"}, JSON),
    "DELETE": get(405, "/rank", GAME, method="DELETE"),
    "health": get(200, "/health"),
}


async def _seed(url: str, prefix: str) -> None:
    """Put three entries on the board that is read, of one known time."""
    deployment = Deployment(Settings(url=url, token=TOKEN, prefix=prefix), parse_boards(BOARDS), clock=lambda: NOON)
    transport = httpx.ASGITransport(app=app.on(deployment))
    async with httpx.AsyncClient(transport=transport, base_url="http://laurel.test") as client:
        for number, name in enumerate(["Mina", "Zoë 🦔", "漢字"]):
            run = {"board": "read", "player": f"p{number}", "score": 10 + number, "name": name}
            answer = await client.post("/submit", json={**run, "splits": {"mode": "words"}})
            assert answer.status_code == 200, answer.text
    await deployment.store.upstash.close()


Ask = Callable[[Sent], Answer]


@contextmanager
def on_dev(store: WatchedStore, boards: Path, _: Path) -> Iterator[Ask]:
    with dev_child(store.environ(boards, LAUREL_PREFIX="dev", **SETTINGS)) as address:
        yield lambda sent: send(address, sent)


@contextmanager
def on_vercel(store: WatchedStore, boards: Path, _: Path) -> Iterator[Ask]:
    build = vercel_build()
    environ = store.environ(boards, LAUREL_PREFIX="vercel", **SETTINGS)
    # The edge says who called, over whatever the caller said.
    edge = (("X-Real-IP", fake_lambda.SOURCE), ("X-Vercel-Internal-Invocation-Id", "1"))
    with fake_vercel.started(build.python, build.function, environ) as running:
        yield lambda sent: send(
            running.address, Sent(method=sent.method, path=sent.path, headers=(*sent.headers, *edge), body=sent.body)
        )


@contextmanager
def on_lambda(store: WatchedStore, boards: Path, folder: Path) -> Iterator[Ask]:
    build = lambda_build(folder / "task")
    environ = store.environ(boards, LAUREL_PREFIX="lambda", **SETTINGS)
    with ExitStack() as stack:
        running = {
            name: stack.enter_context(fake_lambda.started(build.python, build.task, build.runtime, name, environ))
            for name in FUNCTIONS
        }
        yield lambda sent: Answer.of(running[re.split("[/?]", sent.path)[1]].invoke(sent.event()))


PLATFORMS = {"dev": on_dev, "vercel": on_vercel, "lambda": on_lambda}


def _answers(platform: str, folder: Path) -> dict[str, Answer]:
    boards = folder / "boards.toml"
    boards.write_text(BOARDS)
    with watched_store() as store, PLATFORMS[platform](store, boards, folder) as ask:
        asyncio.run(_seed(store.url, platform))
        return {name: ask(case.sent) for name, case in CASES.items()}


@pytest.fixture(scope="module")
def by_dev(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Answer]:
    """All answers of `make dev`."""
    return _answers("dev", tmp_path_factory.mktemp("dev"))


@pytest.fixture(scope="module", params=["vercel", "lambda"])
def by_platform(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Answer]:
    """All answers of one platform's runtime."""
    return _answers(request.param, tmp_path_factory.mktemp(request.param))


def _name_only(found: re.Match[bytes]) -> bytes:
    return b'"%s":"varies"' % next(filter(None, found.groups()))


def _comparable(answer: Answer) -> tuple[int, dict[str, list[str]], bytes]:
    varying = VARIES.search(answer.body)
    left_out = OWN_HEADERS | ({"content-length"} if varying else set())
    headers = {name: values for name, values in answer.headers.items() if name not in left_out}
    return answer.status, headers, VARIES.sub(_name_only, answer.body)


@pytest.mark.parametrize("case", CASES)
def test_make_dev_answers_as_the_table_says(by_dev: dict[str, Answer], case: str) -> None:
    """The reference itself is right."""
    answer = by_dev[case]
    assert answer.status == CASES[case].status, answer.body


@pytest.mark.parametrize("case", CASES)
def test_each_platform_answers_as_make_dev_does(
    by_dev: dict[str, Answer], by_platform: dict[str, Answer], case: str
) -> None:
    """Status, headers and body are the same to the byte, but for what a platform adds itself."""
    assert _comparable(by_platform[case]) == _comparable(by_dev[case])
