"""Short ways to tell what happens on a board and to read what came of it, for tests that are stories."""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from datetime import datetime
from typing import Any

from tests.support.harness import TOKEN, Harness
from tools.upstash_emulator.backends import Backend
from tools.upstash_emulator.endpoint import make_endpoint

# How each kind of value is read whole.
_READINGS = {
    "zset": ["ZRANGE", "{}", "0", "-1", "WITHSCORES"],
    "hash": ["HGETALL", "{}"],
    "set": ["SMEMBERS", "{}"],
    "string": ["GET", "{}"],
}


def ms(text: str) -> int:
    """Return an ISO instant with an offset as epoch milliseconds."""
    return int(datetime.fromisoformat(text).timestamp()) * 1000


async def play(here: Harness, *runs: tuple[str, float], **more: Any) -> list[dict[str, Any]]:
    """Submit the runs one after the other, each a millisecond later than what came before; return the answers."""
    answers = []
    for player, score in runs:
        here.now += 1
        answers.append(await here.submit(player, score, **more))
    return answers


async def page(here: Harness, **query: Any) -> list[tuple[str, float, int]]:
    """Return a page as (player, score, rank)."""
    rows = (await here.get("/top", **query))["entries"]
    return [(row["player"], row["score"], row["rank"]) for row in rows]


async def players(here: Harness, **query: Any) -> list[str]:
    """Return the players of a page, best first."""
    return [player for player, _, _ in await page(here, **query)]


async def status(here: Harness, path: str, **query: Any) -> tuple[int, str]:
    """Return the status and the code that a refused question is answered with."""
    response = await here.client.get(path, params={"board": "b", **query})
    return response.status_code, response.json().get("code", "")


async def stored(here: Harness) -> Mapping[str, Any]:
    """Return everything in the store, by key."""
    values = {}
    for key in sorted(await here.command("KEYS", "*")):
        reading = _READINGS[await here.command("TYPE", key)]
        values[key] = await here.command(*(part.format(key) if part == "{}" else part for part in reading))
    return values


async def expiries(here: Harness) -> dict[str, int]:
    """Return when each key expires, in epoch seconds; -1 is never. The prefix and the board are left out."""
    return {
        key.split("}:", 1)[1]: int(await here.command("EXPIRETIME", key)) for key in await here.command("KEYS", "*")
    }


@asynccontextmanager
async def beside(here: Harness, backend: Backend, boards: str, **settings: Any) -> AsyncIterator[Harness]:
    """Open another process on the same store, with the same clock reading but a memory of its own."""
    other = Harness(boards, make_endpoint(backend, TOKEN), **settings)
    other.now = here.now
    try:
        yield other
    finally:
        await other.close()
