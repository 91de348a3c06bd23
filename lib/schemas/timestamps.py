"""Instants as they are written in answers."""

from datetime import UTC, datetime
from functools import lru_cache


def instant(ms: int) -> str:
    """Return epoch milliseconds as `2026-11-30T12:00:00.000Z`."""
    # Not strftime: it leaves years below 1000 without their zeros.
    whole = datetime.fromtimestamp(ms // 1000, UTC).replace(tzinfo=None)
    return f"{whole.isoformat()}.{ms % 1000:03d}Z"


@lru_cache(maxsize=256)  # the bounds of a few periods, in every answer
def instant_of(seconds: int | None) -> str | None:
    """Return epoch seconds likewise; nothing for no instant."""
    return None if seconds is None else instant(seconds * 1000)
