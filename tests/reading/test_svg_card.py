"""`GET /top?format=svg`: the picture of a standing, well-formed and harmless with any name."""

import re
from typing import Any
from xml.etree import ElementTree

import pytest

from lib.reading.svg_card import WIDTH, card
from tests.support.harness import Harness, harness
from tools.upstash_emulator.backends import MemoryBackend

SVG = "{http://www.w3.org/2000/svg}"
HARMLESS = {SVG + name for name in ("svg", "title", "style", "rect", "path", "circle", "text")}
BOARDS = """
[board.b]
windows = ["daily", "all"]
cache = "10s"
name = { max = 96 }
[board.b.splits]
mode = ["words"]
[board.fresh]
"""
NAMES = [
    "Ana",
    "<img src=x onerror=alert(1)>",
    "</text></svg><script>alert(1)</script>",
    "]]> & &amp; &#0; \"'",
    "\ufffe\uffff",
    "\ud83d half",
    "a\x00\x1b\x0b\x7f",
    "شهرزاد ١٢٣",
    "👩‍👩‍👧‍👦" * 24,
    "W" * 96,
    "e\u0301" * 48,
    "",
]


def row(rank: int, **more: Any) -> dict[str, Any]:
    """Return the fields of one row."""
    return {"rank": rank, "player": f"p{rank}", "score": 100 - rank, "name": None, **more}


def page(*rows: dict[str, Any], **more: Any) -> dict[str, Any]:
    """Return the fields of a page."""
    standing = {"board": "b", "window": "daily", "period": "2026-11-30", "ends": "2026-12-01T00:00:00.000Z"}
    return {**standing, "splits": {}, "total": len(rows), "entries": [*rows], **more}


def drawn(fields: dict[str, Any], **more: Any) -> ElementTree.Element:
    """Draw a card and read it as XML, which must hold nothing but shapes and text."""
    text = card(fields, over=False, **more).decode()
    root = ElementTree.fromstring(text)
    for element in root.iter():
        assert element.tag in HARMLESS
        assert not [name for name in element.attrib if "href" in name or name.startswith("on")]
    assert "url(" not in text
    assert "@import" not in text
    assert "animation" not in text
    return root


def texts(root: ElementTree.Element) -> list[str]:
    """Return all texts of a card, in order."""
    return [element.text or "" for element in root.iter(SVG + "text")]


@pytest.mark.parametrize("name", NAMES, ids=range(len(NAMES)))
def test_a_card_is_well_formed_with_any_name(name: str) -> None:
    """What XML cannot hold is left out, and what it gives a meaning to is text."""
    root = drawn(page(row(1, name=name), row(2, name="Ben")))
    assert "Ben" in texts(root)


def test_a_card_shows_title_rows_and_reset() -> None:
    """It says what it shows, for readers of the screen too."""
    root = drawn(
        page(row(1, name="Ana", score=1234567), row(2, score=0.5), row(3, player="p_x"), splits={"mode": "words"})
    )
    title = root.find(SVG + "title")
    assert title is not None
    assert title.text == "B, Daily · 2026-11-30 · mode words"
    assert root.get("aria-labelledby") == title.get("id")
    shown = texts(root)
    for text in ("B", "1", "Ana", "1,234,567", "p2", "0.5", "Anonymous", "3 ranked", "Resets 2026-12-01 00:00 UTC"):
        assert text in shown
    style = root.find(SVG + "style")
    assert style is not None
    assert "prefers-color-scheme:dark" in (style.text or "")


def test_an_empty_and_an_ended_standing_are_said_to_be_so() -> None:
    """A card is never just a frame."""
    ended = ElementTree.fromstring(card(page(), over=True))
    assert "No scores yet." in texts(ended)
    assert "Ended 2026-12-01 00:00 UTC" in texts(ended)


def test_a_long_name_is_cut_between_characters() -> None:
    """Families stay together, accents stay on their letters, and the score keeps its room."""
    family = "👩‍👩‍👧‍👦"
    shown = texts(drawn(page(row(1, name=family * 24), row(2, name="e\u0301" * 48), row(3, name="W" * 96))))
    cut = [text for text in shown if text.endswith("…")]
    assert len(cut) == 3
    assert re.fullmatch(f"({family})+…", cut[0])
    assert re.fullmatch("(e\u0301)+…", cut[1])
    room = drawn(page(row(1, name="W" * 96, score=9007199254740991))).findall(f"{SVG}svg")[0]
    assert 0 < float(room.get("x", "")) + float(room.get("width", "")) < WIDTH - 24 - 160


@pytest.mark.parametrize(
    ("score", "shown"),
    [
        (5e-324, "5e-324"),
        (-1.25e-7, "-1.25e-7"),
        (0.000001, "0.000001"),
        (0.1, "0.1"),
        (1234.5, "1,234.5"),
        (0.0, "0.0"),
    ],
)
def test_a_tiny_score_is_shown_by_its_digits_and_an_exponent(score: float, shown: str) -> None:
    root = drawn(page(row(1, score=score)))
    assert shown in texts(root)
    assert all(float(node.attrib["width"]) > 0 for node in root.iter() if "width" in node.attrib)


def test_the_own_row_is_marked_once() -> None:
    """With `player` the row is marked where it stands, or added below."""
    on_page = drawn(page(row(1), me=row(1)), player="p1")
    below = drawn(page(row(1), me=row(57, name="Grace")), player="p57")
    for root in (on_page, below):
        assert len([rect for rect in root.iter(SVG + "rect") if rect.get("class") == "o"]) == 1
    assert "57" in texts(below)


async def opened(one: Harness, path: str, **headers: str) -> Any:
    """Get a path and return the answer."""
    return await one.client.get(path, headers=headers)


async def test_the_picture_is_cached_like_its_page_under_its_own_etag() -> None:
    """It has the Cache-Control of its board, an ETag of its own, and 304 for it; one read serves both."""
    async with harness(BOARDS, MemoryBackend()) as one:
        await one.submit("p1", 5, name="<Ana>")
        plain = await opened(one, "/top?board=b")
        one.start_meter()
        answer = await opened(one, "/top?board=b&format=svg")
        assert one.requests == 0
        assert answer.status_code == 200
        assert answer.headers["content-type"] == "image/svg+xml"
        assert answer.headers["cache-control"] == plain.headers["cache-control"] == "public, max-age=0, s-maxage=10"
        assert answer.headers["etag"] != plain.headers["etag"]
        assert answer.headers["access-control-allow-origin"] == "*"
        assert "&lt;Ana&gt;" in answer.text
        again = await opened(one, "/top?board=b&format=svg", **{"If-None-Match": answer.headers["etag"]})
        assert (again.status_code, again.content) == (304, b"")
        assert again.headers["etag"] == answer.headers["etag"]
        assert (await opened(one, "/top?board=b", **{"If-None-Match": answer.headers["etag"]})).status_code == 200
        one.now += 11_000
        await one.submit("p2", 7)
        changed = await opened(one, "/top?board=b&format=svg", **{"If-None-Match": answer.headers["etag"]})
        assert changed.status_code == 200


async def test_a_board_without_cache_and_an_own_row_are_not_stored() -> None:
    """The picture keeps to what holds for the page."""
    async with harness(BOARDS, MemoryBackend()) as one:
        for query in ("board=fresh", "board=b&player=p1"):
            answer = await opened(one, f"/top?{query}&format=svg")
            assert answer.status_code == 200
            assert answer.headers["cache-control"] == "no-store"


@pytest.mark.parametrize(
    "query", ["format=png", "format=", "format=SVG", "format=svg&windows=all", "format=svg&splits=overall"]
)
async def test_another_format_or_several_standings_are_invalid(query: str) -> None:
    """There is one format, and it is of one standing."""
    async with harness(BOARDS, MemoryBackend()) as one:
        answer = await opened(one, f"/top?board=b&{query}")
        assert answer.status_code == 422
        assert answer.json()["code"] == "invalid"
        assert answer.json()["errors"][0]["loc"] == "format"
