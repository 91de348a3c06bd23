"""Many submitters at once, from several processes, through sockets, on a real Redis: as if one after the other."""

import asyncio
import random
from collections import Counter
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import httpx
import pytest

from functions.web import app
from lib.boards.toml_file import parse_boards
from lib.deployment import Deployment
from lib.settings import Settings
from tests.support.harness import NOON, TOKEN
from tests.support.servers import serve
from tools.upstash_emulator.backends import RedisBackend
from tools.upstash_emulator.endpoint import make_endpoint

pytestmark = pytest.mark.needs("redis")

DAY_S = 86_400
MIDNIGHT = NOON // 1000 + DAY_S // 2
PROCESSES, PLAYERS, SCORES_EACH, CAP = 3, 200, 3, 50
BOARD = f"""
[board.b]
windows = ["all", "daily"]
cap = {CAP}
retain = {{ all = "100d", daily = "7d" }}
remember = "90d"
limits = {{ per_ip = "100000/1h" }}
"""
UNGATED = """
[board.b]
keep = "sum"
limits = { per_ip = "0" }
"""


@dataclass
class Site:
    """Several processes of one deployment, each with its own connections to one served endpoint."""

    deployments: Sequence[Deployment]
    clients: Sequence[httpx.AsyncClient]

    async def submit_all(self, bodies: Sequence[dict[str, Any]]) -> list[httpx.Response]:
        """Submit everything at once, dealt to the processes in turn."""
        clients = [self.clients[number % len(self.clients)] for number in range(len(bodies))]
        pairs = zip(clients, bodies, strict=True)
        return await asyncio.gather(*(client.post("/submit", json={"board": "b", **body}) for client, body in pairs))

    async def command(self, *command: str) -> Any:
        """Send the store a command past everything."""
        return await self.deployments[0].store.upstash.command(*command)


def _client(deployment: Deployment) -> httpx.AsyncClient:
    transport = httpx.ASGITransport(app=app.on(deployment), client=("203.0.113.7", 50_000))
    return httpx.AsyncClient(transport=transport, base_url="http://laurel.test")


@asynccontextmanager
async def opened(boards: str, redis_url: str) -> AsyncIterator[Site]:
    """Serve an endpoint on an empty Redis, and open the processes; a busy machine gets all the time it wants."""
    with serve(make_endpoint(RedisBackend(redis_url), TOKEN)) as url:
        settings = Settings(url=url, token=TOKEN, timeout=60)
        deployments = [Deployment(settings, parse_boards(boards), clock=lambda: NOON) for _ in range(PROCESSES)]
        site = Site(deployments, [_client(deployment) for deployment in deployments])
        await site.command("FLUSHALL")
        yield site
        for client, deployment in zip(site.clients, deployments, strict=True):
            await client.aclose()
            await deployment.store.upstash.close()


def runs(seed: int) -> list[dict[str, Any]]:
    """Return several runs of every player, with scores that differ all, in any order."""
    dice = random.Random(seed)
    scores = dice.sample(range(1, 10**9), PLAYERS * SCORES_EACH)
    made = [{"player": f"p{at % PLAYERS}", "score": score, "name": f"N{score}"} for at, score in enumerate(scores)]
    dice.shuffle(made)
    return made


def modelled(made: Sequence[dict[str, Any]], *, keep: str, order: str) -> dict[str, int]:
    """Return what stands for each player in the end, best first: the order of the runs makes no difference."""
    held: dict[str, list[int]] = {}
    for run in made:
        held.setdefault(run["player"], []).append(run["score"])
    better: Callable[[list[int]], int] = max if order == "desc" else min
    decide = sum if keep == "sum" else better
    final = [(player, decide(scores)) for player, scores in held.items()]
    return dict(sorted(final, key=lambda pair: pair[1], reverse=order == "desc"))


@pytest.mark.parametrize(("keep", "order"), [("best", "desc"), ("best", "asc"), ("sum", "desc")])
async def test_submitters_at_once_leave_what_they_would_leave_one_by_one(keep: str, order: str, redis_url: str) -> None:
    """200 players, three scores each, all at the same time, on a board that keeps 50."""
    made = runs(len(keep + order))
    expected = modelled(made, keep=keep, order=order)
    rules = f'{BOARD}keep = "{keep}"\norder = "{order}"\n'
    async with opened(rules, redis_url) as site:
        answers = await site.submit_all(made)
        assert Counter(answer.status_code for answer in answers) == {200: len(made)}
        prefix = f"laurel:{{b}}:{order[0]}{keep[0]}-"
        for standing in ("all:all:", "daily:2033-05-18:"):
            page = ["ZRANGE", f"{prefix}:{standing}", "0", "-1", *(["REV"] if order == "desc" else []), "WITHSCORES"]
            rows = [(text.split("\t")[1], score) for text, score in await site.command(*page)]
            assert rows == list(expected.items())[:CAP]
        await assert_records_agree(site, prefix, expected)
        await assert_timers(site, prefix)
        [gate] = await site.command("KEYS", "laurel:{b}:gate:*")
        assert (await site.command("GET", gate)).split()[0] == str(len(made))


async def assert_records_agree(site: Site, prefix: str, expected: dict[str, int]) -> None:
    """Every player's record knows what stands, and every row lies in its owner's record, letter for letter."""
    rows = dict(await site.command("ZRANGE", f"{prefix}:all:all:", "0", "-1", "WITHSCORES"))
    ranked = {text.split("\t")[1]: text for text in rows}
    for player, score in expected.items():
        record = await site.command("HGETALL", f"{prefix}:player:{player}")
        slots = [value for name, value in record.items() if "#" in name]
        assert len(slots) == 2
        for slot in slots:
            head, _, tail = slot.partition("\t")
            tie = head.split(" ")[4]
            assert float(head.split(" ")[3]) == score
            if player in ranked:
                assert ranked[player] == f"{tie}\t{player}\t{tail}"
        # A miss stores no id; every part of a sum does.
        assert len(record["ids"].split()) == SCORES_EACH or "s-" not in prefix


async def assert_timers(site: Site, prefix: str) -> None:
    """Every key expires when it should, whoever of all of them made it."""
    wanted = {f"{prefix}:all:all:": 100, f"{prefix}:daily:2033-05-18:": 7}
    for key in await site.command("KEYS", "*"):
        if ":gate:" in key:
            assert 0 < await site.command("PTTL", key) <= 3_600_000
        else:
            assert await site.command("EXPIRETIME", key) == MIDNIGHT + wanted.get(key, 90) * DAY_S


async def test_a_thousand_replays_at_once_store_one_submission(redis_url: str) -> None:
    async with opened(UNGATED, redis_url) as site:
        answers = await site.submit_all([{"player": "p1", "score": 7, "id": "an-id-of-mine"}] * 1000)
        assert Counter(answer.status_code for answer in answers) == {200: 1000}
        documents = [answer.json() for answer in answers]
        assert Counter(document["replayed"] for document in documents) == {True: 999, False: 1}
        assert {document["standings"][0]["score"] for document in documents} == {7}
        assert await site.command("ZCARD", "laurel:{b}:ds-:all:all:") == 1
        assert len((await site.command("HGET", "laurel:{b}:ds-:player:p1", "ids")).split()) == 1


async def test_sums_of_one_player_lose_nothing(redis_url: str) -> None:
    async with opened(UNGATED, redis_url) as site:
        answers = await site.submit_all([{"player": "p1", "score": 2**at} for at in range(50)])
        totals = sorted(answer.json()["standings"][0]["score"] for answer in answers)
        assert totals[-1] == 2**50 - 1
        assert len(set(totals)) == 50


@pytest.mark.parametrize("limit", ['per_ip = "10/1h"', 'per_ip = "0", per_player = "10/1h"'])
async def test_a_gate_admits_exactly_its_limit(limit: str, redis_url: str) -> None:
    """No two callers take the last place, whichever process they reach."""
    async with opened(f"[board.b]\nlimits = {{ {limit} }}", redis_url) as site:
        answers = await site.submit_all([{"player": "p1", "score": at} for at in range(100)])
        codes = Counter(answer.json().get("code", "admitted") for answer in answers)
        assert codes == {"admitted": 10, "rate_limited": 90}


async def test_an_open_split_takes_exactly_its_maximum(redis_url: str) -> None:
    """Fifty new values at once, where five may be."""
    rules = "[board.b]\nlimits = { per_ip = '0' }\n[board.b.splits]\nlevel = { pattern = '[a-z0-9]+', max = 5 }"
    async with opened(rules, redis_url) as site:
        bodies = [{"player": f"p{at}", "score": at, "splits": {"level": f"l{at}"}} for at in range(50)]
        answers = await site.submit_all(bodies)
        codes = Counter(answer.json().get("code", "admitted") for answer in answers)
        assert codes == {"admitted": 5, "too_many_split_values": 45}
        assert await site.command("SCARD", "laurel:{b}:db-:all:all:values:level") == 5
        assert len(await site.command("KEYS", "laurel:{b}:db-:all:all:level=*")) == 5
