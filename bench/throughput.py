"""How many submissions get through when fifty callers submit to one board at once, here and the plain way."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterator
from statistics import median

from bench.peers import Play, carry_out
from bench.plots import bars
from bench.results import Result
from bench.stand import Bench, Stand
from bench.systems import BOARDS, SYSTEMS, plays
from bench.timing import quantile

TITLE = "Throughput"
CALLERS = 50
PLAYS = 300
PLAYERS = 200
TURNS = 3
NOTE = f"""\
{CALLERS} callers submit {PLAYS:,} runs of {PLAYERS} players to the board of Rabbit Hole (two standings, gate, cap,
expiry), each as soon as its last one is answered. One process serves the functions and one the endpoint, so this is the
throughput of two cores and of Python's HTTP, not of Upstash; the comparison holds, because both ways pay the same for a
request. Medians of {TURNS} turns."""


async def _turn(submit: Callable[[Play], Awaitable[object]]) -> tuple[float, list[float]]:
    """Return the submissions a second, and the seconds of each."""
    waiting: Iterator[Play] = iter(list(plays(SYSTEMS["rabbit"], PLAYS, players=PLAYERS, days=1)))
    seconds: list[float] = []

    async def caller() -> None:
        for play in waiting:
            started = time.perf_counter()
            await submit(play)
            seconds.append(time.perf_counter() - started)

    started = time.perf_counter()
    await asyncio.gather(*(caller() for _ in range(CALLERS)))
    return PLAYS / (time.perf_counter() - started), seconds


async def measure(stand: Stand) -> Result:
    """Measure both ways in turns, on an empty store each time."""
    bench = Bench(stand, BOARDS, timeout=60)
    system = SYSTEMS["rabbit"]

    async def ours(play: Play) -> None:
        for call in system.submit(bench, play):
            await call

    ways: dict[str, Callable[[Play], Awaitable[object]]] = {
        "Laurel": ours,
        "the plain way": lambda play: carry_out(bench, system.peer_submit, play),
    }
    rates: dict[str, list[float]] = {name: [] for name in ways}
    seconds: dict[str, list[float]] = {name: [] for name in ways}
    for turn in range(-1, TURNS):
        for name in ways if turn % 2 else reversed(ways):
            stand.empty()
            rate, taken = await _turn(ways[name])
            if turn >= 0:
                rates[name].append(rate)
                seconds[name] += taken
    await bench.close()
    return Result(
        name="throughput",
        title=TITLE,
        note=NOTE,
        header=("", "submissions / s", "median ms", "95 % below"),
        rows=[
            (
                name,
                f"{median(rates[name]):,.0f}",
                f"{median(seconds[name]) * 1e3:.0f}",
                f"{quantile(seconds[name], 0.95) * 1e3:.0f}",
            )
            for name in ways
        ],
        plots={
            "throughput.svg": bars(
                f"Submissions a second, {CALLERS} callers on one board",
                list(ways),
                [("one submission each", [median(rates[name]) for name in ways])],
                lambda value: f"{value:,.0f}",
            )
        },
    )
