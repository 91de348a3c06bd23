"""What stands beside a score: the name as it is cleaned, the meta as its board declares it."""

import json
from collections.abc import AsyncIterator
from typing import Any

import pytest

from tests.support.harness import Harness, harness
from tests.support.responses import BOARDS, read, refused
from tools.upstash_emulator.backends import MemoryBackend

FAMILY = "\U0001f468\u200d\U0001f469\u200d\U0001f467"


@pytest.fixture
async def here() -> AsyncIterator[Harness]:
    """Open a harness."""
    boards = BOARDS + '[board.wide]\nname = { max = 96 }\nmeta = { a = "str", b = "str", c = "str", d = "str" }\n'
    async with harness(boards, MemoryBackend()) as opened:
        yield opened


async def shown(here: Harness, board: str = "b") -> dict[str, Any]:
    """Return the first row of a board."""
    row: dict[str, Any] = read(await here.client.get("/top", params={"board": board}))["entries"][0]
    return row


@pytest.mark.parametrize(
    ("raw", "name"),
    [
        ("Mina", "Mina"),
        ("  Mina \u00a0 Ray  ", "Mina Ray"),
        ("Zoe\u0308", "Zo\u00eb"),
        ("\u202egnp.exe", "gnp.exe"),
        ("a\u200bd\u00admin", "admin"),
        ("tab\tand\nline", "tabandline"),
        (FAMILY, FAMILY),
        ("a\u200db", "ab"),
        ("", None),
        (" \u200b\u3164 ", None),
        ("<img src=x onerror=1>", "<img src=x onerror=1>"),
        ('"\\/', '"\\/'),
        ("__proto__", "__proto__"),
        ("null", "null"),
        ("123", "123"),
    ],
)
async def test_a_name_is_cleaned_and_shown_as_text(here: Harness, raw: str, name: str | None) -> None:
    """Nothing invisible is left, nothing visible is changed, and markup stays text."""
    await here.submit("p1", 1, name=raw)
    assert (await shown(here))["name"] == name


async def test_a_name_too_long_is_refused_and_never_cut(here: Harness) -> None:
    """Its length counts after cleaning, in code points; 96 bytes is the end for every board."""
    for good in ("12345", "  12345  ", "1\u200b2\u200b3\u200b4\u200b5", FAMILY, "\u00e9" * 5):
        assert read(await here.post("/submit", board="named", player="p1", score=1, name=good))
    for long in ("123456", "1234 6", FAMILY + "1", "x" * 8000):
        refused(await here.post("/submit", board="named", player="p2", score=1, name=long), "invalid", "name")
    for good in ("x" * 96, "\u00e9" * 48, "\U0001f600" * 24):
        assert read(await here.post("/submit", board="wide", player="p1", score=1, name=good))
    for long in ("x" * 97, "\u00e9" * 49, "\U0001f600" * 24 + "x"):
        refused(await here.post("/submit", board="wide", player="p2", score=1, name=long), "invalid", "name")
    assert read(await here.client.get("/top?board=named"))["total"] == 1


@pytest.mark.parametrize(
    "fields", [{}, {"name": None}, {"name": ""}, {"name": "  "}, {"name": "\u200b\u202e"}], ids=str
)
async def test_a_required_name_needs_something_to_see(here: Harness, fields: Any) -> None:
    """Invisible is the same as missing."""
    refused(await here.post("/submit", board="named", player="p1", score=1, **fields), "invalid", "name")
    assert here.requests == 0


@pytest.mark.parametrize(
    ("key", "raw", "kept"),
    [
        ("depth", "7", 7),
        ("depth", "7.0", 7),
        ("depth", "1e3", 1000),
        ("depth", "-0", 0),
        ("depth", "9007199254740991", 2**53 - 1),
        ("ratio", "0.5", 0.5),
        ("ratio", "5", 5),
        ("ratio", "1e-7", 1e-7),
        ("ratio", "1e-400", 0),
        ("won", "true", True),
        ("won", "false", False),
        ("ship", '""', ""),
        ("ship", '"' + "x" * 64 + '"', "x" * 64),
        ("ship", '"' + "\U0001f600" * 64 + '"', "\U0001f600" * 64),
        ("ship", r'"a\tb\n\u0000\u2028\"\\"', 'a\tb\n\0\u2028"\\'),
        ("ship", '"</script>"', "</script>"),
        ("ship", '"123"', "123"),
    ],
)
async def test_meta_keeps_its_type(here: Harness, key: str, raw: str, kept: Any) -> None:
    """What is shown is what was sent, with whole numbers plain."""
    content = f'{{"board": "b", "player": "p1", "score": 1, "meta": {{"{key}": {raw}}}}}'
    assert read(await here.client.post("/submit", content=content))
    value = (await shown(here))["meta"][key]
    assert (type(value), value) == (type(kept), kept)


@pytest.mark.parametrize(
    ("key", "raw"),
    [
        *(("depth", raw) for raw in ("1.5", "true", '"7"', "null", "[]", "{}", "9007199254740992", "1e999", "1e-400")),
        *(("depth", raw) for raw in ("1e1000000", "1e99999999999999999999", "9" * 5000)),
        *(("ratio", raw) for raw in ("true", '"0.5"', "null", "1e309", "-1e1000000", "[0.5]")),
        *(("ship", raw) for raw in ("5", "true", "null", "[]", "{}", '"' + "x" * 65 + '"', r'"\ud800"')),
        *(("won", raw) for raw in ("1", "0", '"true"', "null")),
    ],
    ids=lambda part: part[:24],
)
async def test_meta_of_another_type_or_size_is_named(here: Harness, key: str, raw: str) -> None:
    """Each value is judged by the type its board declares."""
    content = f'{{"board": "b", "player": "p1", "score": 1, "meta": {{"{key}": {raw}}}}}'
    refused(await here.client.post("/submit", content=content), "invalid", f"meta.{key}")
    assert here.requests == 0


@pytest.mark.parametrize("key", ["x", "Depth", "", "__proto__", "depth ", "meta"])
async def test_an_unknown_key_of_meta_is_refused(here: Harness, key: str) -> None:
    """Boards that declare none take none."""
    refused(await here.post("/submit", board="b", player="p1", score=1, meta={key: 1}), "invalid", "meta")
    refused(
        await here.post("/submit", board="tied", player="p1", score=1, tiebreak=1, meta={key: 1}), "invalid", "meta"
    )


async def test_meta_has_at_most_512_bytes_as_it_is_stored(here: Harness) -> None:
    """Four texts of 64 characters may be too much together; 512 itself is not."""
    texts = dict.fromkeys("abcd", "\u00e9" * 60)
    texts["a"] += "x" * (512 - len(json.dumps(texts, ensure_ascii=False, separators=(",", ":")).encode()))
    assert len(texts["a"]) <= 64
    assert read(await here.post("/submit", board="wide", player="p1", score=1, meta=texts))
    assert (await shown(here, "wide"))["meta"] == texts
    refused(
        await here.post("/submit", board="wide", player="p2", score=1, meta={**texts, "c": texts["c"] + "x"}),
        *("invalid", "meta"),
    )


async def test_an_entry_without_name_and_meta_says_so(here: Harness) -> None:
    """null and {}; so does one whose meta was sent empty."""
    await here.submit("p1", 1)
    assert {key: (await shown(here))[key] for key in ("name", "meta", "tiebreak")} == {
        "name": None,
        "meta": {},
        "tiebreak": None,
    }
    await here.submit("p1", 2, meta={})
    assert (await shown(here))["meta"] == {}
