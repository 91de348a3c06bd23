"""What attackers can make the store keep: each attack of docs/security.md, and the number of keys it leaves."""

import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

import pytest

from tests.support.harness import Harness, harness
from tests.support.playing import stored
from tests.support.project import ROOT
from tests.support.ticket_runs import OPEN_GATES, SECRETS, TICKETS, again, begin, run_of, send
from tools.upstash_emulator.backends import Backend, MemoryBackend

SECURITY = (ROOT / "docs" / "security.md").read_text("utf-8")
REQUESTS = 200
DAY = 86_400_000
CAPPED = f"[board.b]\ncap = 10\n{OPEN_GATES}\n"
UNCAPPED = f"[board.b]\ncap = 0\n{OPEN_GATES}\n"
LEVELS = f"""
[board.b]
windows = ["daily"]
{OPEN_GATES}
splits = {{ level = {{ pattern = ".+", max = 20 }}, by = ["level"] }}
"""
FULL = f"""
[board.b]
windows = ["daily", "weekly", "monthly", "yearly", "all"]
name = {{ max = 96 }}
meta = {{ a = "str", b = "str", c = "str", d = "str", e = "str", f = "str", g = "str", h = "str" }}
{OPEN_GATES}
"""

Step = Callable[[Harness, int], Awaitable[object]]


def post(**more: Callable[[int], Any]) -> Step:
    """Submit with fields that depend on the number of the request."""

    async def step(here: Harness, number: int) -> None:
        body = {"board": "b", "player": "p1", "score": number, **{name: made(number) for name, made in more.items()}}
        await here.post("/submit", **body)

    return step


async def from_everywhere(here: Harness, number: int) -> None:
    """Submit what is then refused, from another address each time."""
    async with here.client_at(f"198.18.0.{number}") as client:
        await client.post("/submit", json={"board": "b", "player": "p1", "score": 1, "id": "one-and-the-same"})


async def with_headers(here: Harness, number: int) -> None:
    """Submit with made-up headers."""
    address = f"198.18.0.{number}"
    headers = {"X-Forwarded-For": address, "X-Real-IP": address, "Forwarded": f"for={address}"}
    body = {"board": "b", "player": "p1", "score": 1, "id": "one-and-the-same"}
    await here.client.post("/submit", json=body, headers=headers)


async def read(here: Harness, number: int) -> None:
    """Ask for pages and places that nobody has."""
    await here.client.get("/top", params={"board": "b", "at": f"-{number}", "player": f"x{number}", "v": f"{number}"})
    await here.client.get("/rank", params={"board": "b", "players": f"x{number},y{number}"})


async def start(here: Harness, number: int) -> None:
    """Ask for a ticket that is never used."""
    await begin(here)


async def spend(here: Harness, number: int) -> None:
    """Use up one ticket after the other, for one player."""
    if number == 0:
        here.first = await begin(here)  # type: ignore[attr-defined]  # what this attack remembers
    assert await send(here, run_of(await again(here, here.first), number)) == (200, "stored")  # type: ignore[attr-defined]


async def misuse(here: Harness, number: int) -> None:
    """Send tickets that are not valid."""
    assert (await send(here, {**run_of(await begin(here)), "player": f"x{number}"}))[0] == 403


async def every_day(here: Harness, number: int) -> None:
    """Play on another day each time."""
    here.now += DAY
    await here.submit("p1", number)


@dataclass(frozen=True)
class Attack:
    """What is sent two hundred times, and to which board."""

    board: str
    step: Step


DAILY = CAPPED.replace("cap", 'windows = ["daily"]\ncap')
ATTACKS = {
    "boards": Attack(CAPPED, post(board=lambda n: f"x{n}")),
    "values of a closed split": Attack(
        CAPPED + "splits = { mode = ['a', 'b'] }\n", post(splits=lambda n: {"mode": f"x{n}"})
    ),
    "values of an open split": Attack(LEVELS, post(splits=lambda n: {"level": f"x{n}"})),
    "splits": Attack(CAPPED, post(splits=lambda n: {f"x{n}": "a"})),
    "players, with a cap": Attack(CAPPED, post(player=lambda n: f"x{n}")),
    "players, without a cap": Attack(UNCAPPED, post(player=lambda n: f"x{n}")),
    "ids": Attack(CAPPED, post(id=lambda n: f"an-id-{n:05}")),
    "names and meta": Attack(FULL, post(name=lambda n: f"{n:096}", meta=lambda n: {"a": f"{n:064}"})),
    "addresses": Attack('[board.b]\nlimits = { per_ip = "1/1m" }\n', from_everywhere),
    "headers": Attack('[board.b]\nlimits = { per_ip = "999/1m" }\n', with_headers),
    "reads": Attack(DAILY, read),
    "tickets asked for": Attack(TICKETS, start),
    "tickets used": Attack(TICKETS, spend),
    "tickets misused": Attack(TICKETS, misuse),
    "days": Attack(DAILY, every_day),
}


def documented() -> dict[str, tuple[int, int]]:
    """Return the table of docs/security.md: attack → keys left, and how many of them have no end."""
    section = SECURITY.partition("## What an attack leaves behind")[2]
    rows = re.findall(r"^\| `([^`]+)` \| (\d+) \| (\d+) \|", section, re.MULTILINE)
    return {name: (int(keys), int(endless)) for name, keys, endless in rows}


def test_every_attack_is_documented_and_the_other_way_round() -> None:
    assert list(documented()) == list(ATTACKS)


@pytest.mark.parametrize("name", ATTACKS)
async def test_an_attack_leaves_as_many_keys_as_the_table_says(name: str) -> None:
    """Two hundred requests, and then every key is counted, and those that nothing will ever remove."""
    attack = ATTACKS[name]
    async with harness(attack.board, MemoryBackend(), secrets=SECRETS) as here:
        for number in range(REQUESTS):
            await attack.step(here, number)
        keys = await here.command("KEYS", "*")
        if name == "days":  # the store's clock stands still while the test's goes on
            ends = {key: int(await here.command("EXPIRETIME", key)) for key in keys}
            keys = [key for key, end in ends.items() if end < 0 or end * 1000 > here.now]
        endless = [key for key in keys if int(await here.command("TTL", key)) == -1]
        assert (len(keys), len(endless)) == documented()[name]


@pytest.mark.parametrize("rows", [10])
async def test_a_standing_keeps_no_more_rows_than_its_cap(rows: int, backend: Backend) -> None:
    async with harness(CAPPED, backend) as here:
        for number in range(50):
            await here.submit(f"x{number}", number)
            assert await here.command("ZCARD", "laurel:{b}:db-:all:all:") <= rows


async def test_a_record_is_of_a_bounded_size() -> None:
    """The longest names, meta and ids, in every window, two periods each: what docs/security.md says, in bytes."""
    async with harness(FULL, MemoryBackend()) as here:
        for number in range(30):
            here.now += 40 * DAY
            body: dict[str, Any] = {
                "name": "x" * 96,
                "meta": dict.fromkeys("abcdefgh", "y" * 55),
                "id": f"{number:064}",
            }
            await here.submit("p" * 64, number, **body)
        [record] = [value for key, value in (await stored(here)).items() if ":player:" in key]
        assert len(record["ids"].split()) == 8
        size = sum(len(name) + len(value.encode()) for name, value in record.items())
        [said] = re.findall(r"at most (\d+) bytes", SECURITY)
        assert size <= int(said) < 1.25 * size


async def test_remembered_players_go_with_time(backend: Backend) -> None:
    """An address leaves at most its rate's worth of records, and each goes `remember` after its last day."""
    board = '[board.b]\ncap = 10\nremember = "2d"\nlimits = { per_ip = "5/1m" }\n'
    async with harness(board, backend) as here:
        for number in range(30):
            await here.post("/submit", board="b", player=f"x{number}", score=number)
        records = [key for key in await here.command("KEYS", "*") if ":player:" in key]
        assert len(records) == 5
        ends = {int(await here.command("EXPIRETIME", key)) * 1000 for key in records}
        assert ends == {here.now // DAY * DAY + DAY + 2 * DAY}
