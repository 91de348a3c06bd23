"""On a real server: what a client sends and reads byte by byte, and that a refusal arrives although it sends on."""

import json
import socket
from collections.abc import Iterator
from urllib.parse import urlsplit

import pytest

from functions.web import app
from tests.support.harness import TOKEN, Harness
from tests.support.responses import BOARDS
from tests.support.servers import serve
from tools.upstash_emulator.backends import MemoryBackend
from tools.upstash_emulator.endpoint import make_endpoint

GOOD = json.dumps({"board": "b", "player": "p1", "score": 10}).encode()
BIG = 5_000_000


@pytest.fixture(scope="module")
def port() -> Iterator[int]:
    """Serve the functions of a harness."""
    here = Harness(BOARDS, make_endpoint(MemoryBackend(), TOKEN))
    with serve(app.on(here.deployment)) as address:
        yield urlsplit(address).port or 0


def exchange(port: int, request: bytes) -> tuple[int, dict[str, str], bytes]:
    """Send all bytes, as a simple client does, before the first is read; return status, headers and body."""
    with socket.create_connection(("127.0.0.1", port), timeout=20) as connection:
        connection.sendall(request)
        with connection.makefile("rb") as stream:
            status = int(stream.readline().split()[1])
            headers = dict(line.decode().strip().lower().split(": ", 1) for line in iter(stream.readline, b"\r\n"))
            return status, headers, stream.read(int(headers.get("content-length", 0)))


def request(line: str, *headers: str, body: bytes = b"") -> bytes:
    """Return a request as it goes over the wire."""
    return "\r\n".join([f"{line} HTTP/1.1", "Host: laurel.test", *headers, "", ""]).encode("latin-1") + body


@pytest.mark.parametrize(
    ("line", "media_type", "code"),
    [
        ("POST /submit", "application/json", "body_too_large"),
        ("POST /submit", "text/xml", "unsupported_media_type"),
        ("POST /start", "application/json", "body_too_large"),
        ("POST /top", "application/json", "method_not_allowed"),
        ("PUT /submit", "application/json", "method_not_allowed"),
        ("POST /nowhere", "application/json", "not_found"),
    ],
)
@pytest.mark.parametrize("chunked", [False, True])
def test_five_megabytes_are_answered_not_cut_off(
    port: int, line: str, media_type: str, code: str, chunked: bool
) -> None:
    """A client that sends everything before it reads still gets the answer, and with the headers that a page needs."""
    if chunked:
        body = b"100000\r\n" + b"x" * 0x100000 + b"\r\n"
        content = request(
            line, f"Content-Type: {media_type}", "Transfer-Encoding: chunked", body=body * 5 + b"0\r\n\r\n"
        )
    else:
        content = request(line, f"Content-Type: {media_type}", f"Content-Length: {BIG}", body=b"x" * BIG)
    _, headers, answer = exchange(port, content)
    assert json.loads(answer)["code"] == code
    assert headers["access-control-allow-origin"] == "*"


def test_a_client_that_asks_first_need_not_send(port: int) -> None:
    """It gets the refusal in place of `100 Continue`, and a body that is small enough gets its go-ahead."""
    expect = "Expect: 100-continue"
    status, _, answer = exchange(port, request("POST /submit", expect, f"Content-Length: {BIG}"))
    assert (status, json.loads(answer)["code"]) == (413, "body_too_large")
    status, _, _ = exchange(port, request("POST /submit", expect, f"Content-Length: {len(GOOD)}"))
    assert status == 100


@pytest.mark.parametrize(
    ("line", "status"),
    [
        ("GET /top?board=b", 200),
        ("GET /top/?board=b", 200),
        ("GET /%74op%2F?board=b", 200),
        ("HEAD /top?board=b", 200),
        ("GET /top?board=b&v=\xe9", 422),
        ("GET /top?board=b&mode=%E9", 422),
        ("GET /top?board=b&%", 422),
        ("GET /top?board=%zz", 404),
        ("GET /../top?board=b", 404),
        ("GET //nowhere//top?board=b", 404),
        ("OPTIONS /submit", 204),
        ("DELETE /top", 405),
        ("BREW /top", 405),
    ],
)
def test_a_line_as_it_goes_over_the_wire(port: int, line: str, status: int) -> None:
    """Which clients and proxies may leave unescaped or half escaped."""
    got, headers, answer = exchange(port, request(line, "Connection: close"))
    assert got in (status, 400), answer  # a server may itself refuse bytes that no URL has
    assert got != 400 or "\xe9" in line or "BREW" in line
    assert got == 204 or got == 400 or int(headers["content-length"]) > 0


def test_a_connection_serves_on_after_refusals(port: int) -> None:
    """An error of one request costs the next no handshake."""
    with socket.create_connection(("127.0.0.1", port), timeout=20) as connection, connection.makefile("rb") as stream:
        for body, status in ((b"{", 400), (b"x" * 9000, 413), (GOOD, 200)):
            connection.sendall(request("POST /submit", f"Content-Length: {len(body)}", body=body))
            assert int(stream.readline().split()[1]) == status
            headers = dict(line.decode().strip().lower().split(": ", 1) for line in iter(stream.readline, b"\r\n"))
            assert json.loads(stream.read(int(headers["content-length"])))
