"""What is told of each request: one JSON line on standard output, and the `Server-Timing` header.

Nothing that a caller wrote gets into a line, but the name of a board that exists.
"""

import json
import logging
import sys
import time
from contextlib import suppress
from contextvars import ContextVar
from dataclasses import dataclass, field
from functools import cache

from starlette.types import Message, Send

_log = logging.getLogger("laurel")

# On Vercel the level is INFO, and these two would add a line of their own to each of ours.
for _name in ("httpx", "mangum.http"):
    logging.getLogger(_name).setLevel(logging.WARNING)


@dataclass(slots=True)
class Line:
    """The line of one request, while it is being answered."""

    request_id: str
    route: str
    board: str | None = None
    """The board it was about, once that is known to exist."""
    code: str | None = None
    """The code of the problem it was answered with."""
    store_seconds: float = 0.0
    """How long it waited for the store."""
    commands: int = 0
    """How many commands Upstash bills for it, as estimated: what was sent, and what the scripts said they called."""
    started: float = field(default_factory=time.perf_counter)

    @property
    def milliseconds(self) -> tuple[float, float]:
        """Return how long it took so far, and how much of that was the store."""
        return round((time.perf_counter() - self.started) * 1000, 1), round(self.store_seconds * 1000, 1)

    def text(self, status: int) -> str:
        """Return the line as JSON."""
        ms, store_ms = self.milliseconds
        told = {
            "request_id": self.request_id,
            "route": self.route,
            "board": self.board,
            "status": status,
            "code": self.code,
            "ms": ms,
            "store_ms": store_ms,
            "commands": self.commands,
        }
        return json.dumps(told)


current: ContextVar[Line | None] = ContextVar("current", default=None)


def note_board(name: str) -> None:
    """Say which board the current request is about; the name must be a declared one."""
    line = current.get()
    if line is not None:
        line.board = name


def note_store(*, billed: int, seconds: float = 0.0) -> None:
    """Add what the current request asked of the store: commands that are billed, and the time it waited for them."""
    line = current.get()
    if line is not None:
        line.commands += billed
        line.store_seconds += seconds


def note_code(code: str) -> None:
    """Say with which problem the current request is answered."""
    line = current.get()
    if line is not None:
        line.code = code


@cache
def log_misconfigured(detail: str) -> None:
    """Log what is misconfigured, once a process: every request would repeat it."""
    _log.error("misconfigured: %s", detail)


def logged(send: Send, request_id: str, route: str) -> Send:
    """Begin the line of a request and return a `send` that adds `Server-Timing` to its answer and writes the line."""
    line, status = Line(request_id, route), 0
    current.set(line)

    async def send_logged(message: Message) -> None:
        nonlocal status
        if message["type"] == "http.response.start":
            status = message["status"]
            ms, store_ms = line.milliseconds
            timing = f'store;dur={store_ms}, total;dur={ms}, commands;desc="{line.commands}"'.encode()
            message = {**message, "headers": [*message["headers"], (b"server-timing", timing)]}
        elif not message.get("more_body"):
            _write(line.text(status))
        await send(message)

    return send_logged


def _write(text: str) -> None:
    # Whoever reads the log may be gone; that is no reason to leave a caller without an answer.
    with suppress(OSError, ValueError):
        # One write: lines of requests that overlap must not mix.
        sys.stdout.write(f"{text}\n")
        sys.stdout.flush()
