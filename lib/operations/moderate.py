"""What an operator does to one player on one board: ban, take off the standings, erase, and show all that is stored."""

from collections.abc import Sequence
from typing import Any

from lib.boards.board import Board
from lib.errors import StoreUnavailable
from lib.operations.find_player import KEYS_AT_ONCE, Found, many, places_of, recorded
from lib.schemas.timestamps import instant
from lib.storage.entries import parse_entry, plain_number
from lib.storage.records import Record, record_ends
from lib.storage.replies import fields, items, number, optional_text, whole
from lib.storage.scripts import script
from lib.storage.store import Store

_ATTEMPTS = 5


async def ban(store: Store, board: Board, player: str, now: int) -> None:
    """Refuse this player's submissions from now on; a record with a ban does not expire. Rows stay as they are."""
    record = store.keyspace(board).record(player)
    await store.upstash.transaction(["HSET", record, "ban", str(now)], ["PERSIST", record])


async def unban(store: Store, board: Board, player: str, now: int) -> bool:
    """Take a ban back, with the record's expiry counted from today; return whether there was one."""
    record = store.keyspace(board).record(player)
    commands = [["HDEL", record, "ban"]]
    if ends := record_ends(board, now):
        commands.append(["EXPIREAT", record, str(ends)])
    removed, *_ = await store.upstash.transaction(*commands)
    return whole(removed) > 0


async def read_record(store: Store, board: Board, player: str) -> dict[str, str]:
    """Return the fields of a player's record; none where there is no record."""
    return fields(await store.upstash.command("HGETALL", store.keyspace(board).record(player)))


async def remove(store: Store, board: Board, player: str, now: int) -> int:
    """Take a player off every live standing of a board; return of how many.

    The record keeps its earlier ids, so that a retry under way brings nothing back, and its ban.
    """
    record = await read_record(store, board, player)
    places = await places_of(store, board, player, record, now)
    return await _take_off(store, board, player, places, drops=False) or 0


async def erase(store: Store, board: Board, player: str, now: int) -> int:
    """Delete all that is stored of a player but a ban; return how many standings had a row.

    Raises StoreUnavailable where the player goes on submitting meanwhile.
    """
    total = 0
    for _ in range(_ATTEMPTS):
        record = await read_record(store, board, player)
        places = await places_of(store, board, player, record, now)
        removed = await _take_off(store, board, player, places, drops=True)
        if removed is not None:
            return total + removed
    raise StoreUnavailable("This player goes on submitting: ban them first.")


async def forget(store: Store, board: Board, player: str, record: Record) -> int | None:
    """Delete the record of a player as it was read, with the rows and the profile; None where it has changed since."""
    places = recorded(store.keyspace(board), record, player)
    return await _take_off(store, board, player, places, drops=True, guard=record)


async def _take_off(
    store: Store,
    board: Board,
    player: str,
    places: Sequence[Found],
    *,
    drops: bool,
    guard: Record | None = None,
) -> int | None:
    """Remove rows and fields, fifty standings a script, and with the last of them the record itself if it `drops`."""
    space = store.keyspace(board)
    removed = 0
    batches = [places[at : at + KEYS_AT_ONCE] for at in range(0, len(places), KEYS_AT_ONCE)] or [[]]
    for part, batch in enumerate(batches, start=1):
        last = drops and part == len(batches)
        profiles = space.profiles() if last and board.names == "profile" else space.record(player)
        held = guard or {}
        arguments = [player, _flag(last), _flag(guard is not None), held.get("ids", ""), held.get("gate", "")]
        for place in batch:
            arguments += [place.period, *(*place.slots, "")[:2], place.text]
        keys = [space.record(player), profiles, *(place.key for place in batch)]
        reply = await store.upstash.run(script("remove"), keys, arguments)
        if reply == ["changed"]:
            return None
        _, count = items(reply, 2)
        removed += whole(count)
    return removed


def _flag(value: bool) -> str:
    return "1" if value else "0"


async def export(store: Store, board: Board, player: str, now: int) -> dict[str, Any]:
    """Return all that is stored of a player on one board, for JSON: record, profile, and the entry in each standing."""
    space = store.keyspace(board)
    record = await read_record(store, board, player)
    found = [place for place in await places_of(store, board, player, record, now) if place.text]
    scores = await many(store, [["ZSCORE", place.key, place.text] for place in found])
    seconds = whole(await store.upstash.command("TTL", space.record(player)), -2)
    profile = None
    if board.names == "profile":
        shown = await store.upstash.command("HMGET", space.profiles(), f"{player}\tname", f"{player}\tmeta")
        name, meta = map(optional_text, items(shown, 2))
        profile = None if name is None and meta is None else {"name": name, "meta": meta}
    return {
        "board": board.name,
        "player": player,
        "banned": "ban" in record,
        "record": {"expires_in": seconds if seconds >= 0 else None, "fields": record} if record else None,
        "profile": profile,
        "standings": [
            _entry(board, place, number(score)) for place, score in zip(found, scores, strict=True) if score is not None
        ],
    }


def _entry(board: Board, place: Found, score: float) -> dict[str, Any]:
    entry = parse_entry(board, place.text, score)
    return {
        "window": place.window,
        "period": place.period,
        "splits": dict(place.splits),
        "score": plain_number(entry.score),
        "tiebreak": None if entry.tiebreak is None else plain_number(entry.tiebreak),
        "name": entry.name,
        "meta": entry.meta,
        "at": instant(entry.at),
    }
