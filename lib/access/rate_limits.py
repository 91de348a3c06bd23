"""Rate limiter by address: the scripts count calls, for all processes together; here is known who is blocked."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager, nullcontext
from dataclasses import dataclass, field

from lib.boards.board import Board
from lib.boards.durations import Rate
from lib.errors import AddressBlocked, Quota, Retryable, StoreUnavailable
from lib.lru_cache import LruCache
from lib.storage.replies import text, whole
from lib.storage.scripts import script
from lib.storage.store import Store
from lib.time_units import ceil_seconds

MOST_BLOCKED = 10_000
# How far ahead of `now` a stamp may lie and still count: processes' clocks differ, and a request may wait its turn.
CLOCKS_APART_MS = 10_000


def _time_left(until: int, length: int, now: int) -> int:
    """Return the ms left of a time of that length, as parts/gate.lua does; 0 where it is over or a clock was wrong."""
    left = until - now
    return min(left, length) if 0 < left <= length + min(length, CLOCKS_APART_MS) else 0


@dataclass(slots=True)
class _Sent:
    """What this process has asked the store for a caller since it began to count, and until when (ms) it counts."""

    until: int
    calls: int = 0
    turn: asyncio.Lock = field(default_factory=asyncio.Lock)


class Blocked:
    """The callers this process has seen refused, until their time is up: refusing them again costs no command.

    Bounded, so that a flood from many addresses cannot fill the memory.
    """

    def __init__(self, most: int = MOST_BLOCKED, patience: float = 2.5) -> None:
        self._patience = patience
        self._until: LruCache[tuple[str, str], tuple[int, Retryable]] = LruCache(most)
        self._sent: LruCache[tuple[str, str], _Sent] = LruCache(most)
        self._newest = 0

    def __len__(self) -> int:
        return len(self._until)

    @asynccontextmanager
    async def guard(self, board: Board, caller: str | None, now: int) -> AsyncIterator[None]:
        """Refuse a caller known to be blocked, and remember one whom the address gate refuses inside.

        None is a caller whom no gate counts.
        """
        if caller is None:
            yield
            return
        if now < self._newest - CLOCKS_APART_MS:
            # The clock was ahead: what it noted would hold again when that time comes.
            self._until.clear()
            self._sent.clear()
            self._newest = now
        self._newest = max(self._newest, now)
        self.check(board.name, caller, now)
        async with self._turn(board, caller, now):
            self.check(board.name, caller, now)
            try:
                yield
            except AddressBlocked as refusal:
                self.note(board.name, caller, refusal, now)
                raise

    def _turn(self, board: Board, caller: str, now: int) -> AbstractAsyncContextManager[None]:
        """Return what to hold while asking the store: nothing, or for whoever may be over the limit, a place in a row.

        Else a flood that comes all at once would reach the store before the first refusal is known.
        """
        rate = board.limits.per_ip
        if rate is None:
            return nullcontext()
        sent = self._sent.get((board.name, caller))
        if sent is None or not _time_left(sent.until, rate.period, now):
            sent = _Sent(now + rate.period)
            self._sent.put((board.name, caller), sent)
        sent.calls += 1
        return self._alone(sent.turn) if sent.calls > rate.limit else nullcontext()

    @asynccontextmanager
    async def _alone(self, turn: asyncio.Lock) -> AsyncIterator[None]:
        try:
            # The wait and the store together: a row behind a store that does not answer must not add up.
            async with asyncio.timeout(self._patience), turn:
                yield
        except TimeoutError:
            raise StoreUnavailable("The store was busy with other requests of this caller.") from None

    def note(self, board: str, caller: str, refusal: Retryable, now: int) -> None:
        """Remember that a board refused a caller at `now` (ms)."""
        self._until.put((board, caller), (now + refusal.wait, refusal))

    def check(self, board: str, caller: str, now: int) -> None:
        """Raise the refusal again, with what is left of its wait, while it holds."""
        known = self._until.get((board, caller))
        if known is None:
            return
        until, refusal = known
        if left := _time_left(until, refusal.wait, now):
            raise refusal.again(left)
        self._until.drop((board, caller))


def quota(rate: Rate | None, wait: int) -> Quota | None:
    """Return what a gate allows, with `wait` ms until it opens again."""
    return None if rate is None else Quota(rate.limit, ceil_seconds(rate.period), ceil_seconds(wait))


def address_blocked(board: Board, wait: int) -> AddressBlocked:
    """Return the refusal of a board's address gate."""
    return AddressBlocked("Too many requests from this address.", wait=wait, quota=quota(board.limits.per_ip, wait))


async def count_call(store: Store, board: Board, caller: str | None, now: int) -> None:
    """Count a call at the address gate, for functions that store nothing else; raise AddressBlocked.

    Where the board has no such gate, or it does not count this caller, the store is not asked at all.
    """
    rate = board.limits.per_ip
    if rate is None or caller is None:
        return
    arguments = [str(rate.limit), str(rate.period), str(now)]
    reply = await store.upstash.run(script("start"), [store.keyspace(board).gate(caller)], arguments)
    if text(reply):
        raise address_blocked(board, whole(reply, 1))
