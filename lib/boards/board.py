"""The boards of a deployment as they are once `boards.toml` has been read, and every rule a board must keep.

Each field has the name of its key unless an alias says otherwise; `lib.boards.toml_file` reads the file itself.
"""

from collections.abc import Iterator
from functools import cached_property
from typing import Annotated, Any, Literal, Self
from zoneinfo import ZoneInfo

from pydantic import Field, PrivateAttr, model_validator

from lib.boards.durations import UNITS
from lib.boards.field_types import (
    Duration,
    Listed,
    MetaKey,
    Mistake,
    SplitName,
    SplitNames,
    Zone,
    is_split_value,
    refuse_empty,
    refuse_twice,
    whole,
    written,
)
from lib.boards.periods import Calendar, Season, WindowName
from lib.boards.tables import Limits, NameRule, OpenSplit, ScoreRule, SeasonRule, Split, Table, TicketRule

MOST_STANDINGS = 24
MOST_DENSE = 1000
_DAYS_RETAINED = {"daily": 8, "weekly": 35, "monthly": 100, "yearly": 800, "season": 100}
_RETAIN = {window: days * UNITS["d"] for window, days in _DAYS_RETAINED.items()}


class Board(Table):
    """One board and its rules; durations in milliseconds."""

    _name: str = PrivateAttr(default="")
    order: Literal["desc", "asc"] = "desc"
    keep: Literal["best", "last", "sum"] = "best"
    windows: Listed[WindowName] = ("all",)
    timezone: Zone = "UTC"
    week_start: Literal["monday", "sunday", "saturday"] = "monday"
    cap: Annotated[int, whole(0, 10_000)] = 1000
    remember: Duration = 90 * UNITS["d"]
    rank: Literal["ordinal", "competition", "dense"] = "ordinal"
    tiebreak: Literal["asc", "desc"] | None = None
    names: Literal["entry", "profile"] = "entry"
    score: ScoreRule = ScoreRule()
    name_rule: NameRule = Field(default=NameRule(), alias="name")
    meta: dict[MetaKey, Literal["int", "float", "str", "bool"]] = Field(default={})
    retained: dict[WindowName, Duration] = Field(default={}, alias="retain")
    cache: Duration = 0
    auth: Literal["open", "ticket", "server"] = "open"
    ticket: TicketRule = TicketRule()
    limits: Limits = Limits()
    splits: dict[SplitName, Split] = Field(default={})
    # `by` stands among the splits in the file; a dotted alias puts it where errors should say it is.
    selections: Listed[SplitNames] | None = Field(default=None, alias="splits.by")
    season: Listed[SeasonRule] = ()

    @model_validator(mode="before")
    @classmethod
    def _take_by_out_of_the_splits(cls, raw: Any) -> Any:
        splits = raw.get("splits") if isinstance(raw, dict) else None
        if not isinstance(splits, dict) or "by" not in splits:
            return raw
        return {**raw, "splits": {k: v for k, v in splits.items() if k != "by"}, "splits.by": splits["by"]}

    def model_post_init(self, context: Any) -> None:
        """Take the board's own name, which in the file is the key of its table, from the validation context."""
        self._name = context or ""

    @model_validator(mode="after")
    def _refuse_contradictions(self) -> Self:
        refuse_empty("windows", self.windows)
        refuse_twice("windows", self.windows)
        self._check_seasons()
        self._check_selections()
        for key, wrong, why in self._contradictions():
            if wrong:
                raise Mistake(key, why)
        return self

    def _contradictions(self) -> Iterator[tuple[str, bool, str]]:
        """Yield the key, whether it is wrong here, and what would be right, for what two keys say together."""
        uncapped, idle = self.cap == 0, self.retained.get("all")
        unkept = next((window for window in self.retained if window not in self.windows), "")
        yield (
            "windows",
            "season" in self.windows and not self.season,
            f"names season, so declare a [[board.{self._name}.season]]",
        )
        yield f"retain.{unkept}", unkept != "", f"is not among the windows, which are {', '.join(self.windows)}"
        yield "retain.all", idle is not None and uncapped, "needs a cap above 0"
        yield "remember", self.remember < 1000, 'should be at least "1s"'
        brief = idle is not None and idle < self.remember
        yield "retain.all", brief, "should not be shorter than remember (default 90d)"
        yield "tiebreak", self.tiebreak is not None and self.keep == "sum", 'cannot go with keep = "sum"'
        yield "tiebreak", self.tiebreak is not None and self.rank != "ordinal", 'needs rank = "ordinal" (the default)'
        dense = self.rank == "dense"
        yield "rank", dense and not 0 < self.cap <= MOST_DENSE, f"can be dense only with a cap from 1 to {MOST_DENSE}"
        profile = self.names == "profile"
        yield "names", profile and not uncapped, 'can be "profile" only with cap = 0 (the default is 1000)'
        fast = self.ticket.per_second is not None
        yield "ticket.per_second", fast and not self.descending, 'needs order = "desc"'

    def _check_selections(self) -> None:
        refuse_empty("splits.by", self.by)
        refuse_twice("splits.by", [written(selection) for selection in self.by])
        used = [split for selection in self.by for split in selection]
        for split in used:
            if split not in self.splits:
                raise Mistake("splits.by", f'names "{split}", but the splits are {", ".join(self.splits) or "none"}')
        for split in self.splits:
            if split not in used:
                raise Mistake(f"splits.{split}", "is in no selection of by")
        standings = len(self.windows) * len(self.by)
        if standings > MOST_STANDINGS:
            reach = f"{len(self.windows)} windows × {len(self.by)} selections = {standings}"
            raise Mistake("splits.by", f"one submission may reach at most {MOST_STANDINGS} standings, not {reach}")

    def _check_seasons(self) -> None:
        refuse_twice("season", [season.name for season in self.seasons])
        for earlier, later in zip(self.seasons, self.seasons[1:], strict=False):
            if later.starts < earlier.ends:
                raise Mistake("season", f'"{later.name}" should not start before "{earlier.name}" ends')

    @cached_property
    def name(self) -> str:
        """The board's own name."""
        return self._name

    @cached_property
    def by(self) -> tuple[tuple[str, ...], ...]:
        """The selections kept, each as its sorted split names; overall is (). By default overall and each split."""
        return self.selections if self.selections is not None else ((), *((split,) for split in self.splits))

    @cached_property
    def seasons(self) -> tuple[Season, ...]:
        """The seasons, earliest first, in whatever order the file has them."""
        return tuple(Season(s.name, s.starts, s.ends) for s in sorted(self.season, key=lambda s: s.starts))

    @cached_property
    def calendar(self) -> Calendar:
        """The periods of this board."""
        return Calendar(ZoneInfo(self.timezone), self.week_start, self.seasons)

    @property
    def descending(self) -> bool:
        """Whether a higher score is better."""
        return self.order == "desc"

    @property
    def rules(self) -> str:
        """The three letters in every key that keep scores of different meaning apart: order, keep, tie-break."""
        return self.order[0] + self.keep[0] + (self.tiebreak or "-")[0]

    @cached_property
    def _retains(self) -> dict[str, int]:
        return {str(window): duration for window, duration in self.retained.items()}

    def retain(self, window: str) -> int | None:
        """Return how long a period's standing outlives its end, in milliseconds.

        For `all` it is how long it may stay idle; None, and only for `all`, is for ever.
        """
        return self._retains.get(window, _RETAIN.get(window))

    def is_open(self, split: str) -> bool:
        """Return whether the values of a split are an open list; raise KeyError for an unknown split."""
        return isinstance(self.splits[split], OpenSplit)

    def allows(self, split: str, value: str) -> bool:
        """Return whether a value may be given for a split; never for a split the board does not have."""
        rule = self.splits.get(split)
        if isinstance(rule, OpenSplit):
            return is_split_value(value) and rule.pattern.fullmatch(value) is not None
        return rule is not None and value in rule.values
