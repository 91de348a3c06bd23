"""Methods, paths and how a body arrives: what is answered before any field is looked at."""

import json
from collections.abc import AsyncIterator
from typing import Any

import httpx
import pytest
from starlette.types import Message

from functions.submit import app as submit_alone
from functions.web import app
from lib.http.body import MOST_DISCARDED
from tests.support.harness import Harness, harness
from tests.support.responses import BOARDS, problem, read, refused
from tools.upstash_emulator.backends import MemoryBackend

GOOD = json.dumps({"board": "b", "player": "p1", "score": 10}).encode()


@pytest.fixture
async def here() -> AsyncIterator[Harness]:
    """Open a harness."""
    async with harness(BOARDS, MemoryBackend()) as opened:
        yield opened


@pytest.mark.parametrize(
    ("path", "methods", "allowed"),
    [
        ("/submit", ("GET", "HEAD", "PUT", "PATCH", "DELETE", "TRACE", "BREW"), "POST, OPTIONS"),
        ("/start", ("GET", "HEAD", "PUT", "DELETE"), "POST, OPTIONS"),
        ("/top", ("POST", "PUT", "PATCH", "DELETE", "TRACE", "QUERY"), "GET, HEAD, OPTIONS"),
        ("/rank", ("POST", "PUT"), "GET, HEAD, OPTIONS"),
        ("/health", ("POST", "DELETE"), "GET, HEAD, OPTIONS"),
    ],
)
async def test_another_method_is_told_the_allowed_ones(
    here: Harness, path: str, methods: tuple[str, ...], allowed: str
) -> None:
    """No write hides behind GET, and nothing is read by POST."""
    for method in methods:
        response = await here.client.request(method, path, content=GOOD)
        assert (response.status_code, response.headers["allow"]) == (405, allowed)
        if method != "HEAD":
            refused(response, "method_not_allowed")
    assert here.requests == 0


@pytest.mark.parametrize(
    "path",
    [
        *(
            "/",
            "",
            "/nowhere",
            "/Top",
            "/TOP",
            "/topp",
            "/top/x",
            "/top%00",
            "/top.php",
            "/top;a",
            "/%FF",
            "/😀",
            "/api/top",
        ),
        *("/submit/submit", "/.env", "/top%20", "/top/..", "/..%2Ftop", "/x" * 4000),
    ],
    ids=lambda path: path[:16],
)
async def test_an_unknown_path_is_not_found_by_any_method(here: Harness, path: str) -> None:
    """Whatever the method, the media type or the body."""
    for method in ("GET", "POST", "PUT", "DELETE"):
        response = await here.client.request(method, path, content=b"x" * 9000, headers={"Content-Type": "text/xml"})
        refused(response, "not_found")
    assert here.requests == 0


@pytest.mark.parametrize("path", ["/top", "/top/", "/top//", "/%74op", "/top%2F", "//top"])
async def test_a_trailing_slash_or_an_escape_makes_no_difference(here: Harness, path: str) -> None:
    """Answered, never redirected: a redirect loses the body of a POST and the headers of CORS."""
    assert read(await here.client.get(httpx.URL("http://laurel.test").copy_with(raw_path=f"{path}?board=b".encode())))
    assert read(await here.client.post(path.replace("top", "submit").replace("%74op", "%73ubmit"), content=GOOD))


async def test_head_is_get_without_the_body(here: Harness) -> None:
    """The same status and headers, the length of what is missing among them; so for refusals."""
    await here.submit("p1", 1)
    for path in ("/top?board=b", "/rank?board=b&player=p1", "/top?board=nowhere", "/nowhere", "/top?limit=0"):
        get, head = await here.client.get(path), await here.client.head(path)
        del get.headers["server-timing"], head.headers["server-timing"]
        assert (head.status_code, head.headers) == (get.status_code, get.headers)
        assert head.content == b""
        assert int(head.headers["content-length"]) == len(get.content)
    assert (await here.client.head("/health")).status_code == 200


async def test_a_function_alone_answers_on_any_path(here: Harness) -> None:
    """On Lambda each has a URL of its own, and people add paths to URLs."""
    alone = submit_alone.on(here.deployment)
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app=alone), base_url="http://laurel.test") as client:
        for path in ("/", "/submit", "/anything/at/all/"):
            assert read(await client.post(path, content=GOOD))["board"] == "b"


@pytest.mark.parametrize(
    "media_type",
    [
        *(None, "", "application/json", "text/plain", "Application/JSON", "application/json;charset=utf-8"),
        *("text/plain;charset=UTF-8", " application/json ; charset=utf-8"),
    ],
)
async def test_these_media_types_are_read_as_json(here: Harness, media_type: str | None) -> None:
    """text/plain needs no preflight."""
    headers = {} if media_type is None else {"Content-Type": media_type}
    assert read(await here.client.post("/submit", content=GOOD, headers=headers))["board"] == "b"


@pytest.mark.parametrize(
    "media_type",
    [
        *("text/html", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "application/xml"),
        *("application/json, text/plain", "application/jsonp", "json", "text/json", "*/*", "application/problem+json"),
    ],
)
async def test_other_media_types_are_refused(here: Harness, media_type: str) -> None:
    """415, before the body is looked at."""
    response = await here.client.post("/submit", content=GOOD, headers={"Content-Type": media_type})
    refused(response, "unsupported_media_type")
    assert here.requests == 0


def padded(size: int) -> bytes:
    """Return a good body of that many bytes."""
    return GOOD + b" " * (size - len(GOOD))


@pytest.mark.parametrize("size", [8192, 8193, 65_536, 5_000_000])
@pytest.mark.parametrize("chunk", [1 << 30, 4096, 1000])
async def test_a_body_has_at_most_8_kib_however_it_arrives(here: Harness, size: int, chunk: int) -> None:
    """At once or in chunks without a length."""

    async def parts() -> AsyncIterator[bytes]:
        body = padded(size)
        for at in range(0, size, chunk):
            yield body[at : at + chunk]

    response = await here.client.post("/submit", content=padded(size) if chunk > size else parts())
    if size > 8192:
        refused(response, "body_too_large")
        assert here.requests == 0
    else:
        assert read(response)["board"] == "b"


async def raw(here: Harness, headers: dict[str, str], messages: list[Message], method: str = "POST") -> tuple[Any, int]:
    """Send ASGI messages as they are; return what was answered (None for nothing) and how many were left."""
    scope = {
        "type": "http",
        "method": method,
        "path": "/submit",
        "query_string": b"",
        "headers": [(name.encode(), value.encode()) for name, value in headers.items()],
        "client": ("203.0.113.7", 1),
    }
    sent: list[Message] = []

    async def receive() -> Message:
        return messages.pop(0)

    async def send(message: Any) -> None:
        sent.append(message)

    await app.on(here.deployment)(scope, receive, send)
    if not sent:
        return None, len(messages)
    return problem(httpx.Response(sent[0]["status"], headers=sent[0]["headers"], content=sent[1]["body"])), len(
        messages
    )


def part(body: bytes, *, more: bool = False) -> Message:
    """Return one piece of a request's body."""
    return {"type": "http.request", "body": body, "more_body": more}


@pytest.mark.parametrize("length", ["1", "0", "-1", "x", "99999999999999999999", "8192", ""])
async def test_a_lying_length_changes_nothing(here: Harness, length: str) -> None:
    """What counts is what comes."""
    document, left = await raw(here, {"content-length": length}, [part(b" " * 5000, more=True), part(b" " * 5000)])
    assert (document["code"], left) == ("body_too_large", 0)
    document, _ = await raw(here, {"content-length": length}, [part(b"{}")])
    assert document["code"] == "invalid"


async def test_a_large_body_is_received_and_thrown_away_up_to_a_bound(here: Harness) -> None:
    """A client still sending would see a broken connection instead of the answer; one that never ends is left."""
    for method, headers, code in (
        ("POST", {"transfer-encoding": "chunked"}, "body_too_large"),
        ("POST", {"content-length": "5", "content-type": "text/xml"}, "unsupported_media_type"),
        ("PUT", {"transfer-encoding": "chunked"}, "method_not_allowed"),
    ):
        some = [part(b"x" * 2**20, more=True) for _ in range(5)] + [part(b"")]
        document, left = await raw(here, headers, some, method)
        assert (document["code"], left) == (code, 0)
        endless = [part(b"x" * 2**20, more=True) for _ in range(100)]
        document, left = await raw(here, headers, endless, method)
        assert document["code"] == code
        assert 100 - left <= MOST_DISCARDED // 2**20 + 1


async def test_a_client_that_asks_before_it_sends_is_told_at_once(here: Harness) -> None:
    """With `Expect: 100-continue` nothing of a body that is too large is ever sent."""
    headers = {"expect": "100-continue", "content-length": "5000000"}
    document, left = await raw(here, headers, [part(b"x")])
    assert (document["code"], left) == ("body_too_large", 1)
    document, left = await raw(here, {**headers, "content-length": "2"}, [part(b"{}")])
    assert (document["code"], left) == ("invalid", 0)


async def test_a_client_that_leaves_in_the_middle_is_no_error(here: Harness) -> None:
    """Nothing is stored of half a body, and nobody is answered."""
    answer, _ = await raw(here, {"content-length": "99"}, [part(GOOD[:10], more=True), {"type": "http.disconnect"}])
    assert answer is None
    assert here.requests == 0


async def test_a_websocket_is_closed(here: Harness) -> None:
    """A server that speaks it gets a clean refusal."""
    sent: list[Any] = []

    async def send(message: Any) -> None:
        sent.append(message)

    async def receive() -> Message:
        return {"type": "websocket.connect"}

    await app.on(here.deployment)({"type": "websocket", "path": "/top", "headers": []}, receive, send)
    assert sent == [{"type": "websocket.close"}]
