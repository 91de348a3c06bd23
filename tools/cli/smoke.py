"""`make smoke`: what only a real Upstash database can show, tried there under a throw-away prefix and cleaned up."""

import asyncio
import os
import sys
import time
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, replace
from secrets import token_hex
from typing import Any

import httpx

from lib.boards.board import Board
from lib.boards.toml_file import parse_boards
from lib.deployment import Deployment
from lib.errors import LaurelError
from lib.operations.sweep import reset, scan
from lib.settings import Settings
from lib.storage.keys import Keyspace
from lib.storage.standing import Standing
from lib.time_units import DAY_S
from tools.cli.engine import particulars
from tools.cli.terminal import say, say_error
from tools.cli.trial import Trial

BOARDS = """
[board.smoke]
windows = ["all", "daily"]
retain = { daily = "7d", all = "90d" }
meta = { depth = "int" }
limits = { per_ip = "0" }
splits = { level = { pattern = "[a-z0-9]+", max = 5 }, by = ["overall", "level"] }

[board.gated]
limits = { per_ip = "2/1m" }

[board.ticketed]
auth = "ticket"
limits = { per_ip = "0", per_player = "5/1m" }

[board.numbers]
limits = { per_ip = "0", per_player = "9/1m" }
"""
# How far (s) a timer may be from what it should be: a check takes its time, and two clocks differ.
_SLACK_S = 120


class Failed(Exception):
    """A check did not find what it should; the message says what it found."""


@dataclass(frozen=True, slots=True)
class Smoke:
    """The database under trial."""

    trial: Trial

    @property
    def here(self) -> Deployment:
        """Return the deployment under trial."""
        return self.trial.deployment

    def keyspace(self, board: str) -> tuple[Board, Keyspace]:
        """Return a board and the names of its keys."""
        found = self.here.boards[board]
        return found, self.here.store.keyspace(found)

    async def ask(self, method: str, path: str, body: dict[str, Any] | None = None, **query: Any) -> dict[str, Any]:
        """Call a function, which must answer 200."""
        answer = await self.trial.call(method, path, body, **query)
        expect(answer.status_code == 200, f"{path} answers {_told(answer)}")
        return dict(answer.json())

    async def refused(self, body: dict[str, Any], code: str) -> httpx.Response:
        """Submit what must be refused with a code."""
        answer = await self.trial.call("POST", "/submit", body)
        expect(answer.json().get("code") == code, f"/submit answers {_told(answer)}, and not {code}")
        return answer

    async def expect_timer(self, key: str, seconds: int) -> None:
        """Compare how long a key has left."""
        left = int(await self.here.store.upstash.command("TTL", key))
        expect(abs(left - seconds) <= _SLACK_S, f"{key} has {left} s left, and not about {seconds}")


def expect(holds: object, found: str) -> None:
    """Raise Failed with what was found, unless the condition holds."""
    if not holds:
        raise Failed(found)


def _told(answer: httpx.Response) -> str:
    return f"{answer.status_code} {answer.text[:200]}"


RUN = {"board": "smoke", "player": "p1", "name": "Mina", "meta": {"depth": 7}, "splits": {"level": "a1"}}


async def writing(smoke: Smoke) -> str:
    """A submission is stored, a miss changes nothing, a retry is noticed, two at once leave the better one."""
    first = await smoke.ask("POST", "/submit", {**RUN, "score": 100, "id": "smoke-first"})
    places = [(s["improved"], s["rank"], s["total"]) for s in first["standings"]]
    expect(places == [(True, 1, 1)] * 4, f"a first submission came to {places}")
    missed = await smoke.ask("POST", "/submit", {**RUN, "score": 90})
    expect(not missed["improved"], "a lower score improved")
    again = await smoke.ask("POST", "/submit", {**RUN, "score": 100, "id": "smoke-first"})
    expect(again["replayed"], "a retry was not noticed")
    await smoke.refused({**RUN, "score": 120, "id": "smoke-first"}, "id_reused")
    bodies = [{**RUN, "player": "p2", "score": score} for score in (250, 200, 225)]
    await asyncio.gather(*(smoke.ask("POST", "/submit", body) for body in bodies))
    return "submissions, misses and retries"


async def reading(smoke: Smoke) -> str:
    """Pages and places show what was stored."""
    page = await smoke.ask("GET", "/top", board="smoke", player="p1")
    rows = [(row["player"], row["score"], row["name"], row["meta"]) for row in page["entries"]]
    expect(rows == [("p2", 250, "Mina", {"depth": 7}), ("p1", 100, "Mina", {"depth": 7})], f"the page is {rows}")
    expect(page["me"] and page["me"]["rank"] == 2, f"the player's own row is {page['me']}")
    plural = await smoke.ask("GET", "/top", board="smoke", windows="all,daily", splits="overall,level:a1")
    expect([len(top["entries"]) for top in plural["tops"]] == [2] * 4, "pages of several standings are incomplete")
    place = await smoke.ask("GET", "/rank", board="smoke", player="p1", around=1)
    expect(place["entry"]["rank"] == 2 and place["ahead"]["gap"] == 150, f"the place is {place['entry']}")
    several = await smoke.ask("GET", "/rank", board="smoke", players="p2,nobody,p1")
    ranks = [row["rank"] for row in several["entries"]]
    expect(ranks == [1, None, 2], f"the ranks of several players are {ranks}")
    newcomer = await smoke.ask("GET", "/rank", board="smoke", score=150)
    expect(newcomer["rank"] == 2, f"a score's rank is {newcomer['rank']}")
    return "pages and places"


async def gating(smoke: Smoke) -> str:
    """The third call of a minute is refused, and the counter ends by itself."""
    body = {"board": "gated", "player": "p1", "score": 1}
    for _ in range(2):
        await smoke.ask("POST", "/submit", body)
    refused = await smoke.refused(body, "rate_limited")
    expect(refused.headers.get("Retry-After", "").isdigit(), "a refusal does not say how long to wait")
    [gate] = await _names(smoke, "gated", ":gate:")
    left = int(await smoke.here.store.upstash.command("PTTL", gate))
    expect(0 < left <= 60_000, f"the gate has {left} ms left")
    return "the address gate"


async def spending(smoke: Smoke) -> str:
    """A ticket is good for one submission and its retries."""
    start = await smoke.ask("POST", "/start", {"board": "ticketed"})
    body = {"board": "ticketed", "player": start["player"], "ticket": start["ticket"]}
    await smoke.ask("POST", "/submit", {**body, "score": 5})
    again = await smoke.ask("POST", "/submit", {**body, "score": 5})
    expect(again["replayed"], "a retry with its ticket was not noticed")
    await smoke.refused({**body, "score": 6}, "ticket_used")
    [nonce] = await _names(smoke, "ticketed", ":nonce:")
    await smoke.expect_timer(nonce, 2 * 3600 + 60)
    return "tickets"


async def timing(smoke: Smoke) -> str:
    """Everything that should end has a timer."""
    board, space = smoke.keyspace("smoke")
    now = smoke.here.clock()
    today = Standing(board, board.calendar.select("daily", "0", now), {})
    await smoke.expect_timer(today.key(space), today.expires(now) - now // 1000)
    await smoke.expect_timer(space.values(today.period, "level"), today.expires(now) - now // 1000)
    until_midnight = DAY_S - now // 1000 % DAY_S
    all_time = Standing(board, board.calendar.select("all", "0", now), {"level": "a1"})
    await smoke.expect_timer(all_time.key(space), until_midnight + 90 * DAY_S)
    await smoke.expect_timer(space.record("p1"), until_midnight + 90 * DAY_S)
    return "timers"


async def numbering(smoke: Smoke) -> str:
    """Scores are compared as numbers however they are spelt; say how the engine reads and spells them."""
    stood = None
    for score, improves in ((1e-07, True), (5e-08, False), (2e-07, True), (10**15, True)):
        answer = await smoke.ask("POST", "/submit", {"board": "numbers", "player": "p1", "score": score})
        [standing] = answer["standings"]
        found, wanted = (answer["improved"], standing["previous"]), (improves, stood)
        expect(found == wanted, f"with {score} (improved, previous) is {found}, and not {wanted}")
        stood = score if improves else stood
    page = await smoke.ask("GET", "/top", board="numbers")
    expect([row["score"] for row in page["entries"]] == [stood], f"the page of numbers is {page['entries']}")
    _, space = smoke.keyspace("numbers")
    return f"numbers: {await particulars(smoke.here.store, space.record('nobody'))}"


async def flagging(smoke: Smoke) -> str:
    """Say whether scripts lock the whole database; either works."""
    known = smoke.here.store.upstash.knows_flag
    return f"scripts: allow-key-locking is {'used' if known else 'not known here, so each locks the whole database'}"


CHECKS = (writing, reading, gating, spending, timing, numbering, flagging)


async def _names(smoke: Smoke, board: str, part: str) -> list[str]:
    _, space = smoke.keyspace(board)
    return [name async for page in scan(smoke.here.store, space.beginning) for name in page if part in name]


async def run(settings: Settings) -> AsyncIterator[tuple[bool, str]]:
    """Yield for each check whether it holds and what there is to say; clean up in any case."""
    prefix = f"smoke-{token_hex(6)}"
    settings = replace(
        Settings(settings.url, settings.token, timeout=max(settings.timeout, 5.0)),
        prefix=prefix,
        secrets=(token_hex(16),),
    )
    smoke = Smoke(Trial(Deployment(settings, parse_boards(BOARDS))))
    try:
        for check in CHECKS:
            started = time.perf_counter()
            try:
                told = await check(smoke)
                yield True, f"{told} ({(time.perf_counter() - started) * 1000:.0f} ms)"
            except (Failed, LaurelError, LookupError, TypeError, ValueError) as error:
                yield False, f"{check.__name__}: {error}"
        yield await _clean(smoke)
    finally:
        await smoke.trial.close()


async def _clean(smoke: Smoke) -> tuple[bool, str]:
    try:
        deleted = sum([await reset(smoke.here.store, board) for board in smoke.here.boards.values()])
        left = [name async for page in scan(smoke.here.store, smoke.here.store.prefix + ":") for name in page]
    except LaurelError as error:
        return False, f"cleaning up under the prefix {smoke.here.store.prefix}: {error}"
    return not left, f"cleaned up {deleted} keys, {len(left)} are left"


async def main(environ: Mapping[str, str]) -> int:
    """Try the database that an environment names; return an exit status."""
    try:
        settings = Settings.read(environ)
    except LaurelError as error:
        say_error(error.detail)
        return 1
    say(f"Trying {settings.url} ...")
    passed = True
    async for holds, told in run(settings):
        say(f"{'ok  ' if holds else 'FAIL'}  {told}")
        passed = passed and holds
    return 0 if passed else 1


if __name__ == "__main__":
    sys.exit(asyncio.run(main(os.environ)))
