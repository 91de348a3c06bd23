"""The rules of a board in plain Python: written from the design, to be compared with what the scripts do.

It keeps rows by player instead of texts in sorted sets, ranks by sorting all of them, and finds a row that no record
names by looking.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any

from tests.reference_model.rules import DAY_S, Calendar, Period, Refused, Rules, end_of_day

LARGEST = 2**53 - 1
REMEMBERED_IDS = 8

Selection = tuple[tuple[str, str], ...]
Json = dict[str, Any]


@dataclass(frozen=True)
class Submission:
    """What a client sends; None is left out of the body."""

    player: str
    score: float
    tiebreak: float | None = None
    name: str | None = None
    meta: Mapping[str, Any] | None = None
    mode: str | None = None
    level: str | None = None
    id: str | None = None
    ranks: str = "improved"

    @property
    def splits(self) -> dict[str, str]:
        """The splits it has."""
        return {name: value for name, value in (("mode", self.mode), ("level", self.level)) if value is not None}

    @property
    def content(self) -> tuple[Any, ...]:
        """What a repetition has to have in common."""
        return (self.score, self.tiebreak, self.splits)

    def body(self) -> Json:
        """Return the JSON body."""
        names = ("player", "score", "tiebreak", "name", "meta", "id", "ranks")
        present = {name: getattr(self, name) for name in names if getattr(self, name) is not None}
        return {"board": "b", **present, **({"splits": self.splits} if self.splits else {})}


@dataclass(frozen=True)
class Place:
    """A standing: a period and the values selected."""

    period: Period
    selection: Selection


@dataclass(frozen=True)
class Row:
    """What an entry shows; `at` in ms."""

    score: float
    tiebreak: float | None
    at: int
    name: str | None
    meta: Mapping[str, Any]


@dataclass
class Standing:
    """The rows by player, and when the set expires (epoch seconds)."""

    rows: dict[str, Row] = field(default_factory=dict)
    expires: int | None = None


@dataclass
class Values:
    """What an open split has in one period."""

    known: set[str] = field(default_factory=set)
    expires: int | None = None


@dataclass(frozen=True)
class Held:
    """What a record says of its player in one standing; `until` is when that no longer counts (epoch seconds)."""

    row: Row
    ranked: bool
    until: int | None = None


@dataclass(frozen=True)
class Use:
    """A submission id that a record remembers: when (ms) it came, and the windows and selections that it improved."""

    id: str | None
    content: tuple[Any, ...]
    at: int
    improved: frozenset[tuple[str, Selection]]

    def has_improved(self, place: Place) -> bool:
        """Whether it improved the standing, or the one it belongs to under the first day of the week of now."""
        known = (place.period.window, place.selection) in self.improved
        return known and self.at >= place.period.start * 1000


@dataclass(frozen=True)
class Gate:
    """What a player's gate has counted: `ends` and `admitted` in ms, and the id and content it last admitted."""

    count: int = 0
    ends: int = 0
    admitted: int | None = None
    last: tuple[Any, ...] | None = None


@dataclass
class Record:
    """What is remembered of one player."""

    held: dict[Place, Held] = field(default_factory=dict)
    uses: list[Use] = field(default_factory=list)
    gate: Gate = Gate()
    expires: int | None = None


@dataclass(frozen=True)
class Verdict:
    """What is to become of a submission in one standing: miss, same, replace or enter."""

    place: Place
    fate: str
    row: Row
    held: Held | None


@dataclass(frozen=True)
class Outcome:
    """What became of it."""

    improved: bool = False
    kept: bool = False
    score: float | None = None
    previous: float | None = None
    cutoff: float | None = None


def instant(ms: int) -> str:
    """Return epoch milliseconds as an answer has them."""
    return datetime.fromtimestamp(ms // 1000, UTC).strftime("%Y-%m-%dT%H:%M:%S") + f".{ms % 1000:03d}Z"


def limits_of(period: Period) -> Json:
    """Return `starts` and `ends` of an answer."""
    if period.end is None:
        return {"starts": None, "ends": None}
    return {"starts": instant(period.start * 1000), "ends": instant(period.end * 1000)}


class Board:
    """All that is kept of one board; `now` is in ms everywhere."""

    def __init__(self, rules: Rules) -> None:
        self.rules = rules
        self.calendar = Calendar(rules)
        self.standings: dict[Place, Standing] = {}
        self.values: dict[tuple[Period, str], Values] = {}
        self.records: dict[str, Record] = {}
        self.profiles: dict[str, tuple[str | None, Mapping[str, Any]]] = {}
        self._address = (0, 0)
        self.was_capped = False

    @property
    def was_uncapped(self) -> bool:
        """Whether a cap was lifted: rows may then be without a record, and are found by writes alone."""
        return self.was_capped and self.rules.cap == 0

    def change(self, rules: Rules) -> None:
        """Go on under other rules, with all that is stored."""
        self.was_capped = self.was_capped or self.rules.cap > 0
        self.rules, self.calendar = rules, Calendar(rules)

    def expire(self, now: int) -> None:
        """Forget what has expired by `now`."""
        everything: list[dict[Any, Any]] = [self.standings, self.values, self.records]
        for kept in everything:
            for key in [key for key, item in kept.items() if item.expires and item.expires * 1000 <= now]:
                del kept[key]

    def rows(self, place: Place) -> dict[str, Row]:
        """Return the rows of a standing, in no order."""
        standing = self.standings.get(place)
        return standing.rows if standing else {}

    def worth(self, row: Row, *, timed: bool = True) -> tuple[float, float, int]:
        """Return what orders rows, the least first: score, tie-break, and who got there first."""
        score = -row.score if self.rules.descending else row.score
        tiebreak = row.tiebreak or 0
        return score, -tiebreak if self.rules.tiebreak == "desc" else tiebreak, row.at if timed else 0

    def ranked(self, place: Place) -> list[tuple[str, Row]]:
        """Return the rows of a standing, best first; in one millisecond the player id decides."""
        by_id = sorted(self.rows(place).items(), key=lambda pair: pair[0].encode(), reverse=self.rules.descending)
        return sorted(by_id, key=lambda pair: self.worth(pair[1]))

    def rank(self, place: Place, player: str) -> int | None:
        """Return a player's rank in the board's numbering, None where they have none."""
        players = [name for name, _ in self.ranked(place)]
        if player not in players:
            return None
        if self.rules.rank == "ordinal":
            return players.index(player) + 1
        better = self.better(place, self.rows(place)[player].score)
        return (len(set(better)) if self.rules.rank == "dense" else len(better)) + 1

    def better(self, place: Place, score: float) -> list[float]:
        """Return the scores strictly better than a score."""
        sign = 1 if self.rules.descending else -1
        return [row.score for row in self.rows(place).values() if sign * row.score > sign * score]

    def places(self, splits: Mapping[str, str], now: int) -> list[Place]:
        """Return the standings that a submission belongs to, windows first."""
        periods = [self.calendar.current(window, now) for window in self.rules.windows]
        wanted = [names for names in self.rules.selections if all(name in splits for name in names)]
        chosen = [tuple((name, splits[name]) for name in sorted(names)) for names in wanted]
        return [Place(period, selection) for period in periods if period for selection in chosen]

    def pass_address_gate(self, now: int) -> None:
        """Count a call of the one address there is."""
        if not self.rules.per_ip:
            return
        most, length = self.rules.per_ip
        count, ends = self._address if now < self._address[1] else (0, now + length)
        if count >= most:
            raise Refused(429, "rate_limited", ends - now)
        self._address = count + 1, ends

    def held(self, record: Record | None, place: Place, player: str, now: int) -> Held | None:
        """Return where a player stands by the record or, where the board has a cap, by the row that is there."""
        known = record.held.get(place) if record and self.calendar.is_recent(place.period, now) else None
        if known and (known.until is None or now < known.until * 1000):
            return known
        row = self.rows(place).get(player) if self.rules.cap or record is not None else None
        return Held(row, ranked=True) if row else None

    def refreshed(self, place: Place, now: int) -> int | None:
        """Return until when what is written now counts, where the standing ends when it idles."""
        return self.rules.expiry(place.period, now) if place.period.window == "all" else None

    def record_expiry(self, now: int) -> int | None:
        """Return when a record refreshed now expires."""
        return end_of_day(now) + self.rules.remember * DAY_S if self.rules.cap else None

    def nameless(self, held: Held) -> Held:
        """Return what a record keeps of an unranked player: no name, no meta."""
        return held if held.ranked else replace(held, row=replace(held.row, name=None, meta={}))
