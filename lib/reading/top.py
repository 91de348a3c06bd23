"""Reading pages of standings: `top`, single, with a player, and plural."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from lib.boards.board import Board
from lib.reading.rows import (
    check_findable,
    dressed,
    numbered,
    parse_entries,
    parse_profiles,
    profile_key,
    read_range,
    reading_arguments,
    row_of,
    rows_of,
    selected,
    shown_total,
)
from lib.schemas.reads import Row, Top, TopWithPlayer
from lib.storage.entries import Entry, Profile, parse_entry
from lib.storage.replies import items, number, scored, scored_flat, text, whole
from lib.storage.scripts import script
from lib.storage.standing import Standing
from lib.storage.store import Store


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
    space = store.keyspace(board)
    if not _is_plain(board, pages):
        _, answers = await _run(store, pages, now, player=None)
        return [Top(**answer) for answer in answers]
    commands: list[list[str]] = []
    for page in pages:
        key = page.standing.key(space)
        commands += [read_range(board, key, page.offset, max(page.last, page.offset - 1)), ["ZCARD", key]]
    answers = await store.upstash.transaction(*commands)
    found = [
        (page, parse_entries(board, scored(rows)), shown_total(board, whole(count)))
        for page, rows, count in zip(pages, answers[::2], answers[1::2], strict=True)
    ]
    tops = []
    for page, entries, total in found:
        ranked = numbered(board, entries, page.offset, page.offset + 1)
        tops.append(Top(**page.answer(now, total, rows_of(ranked))))
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
    space = store.keyspace(first.board)
    keys = [page.standing.key(space) for page in pages]
    record = keys[0] if player is None else space.record(player)
    arguments = [*reading_arguments(first, now), player or ""]
    for page in pages:
        arguments += [str(page.offset), str(page.last)]
    reply = await store.upstash.run(script("top"), [record, profile_key(space, first), *keys], arguments)
    found = _parse(first.board, len(pages), reply)
    shown = found.profiles
    answers = []
    for page, (total, rank, entries) in zip(pages, found.pages, strict=True):
        ranked = numbered(first.board, entries, page.offset, rank)
        answers.append(page.answer(now, total, rows_of(dressed(ranked, shown[: len(entries)]))))
        shown = shown[len(entries) :]
    if found.me is None:
        return None, answers
    [own] = dressed([found.me], shown)
    return row_of(*own), answers


class _Found(NamedTuple):
    """The reply of top.lua."""

    me: tuple[int, Entry] | None
    pages: list[tuple[int, int, list[Entry]]]
    """Of each page the total, the rank of its first row, and its rows."""
    profiles: list[Profile]
    """Of all rows in their order, then of `me`; none on boards that show no profiles."""


def _parse(board: Board, count: int, reply: object) -> _Found:
    own, tops, profiles = items(reply, 3)
    me = None
    if items(own):
        rank, member, score = items(own, 3)
        me = whole(rank, 1), parse_entry(board, text(member), number(score))
    pages = []
    for top in items(tops, count):
        total, rank, flat = items(top, 3)
        pages.append((whole(total), whole(rank, 1), parse_entries(board, scored_flat(flat))))
    rows = sum(len(entries) for _, _, entries in pages) + (me is not None)
    return _Found(me, pages, parse_profiles(profiles, rows))
