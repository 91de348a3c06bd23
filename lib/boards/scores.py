"""The numbers that a score may be: doubles that hold every whole number between them exactly."""

from decimal import Context, Decimal, InvalidOperation
from typing import Final

from lib.errors import ScoreOutOfRange

HIGHEST: Final = 2**53 - 1

# Enough digits for the remainder of any two numbers in range; what needs more is on no step.
_EXACT = Context(prec=400)


def to_float(number: int | Decimal, loc: str) -> float:
    """Return a number as the double it is stored as, -0 as 0; refuse what is past ±(2^53 − 1)."""
    if number > HIGHEST or number < -HIGHEST:
        raise ScoreOutOfRange.field(loc, f"should be from -{HIGHEST} to {HIGHEST}")
    return float(number) + 0.0


def is_on_step(score: int | Decimal, step: Decimal) -> bool:
    """Return whether a score is a whole multiple of `step`, counted decimally: 0.3 is on 0.1."""
    try:
        return _EXACT.remainder(Decimal(score), step) == 0
    except InvalidOperation:
        return False
