"""Where a player may be stored on one board: the places their record names, and the standings that are still there.

Keys are computed: periods from the calendar and `retain`, selections from the configuration and, for open splits, from
the sets of their values. Nothing here looks through the database.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

from lib.boards.board import Board
from lib.boards.periods import Period
from lib.boards.tables import OpenSplit
from lib.errors import UnknownWindow
from lib.reading.rows import is_recorded
from lib.storage import records
from lib.storage.keys import Keyspace
from lib.storage.records import Record
from lib.storage.replies import items, scored, text, texts, whole
from lib.storage.scripts import script
from lib.storage.standing import Standing
from lib.storage.store import Store

KEYS_AT_ONCE = 50
# A script that reads whole standings should not hold the database up for long.
_ROWS_AT_ONCE = 20_000
_SPARE_ROWS = 100
_COMMANDS_AT_ONCE = 100
_SCANNED_AT_ONCE = 1000


@dataclass(frozen=True, slots=True)
class Found:
    """A standing as it is stored, and what of a player was found there."""

    key: str
    window: str
    period: str
    splits: Mapping[str, str]
    slots: tuple[str, ...]
    """The record's fields that may speak of it."""
    text: str = ""
    """The entry text; empty where none is known."""


def recorded(space: Keyspace, record: Record, player: str) -> list[Found]:
    """Return the places that a record names, whatever the configuration has become since."""
    found = []
    for place in filter(None, records.places(record)):
        # The start and the number of the period play no part in its keys.
        key = space.standing(Period(place.window, place.period, 0, None, 0), place.splits)
        found.append(Found(key, place.window, place.period, place.splits, (place.slot,), place.text(player)))
    return found


def live_periods(board: Board, now: int) -> Iterator[Period]:
    """Yield every period of a board whose standings have not expired by `now` (ms), the latest of each window first."""
    for window in board.windows:
        if window == "season":
            periods = (board.calendar.select("season", season.name, now) for season in board.seasons)
            yield from (p for p in periods if p.start * 1000 <= now and not _is_over(board, p, now))
            continue
        period = board.calendar.current(window, now)
        while period is not None and not _is_over(board, period, now):
            yield period
            period = _before(board, period)


def _before(board: Board, period: Period) -> Period | None:
    try:
        return board.calendar.step(period, -1)
    except UnknownWindow:  # `all` has none, and the calendar has a first day
        return None


def _is_over(board: Board, period: Period, now: int) -> bool:
    return period.end is not None and Standing(board, period, {}).expires(now) * 1000 <= now


async def live_standings(store: Store, board: Board, now: int) -> list[tuple[Standing, int]]:
    """Return every standing of a board that is there, with how many rows it has."""
    space = store.keyspace(board)
    periods = list(live_periods(board, now))
    values = await _values(store, board, periods)
    possible = [
        Standing(board, period, dict(zip(names, chosen, strict=True)))
        for period in periods
        for names in board.by
        for chosen in product(*(values[period, split] for split in names))
    ]
    batches = _batches(possible, KEYS_AT_ONCE)
    # One command says that none of fifty is there, which is so for most days of most open splits.
    there = await many(store, [["EXISTS", *(s.key(space) for s in batch)] for batch in batches])
    likely = [standing for batch, count in zip(batches, there, strict=True) if whole(count) for standing in batch]
    sizes = await many(store, [["ZCARD", standing.key(space)] for standing in likely])
    return [(standing, size) for standing, size in zip(likely, map(whole, sizes), strict=True) if size]


async def _values(store: Store, board: Board, periods: Sequence[Period]) -> dict[tuple[Period, str], Sequence[str]]:
    """Return the values that each split has in each period."""
    space = store.keyspace(board)
    found: dict[tuple[Period, str], Sequence[str]] = {}
    wanted = []
    for period in periods:
        for split, rule in board.splits.items():
            if isinstance(rule, OpenSplit):
                wanted.append((period, split))
            else:
                found[period, split] = rule.values
    replies = await many(store, [["SMEMBERS", space.values(period, split)] for period, split in wanted])
    for place, reply in zip(wanted, replies, strict=True):
        found[place] = sorted(texts(reply))
    return found


async def places_of(store: Store, board: Board, player: str, record: Record, now: int) -> list[Found]:
    """Return every place with something of a player, those that the record names last."""
    space = store.keyspace(board)
    known = {place.key: place for place in recorded(space, record, player)}
    live = [(s, size) for s, size in await live_standings(store, board, now) if s.key(space) not in known]
    short: list[Standing] = []
    long: list[Standing] = []
    for standing, size in live:
        if _record_would_know(standing, record, now):
            continue
        is_short = board.cap and size <= board.cap + _SPARE_ROWS
        (short if is_short else long).append(standing)
    members = [*await _search(store, board, player, short), *[await _scan(store, s, player) for s in long]]
    found = [
        Found(s.key(space), s.period.window, s.period.id, s.selection, s.slots, member)
        for s, member in zip([*short, *long], members, strict=True)
        if member
    ]
    return [*found, *known.values()]


def _record_would_know(standing: Standing, record: Record, now: int) -> bool:
    """Return whether a row here would have a field in the record: its period is recent, and not older than the record.

    Without a cap records do not expire, so there the age of the record says nothing.
    """
    made = records.made(record)
    if made is None or not is_recorded(standing, now):
        return False
    return standing.board.cap == 0 or made < standing.period.start


async def _search(store: Store, board: Board, player: str, standings: Sequence[Standing]) -> list[str]:
    space = store.keyspace(board)
    found: list[str] = []
    for batch in _batches(standings, max(1, min(KEYS_AT_ONCE, _ROWS_AT_ONCE // max(1, board.cap)))):
        arguments = ["1" if board.descending else "0", str(board.cap), player]
        reply = await store.upstash.run(script("find"), [s.key(space) for s in batch], arguments)
        rows = [items(row) for row in items(reply, len(batch))]
        found += [text(row[0]) if row else "" for row in rows]
    return found


async def _scan(store: Store, standing: Standing, player: str) -> str:
    """Look through one standing without a cap, a thousand rows a command; a player's id holds nothing special."""
    key, cursor = standing.key(store.keyspace(standing.board)), "0"
    while True:
        pattern = f"*\t{player}\t*"
        reply = await store.upstash.command("ZSCAN", key, cursor, "MATCH", pattern, "COUNT", str(_SCANNED_AT_ONCE))
        following, rows = items(reply, 2)
        cursor = str(whole(following))
        for member, _ in scored(rows):
            # Somebody else's name may be spelt like this player.
            if member.split("\t", 2)[1:2] == [player]:
                return member
        if cursor == "0":
            return ""


async def many(store: Store, commands: Sequence[Sequence[str]]) -> list[Any]:
    """Send any number of commands, a hundred in one request; return their results in order."""
    results: list[Any] = []
    for batch in _batches(commands, _COMMANDS_AT_ONCE):
        results += await store.upstash.transaction(*batch)
    return results


def _batches(items: Sequence[Any], size: int) -> list[Sequence[Any]]:
    return [items[at : at + size] for at in range(0, len(items), size)]
