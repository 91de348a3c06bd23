"""Reading pages of standings: `top`, single, with a player, and plural."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from lib.boards.board import Board
from lib.reading.rows import (
    check_findable,
    profile_key,
    read_range,
    reading_arguments,
    row_of,
    rows_of,
    selected,
    shown_total,
)
from lib.schemas.reads import Row, Top, TopWithPlayer
from lib.storage.entries import parse_entry
from lib.storage.scripts import script
from lib.storage.standing import Standing, dressed, numbered, pairs
from lib.storage.store import Store
from lib.storage.upstash import understood


@dataclass(frozen=True, slots=True)
class Page:
    """Which rows of a standing: `limit` of them after the first `offset`."""

    standing: Standing
    limit: int
    offset: int = 0

    @property
    def last(self) -> int:
        """The index of the last row, within the cap; below `offset` where the page lies beyond it."""
        last = self.offset + self.limit - 1
        cap = self.standing.board.cap
        return min(last, cap - 1) if cap else last

    def answer(self, now: int, total: int, rows: list[Row]) -> dict[str, Any]:
        """Return the fields of the page's answer."""
        after = self.offset + self.limit
        return {
            **selected(self.standing, now),
            "total": total,
            "cap": self.standing.board.cap,
            "next": after if after < total else None,
            "entries": rows,
        }


def _is_plain(board: Board, pages: Sequence[Page]) -> bool:
    """Whether rows and their number are all that is needed, with no script: the cheapest way."""
    shared_past_the_first = board.rank != "ordinal" and any(page.offset for page in pages)
    return board.names == "entry" and not shared_past_the_first


async def read_tops(store: Store, pages: Sequence[Page], now: int) -> list[Top]:
    """Read pages of standings of one board at one moment, in one request."""
    board = pages[0].standing.board
    keys = store.keys(board)
    if not _is_plain(board, pages):
        _, answers = await _run(store, pages, now, player=None)
        return [Top(**answer) for answer in answers]
    commands: list[list[str]] = []
    for page in pages:
        key = page.standing.key(keys)
        commands += [read_range(board, key, page.offset, max(page.last, page.offset - 1)), ["ZCARD", key]]
    replies = await store.upstash.transaction(*commands)
    with understood():
        tops = []
        for page, rows, count in zip(pages, replies[::2], replies[1::2], strict=True):
            ranked = numbered(board, rows, page.offset, page.offset + 1) if page.last >= page.offset else []
            tops.append(Top(**page.answer(now, shown_total(board, int(count)), rows_of(ranked))))
        return tops


async def read_top_with_player(store: Store, page: Page, player: str, now: int) -> TopWithPlayer:
    """Read one page and the player's own row, wherever it stands."""
    check_findable(page.standing, now)
    me, [answer] = await _run(store, [page], now, player=player)
    return TopWithPlayer(**answer, me=me)


async def _run(
    store: Store, pages: Sequence[Page], now: int, *, player: str | None
) -> tuple[Row | None, list[dict[str, Any]]]:
    first = pages[0].standing
    keys = store.keys(first.board)
    names = [page.standing.key(keys) for page in pages]
    record = names[0] if player is None else keys.record(player)
    arguments = [*reading_arguments(first, now), player or ""]
    for page in pages:
        arguments += [str(page.offset), str(page.last)]
    reply = await store.upstash.run(script("top"), [record, profile_key(keys, first), *names], arguments)
    with understood():
        return _read(pages, now, reply)


def _read(pages: Sequence[Page], now: int, reply: Any) -> tuple[Row | None, list[dict[str, Any]]]:
    me, tops, profiles = reply
    board, answers = pages[0].standing.board, []
    for page, (total, rank, flat) in zip(pages, tops, strict=True):
        rows = pairs(flat)
        ranked = numbered(board, rows, page.offset, int(rank))
        shown, profiles = profiles[: 2 * len(rows)], profiles[2 * len(rows) :]
        answers.append(page.answer(now, int(total), rows_of(dressed(ranked, shown))))
    if not me:
        return None, answers
    rank, text, score = me
    [(place, entry)] = dressed([(int(rank), parse_entry(board, text, score))], profiles)
    return row_of(place, entry), answers
