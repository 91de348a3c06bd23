"""The text of an entry, which is its member in the sorted set: `<tie key>\\t<player>\\t<name>\\t<meta as json>`.

The tie key orders equal scores and has a fixed width: the tie-break as 16 hex digits, where the board has one, and the
submission's millisecond as 13 digits. `desc` boards are read in reverse, so there the millisecond is inverted.
"""

import json
import math
import struct
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from lib.boards.board import Board

_LAST_MS = 9_999_999_999_999
_ALL_BITS = 0xFFFF_FFFF_FFFF_FFFF
_SIGN = 0x8000_0000_0000_0000

Meta = Mapping[str, Any]


def ordered_hex(number: float) -> str:
    """Return 16 hex digits that sort by bytes as finite doubles sort by value."""
    bits: int = struct.unpack(">Q", struct.pack(">d", number + 0.0))[0]
    return f"{bits ^ (_ALL_BITS if bits & _SIGN else _SIGN):016x}"


def stored_number(text: str | float) -> float:
    """Read a number of the store; raise ValueError for one that no JSON can show."""
    number = float(text)
    if not math.isfinite(number):
        raise ValueError("not a finite number")
    return number


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
    """Return the millisecond that a tie key was made for; raise ValueError where it is none."""
    return _LAST_MS - int(tie[-13:]) if board.descending else int(tie[-13:])


def meta_text(meta: Meta) -> str:
    """Return meta as it is stored; no meta is empty text."""
    return json.dumps(meta, ensure_ascii=False, allow_nan=False, separators=(",", ":")) if meta else ""


def score_text(score: float) -> str:
    """Return a score for the wire: digits for whole numbers, else the shortest text that reads back the same."""
    return str(int(score)) if score.is_integer() else repr(score)


def plain_number(number: float) -> int | float:
    """Return a number as JSON shows it: whole ones without a fraction."""
    return int(number) if float(number).is_integer() else number


@dataclass(frozen=True, slots=True)
class Entry:
    """One player's place in a standing: `score` and `tiebreak` as numbers, `at` in ms."""

    player: str
    score: float
    tiebreak: float | None
    name: str | None
    meta: dict[str, Any] = field(hash=False)
    at: int


def _meta(text: str) -> dict[str, Any]:
    meta = json.loads(text, parse_float=stored_number, parse_constant=stored_number) if text else {}
    return meta if isinstance(meta, dict) else {}


def parse_entry(board: Board, text: str, score: str | float) -> Entry:
    """Read one row of a standing; raises ValueError where the text is no entry."""
    tie, player, name, meta = text.split("\t", 3)
    at, hex_text = made_at(board, tie), tie[:-13]
    tiebreak = None
    if hex_text:
        tiebreak = stored_number(number_of_hex(hex_text if board.tiebreak == board.order else _inverted(hex_text)))
    return Entry(player, stored_number(score), tiebreak, name or None, _meta(meta), at)


def with_profile(entry: Entry, name: str | None, meta: str | None) -> Entry:
    """Return the entry with the player's latest name and meta beside it, or where there are none its own.

    A row has its own if it was made while the board showed those.
    """
    shown = _meta(meta) if meta is not None else entry.meta
    return Entry(entry.player, entry.score, entry.tiebreak, name or entry.name, shown, entry.at)
