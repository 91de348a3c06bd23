"""From a query to the standings it asks for."""

import re
from collections.abc import Hashable, Sequence

from lib.boards.board import MOST_STANDINGS, Board
from lib.errors import Invalid, UnknownWindow
from lib.reading.queries import Selectors, TopQuery
from lib.reading.rows import check_selection, check_window
from lib.storage.standing import Standing


def selected_standing(board: Board, query: Selectors, now: int) -> Standing:
    """Return the single standing of a query; raise UnknownWindow or UnknownSplit."""
    splits = query.splits(board)
    window = check_window(board, query.window)
    return Standing(board, board.calendar.select(window, query.at, now), check_selection(board, splits))


def selected_standings(board: Board, query: TopQuery, now: int) -> list[Standing]:
    """Return the standings of a plural query, windows outermost; raise Invalid for a repeat, and for more than 24."""
    if not re.fullmatch("0|-[0-9]+", query.at):
        raise UnknownWindow.field("at", "should be 0, -1, -2, … where several standings are asked for")
    named = [board.windows[0]] if query.windows is None else query.windows.split(",")
    windows = [check_window(board, window, "windows") for window in named]
    _refuse_repeats("windows", "a window", windows)
    listed = "overall" if query.plural_splits is None else query.plural_splits
    selections = [_selection(board, text) for text in listed.split(",")]
    _refuse_repeats("splits", "a selection", [tuple(selection.items()) for selection in selections])
    if len(windows) * len(selections) > MOST_STANDINGS:
        raise Invalid.field("splits", f"times windows should be at most {MOST_STANDINGS} standings")
    periods = [board.calendar.select(window, query.at, now) for window in windows]
    return [Standing(board, period, selection) for period in periods for selection in selections]


def _refuse_repeats(loc: str, kind: str, asked: Sequence[Hashable]) -> None:
    """Raise Invalid for a list that names something twice: each costs commands and a page of the answer."""
    if len(set(asked)) != len(asked):
        raise Invalid.field(loc, f"names {kind} more than once")


def _selection(board: Board, text: str) -> dict[str, str]:
    """Read `overall`, or `mode:words;level:a1`."""
    if text == "overall":
        return check_selection(board, {})
    parts = [re.fullmatch(r"([^:;]+):([^:;]+)", part) for part in text.split(";")]
    pairs = [(found[1], found[2]) for found in parts if found]
    if len(pairs) != len(parts) or len(dict(pairs)) != len(pairs):
        raise Invalid.field("splits", "should be a list of overall and name:value, joined by ; where there are several")
    return check_selection(board, dict(pairs))
