"""A submission made sound by its board's rules: numbers in range, name cleaned, meta typed, splits known."""

import hashlib
from base64 import urlsafe_b64encode
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from lib.boards.board import Board
from lib.boards.scores import HIGHEST, is_on_step, to_float
from lib.boards.splits import check_splits
from lib.errors import Invalid, ScoreOutOfRange
from lib.schemas.writes import Submission
from lib.storage.entries import meta_text, plain_number, score_text
from lib.submitting import player_names

META_TEXT = 64
META_BYTES = 512


@dataclass(frozen=True, slots=True)
class Run:
    """What is to be judged and stored; `name` and `meta` are None where none came."""

    player: str
    score: float
    tiebreak: float | None
    name: str | None
    meta: dict[str, Any] | None
    splits: dict[str, str]
    id: str
    named: bool
    """Whether the id came with the request."""
    ranks: str

    @property
    def id_hash(self) -> str:
        """The id as it is remembered."""
        return _digest(self.id, 9)

    @property
    def content(self) -> str:
        """A digest of what a repetition has to have in common: score, tie-break and splits."""
        splits = ",".join(f"{name}={value}" for name, value in sorted(self.splits.items()))
        tiebreak = "" if self.tiebreak is None else score_text(self.tiebreak)
        return _digest(f"{score_text(self.score)} {tiebreak} {splits}", 6)


def _digest(text: str, size: int) -> str:
    return urlsafe_b64encode(hashlib.blake2b(text.encode(), digest_size=size).digest()).decode()


def _check_score(board: Board, score: int | Decimal) -> float:
    rule = board.score
    value = to_float(score, "score")
    if rule.min is not None and score < rule.min:
        raise ScoreOutOfRange.field("score", f"should be at least {rule.min}")
    if rule.max is not None and score > rule.max:
        raise ScoreOutOfRange.field("score", f"should be at most {rule.max}")
    if rule.step is not None and not is_on_step(score, rule.step):
        raise ScoreOutOfRange.field("score", f"should be a multiple of {rule.step}")
    return value


def _check_tiebreak(board: Board, tiebreak: int | Decimal | None) -> float | None:
    if board.tiebreak is None and tiebreak is not None:
        raise Invalid.field("tiebreak", "this board has no tie-break")
    if board.tiebreak is not None and tiebreak is None:
        raise Invalid.field("tiebreak", "is required on this board")
    return None if tiebreak is None else to_float(tiebreak, "tiebreak")


def _check_name(board: Board, raw: str | None, refuses_name: Callable[[str], object] | None) -> str | None:
    name = None if raw is None else player_names.clean(raw)
    if name is not None:
        player_names.check_length(name, board.name_rule.max)
    if board.name_rule.required and not name:
        raise Invalid.field("name", "is required on this board")
    if name and refuses_name is not None and refuses_name(name):
        raise Invalid.field("name", "is not a name for this board")
    return name or None


def _is_number(value: Any) -> bool:
    return isinstance(value, int | Decimal) and not isinstance(value, bool)


def _check_meta_value(kind: str, value: Any, loc: str) -> Any:
    if kind == "str" and isinstance(value, str):
        if len(value) > META_TEXT or player_names.has_surrogate(value):
            raise Invalid.field(loc, f"should be text of at most {META_TEXT} characters")
        return value
    if kind == "bool" and isinstance(value, bool):
        return value
    if kind in ("int", "float") and _is_number(value) and abs(value) <= HIGHEST:
        number = plain_number(float(value) + 0.0)
        if kind == "float" or value == int(value):
            return number
    allowed = {"int": "a whole number", "float": "a number", "str": "text", "bool": "true or false"}[kind]
    raise Invalid.field(loc, f"should be {allowed}")


def _check_meta(board: Board, meta: Mapping[str, Any] | None) -> dict[str, Any] | None:
    if meta is None:
        return None
    for key in meta:
        if key not in board.meta:
            allowed = ", ".join(board.meta) or "none"
            raise Invalid.field("meta", f"has a key this board does not know; it knows {allowed}")
    # In the order of the configuration, so that equal meta is equal text.
    checked = {
        key: _check_meta_value(kind, meta[key], f"meta.{key}") for key, kind in board.meta.items() if key in meta
    }
    if len(meta_text(checked).encode()) > META_BYTES:
        raise Invalid.field("meta", f"should be at most {META_BYTES} bytes of JSON")
    return checked


def check_run(
    board: Board, submission: Submission, *, fresh_id: str, refuses_name: Callable[[str], object] | None = None
) -> Run:
    """Judge the values of a well-formed submission; `fresh_id` is taken where it has no id of its own.

    Raises Invalid, ScoreOutOfRange or UnknownSplit, which name the field.
    """
    return Run(
        player=submission.player,
        score=_check_score(board, submission.score),
        tiebreak=_check_tiebreak(board, submission.tiebreak),
        name=_check_name(board, submission.name, refuses_name),
        meta=_check_meta(board, submission.meta),
        splits=check_splits(board, submission.splits or {}),
        id=submission.id or fresh_id,
        named=submission.id is not None,
        ranks=submission.ranks,
    )
