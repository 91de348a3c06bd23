"""Windows and their periods: pure calendar arithmetic in a board's zone, with the clock passed in.

A local date starts at the earliest instant whose local date is that date or a later one. This one rule covers
midnights that do not exist or come twice, dates that a zone skipped (a period without length) and long or short days.
"""

import re
from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from functools import lru_cache
from typing import Final, Literal, get_args
from zoneinfo import ZoneInfo

from lib.errors import UnknownWindow

WindowName = Literal["daily", "weekly", "monthly", "yearly", "season", "all"]
WINDOWS: Final[tuple[WindowName, ...]] = get_args(WindowName)

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_SECOND = timedelta(seconds=1)
# An instant outside these (epoch seconds) cannot be written as a date of four-digit year in UTC.
_EARLIEST = (datetime.min.replace(tzinfo=UTC) - _EPOCH) // _SECOND
_LATEST = (datetime.max.replace(tzinfo=UTC) - _EPOCH) // _SECOND

# The remainder modulo 7 of the ordinals that begin a week; 0001-01-01, ordinal 1, was a Monday.
_WEEK_SHIFT = {"monday": 1, "sunday": 0, "saturday": 6}

# Seven digits reach past the first day of the calendar in every window, and keep int() away from endless text.
_EARLIER = re.compile(r"-[1-9][0-9]{0,6}")

_FORMS = {
    "daily": "a date such as 2026-11-30",
    "weekly": "an ISO week such as 2026-W49, or the date of its first day where weeks do not start on Monday",
    "monthly": "a month such as 2026-11",
    "yearly": "a year such as 2026",
    "season": "the name of a season of this board",
}


@dataclass(frozen=True, slots=True)
class Season:
    """A named stretch of time: from `starts` (inclusive) to `ends` (exclusive), both aware, in whole seconds."""

    name: str
    starts: datetime
    ends: datetime


@dataclass(frozen=True, slots=True)
class Period:
    """One occurrence of a window."""

    window: str
    id: str
    """What names it in keys and queries: `2026-11-30`, `2026-W49`, `2026-11`, `2026`, a season's name, `all`."""
    start: int
    """Epoch seconds, inclusive; 0 for `all`."""
    end: int | None
    """Epoch seconds, exclusive; null for `all`. It is the start of the next period, except for seasons."""
    number: int
    """The ordinal of the period in its window, from its date (or place among the seasons) alone; +1 is the next."""


_ALL = Period("all", "all", 0, None, 0)


@dataclass(frozen=True)
class Calendar:
    """The periods of one board; `week_start` is monday, sunday or saturday, `seasons` are sorted by their start."""

    zone: ZoneInfo
    week_start: str
    seasons: tuple[Season, ...] = ()

    def current(self, window: str, now: int) -> Period | None:
        """Return the period of `window` that `now` (epoch milliseconds) lies in; None outside every season."""
        seconds = now // 1000
        if window != "season":
            return self._dated(window, seconds)
        index = self._latest_started(seconds)
        if index < 0 or seconds >= _epoch(self.seasons[index].ends):
            return None
        return self._season(index)

    def select(self, window: str, at: str, now: int) -> Period:
        """Return the period that `at` names at `now` (epoch milliseconds): `0`, `-1`, `-2`, …, or an id.

        Raises UnknownWindow for any other text and for what the calendar or the list of seasons does not have.
        """
        if window not in WINDOWS:
            raise UnknownWindow.field("window", f"one of {', '.join(WINDOWS)}")
        if at == "0" or _EARLIER.fullmatch(at):
            return self.step(self._reference(window, now // 1000), int(at))
        return self._named(window, at)

    def step(self, period: Period, n: int) -> Period:
        """Return the period `n` later (negative: earlier); raises UnknownWindow where there is none."""
        if n == 0:
            return period
        if period.window == "all":
            raise UnknownWindow.field("at", "the window all takes no at")
        if period.window == "season":
            return self._season(period.number + n)
        return _period(self.zone, _WEEK_SHIFT[self.week_start], period.window, period.number + n)

    def _reference(self, window: str, seconds: int) -> Period:
        # Between seasons a reader still wants a page: the latest started, or the first one to come.
        if window == "season":
            return self._season(max(self._latest_started(seconds), 0))
        return self._dated(window, seconds)

    def _dated(self, window: str, seconds: int) -> Period:
        if window == "all":
            return _ALL
        shift = _WEEK_SHIFT[self.week_start]
        return _period(self.zone, shift, window, _number(window, shift, _today(self.zone, seconds)))

    def _named(self, window: str, at: str) -> Period:
        if window == "all":
            raise UnknownWindow.field("at", "the window all takes no at")
        if window == "season":
            index = next((i for i, season in enumerate(self.seasons) if season.name == at), -1)
            return self._season(index)
        shift = _WEEK_SHIFT[self.week_start]
        try:
            number = _number(window, shift, date.fromisoformat(at + _first_day_suffix(window, shift)))
        except ValueError:
            raise _malformed(window) from None
        period = _period(self.zone, shift, window, number)
        # fromisoformat is generous (20261130, dates in the middle of a week): only the id itself is an id.
        if period.id != at:
            raise _malformed(window)
        return period

    def _latest_started(self, seconds: int) -> int:
        return bisect_right(self.seasons, seconds, key=lambda season: _epoch(season.starts)) - 1

    def _season(self, index: int) -> Period:
        if not 0 <= index < len(self.seasons):
            raise UnknownWindow.field("at", "there is no such season on this board")
        season = self.seasons[index]
        return Period("season", season.name, _epoch(season.starts), _epoch(season.ends), index)


def _malformed(window: str) -> Exception:
    return UnknownWindow.field("at", f"0, -1, -2, … or {_FORMS[window]}")


def _epoch(instant: datetime) -> int:
    return (instant - _EPOCH) // _SECOND


def _local_date(zone: ZoneInfo, seconds: int) -> date:
    # fromtimestamp() would do, but not before 1970 on every platform.
    return (_EPOCH + timedelta(seconds=seconds)).astimezone(zone).date()


def _today(zone: ZoneInfo, seconds: int) -> date:
    day = _local_date(zone, seconds)
    # Where clocks went back over a midnight the local date was here before: the later day has already begun.
    while _day_start(zone, (later := date.fromordinal(day.toordinal() + 1))) <= seconds:
        day = later
    return day


@lru_cache(maxsize=4096)
def _day_start(zone: ZoneInfo, day: date) -> int:
    """Return the epoch second at which `day` starts in `zone`; raises UnknownWindow beyond the years 1 to 9999."""
    midnight = datetime(day.year, day.month, day.day, tzinfo=zone)
    start, other = _epoch(midnight), _epoch(midnight.replace(fold=1))
    # A midnight that comes twice starts the day the first time; one inside a gap reads backwards: find the gap's end.
    if other < start:
        start = other + bisect_left(range(other, start), day, key=lambda second: _local_date(zone, second))
    if not _EARLIEST <= start <= _LATEST:
        raise UnknownWindow.field("at", "outside the calendar")
    return start


@lru_cache(maxsize=4096)
def _period(zone: ZoneInfo, shift: int, window: str, number: int) -> Period:
    try:
        first, beyond = _first_day(window, shift, number), _first_day(window, shift, number + 1)
    except (ValueError, OverflowError):
        raise UnknownWindow.field("at", "outside the calendar") from None
    return Period(window, _id(window, shift, first), _day_start(zone, first), _day_start(zone, beyond), number)


def _number(window: str, shift: int, day: date) -> int:
    match window:
        case "daily":
            return day.toordinal()
        case "weekly":
            return (day.toordinal() - shift) // 7
        case "monthly":
            return day.year * 12 + day.month - 1
        case "yearly":
            return day.year
    raise UnknownWindow.field("window", f"one of {', '.join(WINDOWS)}")


def _first_day(window: str, shift: int, number: int) -> date:
    match window:
        case "daily":
            return date.fromordinal(number)
        case "weekly":
            return date.fromordinal(number * 7 + shift)
        case "monthly":
            return date(number // 12, number % 12 + 1, 1)
    return date(number, 1, 1)


def _id(window: str, shift: int, first: date) -> str:
    if window == "weekly" and shift == _WEEK_SHIFT["monday"]:
        # The ISO year, which is not the calendar's around New Year.
        year, week, _ = first.isocalendar()
        return f"{year:04d}-W{week:02d}"
    return first.isoformat()[: {"monthly": 7, "yearly": 4}.get(window, 10)]


def _first_day_suffix(window: str, shift: int) -> str:
    if window == "weekly":
        return "-1" if shift == _WEEK_SHIFT["monday"] else ""
    return {"monthly": "-01", "yearly": "-01-01"}.get(window, "")
