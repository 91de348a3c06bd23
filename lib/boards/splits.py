"""Whether splits that a caller sent are splits of the board, with values that it takes."""

from collections.abc import Mapping

from lib.boards.board import Board
from lib.errors import UnknownSplit


def check_splits(board: Board, splits: Mapping[str, str]) -> dict[str, str]:
    """Return the splits of a submission or a query; raise UnknownSplit for an unknown name or value."""
    for split, value in splits.items():
        if split not in board.splits:
            known = ", ".join(board.splits) or "none"
            raise UnknownSplit.field("splits", f"has a split this board does not know; it knows {known}")
        if not board.allows(split, value):
            raise UnknownSplit.field(f"splits.{split}", "is not a value of this split")
    return dict(splits)
