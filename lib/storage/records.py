"""A player's record on one board, the hash that the scripts decide from: what its fields say, and when it expires.

`seen`   since when (s) it knows of everything, and the UTC day on which its timer was set
`ids`    the last submissions, `id:digest:effective:improved` each (effective in ms)
`gate`   the player's gate: `count end admitted id:digest` (ms)
`ban`    since when the player is banned (ms)
`values` the fields below of open splits' values, and when they may go
others   `window#slot:selection`, a place: `start id day score tiekey`, and while ranked name and meta after tabs;
         parts/record.lua reads them in the scripts
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from lib.boards.board import Board
from lib.storage.entries import made_at
from lib.time_units import ceil_seconds, end_of_day

Record: TypeAlias = Mapping[str, str]
"""The fields of a record as they are stored; empty where there is none."""

_PLACE = re.compile(r"\d+ (\S+) \S+ \S+ (\w*)(\t.*)?", re.DOTALL)
_MADE = re.compile(r"(\d+)(?: .*)?")
_USE = re.compile(r"[^:]*:[^:]*:(\d+)(?::.*)?")
_GATE = re.compile(r"\S+ \S+ (\d+)(?: .*)?")
_TIE = re.compile(r"\w*\d{13}")


@dataclass(frozen=True, slots=True)
class Place:
    """Where a record says that its player stands, or stood before being cut."""

    slot: str
    """The field's name."""
    window: str
    splits: Mapping[str, str]
    period: str
    tie: str
    """The tie key of the entry."""
    tail: str
    """What follows the player in the entry's text; empty for who is not ranked."""

    def text(self, player: str) -> str:
        """Return the entry's text; empty for who is not ranked."""
        return f"{self.tie}\t{player}{self.tail}" if self.tail else ""


def places(record: Record) -> Iterator[Place | None]:
    """Yield what each field that names a place says, and None for one that is not understood."""
    for slot, value in record.items():
        window, mark, rest = slot.partition("#")
        if not mark:
            continue
        found = _PLACE.fullmatch(value)
        if found is None:
            yield None
            continue
        splits = dict(pair.split("=", 1) for pair in rest.partition(":")[2].split(",") if pair)
        yield Place(slot, window, splits, found[1], found[2], found[3] or "")


def made(record: Record) -> int | None:
    """Return since when (s) a record knows of everything; None where it does not say."""
    found = _MADE.fullmatch(record.get("seen", ""))
    return int(found[1]) if found else None


def newest_activity(board: Board, record: Record, now: int) -> int:
    """Return when a record last saw a submission that changed something (ms); `now` for one that is not understood.

    A miss changes nothing on a board without a player's gate, so there it does not count.
    """
    since = made(record)
    times = [now if since is None else since * 1000]
    for use in record.get("ids", "").split():
        found = _USE.fullmatch(use)
        times.append(int(found[1]) if found else now)
    if gate := record.get("gate", ""):
        found = _GATE.fullmatch(gate)
        times.append(int(found[1]) if found else now)
    for place in places(record):
        times.append(made_at(board, place.tie) if place is not None and _TIE.fullmatch(place.tie) else now)
    return max(times)


def record_ends(board: Board, now: int) -> int:
    """Return when a record that is written at `now` (ms) expires, in epoch seconds; 0 for never, where there is no cap.

    Counted from the end of the day, so that its timer is set once a day.
    """
    return end_of_day(now) + ceil_seconds(board.remember) if board.cap else 0
