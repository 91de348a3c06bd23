"""Who a caller is for the address gate, and that one who is blocked costs nothing."""

import asyncio
from collections.abc import Mapping
from typing import Any

import pytest

from lib.access.callers import caller_of
from lib.access.rate_limits import Blocked
from lib.boards.toml_file import parse_boards
from lib.errors import AddressBlocked
from tests.support.harness import ADDRESS, Harness, harness
from tests.support.playing import beside, stored
from tools.upstash_emulator.backends import Backend, MemoryBackend

ONCE = '[board.b]\nlimits = { per_ip = "1/1m" }\n[board.other]\nlimits = { per_ip = "1/1m" }\n'
RUN = {"board": "b", "player": "p1", "score": 1}
KEY = b"a key"


async def admits(here: Harness, address: str, headers: Mapping[str, str] | list[tuple[str, str]] | None = None) -> bool:
    """Submit from an address, and return whether the gate let it through."""
    async with here.client_at(address) as client:
        answer = await client.post("/submit", json=RUN, headers=headers)
    assert answer.status_code in (200, 429), answer.text
    return answer.status_code == 200


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("203.0.113.7", "203.0.113.7", True),
        ("203.0.113.7", "203.0.113.8", False),
        ("203.0.113.7", "::ffff:203.0.113.7", True),
        ("203.0.113.7", "::ffff:cb00:7107", True),
        ("::ffff:203.0.113.7", "::ffff:203.0.113.8", False),
        ("2001:db8:1:2::1", "2001:db8:1:2:ffff:ffff:ffff:ffff", True),
        ("2001:db8:1:2::1", "2001:0DB8:0001:0002:0000:0000:0000:0001", True),
        ("2001:db8:1:2::1", "2001:db8:1:3::1", False),
        ("fe80::1%eth0", "fe80::2%eth1", True),
        ("203.0.113.7", "203.0.113.7:50001", True),
        ("2001:db8:1:2::1", "[2001:db8:1:2::1]:50001", True),
        ("2001:db8:1:2::1", "[2001:db8:1:2::2]", True),
        ("unix socket", "unix socket", True),
        ("", "203.0.113.7", False),
    ],
)
async def test_a_household_is_one_caller(one: str, other: str, same: bool) -> None:
    """An IPv6 caller has a whole /64 to choose from, and a mapped address is the IPv4 address it says."""
    assert (caller_of(one, KEY) == caller_of(other, KEY)) is same
    async with harness(ONCE, MemoryBackend()) as here:
        assert await admits(here, one)
        assert await admits(here, other) is not same


@pytest.mark.parametrize("address", ["203.0.113.7", "2001:db8:1:2::1"])
async def test_no_address_is_stored(address: str, backend: Backend) -> None:
    """Neither in a key nor in a value, nor its network; a hash without a key could be tried out for all addresses."""
    async with harness(ONCE, backend) as here:
        assert await admits(here, address)
        text = repr(dict(await stored(here)))
        for part in (address, "203.0.113", "2001:db8", "cb007107", "20010db8"):
            assert part not in text
        [gate] = await here.command("KEYS", "*:gate:*")
        assert gate == "laurel:{b}:gate:" + caller_of(address, here.deployment.settings.address_key)


def test_the_hash_of_an_address_is_keyed() -> None:
    assert caller_of(ADDRESS, KEY) != caller_of(ADDRESS, b"another key")
    assert ADDRESS not in caller_of(ADDRESS, KEY)


@pytest.mark.parametrize(
    ("settings", "same"),
    [({}, True), ({"secrets": ("s1",)}, False), ({"secrets": ("s1", "s0")}, False), ({"secrets": ("s0", "s1")}, False)],
)
async def test_the_key_is_the_newest_secret_or_else_the_token(settings: dict[str, Any], same: bool) -> None:
    """Every process of a deployment counts the same caller under the same name."""
    backend = MemoryBackend()
    async with harness(ONCE, backend) as here, beside(here, backend, ONCE, **settings) as other:
        assert await admits(here, ADDRESS)
        assert await admits(other, ADDRESS) is not same
        rotated = {"secrets": (*settings["secrets"], "older")} if settings else {}
        async with beside(here, backend, ONCE, **rotated) as third:
            assert not await admits(third, ADDRESS)


SOCKET = "198.51.100.9"
FORWARDED = "X-Forwarded-For"


@pytest.mark.parametrize(
    ("settings", "headers", "caller"),
    [
        ({}, [(FORWARDED, "192.0.2.1")], SOCKET),
        ({}, [("X-Real-IP", "192.0.2.1"), ("Forwarded", "for=192.0.2.1"), ("CF-Connecting-IP", "192.0.2.1")], SOCKET),
        ({"trust_proxy": 1}, [], SOCKET),
        ({"trust_proxy": 1}, [(FORWARDED, "192.0.2.1")], "192.0.2.1"),
        ({"trust_proxy": 1}, [(FORWARDED, "192.0.2.66, 192.0.2.1")], "192.0.2.1"),
        ({"trust_proxy": 1}, [(FORWARDED, "192.0.2.66"), (FORWARDED, "192.0.2.1")], "192.0.2.1"),
        ({"trust_proxy": 2}, [(FORWARDED, "192.0.2.66 ,192.0.2.1,  10.0.0.1")], "192.0.2.1"),
        ({"trust_proxy": 2}, [(FORWARDED, "192.0.2.66")], SOCKET),
        ({"trust_proxy": 1}, [("X-Real-IP", "192.0.2.1")], SOCKET),
        ({"address_header": "x-real-ip"}, [("X-Real-IP", "192.0.2.1")], "192.0.2.1"),
        ({"address_header": "x-real-ip"}, [("X-Real-IP", " 192.0.2.1 "), (FORWARDED, "192.0.2.66")], "192.0.2.1"),
        ({"address_header": "x-real-ip"}, [(FORWARDED, "192.0.2.66")], SOCKET),
    ],
)
async def test_an_address_comes_from_where_no_caller_can_write_it(
    settings: dict[str, Any], headers: list[tuple[str, str]], caller: str
) -> None:
    async with harness(ONCE, MemoryBackend(), **settings) as here:
        assert await admits(here, SOCKET, headers)
        [gate] = await here.command("KEYS", "*:gate:*")
        assert gate.rpartition(":")[2] == caller_of(caller, here.deployment.settings.address_key)


async def test_an_invented_header_neither_frees_nor_blocks_anybody() -> None:
    """A new address in every request does not get round the gate, and a victim's address does not use theirs up."""
    async with harness(ONCE, MemoryBackend()) as here:
        assert await admits(here, SOCKET, {FORWARDED: "192.0.2.1"})
        assert not await admits(here, SOCKET, {FORWARDED: "192.0.2.2"})
        assert await admits(here, "192.0.2.1")


async def test_a_blocked_caller_costs_nothing_until_the_time_is_up(backend: Backend) -> None:
    """After the first refusal the process answers by itself, with what is left of the wait."""
    async with harness(ONCE, backend) as here:
        begin = here.now
        assert [await admits(here, ADDRESS), await admits(here, ADDRESS)] == [True, False]
        here.start_meter()
        for passed, wait in [(0, "60"), (30_000, "30"), (59_999, "1")]:
            here.now = begin + passed
            answer = await here.client.post("/submit", json=RUN)
            assert (answer.status_code, answer.json()["code"]) == (429, "rate_limited")
            assert (answer.headers["retry-after"], answer.headers["ratelimit"]) == (
                wait,
                f'"rate_limited";r=0;t={wait}',
            )
        assert (here.billed, here.requests) == (0, 0)
        here.now = begin + 60_000
        assert await admits(here, ADDRESS)
        assert here.requests == 1


async def test_only_this_caller_is_blocked_on_this_board() -> None:
    async with harness(ONCE, MemoryBackend()) as here:
        assert [await admits(here, ADDRESS), await admits(here, ADDRESS)] == [True, False]
        assert await admits(here, SOCKET)
        answer = await here.client.post("/submit", json={**RUN, "board": "other"})
        assert answer.status_code == 200
        assert (await here.client.get("/top?board=b")).status_code == 200


async def test_an_invalid_request_of_a_blocked_caller_is_told_what_is_wrong() -> None:
    """The gates come last: whoever is blocked still learns of a mistake in the request."""
    async with harness(ONCE, MemoryBackend()) as here:
        assert [await admits(here, ADDRESS), await admits(here, ADDRESS)] == [True, False]
        assert (await here.client.post("/submit", json={**RUN, "score": "high"})).status_code == 422


async def test_a_refusal_of_the_players_gate_blocks_no_address() -> None:
    """Others behind the same address go on."""
    rules = '[board.b]\nlimits = { per_ip = "9/1m", per_player = "1/1m" }'
    async with harness(rules, MemoryBackend()) as here:
        assert [await admits(here, ADDRESS), await admits(here, ADDRESS)] == [True, False]
        assert (await here.client.post("/submit", json={**RUN, "player": "p2"})).status_code == 200


async def test_start_and_submit_share_one_gate(backend: Backend) -> None:
    async with harness(ONCE, backend, secrets=("a-secret",)) as here:
        assert (await here.post("/start", board="b")).status_code == 200
        assert not await admits(here, ADDRESS)
        assert (await here.post("/start", board="b")).status_code == 429


async def test_a_flood_at_once_costs_hardly_more_than_the_limit(backend: Backend) -> None:
    """A hundred requests that arrive together, where five may pass."""
    async with harness('[board.b]\nlimits = { per_ip = "5/1m" }', backend) as here:
        await here.submit("p1", 1, board="b")
        here.start_meter()
        answers = await asyncio.gather(*(here.client.post("/submit", json=RUN) for _ in range(100)))
        assert sorted(answer.status_code for answer in answers) == [200] * 4 + [429] * 96
        assert here.requests <= 6


def refusal(wait: int = 60_000) -> AddressBlocked:
    """Return what the address gate answers."""
    return AddressBlocked("Too many.", wait=wait)


def test_a_bounded_number_of_callers_is_remembered() -> None:
    """A flood from ever new addresses does not fill the memory: the longest known is forgotten first."""
    blocked = Blocked(most=3)
    for caller in ("c1", "c2", "c3", "c1", "c4"):
        blocked.note("b", caller, refusal(), 0)
    assert len(blocked) == 3
    blocked.check("b", "c2", 1)
    for caller in ("c1", "c3", "c4"):
        with pytest.raises(AddressBlocked):
            blocked.check("b", caller, 1)


async def test_a_process_counts_a_bounded_number_of_callers() -> None:
    blocked, board = Blocked(most=3), parse_boards(ONCE)["b"]
    for number in range(10):
        async with blocked.guard(board, f"c{number}", 0):
            pass
    assert len(blocked._sent) <= 3


def test_a_caller_is_forgotten_when_the_time_is_up() -> None:
    blocked = Blocked()
    blocked.note("b", "c1", refusal(1000), 5000)
    with pytest.raises(AddressBlocked) as still:
        blocked.check("b", "c1", 5999)
    assert still.value.wait == 1
    blocked.check("b", "c1", 6000)
    assert len(blocked) == 0
