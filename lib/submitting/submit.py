"""Storing a submission: one call of submit.lua, and what it answers."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from lib.access.admission import Spending
from lib.access.rate_limits import address_blocked, quota
from lib.boards.board import Board
from lib.boards.durations import Rate
from lib.boards.tables import OpenSplit
from lib.errors import (
    Banned,
    Cooldown,
    IdReused,
    Invalid,
    LaurelError,
    RateLimited,
    StoreUnavailable,
    SumOverflow,
    TicketUsed,
    TooManySplitValues,
)
from lib.schemas.timestamps import instant_of
from lib.schemas.writes import StandingResult, SubmitAnswer
from lib.storage.entries import meta_text, score_text, tie_key
from lib.storage.keys import Keys
from lib.storage.scripts import script
from lib.storage.standing import DAY_MS, DAY_S, Standing, optional_number, standings_of
from lib.storage.store import Store
from lib.storage.upstash import understood
from lib.submitting.validation import Run

_FIELDS = 7
_GATED, _UNGATED = "1", "0"


@dataclass(frozen=True, slots=True)
class Attempt:
    """All that is needed to store one run: who calls, when, where it belongs."""

    board: Board
    run: Run
    caller: str
    standings: Sequence[Standing]
    now: int
    effective: int
    """When the run counts (ms): now, or when it began where the board says so."""
    ticket: Spending | None = None

    @classmethod
    def of(cls, board: Board, run: Run, caller: str, now: int, ticket: Spending | None) -> "Attempt":
        """Return the attempt with its standings; raise Invalid where the run belongs to none.

        Where a board counts runs to the period they began in, one that has expired since is skipped.
        """
        counted = ticket.started if ticket and board.ticket.period_of == "start" else now
        standings = [s for s in standings_of(board, run.splits, counted) if not 0 < s.expires(now) * 1000 <= now]
        if not standings:
            raise Invalid.field("splits", "belong to no standing of this board, or no season is open")
        if ticket and not run.named:
            run = replace(run, id=ticket.nonce)
        return cls(board, run, caller, standings, now, counted, ticket)


def _record_ends(board: Board, now: int) -> int:
    return (now // DAY_MS + 1) * DAY_S + -(-board.remember // 1000) if board.cap else 0


def _flag(value: bool) -> str:
    return "1" if value else "0"


def _limits(board: Board) -> list[str]:
    rates = (board.limits.per_ip, board.limits.per_player)
    parts = [str(part) for rate in rates for part in ((rate.limit, rate.period) if rate else (0, 0))]
    return [*parts, str(board.limits.cooldown)]


def _standing_arguments(attempt: Attempt, standing: Standing, keys: list[str], names: Keys) -> list[str]:
    """Return one standing's arguments, adding the value sets of its open splits to the keys."""
    board, slots = standing.board, standing.slots
    values: list[str] = []
    for split, value in standing.selection.items():
        rule = board.splits[split]
        if isinstance(rule, OpenSplit):
            key = names.values(standing.period, split)
            if key not in keys:
                keys.append(key)
            values += [str(keys.index(key) + 1), str(rule.max), value]
    # Counted among all that the board keeps: the others come and go with the seasons.
    row, column = board.windows.index(standing.period.window), board.by.index(tuple(sorted(standing.selection)))
    return [
        str(row * len(board.by) + column + 1),
        slots[0],
        slots[1] if len(slots) > 1 else "",
        str(standing.period.start),
        _flag(standing.may_be_late(attempt.now)),
        standing.period.id,
        str(standing.expires(attempt.now)),
        str(standing.oldest_day(attempt.now)),
        str(standing.field_goes(attempt.now) if values else 0),
        str(len(values) // 3),
        *values,
    ]


def _call(attempt: Attempt, names: Keys) -> tuple[list[str], list[str]]:
    """Return the keys and the arguments of submit.lua, in the order of parts/submission.lua."""
    board, run, now, ticket = attempt.board, attempt.run, attempt.now, attempt.ticket
    record = names.record(run.player)
    profile = board.names == "profile"
    keys = [
        record,
        names.gate(attempt.caller) if board.limits.per_ip else record,
        names.nonce(ticket.nonce) if ticket else record,
        names.profiles() if profile else record,
        *(standing.key(names) for standing in attempt.standings),
    ]
    arguments = [
        _GATED,
        str(now),
        str(now // DAY_MS),
        str(attempt.effective),
        run.player,
        score_text(run.score),
        tie_key(board, now, run.tiebreak),
        run.name or "",
        meta_text(run.meta or {}),
        _flag(run.name is not None),
        _flag(run.meta is not None),
        run.id_hash,
        run.content,
        str(ticket.seconds if ticket else 0),
        run.ranks,
        _flag(board.descending),
        board.keep,
        str(board.cap),
        board.rank,
        _flag(profile),
        str(_record_ends(board, now)),
        *_limits(board),
        str(len(attempt.standings)),
    ]
    for standing in attempt.standings:
        arguments += _standing_arguments(attempt, standing, keys, names)
    return keys, arguments


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
            return StoreUnavailable("The store did not answer in a form that is known.")


def _result(standing: Standing, row: Sequence[str]) -> StandingResult:
    improved, kept, score, previous, rank, total, cutoff = row
    return StandingResult(
        window=standing.period.window,
        period=standing.period.id,
        starts=instant_of(None if standing.period.end is None else standing.period.start),
        ends=instant_of(standing.period.end),
        splits=dict(standing.selection),
        improved=improved == "1",
        kept=kept == "1",
        score=optional_number(score),
        previous=optional_number(previous),
        rank=int(rank) if rank else None,
        total=int(total) if total else None,
        cutoff=optional_number(cutoff),
    )


def _read(attempt: Attempt, reply: Any) -> SubmitAnswer:
    outcome, *values = reply
    if outcome == "refused":
        raise _refusal(attempt, values[0], *map(int, values[1:]))
    if outcome not in ("accepted", "replayed") or len(values) != _FIELDS * len(attempt.standings):
        raise ValueError("not an answer of submit.lua")
    rows = [values[at : at + _FIELDS] for at in range(0, len(values), _FIELDS)]
    results = [_result(standing, row) for standing, row in zip(attempt.standings, rows, strict=True)]
    return SubmitAnswer(
        board=attempt.board.name,
        player=attempt.run.player,
        improved=any(result.improved for result in results),
        replayed=outcome == "replayed",
        standings=results,
    )


async def submit(store: Store, attempt: Attempt) -> SubmitAnswer:
    """Store one run in all its standings, atomically and in one request; return what it came to.

    Raises the refusals of the gates and the record (429, 403, 409, 422), and StoreUnavailable.
    """
    names = store.keys(attempt.board)
    keys, arguments = _call(attempt, names)
    # The first try may have been counted by the gate; our own second one is let through.
    reply = await store.upstash.run(script("submit"), keys, arguments, again=[_UNGATED, *arguments[1:]])
    with understood():
        return _read(attempt, reply)
