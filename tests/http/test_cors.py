"""CORS by design §6: every answer to an allowed origin carries the headers, once, whatever it answers."""

import logging
from collections.abc import AsyncIterator, Iterator

import httpx
import pytest

from functions.web import app
from lib.deployment import process_deployment
from tests.support.harness import Harness, harness
from tests.support.responses import BOARDS, problem, read
from tools.upstash_emulator.backends import MemoryBackend

HERE, FRAME, ELSEWHERE = "https://game.example", "null", "https://elsewhere.example"
EXPOSED = "Retry-After, RateLimit, RateLimit-Policy"
PREFLIGHT = {"Access-Control-Request-Method": "POST", "Access-Control-Request-Headers": "content-type"}
BOARD = '[board.cached]\ncache = "10s"\n[board.strict]\nlimits = { per_ip = "1/1m" }\n'


@pytest.fixture
async def listed() -> AsyncIterator[Harness]:
    """Open a harness that two origins may call."""
    async with harness(BOARDS + BOARD, MemoryBackend(), origins=(HERE, FRAME)) as opened:
        yield opened


@pytest.fixture
async def public() -> AsyncIterator[Harness]:
    """Open a harness that all origins may call."""
    async with harness(BOARDS + BOARD, MemoryBackend()) as opened:
        yield opened


def cors(response: httpx.Response) -> dict[str, str]:
    """Return the CORS headers of an answer, and what it varies by."""
    read(response)
    return {
        name: value for name, value in response.headers.items() if name.startswith("access-control") or name == "vary"
    }


ANSWERS = [
    (200, "GET", "/top?board=b", b""),
    (200, "HEAD", "/top?board=b", b""),
    (200, "GET", "/rank?board=b&player=p1", b""),
    (200, "GET", "/health", b""),
    (200, "POST", "/submit", b'{"board": "b", "player": "p1", "score": 1}'),
    (400, "POST", "/submit", b"{"),
    (404, "GET", "/top?board=nowhere", b""),
    (404, "GET", "/nowhere", b""),
    (405, "DELETE", "/top", b""),
    (413, "POST", "/submit", b" " * 9000),
    (422, "GET", "/top", b""),
]


@pytest.mark.parametrize(("status", "method", "path", "body"), ANSWERS, ids=lambda part: str(part)[:24])
async def test_every_answer_to_an_allowed_origin_has_the_headers(
    listed: Harness, public: Harness, status: int, method: str, path: str, body: bytes
) -> None:
    """Success or failure: without them a page sees a network error and not the reason."""
    for origin in (HERE, FRAME):
        response = await listed.client.request(method, path, content=body, headers={"Origin": origin})
        assert response.status_code == status
        assert cors(response) == {
            "access-control-allow-origin": origin,
            "access-control-expose-headers": EXPOSED,
            "vary": "Origin",
        }
    response = await public.client.request(method, path, content=body, headers={"Origin": ELSEWHERE})
    assert response.status_code == status
    assert cors(response) == {"access-control-allow-origin": "*", "access-control-expose-headers": EXPOSED}


async def test_a_refused_gate_has_the_headers_and_exposes_the_wait(listed: Harness) -> None:
    """A page can read how long to wait."""
    for _ in range(2):
        content = b'{"board": "strict", "player": "p1", "score": 1}'
        response = await listed.client.post("/submit", content=content, headers={"Origin": HERE})
    assert problem(response)["code"] == "rate_limited"
    assert cors(response)["access-control-allow-origin"] == HERE
    assert {"retry-after", "ratelimit", "ratelimit-policy"} <= set(response.headers)


async def test_a_304_has_the_headers_too(listed: Harness) -> None:
    """A browser takes them from the newest answer."""
    first = await listed.client.get("/top?board=cached", headers={"Origin": HERE})
    again = await listed.client.get(
        "/top?board=cached", headers={"Origin": HERE, "If-None-Match": first.headers["etag"]}
    )
    assert again.status_code == 304
    assert cors(again) == cors(first) != {}


async def test_a_store_out_of_reach_has_the_headers_too(listed: Harness) -> None:
    """503 is the answer a game most wants to read."""
    listed.way.through = httpx.MockTransport(lambda request: httpx.Response(200, content=b"<html>"))
    response = await listed.client.get("/top?board=b", headers={"Origin": HERE})
    assert problem(response)["code"] == "store_unavailable"
    assert cors(response)["access-control-allow-origin"] == HERE


@pytest.mark.parametrize(
    "origin",
    [
        ELSEWHERE,
        "http://game.example",
        "https://game.example:8443",
        "https://game.example.evil.example",
        "",
        "Null",
        "*",
    ],
)
async def test_another_origin_is_refused_without_the_headers(listed: Harness, origin: str) -> None:
    """Only the exact origin is allowed; nothing of the request is carried out."""
    body = b'{"board": "b", "player": "p1", "score": 1}'
    for method, path in (("POST", "/submit"), ("GET", "/top?board=b"), ("GET", "/nowhere"), ("GET", "/health")):
        response = await listed.client.request(method, path, content=body, headers={"Origin": origin})
        assert problem(response)["code"] == "origin_not_allowed"
        assert cors(response) == {"vary": "Origin"}
    assert listed.requests == 0


async def test_a_request_without_an_origin_is_allowed(listed: Harness, public: Harness) -> None:
    """It comes from no page. It still varies, or a cache would hand its answer to a page."""
    assert cors(await listed.client.get("/top?board=b")) == {"vary": "Origin"}
    assert cors(await public.client.get("/top?board=b"))["access-control-allow-origin"] == "*"


@pytest.mark.parametrize(
    ("path", "methods"),
    [
        ("/submit", "POST, OPTIONS"),
        ("/start/", "POST, OPTIONS"),
        ("/top?board=b", "GET, HEAD, OPTIONS"),
        ("/rank", "GET, HEAD, OPTIONS"),
        ("/health", "GET, HEAD, OPTIONS"),
        ("/nowhere", "GET, HEAD, POST, OPTIONS"),
    ],
)
async def test_a_preflight_is_answered_on_every_path(listed: Harness, public: Harness, path: str, methods: str) -> None:
    """204 without a body, to be kept for a day; another origin's has none of the headers."""
    expected = {
        "access-control-allow-methods": methods,
        "access-control-allow-headers": "Content-Type, Authorization",
        "access-control-max-age": "86400",
        "access-control-expose-headers": EXPOSED,
    }
    for here, origin, more in (
        (listed, HERE, {"access-control-allow-origin": HERE, "vary": "Origin"}),
        (listed, FRAME, {"access-control-allow-origin": FRAME, "vary": "Origin"}),
        (public, ELSEWHERE, {"access-control-allow-origin": "*"}),
    ):
        response = await here.client.options(path, headers={"Origin": origin, **PREFLIGHT})
        assert (response.status_code, response.headers["allow"]) == (204, methods)
        assert cors(response) == expected | more
    stranger = await listed.client.options(path, headers={"Origin": ELSEWHERE, **PREFLIGHT})
    assert (stranger.status_code, cors(stranger)) == (204, {"vary": "Origin"})
    assert listed.requests == public.requests == 0


async def test_options_without_a_preflight_says_what_is_allowed(public: Harness) -> None:
    """A plain OPTIONS is told the same, whoever asks."""
    response = await public.client.options("/submit")
    assert (response.status_code, response.headers["allow"]) == (204, "POST, OPTIONS")
    assert response.headers["access-control-allow-methods"] == "POST, OPTIONS"


@pytest.fixture
def misconfigured(monkeypatch: pytest.MonkeyPatch) -> Iterator[httpx.AsyncClient]:
    """Return a client of the shipped app in an environment that names no database."""
    monkeypatch.setenv("LAUREL_ORIGINS", HERE)
    process_deployment.cache_clear()
    yield httpx.AsyncClient(transport=httpx.ASGITransport(app=app), base_url="http://laurel.test")
    process_deployment.cache_clear()


async def test_a_misconfigured_deployment_says_so_to_any_page(
    misconfigured: httpx.AsyncClient, caplog: pytest.LogCaptureFixture
) -> None:
    """Which origins are allowed is not known then, and there is nothing to protect yet."""
    caplog.set_level(logging.CRITICAL, "laurel")
    for method, path in (("GET", "/top?board=b"), ("POST", "/submit"), ("GET", "/health"), ("HEAD", "/top")):
        response = await misconfigured.request(method, path, headers={"Origin": ELSEWHERE})
        assert response.status_code == 503
        assert cors(response)["access-control-allow-origin"] == "*"
        assert response.headers["retry-after"] == "60"
        if method != "HEAD":
            assert problem(response)["code"] == "misconfigured"
            assert "UPSTASH_REDIS_REST_URL" not in response.text
    response = await misconfigured.options("/submit", headers={"Origin": ELSEWHERE, **PREFLIGHT})
    assert (response.status_code, cors(response)["access-control-allow-origin"]) == (204, "*")


async def test_a_mistake_in_the_boards_is_told_to_the_log_alone(
    misconfigured: httpx.AsyncClient,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path_factory: pytest.TempPathFactory,
    caplog: pytest.LogCaptureFixture,
) -> None:
    """File, key and what is allowed are not for strangers; and once it is mended the same process answers."""
    boards = tmp_path_factory.mktemp("boards") / "boards.toml"
    monkeypatch.setenv("UPSTASH_REDIS_REST_URL", "http://127.0.0.1:9")
    monkeypatch.setenv("UPSTASH_REDIS_REST_TOKEN", "secret-token")
    monkeypatch.setenv("LAUREL_BOARDS", str(boards))
    boards.write_text('[board.b]\norder = "Desc"\n')
    response = await misconfigured.get("/top?board=b")
    assert problem(response)["code"] == "misconfigured"
    for private in ("board.b.order", str(boards), "Desc", "secret-token"):
        assert private not in response.text
    assert f"misconfigured: {boards}: board.b.order: should be" in caplog.text
    boards.write_text('[board.b]\norder = "desc"\n')
    assert problem(await misconfigured.get("/top?board=other"))["code"] == "unknown_board"
