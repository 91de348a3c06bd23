"""Regular expressions that cannot stall: those whose search for a match is bounded on any value of a split.

Python's engine tries one way after the other. A repeat inside a repeat has exponentially many, so one short value could
hold up a process for minutes; what is accepted here has a product of ways, which is counted from its parse tree.
"""

import re
from collections.abc import Callable, Sequence
from math import prod
from typing import Any

# Ways to match a text of 64 characters, the longest value of a split: three repeats beside each other, some ms.
MOST_WAYS = 300_000
_LONGEST_VALUE = 64

_ALLOWED = (
    "should be a regular expression that repeats nothing which itself repeats or has alternatives, with at most three "
    "repeats of any length, and without references and lookarounds; such as [a-z0-9-]{1,32}"
)


def bounded(text: str) -> re.Pattern[str]:
    """Compile a pattern; raise ValueError, which says what is allowed, for one that might stall."""
    try:
        pattern = re.compile(text)
        # The parser that `re` itself has compiled with; its name is private since it moved there in Python 3.11.
        parse: Callable[[str], Sequence[Any]] = re._parser.parse  # type: ignore[attr-defined]
        ways = _ways(parse(text))
    except (re.error, OverflowError, RecursionError) as error:
        raise ValueError(f"should be a regular expression ({error})") from None
    if ways > MOST_WAYS:
        raise ValueError(_ALLOWED)
    return pattern


def _ways(parts: Sequence[Any]) -> float:
    """Return in how many ways a sequence may match a text at most, infinite where they are not bounded by a product."""
    return prod((_ways_of(str(kind), argument) for kind, argument in parts), start=1)


def _ways_of(kind: str, argument: Any) -> float:
    match kind:
        case "LITERAL" | "NOT_LITERAL" | "ANY" | "IN" | "AT":
            return 1
        case "SUBPATTERN":
            return _ways(argument[-1])
        case "BRANCH":
            return sum(_ways(branch) for branch in argument[1])
        case "MAX_REPEAT" | "MIN_REPEAT" | "POSSESSIVE_REPEAT":
            least, most, repeated = argument
            inside = _ways(repeated)
            if int(most) == 1:
                return 1 + inside
            lengths = min(int(most), _LONGEST_VALUE) - min(int(least), _LONGEST_VALUE) + 1
            return lengths if inside == 1 else float("inf")
    return float("inf")
