"""Stores that fail: what comes back in place of an answer, and what a caller must be told then."""

import json
from collections.abc import AsyncIterator, Callable, Collection
from contextlib import asynccontextmanager
from typing import Any

import httpx
import pytest

from functions.web import app
from lib.boards.toml_file import parse_boards
from lib.deployment import Deployment
from lib.settings import Settings
from tests.support.harness import NOON, Harness

TOKEN = "S3cret-token-of-this-database"
URL = "http://store.test"
BOARDS = """
[board.b]
windows = ["all", "daily"]
limits = { per_ip = "0" }
[board.p]
cap = 0
names = "profile"
limits = { per_ip = "0" }
[board.d]
rank = "dense"
limits = { per_ip = "0" }
[board.gated]
"""
SUBMISSION = {"board": "b", "player": "p1", "score": 10, "id": "an-id-of-mine"}
CALLS: dict[str, tuple[str, dict[str, Any] | None]] = {
    "submit": ("/submit", SUBMISSION),
    "start": ("/start", {"board": "gated"}),
    "top": ("/top?board=b", None),
    "top-profile": ("/top?board=p", None),
    "top-player": ("/top?board=b&player=p1", None),
    "tops": ("/top?board=b&windows=all,daily", None),
    "rank-player": ("/rank?board=b&player=p1&around=2", None),
    "rank-players": ("/rank?board=b&players=p1,p2", None),
    "rank-score": ("/rank?board=b&score=5", None),
    "rank-score-dense": ("/rank?board=d&score=5", None),
    "health": ("/health", None),
}
every_call = pytest.mark.parametrize("call", CALLS)


@asynccontextmanager
async def site(url: str = URL, *, timeout: float = 2.5) -> AsyncIterator[tuple[httpx.AsyncClient, Deployment]]:
    """Open the functions on a store address; the client of the store is the real one."""
    settings = Settings(url=url, token=TOKEN, secrets=("a-secret",), timeout=timeout)
    deployment = Deployment(settings, parse_boards(BOARDS), clock=lambda: NOON)
    transport = httpx.ASGITransport(app=app.on(deployment), client=("203.0.113.7", 50_000))
    async with httpx.AsyncClient(transport=transport, base_url="http://laurel.test") as client:
        yield client, deployment
    await deployment.store.upstash.close()


async def send(client: httpx.AsyncClient, call: str) -> httpx.Response:
    """Make one of CALLS."""
    path, body = CALLS[call]
    return await (client.get(path) if body is None else client.post(path, json=body))


def assert_unavailable(answer: httpx.Response) -> None:
    """Demand the one answer to a store that fails: a problem document that says to come back, and tells no secret."""
    assert (answer.status_code, answer.headers["content-type"]) == (503, "application/problem+json"), answer.text
    assert answer.json()["code"] == "store_unavailable"
    assert int(answer.headers["retry-after"]) >= 1
    assert "access-control-allow-origin" in answer.headers
    assert TOKEN not in answer.text
    assert "store.test" not in answer.text


def of(document: object, status: int = 200) -> httpx.Response:
    return httpx.Response(status, json=document)


def each(result: object) -> Callable[[httpx.Request], httpx.Response]:
    """Answer every command and every script with one result, as the answer to the question that was asked."""

    def answer(request: httpx.Request) -> httpx.Response:
        asked = json.loads(request.content)
        if request.url.path == "/multi-exec":
            return of([{"result": asked[0][1]}, *({"result": result} for _ in asked[1:])])
        return of({"result": result if asked == ["PING"] else [1, result, asked[-1]]})

    return answer


FAULTS: dict[str, Any] = {
    "refused connection": httpx.ConnectError("refused"),
    "connect timeout": httpx.ConnectTimeout("late"),
    "read timeout": httpx.ReadTimeout("late"),
    "pool timeout": httpx.PoolTimeout("full"),
    "dropped while writing": httpx.WriteError("reset"),
    "dropped while reading": httpx.ReadError("reset"),
    "closed without an answer": httpx.RemoteProtocolError("closed"),
    "undecodable": httpx.DecodingError("not gzip"),
    "WRONGPASS": of({"error": "WRONGPASS invalid or missing auth token"}, 401),
    "quota of commands": of({"error": "ERR max requests limit exceeded. Limit: 500000, Usage: 500001."}, 400),
    "quota of bytes": of({"error": "ERR DB capacity quota exceeded"}, 400),
    "read only": of({"error": "READONLY You can't write against a read only replica."}, 400),
    "NOSCRIPT for ever": of({"error": "NOSCRIPT No matching script. Please use EVAL."}, 400),
    "unknown flag for ever": of({"error": "ERR Unexpected flag in script shebang: allow-key-locking"}, 400),
    "error in an unknown form": of({"error": {"code": 5}}, 400),
    "error in a list": of([{"error": "ERR no"}, {"error": "ERR no"}]),
    "HTML": httpx.Response(500, html="<html>Internal Server Error</html>"),
    "HTML that redirects": httpx.Response(302, html="", headers={"Location": "http://store.test/elsewhere"}),
    "empty": httpx.Response(200, content=b""),
    "half of JSON": httpx.Response(200, content=b'{"result": ['),
    "not UTF-8": httpx.Response(200, content=b'{"result": "\xff\xfe"}'),
    "bottomless JSON": httpx.Response(200, content=b"[" * 100_000),
    "no result": of({}),
    "no object": of([]),
    "text": of("x"),
    "number": of(5),
    "null": httpx.Response(200, content=b"null"),
    "list of nonsense": of([1, None]),
    "one result too many": of([{"result": 1}] * 30),
    "result 5": each(5),
    "result 1.5": each(1.5),
    "result true": each(True),
    "result null": each(None),
    "result text": each("banana"),
    "result []": each([]),
    "result {}": each({}),
    "result of nulls": each([None, None, None, None, None]),
    "result of texts": each(["a", "b", "c", "d", "e"]),
    "result of numbers": each([1, 2, 3, 4, 5]),
    "result of lists": each([[], [], [], [], []]),
    "an outcome without standings": each(["accepted"]),
    "a refusal without a reason": each(["refused"]),
    "a refusal for an unknown reason": each(["refused", "tired", "0"]),
    "a refusal without a time": each(["refused", "cooldown", "soon"]),
    "a refusal of no standing": each(["refused", "too_many_split_values", "99"]),
}
# What makes sense to some calls: the SDK itself cuts pairs and results that are one too many.
SENSE = {
    "rank-score": {"one result too many", "result 5"},
    "rank-score-dense": {"result []", "result {}", "an outcome without standings", "a refusal without a reason"},
}


class Unreliable(httpx.AsyncBaseTransport):
    """A way to the store that loses the requests, or only the answers to them, whose numbers it is given."""

    def __init__(
        self,
        here: Harness,
        *lost_answers: int,
        lost_requests: Collection[int] = (),
        fault: type[httpx.TransportError] = httpx.ReadError,
    ) -> None:
        self._through = httpx.ASGITransport(app=here.endpoint)
        self._lost_answers, self._lost_requests, self._fault = lost_answers, lost_requests, fault
        self.sent: list[list[str]] = []
        here.way.through = self

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        self.sent.append(json.loads(await request.aread()))
        if len(self.sent) in self._lost_requests:
            raise self._fault("lost")
        response = await self._through.handle_async_request(request)
        if len(self.sent) in self._lost_answers:
            raise self._fault("lost")
        return response
