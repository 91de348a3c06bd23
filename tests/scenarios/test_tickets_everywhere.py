"""The four systems with `auth = "ticket"` added to each: what they do stays, and names can no longer be claimed."""

import json
from dataclasses import dataclass
from typing import Any

import pytest

from tests.scenarios.test_chess import CHESS
from tests.scenarios.test_rabbit_hole import RABBIT
from tests.scenarios.test_real_time import WORLD
from tests.scenarios.test_typestrix import TYPESTRIX
from tests.support.harness import Harness, harness
from tests.support.playing import page
from tests.support.ticket_runs import SECRETS, again, begin, kept, run_of, send
from tools.upstash_emulator.backends import Backend

DAY = 86_400_000


@dataclass(frozen=True)
class System:
    """A system's board, what its submissions bring, where they are read, and how a second run counts."""

    name: str
    boards: str
    brings: dict[str, Any]
    reads: dict[str, str]
    standings: int
    adds_up: bool = False

    @property
    def ticketed(self) -> str:
        """Return the boards with tickets demanded."""
        return self.boards.replace(f"[board.{self.name}]", f'[board.{self.name}]\nauth = "ticket"', 1)

    def run(self, started: dict[str, Any], score: float, **more: Any) -> dict[str, Any]:
        """Return the body of a run."""
        return {**run_of(started, score), "board": self.name, **self.brings, **more}


BURROW = {"splits": {"burrow": "garden"}, "meta": {"depth": 7}, "name": "Ada"}
SYSTEMS = [
    System("rabbit", RABBIT, BURROW, {"burrow": "garden", "window": "all"}, 2),
    System(
        "typing", TYPESTRIX, {"splits": {"mode": "time"}, "meta": {"wpm": 98, "accuracy": 98.5}}, {"mode": "time"}, 4
    ),
    System(
        "world",
        WORLD,
        {"splits": {"region": "eu"}, "name": "Ann", "meta": {"level": 3}},
        {"region": "eu", "window": "all"},
        8,
        adds_up=True,
    ),
    System("chess", CHESS, {"name": "Magnus"}, {}, 3),
]


@pytest.fixture(params=SYSTEMS, ids=lambda system: system.name)
def system(request: pytest.FixtureRequest) -> System:
    """Give each system in turn."""
    chosen: System = request.param
    return chosen


async def play(here: Harness, system: System, started: dict[str, Any], score: float) -> dict[str, Any]:
    """Start and send a run of somebody who has begun before, after whatever cooldown there is; return the answer."""
    here.now += 61_000
    ticket = await begin(here, system.name, player=started["player"], player_token=started["player_token"])
    answer = await here.client.post("/submit", content=json.dumps(system.run(ticket, score)))
    assert answer.status_code == 200, answer.text
    told: dict[str, Any] = answer.json()
    return told


async def test_a_system_works_as_before_with_tickets(system: System, backend: Backend) -> None:
    """Two players over two days: bests or sums, ranks, names and meta as its own story tells."""
    async with harness(system.ticketed, backend, secrets=SECRETS) as here:
        ann, bob = await begin(here, system.name), await begin(here, system.name)
        first = await play(here, system, ann, 50)
        assert len(first["standings"]) == system.standings
        assert all((s["improved"], s["rank"]) == (True, 1) for s in first["standings"])
        await play(here, system, bob, 80)
        worse = await play(here, system, ann, 20)
        assert worse["improved"] is system.adds_up
        here.now += DAY
        await play(here, system, ann, 60)
        score = 130 if system.adds_up else 60
        expected = sorted([(ann["player"], score), (bob["player"], 80)], key=lambda row: -row[1])
        rows = await page(here, board=system.name, **system.reads)
        assert rows == [(player, score, rank) for rank, (player, score) in enumerate(expected, start=1)]
        [row, _] = (await here.get("/top", board=system.name, **system.reads))["entries"]
        assert (row["name"], row["meta"]) == (system.brings.get("name"), system.brings.get("meta", {}))


async def test_nobody_plays_under_a_system_s_player_but_themselves(system: System, backend: Backend) -> None:
    async with harness(system.ticketed, backend, secrets=SECRETS) as here:
        ann, mallory = await begin(here, system.name), await begin(here, system.name)
        await play(here, system, ann, 50)
        before = await kept(here)
        here.now += 61_000
        stolen = system.run(mallory, 99, player=ann["player"])
        assert await send(here, stolen) == (403, "ticket_invalid")
        assert await send(here, {name: value for name, value in stolen.items() if name != "ticket"}) == (
            401,
            "ticket_required",
        )
        answer = await here.post("/start", board=system.name, player=ann["player"])
        assert answer.json()["code"] == "not_your_player"
        assert await kept(here) == before


async def test_a_system_s_ticket_costs_one_command_more(system: System, backend: Backend) -> None:
    """The same runs with and without: three requests' worth of commands, and one each for the ticket."""
    spent = []
    for boards in (system.boards, system.ticketed):
        async with harness(boards, backend, secrets=SECRETS) as here:
            started = await begin(here, system.name)
            costs = []
            for score in (50, 80, 20):
                here.now += 61_000
                ticket = await again(here, started, system.name)
                body = system.run(ticket, score)
                here.start_meter()
                assert await send(here, body) == (200, "stored")
                costs.append(here.billed)
                assert here.requests == 1 if score != 50 else here.requests == 2
            spent.append(costs)
    assert spent[1] == [cost + 1 for cost in spent[0]]


EVERYTHING = """
[board.b]
windows = ["daily", "weekly", "monthly", "all"]
auth = "ticket"
limits = { per_ip = "60/1m", per_player = "12/1m", cooldown = "10s" }
[board.b.splits]
mode = ["time", "words"]
tier = ["1", "2"]
"""


async def test_the_budget_holds_with_everything_on(backend: Backend) -> None:
    """Twelve standings, a ticket, all three gates: 3 + 2N, and 2 for the address gate, and 1 for the ticket."""
    async with harness(EVERYTHING, backend, secrets=SECRETS) as here:
        here.now -= 3600_000
        started = await begin(here)
        brings = {"splits": {"mode": "time", "tier": "1"}, "ranks": "none"}
        assert await send(here, run_of(started, 10, **brings)) == (200, "stored")
        for score, allowed in ((20, 3 + 2 * 12 + 2 + 1), (5, 2 + 1 + 2 + 1)):
            here.now += 20_000
            body = run_of(await again(here, started), score, **brings)
            for outcome, billed in (("stored", allowed), ("replayed", 2 + 2 + 1)):
                here.start_meter()
                assert await send(here, body) == (200, outcome)
                assert here.billed <= billed
                assert here.requests == 1
