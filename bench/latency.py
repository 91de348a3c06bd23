"""How long a call takes beside a bare PING through the same client to the same endpoint."""

from collections.abc import Awaitable
from itertools import count
from statistics import median

from bench.plots import Limit, bars
from bench.results import Result, Target
from bench.stand import Bench, Stand
from bench.timing import Call, interleaved, quantile, ratio

TITLE = "Time of a call"
MOST = 1.5
ROUNDS = 1500
QUARTER = 0.25
PLAYERS = 1000
BOARDS = """
[board.b]
windows = ["all", "daily"]
meta = { depth = "int", ship = "str" }
limits = { per_ip = "9999999/1m" }
"""
META = {"depth": 7, "ship": "kestrel"}
NOTE = """\
A board with two standings (`all` and `daily`), the default cap of 1,000 rows, full, a name and two meta fields an
entry, the address gate on, ranks in the reply. The handler runs in this process, as on a platform; the endpoint, in a
process of its own, is asked over HTTP on loopback. The base is a `PING` through the same client. Calls in mixed order;
in brackets the extremes over ten parts of the run. Judged are the medians; the lower quartiles are there to see how far
other work on the machine got into them."""


async def measure(stand: Stand) -> Result:
    """Time submissions and the first page against PING."""
    bench = Bench(stand, BOARDS)
    for number in range(PLAYERS):
        await bench.submit(player=f"p{number}", score=number, name=f"Player {number}", meta=META)
    rising = count(PLAYERS + 1)

    def improve() -> Awaitable[bytes]:
        bench.now += 7
        score = next(rising)
        return bench.submit(player=f"p{score % 50 + 500}", score=score, name="Mina", meta=META)

    def miss() -> Awaitable[bytes]:
        bench.now += 7
        return bench.submit(player=f"p{bench.now % 50 + 500}", score=1, name="Mina", meta=META)

    calls: dict[str, Call] = {
        "PING": bench.upstash.ping,
        "submit, improved": improve,
        "submit, not improved": miss,
        "top 10": lambda: bench.top("limit=10"),
    }
    seconds = await interleaved(calls, ROUNDS)
    await bench.close()
    base = seconds["PING"]
    ratios = {name: ratio(taken, base) for name, taken in seconds.items()}
    return Result(
        name="latency",
        title=TITLE,
        note=NOTE,
        header=("call", "median, ms", "÷ PING", "lower quartile, ms", "÷ PING"),
        rows=[
            (
                name,
                f"{median(taken) * 1e3:.2f}",
                str(ratios[name]),
                f"{quantile(taken, QUARTER) * 1e3:.2f}",
                str(ratio(taken, base, QUARTER)),
            )
            for name, taken in seconds.items()
        ],
        targets=[Target(f"{name} ÷ PING", ratios[name].value, MOST) for name in seconds if name != "PING"],
        plots={
            "latency.svg": bars(
                "Time of a call, as a multiple of a bare PING",
                ["median"],
                [(name, [ratios[name].value]) for name in seconds],
                lambda value: f"{value:.2f}×",
                Limit(MOST, f"target {MOST:g}×"),
            )
        },
    )
