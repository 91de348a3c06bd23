"""Durations and rates as `boards.toml` writes them; milliseconds everywhere else."""

import re
from dataclasses import dataclass

UNITS = {"ms": 1, "s": 1000, "m": 60_000, "h": 3_600_000, "d": 86_400_000, "w": 604_800_000}
LONGEST = 365_250 * UNITS["d"]

# ASCII digits by name: `\d` and int() also take the digits of other scripts, and int() takes "1_0".
_DURATION = re.compile("([0-9]{1,15})(ms|s|m|h|d|w)")
_RATE = re.compile("([1-9][0-9]{0,6})/(.*)")


@dataclass(frozen=True, slots=True)
class Rate:
    """What a gate admits: `limit` calls in each `period` of milliseconds."""

    limit: int
    period: int


def parse_duration(text: str) -> int:
    """Return the milliseconds of a duration such as "10s"; raise ValueError that says what is allowed."""
    match = _DURATION.fullmatch(text)
    if match is None:
        raise ValueError('should be a whole number and one of ms, s, m, h, d, w, such as "10s"')
    duration = int(match[1]) * UNITS[match[2]]
    # A bound keeps every end of a period a date that can be written down, and a number Lua holds exactly.
    if duration > LONGEST:
        raise ValueError('should be at most "365250d"')
    return duration


def parse_rate(text: str) -> Rate | None:
    """Return the rate of a text such as "60/1m", None for "0" (off); raise ValueError that says what is allowed."""
    if text == "0":
        return None
    match = _RATE.fullmatch(text)
    if match is None:
        raise ValueError('should be a count from 1 to 9999999, "/" and a duration, such as "60/1m", or "0" for off')
    try:
        period = parse_duration(match[2])
    except ValueError as error:
        raise ValueError(f'the duration after the "/" {error}') from None
    if period == 0:
        raise ValueError('the duration after the "/" should be longer than nothing')
    return Rate(int(match[1]), period)
