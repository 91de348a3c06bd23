"""The REST shapes: what a request asks for, and how Redis' answers look as JSON."""

import base64
import json
from collections.abc import Sequence
from typing import TypeAlias
from urllib.parse import parse_qsl, unquote_to_bytes

LIMIT = 10 * 1024 * 1024
"""The most bytes a request or an answer may have."""

Command: TypeAlias = list[bytes]
Reply: TypeAlias = "bytes | int | list[Reply] | ReplyError | None"
Answer: TypeAlias = dict[str, object]


class ReplyError(Exception):
    """A command that Redis refused; the text begins with its code (`ERR …`, `WRONGTYPE …`)."""

    @property
    def text(self) -> str:
        """Return the whole message, as one line."""
        return str(self).replace("\r", " ").replace("\n", " ")


def parse_body(body: bytes, what: str) -> list[object]:
    """Return the JSON array of a body; raise ReplyError that says a `what` was expected."""
    try:
        # Numbers keep the spelling they were sent in: Redis has only strings.
        value = json.loads(body, parse_int=str, parse_float=str, parse_constant=_refuse_constant)
    except (ValueError, RecursionError):
        raise ReplyError(f"ERR failed to parse {what}") from None
    if not isinstance(value, list):
        raise ReplyError(f"ERR failed to parse {what}")
    return value


def _refuse_constant(name: str) -> object:
    raise ValueError(name)


def command(items: object) -> Command:
    """Return one command from its JSON array; raise ReplyError for anything that is no list of scalars."""
    if not isinstance(items, list):
        raise ReplyError("ERR failed to parse command")
    if not items:
        raise ReplyError("ERR empty command")
    try:
        return list(map(str.encode, items))  # nearly always: clients send text
    except (TypeError, UnicodeEncodeError):
        return [_argument(item) for item in items]


def _argument(item: object) -> bytes:
    if isinstance(item, bool):
        return b"true" if item else b"false"
    if not isinstance(item, str):
        raise ReplyError("ERR unsupported arg type")
    try:
        return item.encode()
    except UnicodeEncodeError:  # half of a surrogate pair, which JSON can spell and UTF-8 cannot
        return item.encode("utf-16", "surrogatepass").decode("utf-16", "replace").encode()


def path_command(raw_path: bytes, query: bytes, body: bytes) -> Command:
    """Return the command of `/CMD/arg/…`: the path, then the body, then the query's names and values."""
    parts = [unquote_to_bytes(part) for part in raw_path.strip(b"/").split(b"/")]
    if body:
        parts.append(body)
    for name, value in parse_qsl(query.decode("latin-1"), keep_blank_values=True):
        if name != "_token":
            parts += [name.encode(), value.encode()] if value else [name.encode()]
    return parts


def query_token(query: bytes) -> str:
    """Return the `_token` of a query string, or nothing."""
    return dict(parse_qsl(query.decode("latin-1"))).get("_token", "")


def answer(reply: Reply, *, encoded: bool) -> Answer:
    """Return `{"result": …}` or `{"error": …}`; `encoded` asks for base64 strings."""
    if isinstance(reply, ReplyError):
        return {"error": reply.text}
    if reply == b"OK":  # the one string that the encoding leaves alone, and only here
        return {"result": "OK"}
    return {"result": _plain(reply, encoded)}


def _plain(reply: Reply, encoded: bool) -> object:
    if isinstance(reply, bytes):
        return base64.b64encode(reply).decode() if encoded else reply.decode(errors="replace")
    if isinstance(reply, list):
        return [_plain(item, encoded) for item in reply]
    if isinstance(reply, ReplyError):
        return _plain(reply.text.encode(), encoded)
    return reply


def dump(value: Answer | Sequence[Answer]) -> bytes:
    """Return the JSON of an answer; one that is too long is replaced by the error Upstash gives."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()
    return text if len(text) <= LIMIT else dump({"error": too_large(len(text))})


def too_large(size: int) -> str:
    """Return the error for a request or an answer of `size` bytes."""
    return f"ERR max request size exceeded. Limit: {LIMIT} bytes, Actual: {size} bytes"
