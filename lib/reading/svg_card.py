"""A page of a standing as a picture (SVG), for places without scripts: a readme, a forum, a stream overlay.

It holds shapes and text only: no script, link, image, foreign object or animation, and nothing that moves with time but
the standing itself, so that equal pages are equal bytes.
"""

import re
from collections.abc import Iterator, Mapping
from decimal import Decimal
from typing import Any
from unicodedata import category, east_asian_width

WIDTH = 420
MEDIA_TYPE = "image/svg+xml"

_ROW = 34
_HEAD = 78
_NAME_X = 66
_EDGE = 396
_SIZE = 15
_TINY = 1e-6  # below it numbers have an exponent, as in JavaScript and so in the web component
_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_MINTED = "p_"
_JOINER = "\u200d"

_STYLE = (
    ".c{fill:#fff;stroke:#e3e4da}.t{fill:#21261f}.s{fill:#5d6558}.o{fill:#e6f3e9}.l{stroke:#e6e7df}"
    ".m1{fill:#f3ca52}.m2{fill:#ccd3da}.m3{fill:#e2a878}.k{fill:#33290f}"
    "@media(prefers-color-scheme:dark){.c{fill:#191d18;stroke:#30362d}.t{fill:#eceee6}.s{fill:#a5ac9d}"
    ".o{fill:#21362a}.l{stroke:#30362d}}"
    f"text{{font:{_SIZE}px system-ui,-apple-system,'Segoe UI',Roboto,'Noto Sans',sans-serif}}"
    "text.h{font-size:20px;font-weight:700}text.n{font-size:13px}text.b{font-weight:600}"
)
_WINDOWS = {
    "all": "All time",
    "daily": "Daily",
    "weekly": "Weekly",
    "monthly": "Monthly",
    "yearly": "Yearly",
    "season": "Season",
}


def card(page: Mapping[str, Any], *, over: bool, player: str | None = None) -> bytes:
    """Draw the fields of a `top` answer; `over` says that its period has ended, `player` whose row is marked."""
    rows = [*page["entries"]]
    own = page.get("me")
    if own and all(row["player"] != player for row in rows):
        rows.append(own)
    return _document(page, rows, over, player).encode()


def _document(page: Mapping[str, Any], rows: list[dict[str, Any]], over: bool, player: str | None) -> str:
    heading = page["board"].replace("-", " ").replace("_", " ").strip().capitalize() or page["board"]
    standing = _standing(page)
    height = _HEAD + _ROW * max(1, len(rows)) + 40
    drawn = [_row(index, row, row["player"] == player) for index, row in enumerate(rows)] or [_empty()]
    foot = _text(24, height - 16, f"{page['total']:,} ranked", "s n")
    if page["ends"]:
        foot += _text(_EDGE, height - 16, _reset(page["ends"], over), "s n", end=True)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height}" '
        f'viewBox="0 0 {WIDTH} {height}" role="img" aria-labelledby="t">'
        f'<title id="t">{_safe(f"{heading}, {standing}")}</title><style>{_STYLE}</style>'
        f'<rect class="c" x=".5" y=".5" width="{WIDTH - 1}" height="{height - 1}" rx="14"/>'
        f"{_text(24, 38, heading, 't h')}{_text(24, 60, standing, 's n')}{''.join(drawn)}{foot}</svg>"
    )


def _standing(page: Mapping[str, Any]) -> str:
    period = [] if page["window"] == "all" else [page["period"]]
    splits = [f"{name} {value}" for name, value in page["splits"].items()]
    return " · ".join([_WINDOWS[page["window"]], *period, *splits])


def _reset(ends: str, over: bool) -> str:
    return f"{'Ended' if over else 'Resets'} {ends[:10]} {ends[11:16]} UTC"


def _empty() -> str:
    return _text(24, _HEAD + 22, "No scores yet.", "s")


def _row(index: int, row: Mapping[str, Any], own: bool) -> str:
    y = _HEAD + index * _ROW
    rank, score = str(row["rank"]), _number(row["score"])
    middle = y + 22
    marked = f'<rect class="o" x="12" y="{y + 1}" width="{WIDTH - 24}" height="{_ROW - 2}" rx="8"/>' if own else ""
    line = f'<path class="l" d="M24 {y}H{_EDGE}"/>'
    medal = row["rank"] <= 3
    disc = f'<circle class="m{rank}" cx="38" cy="{y + 17}" r="12"/>' if medal else ""
    place = f'<text class="{"k b" if medal else "s"}" x="38" y="{middle}" text-anchor="middle">{rank}</text>'
    room = max(_EDGE - _NAME_X - 16 - _width(score) * 1.1, _SIZE)
    label = _text(0, 22, _shortened(_shown(row), room), "s" if row["name"] is None else "t")
    # An inner svg clips what the estimate of its width got wrong, without a reference to anything.
    name = f'<svg x="{_NAME_X}" y="{y}" width="{room:.0f}" height="{_ROW}">{label}</svg>'
    return line + marked + disc + place + name + _text(_EDGE, middle, score, "t b", end=True)


def _shown(row: Mapping[str, Any]) -> str:
    name, player = row["name"], str(row["player"])
    return str(name) if name is not None else "Anonymous" if player.startswith(_MINTED) else player


def _number(score: float) -> str:
    """Return a score in digits while they are few; a tiny one with an exponent, as JavaScript prints it."""
    if isinstance(score, int):
        return f"{score:,}"
    if score and abs(score) < _TINY:
        return repr(score).replace("e-0", "e-")
    return f"{Decimal(repr(score)):,f}"


def _text(x: int, y: int, text: str, kind: str, *, end: bool = False) -> str:
    anchor = ' text-anchor="end"' if end else ""
    return f'<text class="{kind}" x="{x}" y="{y}"{anchor}>{_safe(text)}</text>'


def _safe(text: str) -> str:
    """Return text as XML has it; what no XML document may hold, not even escaped, is left out."""
    return _NOT_XML.sub("", text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _advances(text: str) -> Iterator[float]:
    """Yield a guess of how wide each character is, in em, on the wide side."""
    for before, character in zip(" " + text, text, strict=False):
        if before == _JOINER or _clings(character):
            yield 0
        elif east_asian_width(character) in "WF":
            yield 1.3
        elif character in "iljtfI1.,:;'|!()[] ":
            yield 0.42
        else:
            yield 1.0 if character in "WMmw@%" else 0.72 if character.isupper() else 0.62


def _width(text: str) -> float:
    return _SIZE * sum(_advances(text))


def _shortened(text: str, room: float) -> str:
    """Return text that fits into `room` pixels, with an ellipsis where it was cut, never inside a joined emoji."""
    if _width(text) <= room:
        return text
    fits, used = 0, _SIZE * 1.0
    for advance in _advances(text):
        used += advance * _SIZE
        if used > room:
            break
        fits += 1
    while fits and (_clings(text[fits]) or text[fits - 1] == _JOINER):
        fits -= 1
    return text[:fits].rstrip() + "…"


def _clings(character: str) -> bool:
    """Whether a character belongs to the one before it: accents, joiners, selectors, skin tones."""
    return category(character) in ("Mn", "Me", "Mc", "Cf") or "\U0001f3fb" <= character <= "\U0001f3ff"
