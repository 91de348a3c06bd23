"""Reading where players stand: `rank`, with neighbours, for several players, and for a score."""

from collections.abc import Sequence
from decimal import Decimal
from typing import Any

from lib.boards.board import Board
from lib.reading.rows import (
    check_findable,
    no_row,
    profile_key,
    read_range,
    reading_arguments,
    row_of,
    rows_of,
    selected,
    shown_total,
)
from lib.schemas.reads import Ahead, RankOfPlayer, RankOfPlayers, RankOfScore
from lib.storage.entries import parse_entry, plain_number, score_text
from lib.storage.scripts import script
from lib.storage.standing import Standing, dressed, numbered, optional_number, pairs
from lib.storage.store import Store
from lib.storage.upstash import understood

_NO_NEIGHBOURS = -1


async def _run(store: Store, standing: Standing, players: Sequence[str], around: int, now: int) -> Any:
    check_findable(standing, now)
    keys = store.keys(standing.board)
    names = [standing.key(keys), profile_key(keys, standing), *(keys.record(player) for player in players)]
    arguments = [*reading_arguments(standing, now), str(around), *players]
    return await store.upstash.run(script("rank"), names, arguments)


async def rank_of_player(store: Store, standing: Standing, player: str, around: int, now: int) -> RankOfPlayer:
    """Read a player's row and `around` rows on either side, more on one where the other has none."""
    reply = await _run(store, standing, [player], around, now)
    with understood():
        return RankOfPlayer(**selected(standing, now), **_neighbourhood(standing.board, reply, around))


def _neighbourhood(board: Board, reply: Any, around: int) -> dict[str, Any]:
    total, [known], near, cutoff, profiles = reply
    total = int(total)
    fields: dict[str, Any] = {"total": total, "entry": None, "best": None, "cutoff": None, "percentile": None}
    if not near:
        unranked = {"best": optional_number(known[0]), "cutoff": optional_number(cutoff)} if known else {}
        return {**fields, **unranked, "ahead": None, "entries": []}
    index, start, first_rank, ahead = (int(number) for number in near[:4])
    rows = dressed(numbered(board, pairs(near[4]), start, first_rank), profiles)
    rank, entry = rows[index - start]
    strictly_ahead = ahead if board.rank == "dense" else rank - 1
    above = rows[index - start - 1][1] if index > start else None
    # The row ahead came along for `ahead`; the window itself is filled at the edges.
    first = max(0, min(index - around, total - 2 * around - 1))
    return {
        **fields,
        "entry": row_of(rank, entry),
        "percentile": plain_number(round(100 * (total - strictly_ahead) / total, 2)),
        "ahead": above
        and Ahead(
            player=above.player,
            score=plain_number(above.score),
            gap=_distance(above.score, entry.score),
        ),
        "entries": rows_of(rows[first - start :]),
    }


def _distance(one: float, other: float) -> int | float:
    """Return how far two scores are apart, in the decimals they are written in: from 0.3 to 0.1 it is 0.2."""
    return plain_number(float(abs(Decimal(repr(one)) - Decimal(repr(other)))))


async def rank_of_players(store: Store, standing: Standing, players: Sequence[str], now: int) -> RankOfPlayers:
    """Read the rows of several players, in the order asked."""
    reply = await _run(store, standing, players, _NO_NEIGHBOURS, now)
    with understood():
        total, found, _, _, profiles = reply
        entries = []
        for player, known in zip(players, found, strict=True):
            if len(known) < 2:
                entries.append(no_row(player))
                continue
            score, text, rank, _ = known
            shown, profiles = profiles[:2], profiles[2:]
            entry = parse_entry(standing.board, text, score)
            [(place, entry)] = dressed([(int(rank), entry)], shown)
            entries.append(row_of(place, entry))
        return RankOfPlayers(**selected(standing, now), total=int(total), entries=entries)


async def rank_of_score(store: Store, standing: Standing, score: float, now: int) -> RankOfScore:
    """Read the rank that a newcomer would get with a score: behind all equals, or sharing where ranks are shared."""
    board = standing.board
    key = standing.key(store.keys(board))
    if board.rank == "dense":
        [rows] = await store.upstash.transaction(read_range(board, key, 0, board.cap - 1))
        with understood():
            scores = [float(value) for _, value in rows]
        better = [s for s in scores if (s > score if board.descending else s < score)]
        not_worse, total, rank = sum(s == score for s in scores) + len(better), len(scores), len(set(better)) + 1
    else:
        strictly, or_equal = (_count(board, key, score, open_end=strict) for strict in (True, False))
        replies = await store.upstash.transaction(
            ["ZCARD", key], or_equal, *([strictly] if board.rank != "ordinal" else [])
        )
        with understood():
            count, not_worse, *better_counts = (int(reply) for reply in replies)
        total, rank = shown_total(board, count), [not_worse, *better_counts][-1] + 1
    cut = board.cap > 0 and not_worse >= board.cap
    return RankOfScore(**selected(standing, now), total=total, rank=None if cut else rank)


def _count(board: Board, key: str, score: float, *, open_end: bool) -> list[str]:
    """Return the command that counts the rows better than a score, and those equal to it unless the end is open."""
    end = ("(" if open_end else "") + score_text(score)
    return ["ZCOUNT", key, end, "+inf"] if board.descending else ["ZCOUNT", key, "-inf", end]
