"""What one process keeps between calls: settings, boards, the client, the blocked callers, the kept pages."""

import os
import time
from collections.abc import Callable, Mapping
from functools import cache

from httpx import AsyncBaseTransport

from lib.access.admission import check_secrets
from lib.access.name_filter import load_filter
from lib.access.rate_limits import Blocked
from lib.boards.board import Board
from lib.boards.toml_file import load
from lib.errors import UnknownBoard
from lib.reading.page_cache import KeptPages
from lib.request_log import note_board
from lib.settings import Settings
from lib.storage.store import Store
from lib.storage.upstash import Upstash


def wall_clock() -> int:
    """Return the time in epoch milliseconds."""
    return time.time_ns() // 1_000_000


class Deployment:
    """The boards of one environment and the way to their store.

    `clock` returns epoch milliseconds; `transport` carries what is asked of the store, by default the network.
    """

    def __init__(
        self,
        settings: Settings,
        boards: Mapping[str, Board],
        *,
        clock: Callable[[], int] = wall_clock,
        transport: AsyncBaseTransport | None = None,
    ) -> None:
        check_secrets(settings, boards.values())
        self.settings = settings
        self.boards = boards
        self.clock = clock
        upstash = Upstash(settings.url, settings.token, timeout=settings.timeout, transport=transport)
        self.store = Store(upstash, settings.prefix)
        self.blocked = Blocked(patience=settings.timeout)
        self.refuses_name = load_filter(settings.name_filter)
        self.pages = KeptPages()

    @classmethod
    def read(cls, environ: Mapping[str, str], *, clock: Callable[[], int] = wall_clock) -> "Deployment":
        """Set up what an environment describes; raise Misconfigured, which names what is wrong."""
        settings = Settings.read(environ)
        return cls(settings, load(settings.boards_path), clock=clock)

    def board(self, name: str) -> Board:
        """Return a board by its exact name; raise UnknownBoard."""
        try:
            board = self.boards[name]
        except KeyError:
            raise UnknownBoard() from None
        note_board(name)
        return board


@cache
def process_deployment() -> Deployment:
    """Return the deployment of this process, from its own environment; raise Misconfigured."""
    return Deployment.read(os.environ)
