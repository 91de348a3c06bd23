"""What one entry takes in Redis, its player's record included."""

from bench.plots import Limit, bars
from bench.results import Result, Target
from bench.stand import Bench, Stand
from bench.straight import submit_all

TITLE = "Memory"
MOST = 500
PLAYERS = 100_000
STANDINGS = 2
SAMPLE = 2_000
REPEATS = 7
META = {"depth": 7, "ship": "kestrel"}
BOARDS = """
[board.b]
windows = ["all", "daily"]
cap = 0
meta = { depth = "int", ship = "str" }
limits = { per_ip = "0" }
"""
NOTE = f"""\
Growth of Redis' `used_memory` ÷ (players × standings), on an uncapped board with `all` and `daily`, a name and two meta
fields an entry, {PLAYERS:,} players with one submission each. Every submission is the real script with the arguments
that the handler makes, sent straight to Redis. A record remembers the last eight submissions that improved, so the
second line shows {SAMPLE:,} players after {REPEATS + 1} improvements."""


def _used(stand: Stand) -> int:
    return int(stand.redis.info("memory")["used_memory"])


async def _grown(stand: Stand, players: int, submissions: int) -> float:
    """Return the bytes an entry takes, for players who have improved so many times."""
    stand.empty()
    bench = Bench(stand, BOARDS)
    # Scripts and buffers are there before the count begins.
    await submit_all(stand, bench, [bench.submit(player="first", score=1, name="First", meta=META, ranks="none")])
    before = _used(stand)
    for turn in range(submissions):
        bench.now += 60_000
        await submit_all(
            stand,
            bench,
            (
                bench.submit(
                    player=f"player-{number}",
                    score=number + turn * players,
                    name=f"Player {number}",
                    meta={**META, "depth": number % 100},
                    ranks="none",
                )
                for number in range(players)
            ),
        )
    grown = _used(stand) - before
    await bench.close()
    return grown / (players * STANDINGS)


def _parts(stand: Stand) -> list[tuple[str, int]]:
    """Return what the keys of one player and one standing take, by the server's own count."""
    keys = {str(key): stand.redis.memory_usage(key, samples=0) or 0 for key in stand.redis.keys("*")}
    records = [size for key, size in keys.items() if ":player:" in key]
    sets = [size for key, size in keys.items() if ":player:" not in key]
    return [("record", sum(records) // len(records)), ("row of a standing", sum(sets) // len(sets) // len(records))]


async def measure(stand: Stand) -> Result:
    """Measure memory for players with one submission, and with as many as a record remembers."""
    often = await _grown(stand, SAMPLE, REPEATS + 1)
    parts_often = _parts(stand)
    once = await _grown(stand, PLAYERS, 1)
    parts_once = _parts(stand)
    cases = [("one submission each", once, parts_once), (f"{REPEATS + 1} improvements each", often, parts_often)]
    return Result(
        name="memory",
        title=TITLE,
        note=NOTE,
        header=("players with", "bytes an entry", *(f"{name}, bytes" for name, _ in parts_once)),
        rows=[(name, f"{size:.0f}", *(str(part) for _, part in parts)) for name, size, parts in cases],
        targets=[Target(f"memory an entry, {PLAYERS:,} players", once, MOST, " bytes")],
        plots={
            "memory.svg": bars(
                "Redis memory an entry, its share of the record included",
                ["bytes"],
                [(name, [size]) for name, size, _ in cases],
                lambda value: f"{value:.0f}",
                Limit(MOST, f"target {MOST}"),
            )
        },
    )
