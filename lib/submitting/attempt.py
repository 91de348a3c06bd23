"""One attempt to store a run: who calls, when it counts, and the standings it belongs to."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from lib.access.admission import Spending
from lib.boards.board import Board
from lib.errors import Invalid
from lib.storage.standing import Standing, standings_of
from lib.submitting.validation import Run


@dataclass(frozen=True, slots=True)
class Attempt:
    """All that is needed to store one run: who calls, when, where it belongs."""

    board: Board
    run: Run
    caller: str | None
    """The name of who calls; None for one whom the address gate does not count."""
    standings: Sequence[Standing]
    now: int
    effective: int
    """When the run counts (ms): now, or when it began where the board says so."""
    ticket: Spending | None = None

    @classmethod
    def of(cls, board: Board, run: Run, caller: str | None, now: int, ticket: Spending | None) -> "Attempt":
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
