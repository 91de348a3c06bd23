"""The single values of `boards.toml`: what each may be, and the words that refuse it.

TOML numbers arrive as int or Decimal, so that a step of 0.1 is a tenth and not its nearest double.
"""

import re
from collections.abc import Callable, Sequence
from datetime import datetime
from decimal import ROUND_FLOOR, Decimal
from typing import Annotated, Any, Final, TypeVar
from zoneinfo import ZoneInfo

from pydantic import Field
from pydantic_core import CoreSchema, core_schema

from lib.boards.durations import Rate, parse_duration, parse_rate
from lib.boards.patterns import bounded
from lib.boards.scores import HIGHEST

# A double near 2^53 has 16 digits before the point: below this step, the remainder would need more than Decimal's 28.
SMALLEST_STEP: Final = Decimal("1e-12")
# What http.md calls the parameters of a query: a split of the same name could not be asked for.
QUERY_WORDS: Final = (
    *("board", "window", "windows", "at", "limit", "offset", "player", "players", "v", "splits", "around", "score"),
    "format",
)

_SPLIT_VALUE = re.compile("[A-Za-z0-9_.-]{1,64}")

_T = TypeVar("_T")
# A TOML array arrives as a list, which strict types do not take for a tuple; what is in it stays strict.
Listed = Annotated[tuple[_T, ...], Field(strict=False)]


class Mistake(ValueError):
    """A rule broken by a table as a whole: `key` is the dotted key in it, the message says what is allowed."""

    def __init__(self, key: str, allowed: str) -> None:
        super().__init__(allowed)
        self.key = key


class Checked:
    """Marks a type whose values come from `check` alone, which raises ValueError that says what is allowed.

    Pydantic's PlainValidator does the same, but builds a schema of the type first: 3 ms of each cold start for Rate.
    """

    def __init__(self, check: Callable[[object], object]) -> None:
        self._check = check

    def __get_pydantic_core_schema__(self, source: Any, handler: Any) -> CoreSchema:
        """Return the schema, as pydantic asks for it."""
        return core_schema.no_info_plain_validator_function(self._check)


def whole(low: int, high: int) -> Checked:
    """Return the check of whole numbers from `low` to `high`, both included."""

    def check(value: object) -> int:
        # type(), not isinstance(): a bool is an int to Python.
        if type(value) is not int or not low <= value <= high:
            raise ValueError(f"should be a whole number from {low} to {high}")
        return value

    return Checked(check)


def text(form: str, allowed: str) -> Checked:
    """Return the check of texts that match `form` in full."""
    pattern = re.compile(form)

    def check(value: object) -> str:
        if not isinstance(value, str) or pattern.fullmatch(value) is None:
            raise ValueError(f"should be {allowed}")
        return value

    return Checked(check)


def _duration(value: object) -> int:
    # Empty text fails with the message of every other malformed duration.
    return parse_duration(value if isinstance(value, str) else "")


def _pause(value: object) -> int:
    return 0 if value == "0" else _duration(value)


def _gate(value: object) -> Rate | None:
    return parse_rate(value if isinstance(value, str) else "")


def _number(value: object) -> Decimal:
    number = Decimal(value) if type(value) is int else value
    if not isinstance(number, Decimal) or not number.is_finite() or abs(number) > HIGHEST:
        raise ValueError("should be a number from -9007199254740991 to 9007199254740991")
    return number


def _pattern(value: object) -> re.Pattern[str]:
    if not isinstance(value, str):
        raise ValueError("should be a regular expression")
    return bounded(value)


def _zone(value: object) -> str:
    allowed = 'should be an IANA time zone such as "UTC" or "Europe/Berlin"'
    # IANA names begin with a capital; `localtime` and `posix/…` exist on some machines only.
    if not isinstance(value, str) or not value[:1].isupper():
        raise ValueError(allowed)
    try:
        ZoneInfo(value)
    except (KeyError, ValueError, OSError):
        raise ValueError(allowed) from None
    return value


def _instant(value: object) -> datetime:
    if not isinstance(value, datetime) or value.tzinfo is None or value.microsecond:
        raise ValueError("should be a time with an offset, in whole seconds, such as 2026-12-01T00:00:00Z")
    # The ends of the calendar cannot be written in UTC from every offset.
    if not 1970 <= value.year <= 9998:
        raise ValueError("should be a time from 1970 to 9998")
    return value


def _split_name(value: object) -> str:
    if not isinstance(value, str) or re.fullmatch("[a-z][a-z0-9_]{0,15}", value) is None:
        raise ValueError("should be named [a-z][a-z0-9_]{0,15}")
    if value in QUERY_WORDS or value in ("overall", "by"):
        raise ValueError(f"should not be named overall, by or {', '.join(QUERY_WORDS)}")
    return value


def _selection(value: object) -> tuple[str, ...]:
    if value == "overall":
        return ()
    names = value.split("+") if isinstance(value, str) else [""]
    if not all(names) or len(set(names)) < len(names):
        raise ValueError('should be "overall", or different splits joined by "+", such as "mode+level"')
    return tuple(sorted(names))


def refuse_empty(key: str, items: Sequence[object]) -> None:
    """Raise Mistake where a list is empty."""
    if not items:
        raise Mistake(key, "should not be empty")


def refuse_twice(key: str, items: Sequence[str]) -> None:
    """Raise Mistake where a list holds one text twice."""
    for i, item in enumerate(items):
        if item in items[:i]:
            raise Mistake(key, f'should not list "{item}" twice')


def written(selection: tuple[str, ...]) -> str:
    """Return a selection as `by` writes it."""
    return "+".join(selection) or "overall"


def floor(number: Decimal, step: Decimal) -> Decimal:
    """Return the greatest multiple of `step` that is not above `number`."""
    return (number / step).to_integral_value(ROUND_FLOOR) * step


def is_split_value(value: str) -> bool:
    """Return whether a text has the form that the value of any split must have."""
    return _SPLIT_VALUE.fullmatch(value) is not None


Duration = Annotated[int, Checked(_duration)]
Pause = Annotated[int, Checked(_pause)]
Gate = Annotated[Rate | None, Checked(_gate)]
TomlNumber = Annotated[Decimal, Checked(_number)]
Pattern = Annotated[re.Pattern[str], Checked(_pattern)]
Zone = Annotated[str, Checked(_zone)]
Instant = Annotated[datetime, Checked(_instant)]
SplitName = Annotated[str, Checked(_split_name)]
SplitValue = Annotated[str, text(_SPLIT_VALUE.pattern, f"text of the form {_SPLIT_VALUE.pattern}")]
SplitNames = Annotated[tuple[str, ...], Checked(_selection)]
SeasonName = Annotated[str, text("[a-z][a-z0-9_-]{0,31}", "text of the form [a-z][a-z0-9_-]{0,31}")]
MetaKey = Annotated[str, text("[A-Za-z0-9_-]{1,32}", "named [A-Za-z0-9_-]{1,32}")]
