"""What every command of an operator works with: the environment's store and boards, without what only callers need."""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from upstash_redis.errors import UpstashError

from lib.boards import toml_file
from lib.boards.board import Board
from lib.deployment import wall_clock
from lib.errors import LaurelError, UnknownBoard
from lib.settings import Settings
from lib.storage.store import Store
from lib.storage.upstash import Upstash

# A command may wait longer than a player: it looks through whole standings, from a machine that may be far away.
PATIENCE_S = 15.0


@dataclass(frozen=True, slots=True)
class Operator:
    """One command at work."""

    settings: Settings
    boards: Mapping[str, Board]
    store: Store
    now: int
    """Epoch milliseconds."""

    def board(self, name: str) -> Board:
        """Return a board by its exact name; raise UnknownBoard, which lists those there are."""
        return find_board(self.boards, name)


def find_board(boards: Mapping[str, Board], name: str) -> Board:
    """Return a board by its exact name; raise UnknownBoard, which lists those there are."""
    if name not in boards:
        raise UnknownBoard(f"There is no board {name}; there are {', '.join(boards)}.")
    return boards[name]


def boards_of(environ: Mapping[str, str]) -> dict[str, Board]:
    """Return the boards of an environment; nothing else of it has to be there. Raises Misconfigured."""
    return toml_file.load(Path(environ.get("LAUREL_BOARDS", "").strip() or "boards.toml"))


def explained(error: LaurelError) -> str:
    """Return what went wrong, with the store's own words for it: an operator may know them, a player may not."""
    cause = error.__cause__
    return f"{error.detail} It said: {str(cause)[:200]}" if isinstance(cause, UpstashError) else error.detail


@asynccontextmanager
async def operator(environ: Mapping[str, str]) -> AsyncIterator[Operator]:
    """Open the store that an environment names; raise Misconfigured. The secrets of boards need not be at hand."""
    settings = Settings.read(environ)
    boards = toml_file.load(settings.boards_path)
    upstash = Upstash(settings.url, settings.token, timeout=max(settings.timeout, PATIENCE_S))
    try:
        # Not billed, and the one call that is told plainly of a wrong token.
        await upstash.ping()
        yield Operator(settings, boards, Store(upstash, settings.prefix), wall_clock())
    finally:
        await upstash.close()
