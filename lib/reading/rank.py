"""Reading where players stand: `rank`, with neighbours, for several players, and for a score."""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from lib.boards.board import Board
from lib.reading.rows import (
    check_findable,
    dressed,
    no_row,
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
from lib.schemas.reads import Ahead, RankOfPlayer, RankOfPlayers, RankOfScore
from lib.storage.entries import Entry, Profile, parse_entry, plain_number, score_text
from lib.storage.replies import BadReply, items, number, optional_number, scored, scored_flat, text, whole
from lib.storage.scripts import script
from lib.storage.standing import Standing
from lib.storage.store import Store

_NO_NEIGHBOURS = -1


async def _run(store: Store, standing: Standing, players: Sequence[str], around: int, now: int) -> Any:
    check_findable(standing, now)
    space = store.keyspace(standing.board)
    keys = [standing.key(space), profile_key(space, standing), *(space.record(player) for player in players)]
    arguments = [*reading_arguments(standing, now), str(around), *players]
    return await store.upstash.run(script("rank"), keys, arguments)


async def rank_of_player(store: Store, standing: Standing, player: str, around: int, now: int) -> RankOfPlayer:
    """Read a player's row and `around` rows on either side, more on one where the other has none."""
    found = _parse_place(standing.board, await _run(store, standing, [player], around, now))
    return RankOfPlayer(**selected(standing, now), **_neighbourhood(standing.board, found, around))


@dataclass(frozen=True, slots=True)
class _Near:
    """The rows around a ranked player."""

    index: int
    """Where the player stands, counted from 0."""
    start: int
    """Where the first row stands."""
    rank: int
    """The rank of the first row."""
    ahead: int
    """How many are ahead of the player, where equal scores share a dense rank."""
    entries: list[Entry]
    profiles: list[Profile]


@dataclass(frozen=True, slots=True)
class _Place:
    """The reply of rank.lua for one player; `near` is None for who is not ranked."""

    total: int
    near: _Near | None
    best: float | None
    cutoff: float | None


def _parse_place(board: Board, reply: object) -> _Place:
    count, players, around, last, shown = items(reply, 5)
    total, cutoff = whole(count), optional_number(last)
    [known] = items(players, 1)
    best = number(items(known)[0]) if items(known) else None
    if not items(around):
        return _Place(total, None, best, cutoff)
    index, start, rank, ahead, flat = items(around, 5)
    entries = parse_entries(board, scored_flat(flat))
    near = _Near(whole(index), whole(start), whole(rank, 1), whole(ahead), entries, parse_profiles(shown, len(entries)))
    if not near.start <= near.index < min(near.start + len(entries), total):
        raise BadReply("the player among the rows around them")
    return _Place(total, near, best, cutoff)


def _neighbourhood(board: Board, place: _Place, around: int) -> dict[str, Any]:
    total, near = place.total, place.near
    if near is None:
        known = place.best is not None
        return {
            "total": total,
            "entry": None,
            "best": None if place.best is None else plain_number(place.best),
            "cutoff": plain_number(place.cutoff) if known and place.cutoff is not None else None,
            "percentile": None,
            "ahead": None,
            "entries": [],
        }
    rows = dressed(numbered(board, near.entries, near.start, near.rank), near.profiles)
    rank, entry = rows[near.index - near.start]
    strictly_ahead = near.ahead if board.rank == "dense" else rank - 1
    above = rows[near.index - near.start - 1][1] if near.index > near.start else None
    # The row ahead came along for `ahead`; the window itself is filled at the edges.
    first = max(0, min(near.index - around, total - 2 * around - 1))
    return {
        "total": total,
        "entry": row_of(rank, entry),
        "best": None,
        "cutoff": None,
        "percentile": plain_number(round(100 * (total - strictly_ahead) / total, 2)),
        "ahead": above
        and Ahead(
            player=above.player,
            score=plain_number(above.score),
            gap=_distance(above.score, entry.score),
        ),
        "entries": rows_of(rows[first - near.start :]),
    }


def _distance(one: float, other: float) -> int | float:
    """Return how far two scores are apart, in the decimals they are written in: from 0.3 to 0.1 it is 0.2."""
    return plain_number(float(abs(Decimal(repr(one)) - Decimal(repr(other)))))


async def rank_of_players(store: Store, standing: Standing, players: Sequence[str], now: int) -> RankOfPlayers:
    """Read the rows of several players, in the order asked."""
    count, found, _, _, shown = items(await _run(store, standing, players, _NO_NEIGHBOURS, now), 5)
    total = whole(count)
    places = [_parse_row(standing.board, known) for known in items(found, len(players))]
    ranked = [place for place in places if place is not None]
    rows = iter(rows_of(dressed(ranked, parse_profiles(shown, len(ranked)))))
    entries = [no_row(player) if place is None else next(rows) for player, place in zip(players, places, strict=True)]
    return RankOfPlayers(**selected(standing, now), total=total, entries=entries)


def _parse_row(board: Board, known: object) -> tuple[int, Entry] | None:
    """Read {score, text, rank, ahead} of a ranked player; None for {score} of an unranked one and {} of an unknown."""
    if len(items(known)) < 2:
        return None
    score, member, rank, _ = items(known, 4)
    return whole(rank, 1), parse_entry(board, text(member), number(score))


async def rank_of_score(store: Store, standing: Standing, score: float, now: int) -> RankOfScore:
    """Read the rank that a newcomer would get with a score: behind all equals, or sharing where ranks are shared."""
    board = standing.board
    key = standing.key(store.keyspace(board))
    if board.rank == "dense":
        [rows] = await store.upstash.transaction(read_range(board, key, 0, board.cap - 1))
        scores = [value for _, value in scored(rows)]
        better = [s for s in scores if (s > score if board.descending else s < score)]
        not_worse, total, rank = sum(s == score for s in scores) + len(better), len(scores), len(set(better)) + 1
    else:
        strictly, or_equal = (_count(board, key, score, open_end=strict) for strict in (True, False))
        replies = await store.upstash.transaction(
            ["ZCARD", key], or_equal, *([strictly] if board.rank != "ordinal" else [])
        )
        count, not_worse, *better_counts = (whole(reply) for reply in replies)
        total, rank = shown_total(board, count), [not_worse, *better_counts][-1] + 1
    cut = board.cap > 0 and not_worse >= board.cap
    return RankOfScore(**selected(standing, now), total=total, rank=None if cut else rank)


def _count(board: Board, key: str, score: float, *, open_end: bool) -> list[str]:
    """Return the command that counts the rows better than a score, and those equal to it unless the end is open."""
    end = ("(" if open_end else "") + score_text(score)
    return ["ZCOUNT", key, end, "+inf"] if board.descending else ["ZCOUNT", key, "-inf", end]
