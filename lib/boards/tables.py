"""The tables inside a board of `boards.toml`, each with the rules it must keep by itself."""

from typing import Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Discriminator, Tag, model_validator

from lib.boards.durations import UNITS, Rate
from lib.boards.field_types import (
    SMALLEST_STEP,
    Duration,
    Gate,
    Instant,
    Listed,
    Mistake,
    Pattern,
    Pause,
    SeasonName,
    SplitValue,
    TomlNumber,
    floor,
    refuse_empty,
    refuse_twice,
    whole,
)


class Table(BaseModel):
    """One table of the file; an unknown key or a value of another type is refused, never converted."""

    # Deferred, as with all models: a table is built once, as a part of its board, and not at every import as well.
    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, defer_build=True)


class ScoreRule(Table):
    """Which scores a board takes, in exact decimals."""

    min: TomlNumber | None = None
    max: TomlNumber | None = None
    step: TomlNumber | None = None

    @model_validator(mode="after")
    def _refuse_contradictions(self) -> Self:
        if self.step is not None and self.step < SMALLEST_STEP:
            raise Mistake("step", f"should be more than 0 (at least {SMALLEST_STEP})")
        if self.min is not None and self.max is not None:
            if self.min > self.max:
                raise Mistake("min", "should not be above max")
            if self.step is not None and self.min > floor(self.max, self.step):
                raise Mistake("step", "should have at least one multiple from min to max")
        return self


class NameRule(Table):
    """How long a cleaned name may be, in code points, and whether a submission needs one."""

    max: Annotated[int, whole(1, 1000)] = 24
    required: bool = False


class TicketRule(Table):
    """What a run must keep to; durations in milliseconds."""

    shortest: Duration = 0
    longest: Duration = 2 * UNITS["h"]
    per_second: TomlNumber | None = None
    period_of: Literal["submit", "start"] = "submit"

    @model_validator(mode="after")
    def _refuse_contradictions(self) -> Self:
        if self.longest == 0:
            raise Mistake("longest", "should be longer than nothing")
        if self.shortest > self.longest:
            raise Mistake("shortest", "should not be longer than longest (default 2h)")
        if self.per_second is not None and self.per_second <= 0:
            raise Mistake("per_second", "should be more than 0")
        return self


class Limits(Table):
    """The gates of a board; None is off, `cooldown` is in milliseconds and 0 is off."""

    per_ip: Gate | None = Rate(60, UNITS["m"])
    per_player: Gate | None = None
    cooldown: Pause = 0


class OpenSplit(Table):
    """A split whose values are not known beforehand: `pattern` holds for each in full, `max` of them a period."""

    pattern: Pattern
    max: Annotated[int, whole(1, 100_000)] = 200


class ClosedSplit(Table):
    """A split whose values are listed."""

    values: Listed[SplitValue]

    @model_validator(mode="before")
    @classmethod
    def _read(cls, raw: object) -> object:
        return {"values": raw} if isinstance(raw, list) else raw

    @model_validator(mode="after")
    def _refuse_contradictions(self) -> Self:
        refuse_empty("", self.values)
        refuse_twice("", self.values)
        return self


class SeasonRule(Table):
    """A season as it is written; see `lib.boards.periods.Season`."""

    name: SeasonName
    starts: Instant
    ends: Instant

    @model_validator(mode="after")
    def _refuse_contradictions(self) -> Self:
        if self.starts >= self.ends:
            raise Mistake("ends", "should be later than starts")
        return self


def _kind(raw: object) -> str | None:
    return "closed" if isinstance(raw, list | ClosedSplit) else "open" if isinstance(raw, dict | OpenSplit) else None


Split = Annotated[Annotated[OpenSplit, Tag("open")] | Annotated[ClosedSplit, Tag("closed")], Discriminator(_kind)]
