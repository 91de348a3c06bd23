"""Which engine runs the scripts cannot be told from outside: C Lua and gopher-lua give the same bytes.

Upstash's is neither of them. What only one of the two puts up with would break there, where no test looks.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import redis

from tests.parity.engine_pairs import KINDS, Dice, contents, pair
from tests.support.lua_engines import gopher_lua
from tests.support.servers import redis_server

pytestmark = pytest.mark.needs("redis", "go", "gopher-lua")

CALLS = 500


@dataclass(frozen=True)
class Servers:
    """A Redis, and another that is reached through gopher-lua too, with its scores as they are or spelt anew."""

    redis: str
    behind: str
    gopher: str
    exponents: str


@pytest.fixture(scope="module")
def servers(gopher_lua_program: Path) -> Iterator[Servers]:
    """Start them."""
    with (
        redis_server() as one,
        redis_server() as behind,
        gopher_lua(gopher_lua_program, behind) as gopher,
        gopher_lua(gopher_lua_program, behind, exponents=True) as exponents,
    ):
        yield Servers(one, behind, gopher, exponents)


def in_numbers(found: Any) -> Any:
    """Return what is stored with the scores in the fields of records as numbers."""
    if isinstance(found, dict):
        return {name: in_numbers(held) for name, held in found.items()}
    if isinstance(found, tuple):
        return tuple(map(in_numbers, found))
    field = isinstance(found, bytes) and re.fullmatch(rb"(\d+ \S+ \S+ )(\S+)( \w+(?:\t.*)?)", found)
    return (field[1], float(field[2]), field[3]) if field else found


async def compare(kind: str, servers: Servers, monkeypatch: pytest.MonkeyPatch, *, respelt: bool) -> set[int]:
    """Make random calls on both and compare everything; return the statuses that came up, 0 for an operator's."""
    dice, statuses = Dice(kind), set()
    urls = servers.redis, servers.exponents if respelt else servers.gopher
    async with pair(kind, urls, monkeypatch) as both:
        for number in range(CALLS):
            both.token = f"token-{number:018}"
            call = dice.call()
            one, other = await both.make(call, dice.step())
            assert one == other, call
            statuses.add(one[0])
            if call.path == "/start" and one[0] == 200:
                begun = json.loads(one[1][0])
                dice.started = [*dice.started[-9:], {name: begun[name] for name in ("player", "ticket")}]
            # An operator's calls read whole records, whose fields come in any order.
            said = [sorted(map(sorted, said)) if one[0] == 0 else said for said in both.said]
            assert respelt or said[0] == said[1], call
            if number % 25 == 24:
                held, also = await contents(servers.redis), await contents(servers.behind)
                assert (in_numbers(held) == in_numbers(also)) if respelt else (held == also), call
    return statuses


@pytest.mark.parametrize("kind", KINDS)
async def test_two_engines_give_the_same_bytes(kind: str, servers: Servers, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every answer of the store, every answer of ours, and all that is stored then, timers included."""
    statuses = await compare(kind, servers, monkeypatch, respelt=False)
    assert {0, 200, 422} <= statuses <= {0, 200, 401, 403, 409, 422, 429}
    assert 429 in statuses or "per_player" not in KINDS[kind]


@pytest.mark.parametrize("kind", KINDS)
async def test_how_a_store_spells_scores_changes_no_answer(
    kind: str, servers: Servers, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`1e-07` is the number that Redis 7.0 spells with 17 digits, wherever a script or a reader meets it."""
    await compare(kind, servers, monkeypatch, respelt=True)


@pytest.mark.parametrize(
    ("code", "on_redis", "on_gopher"),
    [
        ("return tostring(tonumber('1e-07'))", b"1e-07", b"nil"),
        ("return tostring(tonumber('1.0e-07'))", b"1e-07", b"1e-07"),
        ("local x, a, b = 'kept', '1', '2' a, b = tonumber(a), tonumber(b) return x", b"kept", 1),
        ("local x, a, b = 'kept', '1', '2' a, b = tonumber(a), 2 return x", b"kept", 1),
    ],
)
def test_the_second_engine_has_the_traps_that_it_is_here_for(
    code: str, on_redis: Any, on_gopher: Any, servers: Servers
) -> None:
    for url, wanted in ((servers.redis, on_redis), (servers.gopher, on_gopher)):
        with redis.Redis.from_url(url) as client:
            assert client.eval(code, 0) == wanted


def test_the_second_engine_spells_scores_as_it_is_told(servers: Servers) -> None:
    scores = {"a": 1e-7, "b": 1e15, "c": 0.1, "d": 5e-324, "e": 1e14}
    spelt = {"gopher": [b"9.9999999999999995e-08", b"1000000000000000"], "exponents": [b"1e-07", b"1e+15"]}
    for name, wanted in spelt.items():
        with redis.Redis.from_url(getattr(servers, name)) as client:
            client.flushall()
            client.zadd("k", scores)
            asked = "return redis.call('ZRANGE', KEYS[1], 0, -1, 'WITHSCORES')"
            rows = client.eval(asked, 1, "k")
            found = dict(zip(rows[::2], rows[1::2], strict=True))
            assert [found[b"a"], found[b"b"]] == wanted
            assert found[b"e"] == b"100000000000000"
            assert client.eval("return redis.call('ZMSCORE', KEYS[1], 'a', 'b')", 1, "k") == wanted
