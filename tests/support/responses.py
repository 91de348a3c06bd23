"""What holds for every answer of every function, whatever it was asked, and how a store is compared with itself."""

import json
from decimal import Decimal
from typing import Any

import httpx

from tests.support.harness import Harness

# Boards that differ in what they ask of a request.
BOARDS = """
[board.b]
windows = ["all", "daily"]
meta = { depth = "int", ratio = "float", ship = "str", won = "bool" }

[board.b.splits]
mode = ["time", "words"]
level = { pattern = "[a-z0-9-]{1,32}" }
by = ["overall", "mode", "level+mode"]

[board.bounded]
score = { min = -10, max = 1000000, step = 0.1 }

[board.tied]
tiebreak = "asc"

[board.named]
name = { max = 5, required = true }

[board.moded]
splits = { mode = ["time", "words"], by = ["mode"] }

[board.gated]
limits = { per_ip = "2/1m", per_player = "1/1m" }
"""

# design §6, the whole table
CODES = {
    "bad_json": 400,
    "auth_required": 401,
    "ticket_required": 401,
    "ticket_invalid": 403,
    "ticket_expired": 403,
    "ticket_used": 403,
    "too_early": 403,
    "too_fast": 403,
    "not_your_player": 403,
    "banned": 403,
    "origin_not_allowed": 403,
    "unknown_board": 404,
    "not_found": 404,
    "method_not_allowed": 405,
    "id_reused": 409,
    "body_too_large": 413,
    "unsupported_media_type": 415,
    "invalid": 422,
    "score_out_of_range": 422,
    "unknown_window": 422,
    "unknown_split": 422,
    "sum_overflow": 422,
    "rate_limited": 429,
    "cooldown": 429,
    "too_many_split_values": 429,
    "internal": 500,
    "store_unavailable": 503,
    "misconfigured": 503,
}


def _fraction(text: str) -> float:
    assert Decimal(text) % 1, f"{text} is a whole number with a fraction"
    return float(text)


def _constant(name: str) -> Any:
    raise AssertionError(f"{name} is no JSON")


def strict(content: bytes) -> Any:
    """Return JSON in UTF-8 that holds no NaN, no Infinity and no whole number with a fraction."""
    return json.loads(content.decode("utf-8"), parse_float=_fraction, parse_constant=_constant)


def read(response: httpx.Response) -> Any:
    """Return what an answer says, after checking what holds for any: its headers, each of them once."""
    names = [name for name, _ in response.headers.multi_items()]
    assert len(names) == len(set(names)), names
    assert response.headers["x-content-type-options"] == "nosniff"
    assert "access-control-allow-credentials" not in response.headers
    if response.status_code in (204, 304):
        assert response.content == b""
        assert "content-type" not in response.headers
        return None
    if response.status_code == 200:
        assert response.headers["content-type"] == "application/json"
        return strict(response.content) if response.content else None
    assert response.headers["cache-control"] == "no-store"
    assert response.headers["content-type"] == "application/problem+json"
    return strict(response.content) if response.content else None


def problem(response: httpx.Response) -> dict[str, Any]:
    """Return a refusal, after checking its shape; it never shows how the code is made."""
    document: dict[str, Any] = read(response)
    assert response.status_code < 500 or document["code"] in ("store_unavailable", "misconfigured"), document
    assert list(document) == [
        "type",
        "title",
        "status",
        "detail",
        "code",
        *(["errors"] if "errors" in document else []),
    ]
    assert document["type"] == f"urn:laurel:{document['code']}"
    assert document["status"] == response.status_code == CODES[document["code"]]
    assert document["title"]
    assert document["detail"]
    assert "errors" in document or response.status_code != 422
    for fault in document.get("errors", []):
        assert sorted(fault) == ["loc", "msg"]
        assert fault["msg"]
    for word in (b"Traceback", b"pydantic", b".py", b"Decimal"):
        assert word not in response.content
    return document


def refused(response: httpx.Response, code: str, *locs: str) -> dict[str, Any]:
    """Return a refusal that must have this code and name these fields."""
    document = problem(response)
    assert document["code"] == code, document
    if locs:
        assert [fault["loc"] for fault in document["errors"]] == list(locs), document
    return document


async def everything(here: Harness) -> dict[str, Any]:
    """Return all that a store holds, by key; the timers are left out."""
    reads = {
        "string": ["GET"],
        "hash": ["HGETALL"],
        "set": ["SMEMBERS"],
        "zset": ["ZRANGE", "0", "-1", "WITHSCORES"],
    }
    held = {}
    for key in sorted(await here.command("KEYS", "*")):
        name, *more = reads[await here.command("TYPE", key)]
        held[key] = await here.command(name, key, *more)
    return held
