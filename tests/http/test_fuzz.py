"""Whatever is sent: 200, or a 4xx problem that reached no store; never a 5xx, and always strict JSON (design §6)."""

import json
from collections.abc import AsyncIterator
from decimal import Decimal
from typing import Any
from urllib.parse import quote_from_bytes

import httpx
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.support.harness import Harness, harness
from tests.support.responses import BOARDS, problem, read
from tools.upstash_emulator.backends import MemoryBackend

fuzz = settings(max_examples=300, suppress_health_check=[HealthCheck.function_scoped_fixture])


@pytest.fixture
async def here() -> AsyncIterator[Harness]:
    """Open a harness whose gates are off, so that every refusal is one of the request."""
    boards = BOARDS.replace("[board.b]", '[board.b]\nlimits = { per_ip = "0" }')
    async with harness(boards, MemoryBackend()) as opened:
        yield opened


WRITTEN = """
    0 -0 -0.0 1 10 1.5 -1.5 1e3 1E+2 1e999 -1e999 1e-400 1e1000000 1e99999999999999999999 -1e-99999999999999999999
    0e999999999999 9007199254740991 9007199254740992 -9007199254740991 0.1 1e308 1e16 NaN Infinity -Infinity 0x10 1_000
    007 +5 .5 5. 12345678901234567890
"""
NUMBERS = (
    st.sampled_from(WRITTEN.split())
    | st.integers().map(str)
    | st.floats(allow_nan=False, allow_infinity=False).map(repr)
)
ODD = ["", "__proto__", "null", "123", "x" * 65, "\ud800", "\0", "{b}", "\t"]
TEXTS = st.sampled_from([*ODD, "p1", "b", "time", "a1", "improved", "abcdefgh"]) | st.text(max_size=70)
SCALARS = NUMBERS | TEXTS.map(json.dumps) | st.sampled_from(["null", "true", "false", "[]", "{}"])
VALUES = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner, max_size=3).map(lambda items: f"[{', '.join(items)}]")
        | st.lists(st.tuples(TEXTS.map(json.dumps), inner), max_size=3).map(
            lambda pairs: "{" + ", ".join(f"{name}: {value}" for name, value in pairs) + "}"
        )
    ),
    max_leaves=6,
)
# What is right for each field, as it is written.
RIGHT = {
    "board": st.sampled_from(['"b"', '"bounded"', '"tied"', '"named"', '"moded"']),
    "player": st.sampled_from(['"p1"', '"__proto__"', '"a.b:c@d-e"']),
    "score": st.integers(-10, 1000).map(str) | st.sampled_from(["0.3", "1e2", "-0.0"]),
    "name": TEXTS.map(json.dumps),
    "meta": st.sampled_from(['{"depth": 7}', '{"ratio": 0.5, "won": true}', "{}", '{"ship": "x"}']),
    "splits": st.sampled_from(['{"mode": "time"}', '{"level": "a1", "mode": "words"}', "{}"]),
    "tiebreak": NUMBERS,
    "id": st.sampled_from(['"abcdefgh"', '"ABCDEFGH-1"']),
    "ranks": st.sampled_from(['"all"', '"none"', '"improved"']),
}
REQUIRED = ("board", "player", "score")


@st.composite
def bodies(draw: st.DrawFn) -> str:
    """Draw a body that is right but for a few mutations of its fields or of its text."""
    optional = draw(st.sets(st.sampled_from(sorted(set(RIGHT) - set(REQUIRED))), max_size=4))
    fields = [(json.dumps(name), draw(RIGHT[name])) for name in (*REQUIRED, *sorted(optional))]
    for _ in range(draw(st.integers(0, 2))):
        at = draw(st.integers(0, len(fields) - 1))
        match draw(st.sampled_from(["value", "key", "drop", "again"])):
            case "value":
                fields[at] = (fields[at][0], draw(VALUES))
            case "key":
                fields.append((json.dumps(draw(TEXTS)), draw(VALUES)))
            case "drop" if len(fields) > 1:
                del fields[at]
            case "again":
                fields.append(fields[at])
    text = "{" + ", ".join(f"{name}: {value}" for name, value in fields) + "}"
    if draw(st.integers(0, 9)) == 0:
        at = draw(st.integers(0, len(text)))
        text = text[:at] + draw(st.sampled_from(["", ",", '"', "}", "\\", "\0", "\ufeff", "é"])) + text[at + 1 :]
    return text


def sound(here: Harness, response: httpx.Response) -> Any:
    """Check an answer; return what it says if it is a 200."""
    if response.status_code == 200:
        return read(response)
    document = problem(response)
    assert response.status_code < 500
    assert here.requests == 0, document
    return None


@fuzz
@given(body=bodies())
async def test_any_body(here: Harness, body: str) -> None:
    """A submission that is taken comes back with its score as the nearest double."""
    await here.command("FLUSHALL")
    here.start_meter()
    answer = sound(here, await here.client.post("/submit", content=body.encode(errors="surrogatepass")))
    if answer:
        sent = json.loads(body, parse_int=Decimal, parse_float=Decimal)["score"]
        assert {standing["score"] for standing in answer["standings"]} == {float(sent)}


@fuzz
@given(
    body=st.binary(max_size=200)
    | st.text(max_size=100).map(lambda text: text.encode("utf-16"))
    | VALUES.map(str.encode)
)
async def test_any_bytes(here: Harness, body: bytes) -> None:
    """No bytes are an accident of luck to any of the functions that take a body."""
    for path in ("/submit", "/start"):
        here.start_meter()
        assert sound(here, await here.client.post(path, content=body)) is None


NAMES = [
    "board",
    "window",
    "at",
    "limit",
    "offset",
    "player",
    "players",
    "score",
    "around",
    "v",
    "windows",
    "splits",
    "mode",
]
PARAMETERS = st.sampled_from([*NAMES, "level", "format", "Board", ""]) | st.text(max_size=5)
KNOWN = """
    b bounded tied moded all daily 0 -1 -2 1 10 100 101 -0 +1 1e3 5.0 5.5 2033-05-18 2033-W20 9999-12-31 10000-01-01
    -9999999 p1 p1,zz time words a1 overall mode:time overall,mode:time;level:a1 all,daily svg NaN inf \u0665 \uff11
"""
ARGUMENTS = st.sampled_from(KNOWN.split()) | st.integers().map(str) | st.text(max_size=12)


def spelt(text: str) -> str:
    """Return a part of a query string that stands for this text, or for bytes that are no text."""
    return quote_from_bytes(text.encode(errors="surrogatepass"), safe="+,:;%")


QUERIES = st.lists(st.tuples(PARAMETERS.map(spelt), ARGUMENTS.map(spelt)), max_size=5).map(
    lambda pairs: "&".join(f"{name}={value}" for name, value in pairs)
)
RIGHT_QUERIES = (
    "board=b board=b&player=p1 board=b&score=5 board=tied&players=p1,p2 board=b&windows=all board=b&mode=time"
)
LIKELY = st.sampled_from(RIGHT_QUERIES.split())


@fuzz
@given(start=LIKELY, rest=QUERIES, path=st.sampled_from(["/top", "/rank", "/health", "/submit"]), tag=TEXTS.map(spelt))
async def test_any_query(here: Harness, start: str, rest: str, path: str, tag: str) -> None:
    """Reads and writes alike; a strange If-None-Match is only another page."""
    here.start_meter()
    url = f"{path}?{start}&{rest}" if rest else f"{path}?{start}"
    body = b'{"board": "b", "player": "p1", "score": 1}'
    if path == "/submit":
        assert sound(here, await here.client.post(url, content=body)) is None
    else:
        sound(here, await here.client.get(url, headers={"If-None-Match": tag}))


@fuzz
@given(
    path=st.text(max_size=20).map(spelt),
    method=st.sampled_from(["GET", "POST", "PUT", "DELETE", "OPTIONS", "PATCH"]),
    headers=st.dictionaries(
        st.sampled_from(["Origin", "Content-Type", "Authorization", "X-Forwarded-For", "Content-Length", "Accept"]),
        st.text(st.characters(min_codepoint=32, max_codepoint=126), max_size=20),
        max_size=3,
    ),
)
async def test_any_path_method_and_headers(here: Harness, path: str, method: str, headers: dict[str, str]) -> None:
    """Nothing in them is believed further than it goes."""
    here.start_meter()
    response = await here.client.request(method, f"/{path}", headers=headers)
    if response.status_code == 204:
        assert method == "OPTIONS"
        read(response)
    else:
        sound(here, response)
