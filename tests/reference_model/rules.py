"""The rules of one board under test and its calendar, worked out from the design again instead of by `lib`."""

from dataclasses import dataclass, field, fields
from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

DAY_S = 86_400
# The last milliseconds of a day, a month and a year, far ahead of the store's own clock; the week ends a day later.
START = int(datetime(2033, 12, 31, 23, 59, 59, tzinfo=UTC).timestamp()) * 1000 + 990
# Names, first and last day counted from START: a gap before, one between, two that touch.
SEASONS = (("s1", 1, 3), ("s2", 5, 6), ("s3", 6, 40))
_WEEK_OFFSET = {"monday": 0, "sunday": 1, "saturday": 2}


def season_limits(first: int, last: int) -> tuple[int, int]:
    """Return the start and the end (epoch seconds) of a season given in days from START."""
    midnight = (START // 1000 // DAY_S + 1) * DAY_S
    return midnight + (first - 1) * DAY_S, midnight + (last - 1) * DAY_S


class Refused(Exception):
    """An answer that is a problem: its status, its code and, for gates, its Retry-After in seconds."""

    def __init__(self, status: int, code: str, wait_ms: int | None = None) -> None:
        super().__init__(code)
        self.status, self.code = status, code
        self.retry_after = None if wait_ms is None else max(1, -(-wait_ms // 1000))


@dataclass(frozen=True, repr=False)
class Rules:
    """One board: durations in days, gates as (limit, milliseconds), the splits `mode` (closed) and `level` (open)."""

    keep: str = "best"
    order: str = "desc"
    tiebreak: str | None = None
    rank: str = "ordinal"
    cap: int = 0
    windows: tuple[str, ...] = ("all",)
    retain: dict[str, int] = field(default_factory=dict)
    remember: int = 90
    names: str = "entry"
    modes: tuple[str, ...] = ()
    most_levels: int = 0
    by: tuple[str, ...] = ("overall",)
    timezone: str = "UTC"
    week_start: str = "monday"
    per_ip: tuple[int, int] | None = None
    per_player: tuple[int, int] | None = None
    cooldown: int = 0

    def __repr__(self) -> str:
        """Show what is not the default."""
        chosen = [f"{f.name}={getattr(self, f.name)!r}" for f in fields(self) if getattr(self, f.name) != f.default]
        return f"Rules({', '.join(chosen)})"

    @property
    def descending(self) -> bool:
        """Whether more is better."""
        return self.order == "desc"

    @property
    def bears_wrong_clocks(self) -> bool:
        """Whether a clock that was ahead leaves nothing to see: gates and timers have a time of their own."""
        gated = self.per_ip or self.per_player or self.cooldown
        return not gated and "all" not in self.retain and self.remember > 2

    @property
    def code(self) -> str:
        """The rules code in every key."""
        return self.order[0] + self.keep[0] + (self.tiebreak or "-")[0]

    @property
    def selections(self) -> list[tuple[str, ...]]:
        """The split names of each standing kept, in the order of `by`."""
        return [() if text == "overall" else tuple(text.split("+")) for text in self.by]

    def expiry(self, period: "Period", now: int) -> int | None:
        """Return when a standing of a period expires (epoch seconds), as of a submission at `now` (ms)."""
        default = {"daily": 8, "weekly": 35, "monthly": 100, "yearly": 800, "season": 100, "all": None}
        days = self.retain.get(period.window, default[period.window])
        end = end_of_day(now) if period.end is None else period.end
        return None if days is None else end + days * DAY_S

    def toml(self) -> str:
        """Return the board as `boards.toml` has it, named b."""
        gates = {"per_ip": self.per_ip, "per_player": self.per_player}
        rates = [f'{name} = "{rate[0]}/{rate[1]}ms"' if rate else f'{name} = "0"' for name, rate in gates.items()]
        lines = [
            "[board.b]",
            *(f'{name} = "{getattr(self, name)}"' for name in ("keep", "order", "rank", "names")),
            *(f'{name} = "{getattr(self, name)}"' for name in ("timezone", "week_start")),
            *([f'tiebreak = "{self.tiebreak}"'] if self.tiebreak else []),
            f"cap = {self.cap}",
            f"windows = {list(self.windows)}",
            "retain = {" + ", ".join(f'{window} = "{days}d"' for window, days in self.retain.items()) + "}",
            f'remember = "{self.remember}d"',
            'meta = {depth = "int", ship = "str"}',
            f'limits = {{{", ".join(rates)}, cooldown = "{self.cooldown}ms"}}',
            "[board.b.splits]" if self.modes or self.most_levels else "",
            f"mode = {list(self.modes)}" if self.modes else "",
            f'level = {{pattern = "[a-z]", max = {self.most_levels}}}' if self.most_levels else "",
            f"by = {list(self.by)}" if self.modes or self.most_levels else "",
        ]
        # Written latest first: a file may have them in any order.
        for name, *days in reversed(SEASONS) if "season" in self.windows else ():
            starts, ends = (datetime.fromtimestamp(s, UTC).isoformat() for s in season_limits(*days))
            lines += ["[[board.b.season]]", f'name = "{name}"', f"starts = {starts}", f"ends = {ends}"]
        return "\n".join(line for line in lines if line)


def end_of_day(now: int) -> int:
    """Return the end (epoch seconds) of the UTC day of `now` (ms)."""
    return (now // 1000 // DAY_S + 1) * DAY_S


@dataclass(frozen=True)
class Period:
    """One period: `start` and `end` in epoch seconds, `end` is None for `all`."""

    window: str
    id: str
    start: int
    end: int | None


_ALL = Period("all", "all", 0, None)


class Calendar:
    """Which period an instant lies in, and which one a reader asks for."""

    def __init__(self, rules: Rules) -> None:
        self._zone = ZoneInfo(rules.timezone)
        self._week_offset = _WEEK_OFFSET[rules.week_start]
        self._seasons = [Period("season", name, *season_limits(*days)) for name, *days in SEASONS]

    def current(self, window: str, now: int) -> Period | None:
        """Return the period of a submission at `now` (ms), None outside every season."""
        if window == "season":
            return next((s for s in self._seasons if s.start * 1000 <= now < (s.end or 0) * 1000), None)
        if window == "all":
            return _ALL
        return self._dated(window, datetime.fromtimestamp(now // 1000, self._zone).date())

    def back(self, window: str, now: int, steps: int) -> Period:
        """Return the period that a reader means by `at` = -steps; raise Refused where there is none."""
        if window == "season":
            started = [s for s in self._seasons if s.start * 1000 <= now]
            index = max(len(started) - 1, 0) - steps
            if index < 0:
                raise Refused(422, "unknown_window")
            return self._seasons[index]
        period = self.current(window, now)
        assert period
        for _ in range(steps):
            if period.end is None:
                raise Refused(422, "unknown_window")
            period = self._dated(window, datetime.fromtimestamp(period.start - 1, self._zone).date())
        return period

    def is_recent(self, period: Period, now: int) -> bool:
        """Whether records hold this period: it is the current or the previous one."""
        return any(period == self._back_or_none(period.window, now, steps) for steps in (0, 1))

    def _back_or_none(self, window: str, now: int, steps: int) -> Period | None:
        try:
            return self.back(window, now, steps)
        except Refused:
            return None

    def _dated(self, window: str, day: date) -> Period:
        first, beyond = self._days(window, day)
        name = {"monthly": first.isoformat()[:7], "yearly": first.isoformat()[:4]}.get(window, first.isoformat())
        if window == "weekly" and self._week_offset == 0:
            name = "{}-W{:02d}".format(*first.isocalendar()[:2])
        return Period(window, name, self._midnight(first), self._midnight(beyond))

    def _days(self, window: str, day: date) -> tuple[date, date]:
        if window == "daily":
            return day, day + timedelta(1)
        if window == "weekly":
            first = day - timedelta((day.weekday() + self._week_offset) % 7)
            return first, first + timedelta(7)
        if window == "monthly":
            first = day.replace(day=1)
            return first, (first + timedelta(31)).replace(day=1)
        return date(day.year, 1, 1), date(day.year + 1, 1, 1)

    def _midnight(self, day: date) -> int:
        return int(datetime.combine(day, time(), self._zone).timestamp())
