"""What all reading calls have in common: the standing asked for, its period, the player's place in it."""

from collections.abc import Mapping, Sequence
from typing import Any

from lib.boards.board import Board
from lib.boards.periods import Period
from lib.boards.splits import check_splits
from lib.errors import UnknownSplit, UnknownWindow
from lib.schemas.reads import Row
from lib.schemas.timestamps import instant, instant_of
from lib.storage.entries import Entry, Profile, parse_entry, parse_profile, plain_number, with_profile
from lib.storage.keys import Keyspace
from lib.storage.replies import BadReply, items
from lib.storage.standing import Standing
from lib.time_units import ceil_seconds


def check_window(board: Board, window: str | None, loc: str = "window") -> str:
    """Return a window of the board, by default its first; raise UnknownWindow for another, which `loc` asked for."""
    if window is None:
        return board.windows[0]
    if window not in board.windows:
        raise UnknownWindow.field(loc, f"should be one of {', '.join(board.windows)}")
    return window


def check_selection(board: Board, splits: Mapping[str, str]) -> dict[str, str]:
    """Return a selection that the board keeps standings for; raise UnknownSplit for another."""
    selection = check_splits(board, splits)
    if tuple(sorted(selection)) not in board.by:
        kept = ", ".join("+".join(names) or "overall" for names in board.by)
        raise UnknownSplit.field("splits", f"this board keeps standings for {kept}")
    return dict(sorted(selection.items()))


def selected(standing: Standing, now: int) -> dict[str, Any]:
    """Return the fields of an answer that say which standing it speaks of."""
    period = standing.period
    return {
        "board": standing.board.name,
        "window": period.window,
        "period": period.id,
        "starts": instant_of(None if period.end is None else period.start),
        "ends": instant_of(period.end),
        "resets_in": resets_in(period, now),
        "splits": dict(standing.selection),
    }


def resets_in(period: Period, now: int) -> int | None:
    """Return the whole seconds until a period ends, rounded up: 0 when it is over, None for `all`."""
    return None if period.end is None else max(0, ceil_seconds(period.end * 1000 - now))


def is_recorded(standing: Standing, now: int) -> bool:
    """Return whether records can hold this period: the current and the previous one, and what is still to come."""
    period, calendar = standing.period, standing.board.calendar
    if period.window == "all":
        return True
    try:
        return period.start >= calendar.select(period.window, "-1", now).start
    except UnknownWindow:  # there is no earlier one
        return True


def check_findable(standing: Standing, now: int) -> None:
    """Raise UnknownWindow where a player cannot be found: an older period of a board without a cap."""
    if standing.board.cap == 0 and not is_recorded(standing, now):
        raise UnknownWindow.field("at", "players are found in the current and the previous period of this board")


def reading_arguments(standing: Standing, now: int) -> list[str]:
    """Return the arguments that reading scripts begin with, in the order of parts/reading.lua."""
    board, slots = standing.board, standing.slots
    return [
        "1" if board.descending else "0",
        str(board.cap),
        board.rank,
        "1" if board.names == "profile" else "0",
        "1" if is_recorded(standing, now) else "0",
        slots[0],
        slots[1] if len(slots) > 1 else "",
        standing.period.id,
        str(standing.period.start),
        str(standing.oldest_day(now)),
    ]


def read_range(board: Board, key: str, first: int, last: int) -> list[str]:
    """Return the command that reads rows `first` to `last` with their scores, in the board's direction."""
    return ["ZRANGE", key, str(first), str(last), *(["REV"] if board.descending else []), "WITHSCORES"]


def shown_total(board: Board, count: int) -> int:
    """Return how many rows readers are shown: none beyond the cap."""
    return min(count, board.cap) if board.cap else count


def parse_entries(board: Board, rows: Sequence[tuple[str, float]]) -> list[Entry]:
    """Read the rows of a standing; raise BadReply where one is no entry."""
    return [parse_entry(board, text, score) for text, score in rows]


def parse_profiles(value: object, count: int) -> list[Profile]:
    """Read {name, meta, …} of `count` rows, or nothing of any on boards that show no profiles; raise BadReply."""
    flat = items(value)
    if len(flat) not in (0, 2 * count):
        raise BadReply(f"profiles of {count} rows")
    return [parse_profile(name, meta) for name, meta in zip(flat[::2], flat[1::2], strict=True)]


def numbered(board: Board, entries: Sequence[Entry], index: int, rank: int) -> list[tuple[int, Entry]]:
    """Return entries with their ranks; the first lies at `index`, counted from 0, and has that rank.

    Equal scores share a rank, but on ordinal boards; the next score has the next number on dense ones, and elsewhere
    the number of its place.
    """
    ranked: list[tuple[int, Entry]] = []
    for place, entry in enumerate(entries, start=index + 1):
        if ranked and (board.rank == "ordinal" or entry.score != ranked[-1][1].score):
            rank = rank + 1 if board.rank == "dense" else place
        ranked.append((rank, entry))
    return ranked


def dressed(entries: Sequence[tuple[int, Entry]], profiles: Sequence[Profile]) -> list[tuple[int, Entry]]:
    """Return ranked entries with their profiles, where the board shows any."""
    if not profiles:
        return [*entries]
    return [(rank, with_profile(entry, profile)) for (rank, entry), profile in zip(entries, profiles, strict=True)]


def row_of(rank: int, entry: Entry) -> Row:
    """Return one row as it goes out."""
    return Row(
        rank=rank,
        player=entry.player,
        score=plain_number(entry.score),
        tiebreak=None if entry.tiebreak is None else plain_number(entry.tiebreak),
        name=entry.name,
        meta=entry.meta,
        at=instant(entry.at),
    )


def no_row(player: str) -> Row:
    """Return the row of a player who has none."""
    return Row(rank=None, player=player, score=None, tiebreak=None, name=None, meta=None, at=None)


def profile_key(space: Keyspace, standing: Standing) -> str:
    """Return the profiles' key, or the standing's again on boards that have none."""
    return space.profiles() if standing.board.names == "profile" else standing.key(space)


def rows_of(ranked: Sequence[tuple[int, Entry]]) -> list[Row]:
    """Return ranked entries as they go out."""
    return [row_of(rank, entry) for rank, entry in ranked]
