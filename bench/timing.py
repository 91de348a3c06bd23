"""Clocks: calls that are compared are timed in one run, in mixed order, and compared by their medians."""

import asyncio
import random
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass

Call = Callable[[], Awaitable[object]]
"""Makes one call to be awaited; the making is not timed."""

BLOCKS = 10
SMALLEST_BLOCK = 5
WARM_UP = 30


@dataclass(frozen=True, slots=True)
class Ratio:
    """How many times as long one thing takes as another, and the extremes over the blocks of a run."""

    value: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{self.value:.2f} ({self.low:.2f}–{self.high:.2f})"


async def interleaved(calls: Mapping[str, Call], rounds: int) -> dict[str, list[float]]:
    """Make every call once a round, each time in another order; return the seconds each took, a list a name."""
    dice = random.Random(2)
    names = list(calls)
    seconds: dict[str, list[float]] = {name: [] for name in names}
    for number in range(-WARM_UP, rounds):
        dice.shuffle(names)
        for name in names:
            call = calls[name]()
            started = time.perf_counter()
            await call
            elapsed = time.perf_counter() - started
            if number >= 0:
                seconds[name].append(elapsed)
        # A breath for what the loop has put off, so that no call pays for the one before.
        await asyncio.sleep(0)
    return seconds


def ratio(seconds: list[float], base: list[float], share: float = 0.5) -> Ratio:
    """Compare two lists that were timed together, by their medians or by another quantile."""
    size = max(min(SMALLEST_BLOCK, len(seconds)), len(seconds) // BLOCKS)
    parts = [
        quantile(seconds[start : start + size], share) / quantile(base[start : start + size], share)
        for start in range(0, len(seconds) - size + 1, size)
    ]
    return Ratio(quantile(seconds, share) / quantile(base, share), min(parts), max(parts))


def quantile(seconds: list[float], share: float) -> float:
    """Return the value below which a share of them lies."""
    return sorted(seconds)[min(len(seconds) - 1, int(share * len(seconds)))]
