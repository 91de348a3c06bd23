"""A standing as one submission or one read names it: board × period × selection, with its keys and timers."""

from dataclasses import dataclass

from lib.boards.board import Board
from lib.boards.periods import Period
from lib.errors import Invalid
from lib.storage.keys import Keyspace, Selection, slots
from lib.time_units import DAY_MS, ceil_seconds, end_of_day


@dataclass(frozen=True, slots=True)
class Standing:
    """One ranked set of a board."""

    board: Board
    period: Period
    selection: Selection

    def key(self, space: Keyspace) -> str:
        """Return the sorted set's key."""
        return space.standing(self.period, self.selection)

    @property
    def slots(self) -> tuple[str, ...]:
        """The record's fields that may say where a player stands here."""
        return slots(self.period, self.selection)

    def expires(self, now: int) -> int:
        """Return when the set is to expire, in epoch seconds; 0 is never.

        A period ends at its end plus `retain`. `all` ends when it has been idle: at the end of this day plus `retain`.
        """
        retain = self.board.retain(self.period.window)
        if retain is None:
            return 0
        end = self.period.end if self.period.end is not None else end_of_day(now)
        return end + ceil_seconds(retain)

    def may_be_late(self, now: int) -> bool:
        """Return whether a run may come behind a later one that has taken its slot: only once its period is over."""
        return self.period.window != "season" and self.period.end is not None and self.period.end * 1000 <= now

    def field_goes(self, now: int) -> int:
        """Return when a record may forget this standing, in epoch seconds; 0 is never.

        The previous period is still asked for, and a season has no next one to wait for.
        """
        if self.period.window in ("all", "season"):
            return self.expires(now)
        return self.board.calendar.step(self.period, 1).end or 0

    def oldest_day(self, now: int) -> int:
        """Return the oldest day that a record's field may name before it counts as absent; 0 where any may.

        Only `all` with `retain.all` can have run out since the player was last here.
        """
        retain = self.board.retain("all") if self.period.window == "all" else None
        return 0 if retain is None else (now - retain) // DAY_MS


def selections(board: Board, splits: Selection) -> list[dict[str, str]]:
    """Return the selections of `by` that the given splits are enough for, in the order of `by`."""
    return [{s: splits[s] for s in names} for names in board.by if all(s in splits for s in names)]


def check_reach(board: Board, splits: Selection) -> None:
    """Raise Invalid where the given splits are enough for no selection of a board, whatever the time."""
    if not selections(board, splits):
        kept = ", ".join("+".join(names) for names in board.by)
        raise Invalid.field("splits", f"belong to no standing of this board; it keeps them by {kept}")


def standings_of(board: Board, splits: Selection, at: int) -> list[Standing]:
    """Return every standing that a submission made at `at` (ms) belongs to, windows first."""
    periods = [board.calendar.current(window, at) for window in board.windows]
    chosen = selections(board, splits)
    return [Standing(board, period, selection) for period in periods if period is not None for selection in chosen]
