"""Query strings taken apart, before any model looks at what is in them."""

from urllib.parse import parse_qsl

from lib.errors import Invalid
from lib.schemas.field_errors import MOST_NAMED

MOST_PARAMETERS = 40


def parse_query(raw: bytes) -> dict[str, str]:
    """Split a query string; raise Invalid for a repeated parameter, bad UTF-8 or too many of them."""
    try:
        pairs = parse_qsl(raw.decode("ascii"), keep_blank_values=True, errors="strict", max_num_fields=MOST_PARAMETERS)
    except ValueError:
        raise Invalid.field("", f"should be a query of at most {MOST_PARAMETERS} parameters in UTF-8") from None
    query = dict(pairs)
    if len(query) != len(pairs):
        repeated = next(name for name in query if sum(name == other for other, _ in pairs) > 1)
        raise Invalid.field(repeated[:MOST_NAMED], "is given more than once")
    return query


def refuse_parameters(raw: bytes) -> None:
    """Raise Invalid where a call that takes no parameters is given one."""
    for name in parse_query(raw) if raw else ():
        raise Invalid.field(name[:MOST_NAMED], "is not a parameter here")
