"""Player names as they are shown: cleaned of everything that cannot be seen, never cut.

The contract is `docs/http.md`: NFC, without control, bidi and zero-width characters (the joiner inside an emoji stays),
runs of spaces folded to one, ends trimmed. Cleaning a clean name changes nothing, and none holds a tab or a line end.
"""

import re
from typing import Final
from unicodedata import category, normalize

from lib.errors import Invalid

MOST_BYTES: Final = 96

# Spelt out because collecting them from unicodedata costs a cold start about 0.1 s; a test compares the two.
_CONTROLS = r"\x00-\x1f\x7f-\x9f"
_FORMATS = (
    r"\u00ad\u0600-\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2\u180e\u200b\u200c\u200e\u200f\u202a-\u202e\u2060-\u206f"
    r"\ufeff\ufff0-\ufffb\U000110bd\U000110cd\U00013430-\U0001343f\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"
    r"\U000e0000-\U000e00ff\U000e01f0-\U000e0fff"
)
# Letters, marks and symbols by category, yet nothing is drawn for them.
_BLANKS = (
    r"\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180d\u180f\u2800\u3164\uffa0"
    r"\U00013441\U00013442\U00016fe4\U0001d159"
)
_NONCHARACTERS = r"\ufdd0-\ufdef" + "".join(rf"\U{plane:04x}fffe\U{plane:04x}ffff" for plane in range(17))
_INVISIBLE = re.compile(f"[{_CONTROLS}{_FORMATS}{_BLANKS}{_NONCHARACTERS}]+")

_SPACE = r" \u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000"
_SPACES = re.compile(f"[{_SPACE}]+")

# Pictographs that joined emoji are made of; without regional indicators and skin tones, which begin no joined part.
_EMOJI = (
    r"[\u00a9\u00ae\u203c\u2049\u2122\u2139\u2194-\u2199\u21a9\u21aa"
    r"\u231a\u231b\u2328\u23cf\u23e9-\u23fa\u24c2\u25aa-\u27bf"
    r"\u2934\u2935\u2b05-\u2b55\u3030\u303d\u3297\u3299\U0001f000-\U0001f1e5\U0001f200-\U0001f3fa\U0001f400-\U0001faff]"
    r"[\ufe0f\U0001f3fb-\U0001f3ff]*"
)
_JOINED_OR_STRAY = re.compile(rf"({_EMOJI}(?:\u200d{_EMOJI})*)|\u200d")

_SELECTOR = r"\ufe00-\ufe0f\U000e0100-\U000e01ef"
# One selector after something visible picks its shape; any other is a place to hide text in.
_STRAY_SELECTORS = re.compile(f"(?<![^{_SPACE}{_SELECTOR}])[{_SELECTOR}]+")

_SURROGATE = re.compile(r"[\ud800-\udfff]")


def has_surrogate(text: str) -> bool:
    """Tell whether `text` holds half a surrogate pair, which JSON can spell and UTF-8 cannot."""
    return _SURROGATE.search(text) is not None


def clean(raw: str) -> str:
    """Return the name that `raw` is shown as, empty when nothing of it is visible; raises Invalid for surrogates."""
    if raw.isascii() and raw.isprintable():
        return " ".join(raw.split())
    if has_surrogate(raw):
        raise Invalid.field("name", "half of a surrogate pair is no text")
    text = _pass(raw)
    # Composing can undo what a joiner stood on (U+2194 and an overlay become U+21AE): go on until nothing changes.
    while (again := _pass(text)) != text:
        text = again
    return text


def check_length(name: str, longest: int) -> None:
    """Raise Invalid if the cleaned `name` is above `longest` code points or 96 bytes of UTF-8; it is never cut."""
    if len(name) > longest:
        raise Invalid.field("name", f"at most {longest} characters")
    if len(name.encode()) > MOST_BYTES:
        raise Invalid.field("name", f"at most {MOST_BYTES} bytes in UTF-8")


def _pass(text: str) -> str:
    text = _INVISIBLE.sub("", text)
    text = _JOINED_OR_STRAY.sub(r"\1", text)
    text = _STRAY_SELECTORS.sub("", text)
    text = _SPACES.sub(" ", text).rstrip(" ")
    # Last, for what was removed may have stood between a letter and its accent.
    return normalize("NFC", text[_visible_from(text) :])


def _visible_from(text: str) -> int:
    # Marks at the start have no letter to stand on, and would climb onto whatever a page shows before the name.
    for index, character in enumerate(text):
        if character != " " and not category(character).startswith("M"):
            return index
    return len(text)
