"""The store of one deployment: a database and the prefix of all its keys."""

from typing import NamedTuple

from lib.boards.board import Board
from lib.storage.keys import Keyspace
from lib.storage.upstash import Upstash


class Store(NamedTuple):
    """Where everything is kept; deployments with prefixes of their own may share a database."""

    upstash: Upstash
    prefix: str

    async def ping(self) -> None:
        """Ask whether the database is up; raise StoreUnavailable."""
        await self.upstash.ping()

    def keyspace(self, board: Board) -> Keyspace:
        """Return the names of everything a board stores."""
        return Keyspace(self.prefix, board)
