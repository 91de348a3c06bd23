"""Storing a submission: one call of submit.lua, and what it answers."""

from collections.abc import Sequence
from typing import NamedTuple

from lib.access.rate_limits import address_blocked, quota
from lib.boards.durations import Rate
from lib.errors import (
    Banned,
    Cooldown,
    IdReused,
    LaurelError,
    RateLimited,
    SumOverflow,
    TicketUsed,
    TooManySplitValues,
)
from lib.schemas.timestamps import instant_of
from lib.schemas.writes import StandingResult, SubmitAnswer
from lib.storage.entries import plain_number
from lib.storage.replies import BadReply, items, optional_number, text, whole
from lib.storage.scripts import script
from lib.storage.standing import Standing
from lib.storage.store import Store
from lib.submitting.arguments import arguments_of
from lib.submitting.attempt import Attempt
from lib.time_units import DAY_MS

_FIELDS = 7


def _refusal(attempt: Attempt, code: str, number: int, most: int = 0) -> LaurelError:
    """Return the error for a refusal of the script; the number is a wait in ms, or which standing allows `most`."""
    limits = attempt.board.limits
    match code:
        case "rate_limited_address":
            return address_blocked(attempt.board, number)
        case "rate_limited_player":
            allowed = quota(limits.per_player, number)
            return RateLimited("Too many submissions of this player.", wait=number, quota=allowed)
        case "cooldown":
            return Cooldown(wait=number, quota=quota(Rate(1, limits.cooldown), number))
        case "too_many_split_values":
            if not 1 <= number <= len(attempt.standings):
                raise BadReply("the number of a standing")
            period = attempt.standings[number - 1].period
            length = wait = DAY_MS
            if period.end is not None:
                length, wait = (period.end - period.start) * 1000, max(1000, period.end * 1000 - attempt.now)
            return TooManySplitValues(wait=wait, quota=quota(Rate(most, length), wait))
        case "banned":
            return Banned()
        case "sum_overflow":
            return SumOverflow.field("score", "would make the total too large to be exact")
        case "ticket_used":
            return TicketUsed()
        case "id_reused":
            return TicketUsed() if attempt.ticket and not attempt.run.named else IdReused()
        case _:
            raise BadReply("a reason to refuse")


class _Row(NamedTuple):
    """What a run came to in one standing, as submit.lua gives it; None is nothing."""

    improved: bool
    kept: bool
    score: float | None
    previous: float | None
    rank: int | None
    total: int | None
    cutoff: float | None


def _parse_row(values: Sequence[object]) -> _Row:
    improved, kept, score, previous, rank, total, cutoff = values
    return _Row(
        text(improved) == "1",
        text(kept) == "1",
        optional_number(score),
        optional_number(previous),
        None if rank == "" else whole(rank, 1),
        None if total == "" else whole(total),
        optional_number(cutoff),
    )


def _parse(attempt: Attempt, reply: object) -> tuple[bool, list[_Row]]:
    """Return whether the run came before, and its rows; raise what submit.lua refuses, and BadReply."""
    values = items(reply)
    outcome = values.pop(0) if values else None
    if outcome == "refused" and len(values) in (2, 3):
        raise _refusal(attempt, text(values[0]), *map(whole, values[1:]))
    if outcome not in ("accepted", "replayed") or len(values) != _FIELDS * len(attempt.standings):
        raise BadReply("an answer of submit.lua")
    rows = [_parse_row(values[at : at + _FIELDS]) for at in range(0, len(values), _FIELDS)]
    return outcome == "replayed", rows


def _result(standing: Standing, row: _Row) -> StandingResult:
    return StandingResult(
        window=standing.period.window,
        period=standing.period.id,
        starts=instant_of(None if standing.period.end is None else standing.period.start),
        ends=instant_of(standing.period.end),
        splits=dict(standing.selection),
        improved=row.improved,
        kept=row.kept,
        score=_plain(row.score),
        previous=_plain(row.previous),
        rank=row.rank,
        total=row.total,
        cutoff=_plain(row.cutoff),
    )


def _plain(number: float | None) -> int | float | None:
    return None if number is None else plain_number(number)


def _answer(attempt: Attempt, rows: Sequence[_Row], *, replayed: bool) -> SubmitAnswer:
    results = [_result(standing, row) for standing, row in zip(attempt.standings, rows, strict=True)]
    return SubmitAnswer(
        board=attempt.board.name,
        player=attempt.run.player,
        improved=any(result.improved for result in results),
        replayed=replayed,
        standings=results,
    )


async def store_run(store: Store, attempt: Attempt) -> SubmitAnswer:
    """Store one run in all its standings, atomically and in one request; return what it came to.

    Raises the refusals of the gates and the record (429, 403, 409, 422), and StoreUnavailable.
    """
    call = arguments_of(attempt, store.keyspace(attempt.board))
    # The first try may have been counted by the gate; our own second one is let through.
    first, again = call.flat(gated=attempt.caller is not None), call.flat(gated=False)
    reply = await store.upstash.run(script("submit"), call.keys, first, again=again)
    replayed, rows = _parse(attempt, reply)
    return _answer(attempt, rows, replayed=replayed)
