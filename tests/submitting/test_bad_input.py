"""Bodies that are no JSON, or not the JSON asked for: a clear 4xx, nothing stored, no gate used (traps B and E)."""

import json
from collections.abc import AsyncIterator, Iterator
from typing import Any

import pytest

from tests.support.harness import Harness, harness
from tests.support.responses import BOARDS, everything, read, refused
from tools.upstash_emulator.backends import MemoryBackend

GOOD = {"board": "b", "player": "p1", "score": 10}


@pytest.fixture
async def here() -> AsyncIterator[Harness]:
    """Open a harness."""
    async with harness(BOARDS, MemoryBackend()) as opened:
        yield opened


def with_raw(field: str, raw: str) -> bytes:
    """Return a good body in which one field has a value as it is written."""
    return (json.dumps({k: v for k, v in GOOD.items() if k != field})[:-1] + f', "{field}": {raw}}}').encode()


NO_JSON = {
    "empty": b"",
    "blank": b" \n",
    "a BOM": b"\xef\xbb\xbf" + json.dumps(GOOD).encode(),
    "UTF-16": json.dumps(GOOD).encode("utf-16"),
    "UTF-16 without a BOM": json.dumps(GOOD).encode("utf-16-le"),
    "UTF-32": json.dumps(GOOD).encode("utf-32"),
    "Latin-1": b'{"board": "b", "player": "p1", "score": 1, "name": "Zo\xeb"}',
    "an overlong encoding": b'{"board": "b", "player": "p1", "score": 1, "name": "\xc0\xaf"}',
    "a surrogate in UTF-8": b'{"board": "b", "player": "p1", "score": 1, "name": "\xed\xa0\x80"}',
    "gzip": b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03",
    "a form": b"board=b&player=p1&score=10",
    "trailing garbage": json.dumps(GOOD).encode() + b"x",
    "two objects": json.dumps(GOOD).encode() * 2,
    "cut off": json.dumps(GOOD).encode()[:-1],
    "a trailing comma": json.dumps(GOOD).encode()[:-1] + b",}",
    "single quotes": str(GOOD).encode(),
    "a comment": b"/* hi */" + json.dumps(GOOD).encode(),
    "a key twice": b'{"board": "b", "board": "b", "player": "p1", "score": 10}',
    "a score twice": b'{"board": "b", "player": "p1", "score": 10, "score": 99}',
    "a key twice, escaped": b'{"board": "b", "player": "p1", "score": 10, "\\u0073core": 99}',
    "a key twice in meta": with_raw("meta", '{"depth": 1, "depth": 2}'),
    "a key twice in splits": with_raw("splits", '{"mode": "time", "mode": "words"}'),
    "NaN": with_raw("score", "NaN"),
    "Infinity": with_raw("score", "Infinity"),
    "-Infinity": with_raw("score", "-Infinity"),
    "NaN in meta": with_raw("meta", '{"ratio": NaN}'),
    "hex": with_raw("score", "0x10"),
    "an underscore": with_raw("score", "1_000"),
    "a plus": with_raw("score", "+5"),
    "a leading zero": with_raw("score", "007"),
    "a bare fraction": with_raw("score", ".5"),
    "a bare point": with_raw("score", "5."),
    "full-width digits": with_raw("score", "\uff15\uff10"),
    "Arabic digits": with_raw("score", "\u0665"),
    "a raw tab in a name": with_raw("name", '"a\tb"'),
    "a raw NUL": with_raw("name", '"a\0b"'),
}


@pytest.mark.parametrize("body", NO_JSON.values(), ids=NO_JSON)
async def test_what_is_no_json_is_bad_json(here: Harness, body: bytes) -> None:
    """Strict JSON in UTF-8, each key once, or 400."""
    refused(await here.client.post("/submit", content=body), "bad_json")
    assert here.requests == 0


@pytest.mark.parametrize(
    "body", [b"[]", b"null", b"5", b'"text"', b"true", b"-0", b"1e999", b'[{"board": "b"}]'], ids=str
)
async def test_json_that_is_no_object_is_invalid(here: Harness, body: bytes) -> None:
    """It is JSON, so it is not bad JSON."""
    refused(await here.client.post("/submit", content=body), "invalid")
    assert here.requests == 0


@pytest.mark.parametrize("opened", ["[", '{"a":', '{"meta":[', "[[", '{"meta":{"ship":'])
async def test_a_deep_body_is_refused_whatever_its_depth(here: Harness, opened: str) -> None:
    """Depth 1000, as deep as a body can be, and 10,000, which is too large before it is too deep."""
    closed = {"[": "]", "{": "}"}
    for depth in (1000, 4000 // len(opened), 10_000):
        content = opened * depth + "1" + "".join(closed[c] for c in reversed(opened) if c in closed) * depth
        response = await here.client.post("/submit", content=content)
        assert response.status_code in ((400, 422) if len(content) <= 8192 else (413,))
        refused(response, read(response)["code"])
    assert here.requests == 0


def wrong_types() -> Iterator[tuple[str, Any]]:
    """Yield each field with values of every other type."""
    samples: dict[str, list[Any]] = {
        "number": [0, -1, 1.5],
        "text": ["12", "", "1_000", "0x10", "NaN", "Infinity", " 5", "\uff15"],
        "bool": [True, False],
        "list": [[], [1], ["p1"]],
        "object": [{}, {"a": 1}],
    }
    types = dict.fromkeys(("board", "player", "name", "id", "ticket", "ranks"), "text")
    types |= {"score": "number", "tiebreak": "number", "meta": "object", "splits": "object"}
    for field, own in types.items():
        yield from ((field, value) for kind, values in samples.items() if kind != own for value in values)
    yield from ((field, None) for field in ("board", "player", "score", "ranks"))


@pytest.mark.parametrize(("field", "value"), list(wrong_types()), ids=lambda part: json.dumps(part))
async def test_a_field_of_another_type_is_named(here: Harness, field: str, value: Any) -> None:
    """`true` is no number, "12" is no number, 12 is no text."""
    refused(await here.post("/submit", **{**GOOD, field: value}), "invalid", field)
    assert here.requests == 0


@pytest.mark.parametrize("field", ["board", "player", "score"])
async def test_a_required_field_is_named_when_it_is_missing(here: Harness, field: str) -> None:
    """So are all of them together."""
    refused(await here.post("/submit", **{k: v for k, v in GOOD.items() if k != field}), "invalid", field)
    refused(await here.post("/submit"), "invalid", "board", "player", "score")


@pytest.mark.parametrize("field", ["name", "meta", "splits", "tiebreak", "id", "ticket"])
async def test_null_is_the_same_as_leaving_a_field_out(here: Harness, field: str) -> None:
    """Engines that cannot leave a field out send null."""
    assert read(await here.post("/submit", **{**GOOD, field: None}))["improved"]


@pytest.mark.parametrize(
    "key", ["x", "Score", "score ", "__proto__", "constructor", "", "players", "meta.depth", "\u0301"]
)
async def test_an_unknown_field_is_named(here: Harness, key: str) -> None:
    """A misspelt field would otherwise be a setting that silently does nothing."""
    refused(await here.post("/submit", **{**GOOD, key: 1}), "invalid", key)
    assert here.requests == 0


async def test_an_answer_repeats_little_of_what_a_caller_made_up(here: Harness) -> None:
    """Neither a field name of 8000 letters nor a thousand unknown fields come back."""
    long = refused(await here.post("/submit", **{**GOOD, "x" * 8000: 1}), "invalid")
    many = refused(await here.post("/submit", **GOOD, **{f"x{n}": 1 for n in range(700)}), "invalid")
    assert len(json.dumps(long)) < 1000
    assert len(many["errors"]) == 20
    assert "made-up" not in (await here.post("/submit", **{**GOOD, "player": "made-up!"})).text


HALF = "\ud800"
SURROGATES: dict[str, tuple[dict[str, Any], str]] = {
    "board": ({"board": HALF}, "unknown_board"),
    "player": ({"player": HALF}, "invalid"),
    "name": ({"name": "a" + HALF}, "invalid"),
    "name, the other half": ({"name": "\udc00"}, "invalid"),
    "meta": ({"meta": {"ship": HALF}}, "invalid"),
    "meta key": ({"meta": {HALF: 1}}, "invalid"),
    "split": ({"splits": {"mode": HALF}}, "unknown_split"),
    "open split": ({"splits": {"level": HALF}}, "unknown_split"),
    "split key": ({"splits": {HALF: "a"}}, "unknown_split"),
    "id": ({"id": HALF * 9}, "invalid"),
    "ticket": ({"ticket": HALF}, "invalid"),
    "ranks": ({"ranks": HALF}, "invalid"),
    "unknown field": ({HALF: 1}, "invalid"),
}


@pytest.mark.parametrize(("fields", "code"), SURROGATES.values(), ids=SURROGATES)
async def test_half_a_surrogate_pair_is_refused_wherever_it_stands(here: Harness, fields: Any, code: str) -> None:
    """JSON can spell it and UTF-8 cannot: it must never reach the store, nor break an answer."""
    refused(await here.post("/submit", **{**GOOD, **fields}), code)
    assert here.requests == 0


async def test_a_refused_request_leaves_everything_as_it_was(here: Harness) -> None:
    """No partial write, and no gate used up: after any number of bad requests the good one still counts."""
    await here.submit("p0", 5, board="b")
    before = await everything(here)
    for body in [*NO_JSON.values(), b"[]", with_raw("score", "1e999"), with_raw("player", '"a b"')]:
        await here.client.post("/submit", content=body)
    for _ in range(5):
        refused(await here.post("/submit", board="gated", player="p1", score="1"), "invalid")
        refused(await here.post("/submit", board="gated", player="p1", score=1e300), "score_out_of_range")
    assert await everything(here) == before
    assert read(await here.post("/submit", board="gated", player="p1", score=1))["improved"]
