"""The only calls that look through the database: deleting a board's keys, and idle players of boards without a cap."""

import asyncio
import re
from collections.abc import AsyncIterator
from dataclasses import dataclass

from lib.boards.board import Board
from lib.errors import Invalid
from lib.operations.find_player import many
from lib.operations.moderate import forget
from lib.storage.records import newest_activity
from lib.storage.replies import fields, items, texts, whole
from lib.storage.store import Store

_SCANNED_AT_ONCE = 1000
_DELETED_AT_ONCE = 100
# Requests under way at a time: the wait for each is nearly all distance.
_AT_ONCE = 16

_GLOB = re.compile(r"([*?\[\]\\^])")


@dataclass(frozen=True, slots=True)
class Swept:
    """What a sweep came to."""

    players: int
    """How many were removed."""
    standings: int
    """How many rows went with them."""
    looked_at: int
    """How many records there were."""


def escaped(text: str) -> str:
    """Return text that SCAN's patterns take as it is."""
    return _GLOB.sub(r"\\\1", text)


async def scan(store: Store, beginning: str) -> AsyncIterator[list[str]]:
    """Yield the keys that begin with a text, a page at a time; one that is written meanwhile may come twice."""
    cursor = "0"
    while True:
        reply = await store.upstash.command(
            "SCAN", cursor, "MATCH", f"{escaped(beginning)}*", "COUNT", str(_SCANNED_AT_ONCE)
        )
        following, names = items(reply, 2)
        cursor = str(whole(following))
        yield texts(names)
        if cursor == "0":
            return


async def reset(store: Store, board: Board) -> int:
    """Delete every key of a board, those of earlier rules and the gates too; return how many there were."""
    deleted = 0
    async for names in scan(store, store.keyspace(board).beginning):
        batches = [names[at : at + _DELETED_AT_ONCE] for at in range(0, len(names), _DELETED_AT_ONCE)]
        deleted += sum(whole(count) for count in await many(store, [["UNLINK", *batch] for batch in batches]))
    return deleted


async def sweep(store: Store, board: Board, idle: int, now: int) -> Swept:
    """Remove the rows and records of players whose newest activity is more than `idle` ms ago; leave the banned.

    Raises Invalid for a board with a cap, where records expire by themselves.
    """
    if board.cap:
        raise Invalid.field("board", f"{board.name} has a cap: its records expire by themselves, after remember")
    beginning = store.keyspace(board).record("")
    players = standings = looked_at = 0
    async for names in scan(store, beginning):
        records = await many(store, [["HGETALL", name] for name in names])
        idlers = []
        for name, record in zip(names, map(fields, records), strict=True):
            looked_at += bool(record)
            if record and "ban" not in record and newest_activity(board, record, now) < now - idle:
                idlers.append((name.removeprefix(beginning), record))
        for at in range(0, len(idlers), _AT_ONCE):
            gone = await asyncio.gather(*(forget(store, board, *one) for one in idlers[at : at + _AT_ONCE]))
            # None: the player came back between the look and the removal.
            players += sum(count is not None for count in gone)
            standings += sum(count or 0 for count in gone)
    return Swept(players, standings, looked_at)
