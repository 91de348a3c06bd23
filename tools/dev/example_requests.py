"""A first request for whatever boards are loaded, to copy from the terminal."""

import json
from collections.abc import Mapping
from decimal import Decimal

from lib.boards.board import Board
from lib.boards.tables import ClosedSplit

# Tried in turn against the pattern of an open split.
_VALUES = ("1", "a1", "easy", "level-1", "level_1", "a", "A", "A1", "l1", "w1-1", "1-1", "en", "0001", "abcdef")


def curls(boards: Mapping[str, Board], address: str, now: int) -> list[str]:
    """Return the command lines of one submission and of the standing it is then in; `now` in epoch milliseconds.

    Boards that take submissions from anybody come first; where none does, only a read is shown.
    """
    for board in sorted(boards.values(), key=lambda board: board.auth != "open"):
        body = submission(board, now)
        if body is not None and board.auth != "ticket":
            credentials = "" if board.auth == "open" else '-H "Authorization: Bearer $LAUREL_SERVER_TOKEN" '
            headers = f"{credentials}-H 'Content-Type: application/json'"
            return [f"curl -s {address}/submit {headers} -d '{json.dumps(body)}'", _top(board, address)]
    return [_top(next(iter(boards.values())), address)]


def _top(board: Board, address: str) -> str:
    values = _values(board)
    selection = next((names for names in board.by if all(name in values for name in names)), ())
    query = "&".join([f"board={board.name}", *(f"{name}={values[name]}" for name in selection)])
    return f"curl -s '{address}/top?{query}'"


def submission(board: Board, now: int) -> dict[str, object] | None:
    """Return a submission that the board accepts at `now`, its ticket aside; None where no value or season fits."""
    score = _score(board)
    values = _values(board)
    reached = any(all(name in values for name in selection) for selection in board.by)
    current = any(board.calendar.current(window, now) is not None for window in board.windows)
    if score is None or not (reached and current):
        return None
    body: dict[str, object] = {
        "board": board.name,
        "player": "p1",
        "score": score,
        "name": "Mina"[: board.name_rule.max],
    }
    if values:
        body["splits"] = values
    if board.tiebreak is not None:
        body["tiebreak"] = 1
    return body


def _score(board: Board) -> int | float | None:
    """Return a score near 100 that is in range and on the board's step, or None."""
    rule, score = board.score, Decimal(100)
    score = min(score, score if rule.max is None else rule.max)
    score = max(score, score if rule.min is None else rule.min)
    if rule.step is not None:
        score -= score % rule.step  # towards zero, so a score below zero stays above the least one
        if rule.min is not None and score < rule.min:
            score += rule.step
        if rule.max is not None and score > rule.max:
            return None
    return int(score) if score == int(score) else float(score)


def _values(board: Board) -> dict[str, str]:
    """Return an allowed value of each split; an open split whose pattern none of ours matches is left out."""
    candidates = {
        name: rule.values
        if isinstance(rule, ClosedSplit)
        else [value for value in _VALUES if board.allows(name, value)]
        for name, rule in board.splits.items()
    }
    return {name: values[0] for name, values in candidates.items() if values}
