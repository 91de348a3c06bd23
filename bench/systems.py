"""The four systems that this project was measured by, as games play them: here and with their peers."""

import random
from collections.abc import Callable, Coroutine, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from bench import peers
from bench.peers import DAY_MS, Play, Requests
from bench.stand import NOON, Bench

BOARDS = """
[board.rabbit]
windows = ["daily", "all"]
cap = 100
retain = { daily = "7d", all = "90d" }
remember = "90d"
meta = { depth = "int" }
limits = { per_ip = "30/1m" }
[board.rabbit.splits]
burrow = { pattern = "[a-z0-9-]{1,32}", max = 500 }
by = ["burrow"]

[board.typing]
windows = ["all", "daily"]
timezone = "Asia/Kolkata"
retain = { daily = "0s" }
score = { min = 0, max = 400, step = 1 }
meta = { wpm = "int", accuracy = "float", avatar = "str" }
limits = { cooldown = "10s" }
[board.typing.splits]
mode = ["time", "words"]
by = ["overall", "mode"]

[board.world]
keep = "sum"
windows = ["daily", "weekly", "monthly", "all"]
cap = 0
names = "profile"
meta = { avatar = "str", level = "int" }
[board.world.splits]
region = ["eu", "us", "asia"]
by = ["overall", "region"]

[board.chess]
windows = ["all", "daily", "weekly"]
rank = "competition"
cap = 0
"""

Calls = list[Coroutine[Any, Any, bytes]]


@dataclass(frozen=True, slots=True)
class System:
    """One system: how a game submits and reads its page, here and with the peer; and where its plays happen."""

    title: str
    submit: Callable[[Bench, Play], Calls]
    page: Callable[[Bench, Play], Calls]
    peer_submit: Callable[[Play], Requests]
    peer_page: Callable[[Play], Requests]
    facets: Sequence[str]


def plays(system: System, number: int, *, players: int, days: int) -> Iterator[Play]:
    """Yield plays of players whose skills differ, spread evenly over some days, the same ones every time."""
    dice = random.Random(7)
    skills = [dice.uniform(40, 160) for _ in range(players)]
    start = NOON - NOON % DAY_MS
    for turn in range(number):
        player = dice.randrange(players)
        yield Play(
            player=f"player-{player}",
            score=min(400, int(skills[player] * dice.lognormvariate(0, 0.35))),
            name=f"Player {player}",
            now=start + turn * days * DAY_MS // number,
            caller=f"10.{turn >> 16 & 255}.{turn >> 8 & 255}.{turn & 255}",
            facet=dice.choice(system.facets),
        )


def _submit(bench: Bench, board: str, play: Play, **more: Any) -> Calls:
    bench.now = play.now
    return [bench.submit(board=board, address=play.caller, player=play.player, score=play.score, ranks="none", **more)]


def _rabbit(bench: Bench, play: Play) -> Calls:
    return _submit(bench, "rabbit", play, name=play.name, meta={"depth": 7}, splits={"burrow": play.facet})


def _typing(bench: Bench, play: Play) -> Calls:
    meta = {"wpm": 100, "accuracy": 98.5}
    return _submit(bench, "typing", play, name=play.name, meta=meta, splits={"mode": play.facet})


def _world(bench: Bench, play: Play) -> Calls:
    meta = {"avatar": "owl", "level": 7}
    return _submit(bench, "world", play, name=play.name, meta=meta, splits={"region": play.facet})


def _chess(bench: Bench, play: Play) -> Calls:
    return _submit(bench, "chess", play)


SYSTEMS = {
    "rabbit": System(
        "Rabbit Hole",
        _rabbit,
        lambda bench, play: [bench.top(f"limit=10&burrow={play.facet}&player={play.player}", "rabbit")],
        peers.rabbit_submit,
        peers.rabbit_page,
        ("glen", "warren"),
    ),
    "typing": System(
        "Typestrix",
        _typing,
        lambda bench, play: [bench.top("windows=all,daily&splits=overall,mode:time,mode:words&limit=10", "typing")],
        peers.typing_submit,
        peers.typing_page,
        ("time", "words"),
    ),
    "world": System(
        "Real-time caching",
        _world,
        lambda bench, play: [bench.top("limit=10", "world"), bench.rank(f"player={play.player}&around=2", "world")],
        peers.world_submit,
        peers.world_page,
        ("eu", "us", "asia"),
    ),
    "chess": System(
        "Chess blitz",
        _chess,
        lambda bench, play: [bench.top("limit=25", "chess"), bench.rank(f"player={play.player}&around=3", "chess")],
        peers.chess_submit,
        peers.chess_page,
        ("blitz",),
    ),
}
