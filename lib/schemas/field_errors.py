"""Field errors: what a caller is told of a model's refusal, each field with what is allowed and never the value."""

from pydantic import ValidationError

from lib.errors import Fault, Invalid

# Of names that a caller made up, an answer repeats no more than this; nor does it list more faults.
MOST_NAMED = 64
MOST_FAULTS = 20


def invalid(error: ValidationError) -> Invalid:
    """Return the refusal that names each wrong field of a model."""
    faults = [
        Fault(".".join(str(part) for part in fault["loc"])[:MOST_NAMED], fault["msg"].removeprefix("Value error, "))
        for fault in error.errors(include_url=False, include_input=False, include_context=False)[:MOST_FAULTS]
    ]
    return Invalid(
        "; ".join(f"{fault.loc}: {fault.msg}" if fault.loc else fault.msg for fault in faults), faults=faults
    )
