"""The text of an entry, which is its member in the sorted set: `<tie key>\\t<player>\\t<name>\\t<meta as json>`.

The tie key orders equal scores and has a fixed width: the tie-break as 16 hex digits, where the board has one, and the
submission's millisecond as 13 digits. `desc` boards are read in reverse, so there the millisecond is inverted.
"""

import json
import re
import struct
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from lib.boards.board import Board
from lib.storage.replies import BadReply, number, optional_text

_LAST_MS = 9_999_999_999_999
_ALL_BITS = 0xFFFF_FFFF_FFFF_FFFF
_SIGN = 0x8000_0000_0000_0000
_ENTRY = re.compile(r"([0-9a-f]{16})?([0-9]{13})\t([^\t]*)\t([^\t]*)\t(.*)", re.DOTALL)

Meta = Mapping[str, Any]


def ordered_hex(value: float) -> str:
    """Return 16 hex digits that sort by bytes as finite doubles sort by value."""
    bits: int = struct.unpack(">Q", struct.pack(">d", value + 0.0))[0]
    return f"{bits ^ (_ALL_BITS if bits & _SIGN else _SIGN):016x}"


def number_of_hex(text: str) -> float:
    """Return the double that `ordered_hex` made the text of."""
    bits = int(text, 16)
    value: float = struct.unpack(">d", struct.pack(">Q", bits ^ (_SIGN if bits & _SIGN else _ALL_BITS)))[0]
    return value


def _inverted(text: str) -> str:
    return f"{int(text, 16) ^ _ALL_BITS:016x}"


def tie_key(board: Board, at: int, tiebreak: float | None = None) -> str:
    """Return the tie key of a submission made at `at` (ms)."""
    digits = f"{_LAST_MS - at if board.descending else at:013d}"
    if tiebreak is None:
        return digits
    text = ordered_hex(tiebreak)
    return (text if board.tiebreak == board.order else _inverted(text)) + digits


def made_at(board: Board, tie: str) -> int:
    """Return the millisecond that a tie key was made for."""
    return _LAST_MS - int(tie[-13:]) if board.descending else int(tie[-13:])


def meta_text(meta: Meta) -> str:
    """Return meta as it is stored; no meta is empty text."""
    return json.dumps(meta, ensure_ascii=False, allow_nan=False, separators=(",", ":")) if meta else ""


def score_text(score: float) -> str:
    """Return a score for the wire: digits for whole numbers, else the shortest text that reads back the same."""
    return str(int(score)) if score.is_integer() else repr(score)


def plain_number(value: float) -> int | float:
    """Return a number as JSON shows it: whole ones without a fraction."""
    return int(value) if float(value).is_integer() else value


@dataclass(frozen=True, slots=True)
class Entry:
    """One player's place in a standing: `score` and `tiebreak` as numbers, `at` in ms."""

    player: str
    score: float
    tiebreak: float | None
    name: str | None
    meta: dict[str, Any] = field(hash=False)
    at: int


class Profile(NamedTuple):
    """A player's latest name and meta; None where none is stored."""

    name: str | None
    meta: dict[str, Any] | None


def parse_meta(text: str) -> dict[str, Any]:
    """Read meta as `meta_text` stored it; raise BadReply where it is no JSON, or not of finite numbers."""
    try:
        meta = json.loads(text, parse_float=number, parse_constant=number) if text else {}
    except (ValueError, RecursionError):
        raise BadReply("meta as JSON") from None
    return meta if isinstance(meta, dict) else {}


def parse_entry(board: Board, text: str, score: float) -> Entry:
    """Read one row of a standing; raise BadReply where the text is no entry."""
    found = _ENTRY.fullmatch(text)
    if found is None:
        raise BadReply("an entry")
    hex_text, digits, player, name, meta = found.groups()
    tiebreak = None
    if hex_text:
        tiebreak = number(number_of_hex(hex_text if board.tiebreak == board.order else _inverted(hex_text)))
    return Entry(player, score, tiebreak, name or None, parse_meta(meta), made_at(board, digits))


def parse_profile(name: object, meta: object) -> Profile:
    """Read what is stored of a player beside the rows."""
    text = optional_text(meta)
    return Profile(optional_text(name), None if text is None else parse_meta(text))


def with_profile(entry: Entry, profile: Profile) -> Entry:
    """Return the entry with the player's latest name and meta beside it, or where there are none its own.

    A row has its own if it was made while the board showed those.
    """
    shown = entry.meta if profile.meta is None else profile.meta
    return Entry(entry.player, entry.score, entry.tiebreak, profile.name or entry.name, shown, entry.at)
