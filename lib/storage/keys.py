"""The names of everything that is stored. The braces are a hash tag: a board lies in one slot."""

from collections.abc import Mapping

from lib.boards.board import Board
from lib.boards.periods import Period

Selection = Mapping[str, str]


def selection_text(selection: Selection) -> str:
    """Return `level=a1,mode=words`, sorted by split; overall is empty."""
    return ",".join(f"{split}={selection[split]}" for split in sorted(selection))


def slots(period: Period, selection: Selection) -> tuple[str, ...]:
    """Return the record's fields that a standing may lie in: one for `all`, else two.

    A period takes a slot that is free, or the one of the earlier period. Even and odd periods have slots of their own,
    so that the current and the previous one are both known; seasons come in any order, and share theirs.
    """
    text = selection_text(selection)
    first = 0 if period.window in ("all", "season") else period.number % 2
    second = 1 if period.window == "season" else first + 2
    slots = (f"{period.window}#{first}:{text}", f"{period.window}#{second}:{text}")
    return slots[:1] if period.window == "all" else slots


class Keyspace:
    """The keys of one board under a prefix."""

    def __init__(self, prefix: str, board: Board) -> None:
        self._board = f"{prefix}:{{{board.name}}}"
        self._rules = f"{self._board}:{board.rules}"

    @property
    def beginning(self) -> str:
        """Return what every key of this board begins with."""
        return f"{self._board}:"

    def standing(self, period: Period, selection: Selection) -> str:
        """Return the sorted set of one standing: entry text → score."""
        return f"{self._rules}:{period.window}:{period.id}:{selection_text(selection)}"

    def values(self, period: Period, split: str) -> str:
        """Return the set of the values that an open split has in a period."""
        return f"{self._rules}:{period.window}:{period.id}:values:{split}"

    def record(self, player: str) -> str:
        """Return the hash that says where a player stands on this board."""
        return f"{self._rules}:player:{player}"

    def profiles(self) -> str:
        """Return the hash of each player's latest name and meta."""
        return f"{self._board}:profiles"

    def gate(self, caller: str) -> str:
        """Return the address gate of one caller, named by a keyed hash."""
        return f"{self._board}:gate:{caller}"

    def nonce(self, nonce: str) -> str:
        """Return the mark that a ticket was spent."""
        return f"{self._board}:nonce:{nonce}"
