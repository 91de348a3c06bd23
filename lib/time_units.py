"""Units of time, and how milliseconds become the seconds that timers and headers count in."""

from typing import Final

DAY_MS: Final = 86_400_000
DAY_S: Final = 86_400


def ceil_seconds(ms: int) -> int:
    """Return milliseconds in whole seconds, rounded up."""
    return -(-ms // 1000)


def end_of_day(now: int) -> int:
    """Return when the UTC day of `now` (ms) ends, in epoch seconds."""
    return (now // DAY_MS + 1) * DAY_S
