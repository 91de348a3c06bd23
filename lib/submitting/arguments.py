"""Keys and arguments of submit.lua, by the names that parts/submission.lua reads them under, in the same order."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeAlias

from lib.boards.board import Board
from lib.boards.tables import OpenSplit
from lib.storage.entries import meta_text, score_text, tie_key
from lib.storage.keys import Keyspace
from lib.storage.records import record_ends
from lib.storage.standing import Standing
from lib.submitting.attempt import Attempt
from lib.time_units import DAY_MS

Table: TypeAlias = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class StandingArguments:
    """One standing of a submission, and for each of its open splits the set of values and the value."""

    standing: Table
    values: list[Table]


@dataclass(frozen=True, slots=True)
class Arguments:
    """What submit.lua is called with: its keys, and its tables."""

    keys: list[str]
    request: Table
    board: Table
    limits: Table
    standings: list[StandingArguments]

    def flat(self, *, gated: bool) -> list[str]:
        """Return all arguments in order; `gated` says whether the address gate counts this call."""
        texts = [_flag(gated), *self.request.values(), *self.board.values(), *self.limits.values()]
        texts.append(str(len(self.standings)))
        for one in self.standings:
            texts += [*one.standing.values(), str(len(one.values))]
            texts += [text for value in one.values for text in value.values()]
        return texts


def arguments_of(attempt: Attempt, space: Keyspace) -> Arguments:
    """Return what an attempt calls submit.lua with."""
    board, run, ticket = attempt.board, attempt.run, attempt.ticket
    record = space.record(run.player)
    keys = [
        record,
        space.gate(attempt.caller) if attempt.caller is not None and board.limits.per_ip else record,
        space.nonce(ticket.nonce) if ticket else record,
        space.profiles() if board.names == "profile" else record,
        *(standing.key(space) for standing in attempt.standings),
    ]
    standings = [_standing(attempt, standing, keys, space) for standing in attempt.standings]
    return Arguments(keys, _request(attempt), _board(board, attempt.now), _limits(board), standings)


def _request(attempt: Attempt) -> Table:
    board, run, now = attempt.board, attempt.run, attempt.now
    return {
        "now": str(now),
        "day": str(now // DAY_MS),
        "effective": str(attempt.effective),
        "player": run.player,
        "score": score_text(run.score),
        "tie": tie_key(board, now, run.tiebreak),
        "name": run.name or "",
        "meta": meta_text(run.meta or {}),
        "brings_name": _flag(run.name is not None),
        "brings_meta": _flag(run.meta is not None),
        "id": run.id_hash,
        "digest": run.content,
        "nonce_seconds": str(attempt.ticket.seconds if attempt.ticket else 0),
        "ranks": run.ranks,
    }


def _board(board: Board, now: int) -> Table:
    return {
        "descending": _flag(board.descending),
        "keep": board.keep,
        "cap": str(board.cap),
        "numbering": board.rank,
        "profile": _flag(board.names == "profile"),
        "record_ends": str(record_ends(board, now)),
    }


def _limits(board: Board) -> Table:
    address, player = board.limits.per_ip, board.limits.per_player
    return {
        "address": str(address.limit if address else 0),
        "address_period": str(address.period if address else 0),
        "player": str(player.limit if player else 0),
        "player_period": str(player.period if player else 0),
        "cooldown": str(board.limits.cooldown),
    }


def _standing(attempt: Attempt, standing: Standing, keys: list[str], space: Keyspace) -> StandingArguments:
    """Return one standing's arguments, adding the sets of its open splits' values to the keys."""
    board, now, slots = standing.board, attempt.now, standing.slots
    values: list[Table] = []
    for split, value in standing.selection.items():
        rule = board.splits[split]
        if isinstance(rule, OpenSplit):
            key = space.values(standing.period, split)
            if key not in keys:
                keys.append(key)
            values.append({"key": str(keys.index(key) + 1), "max": str(rule.max), "value": value})
    # Counted among all that the board keeps: the others come and go with the seasons.
    row, column = board.windows.index(standing.period.window), board.by.index(tuple(sorted(standing.selection)))
    table = {
        "place": str(row * len(board.by) + column + 1),
        "slots": slots[0],
        "other": slots[1] if len(slots) > 1 else "",
        "start": str(standing.period.start),
        "over": _flag(standing.may_be_late(now)),
        "id": standing.period.id,
        "ends": str(standing.expires(now)),
        "oldest": str(standing.oldest_day(now)),
        "goes": str(standing.field_goes(now) if values else 0),
    }
    return StandingArguments(table, values)


def _flag(value: bool) -> str:
    return "1" if value else "0"
