"""JSON as it comes in and goes out: strict on the way in, plain on the way out."""

import json
from decimal import Decimal, InvalidOperation
from typing import Any

from pydantic import BaseModel
from pydantic_core import PydanticSerializationError

from lib.errors import BadJson, Invalid

# An integer of more digits than this is no score; as a Decimal it is cheap to compare.
_LONG_INTEGER = 300
# Powers of ten that no double reaches. Decimal's own arithmetic overflows further out.
_FARTHEST = 1000


def _integer(text: str) -> int | Decimal:
    return int(text) if len(text) <= _LONG_INTEGER else _decimal(text)


def _decimal(text: str) -> Decimal:
    try:
        number = Decimal(text)
    except InvalidOperation:  # an exponent past what Decimal holds; a zero is a zero with any
        mantissa, _, exponent = text.lower().partition("e")
        number, power = Decimal(mantissa), -_FARTHEST if exponent.startswith("-") else _FARTHEST
    else:
        power = max(-_FARTHEST, min(number.adjusted(), _FARTHEST))
    if not number or abs(power) < _FARTHEST:
        return number
    return Decimal(1).scaleb(power).copy_sign(number)


def _constant(name: str) -> Any:
    raise BadJson(f"{name} is not JSON.")


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) != len(pairs):
        raise BadJson("An object names the same key twice.")
    return members


_DECODER = json.JSONDecoder(
    parse_float=_decimal, parse_int=_integer, parse_constant=_constant, object_pairs_hook=_object
)


def parse_json(body: bytes) -> dict[str, Any]:
    """Read one JSON object; numbers with a fraction or an exponent become Decimal.

    Raises BadJson for anything that is not JSON in UTF-8, Invalid for JSON that is no object.
    """
    try:
        value = _DECODER.decode(body.decode("utf-8"))
    except UnicodeDecodeError:
        raise BadJson("The body is not UTF-8.") from None
    except RecursionError:
        raise BadJson("The body is nested too deeply.") from None
    except json.JSONDecodeError as error:
        raise BadJson(f"{error.msg} at character {error.pos}.") from None
    if not isinstance(value, dict):
        raise Invalid.field("", "The body should be a JSON object.")
    return value


def render(value: Any) -> bytes:
    """Write JSON in UTF-8; never NaN or Infinity, nor half a surrogate pair, which goes out as a question mark."""
    return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode(errors="replace")


def render_model(model: BaseModel) -> bytes:
    """Write a model of finite numbers likewise, at a quarter of the time."""
    try:
        return model.model_dump_json().encode()
    except PydanticSerializationError:  # half a surrogate pair
        return render(model.model_dump())
