"""How the time of a call grows with the size of a standing, from a thousand entries to a million."""

from collections.abc import Awaitable, Iterator
from itertools import count, islice
from statistics import median

from bench.plots import lines
from bench.results import Result, Target
from bench.stand import Bench, Stand
from bench.timing import Call, Ratio, interleaved, ratio
from lib.storage.entries import meta_text, tie_key
from lib.storage.standing import standings_of

TITLE = "Growth"
MOST = 1.5
SIZES = (1_000, 10_000, 100_000, 1_000_000)
ROUNDS = 400
KNOWN = 100
STEP = 10
META = {"depth": 7, "ship": "kestrel"}
NOTE = """\
Uncapped boards with `all` and `daily`, of 1,000 to 1,000,000 entries each, all in one Redis at the same time. The calls
on all of them are made in mixed order. Players who submit or are asked for lie spread over the whole board. Medians in
ms; in brackets the extremes over ten parts of the run."""


def _board(size: int) -> str:
    return f"""
[board.b{size}]
windows = ["all", "daily"]
cap = 0
meta = {{ depth = "int", ship = "str" }}
limits = {{ per_ip = "9999999/1m" }}
"""


def _rows(bench: Bench, name: str, size: int) -> Iterator[tuple[str, int]]:
    """Yield entry texts and scores as submit.lua writes them, one a player."""
    board, meta = bench.board(name), meta_text(META)
    for number in range(size):
        yield f"{tie_key(board, bench.now - size + number)}\tq{number}\tPlayer {number}\t{meta}", number * STEP


async def _fill(stand: Stand, bench: Bench, size: int) -> None:
    """Fill both standings past the endpoint, then let some players in through it, so that they have records."""
    name = f"b{size}"
    first, *others = [standing.key(bench.keyspace(name)) for standing in standings_of(bench.board(name), {}, bench.now)]
    entries = _rows(bench, name, size - KNOWN)
    while rows := list(islice(entries, 2000)):
        stand.redis.zadd(first, dict(rows))
    for other in others:
        stand.redis.copy(first, other)
    for number in range(KNOWN):
        score = _spread(number, size)
        await bench.submit(board=name, player=f"p{number}", score=score, name=f"Player {number}", meta=META)


def _spread(number: int, size: int) -> int:
    """Return a score of one of the known players, so that they lie evenly over a board."""
    return (number % KNOWN) * size * STEP // KNOWN


def _calls(bench: Bench, size: int) -> dict[str, Call]:
    name, turn, better = f"b{size}", count(), count(1)

    def submit() -> Awaitable[bytes]:
        bench.now += 7
        number = next(better)
        # A little better each time round, so that every one is an improvement and the spread stays.
        score = _spread(number, size) + number // KNOWN + 1
        return bench.submit(board=name, player=f"p{number % KNOWN}", score=score, name="Mina", meta=META)

    def near(query: str) -> Awaitable[bytes]:
        return bench.rank(query, name)

    return {
        "submit": submit,
        "top 10": lambda: bench.top("limit=10", name),
        "page in the middle": lambda: bench.top(f"limit=10&offset={size // 2}", name),
        "rank with 5 neighbours": lambda: near(f"player=p{next(turn) * 7 % KNOWN}&around=5"),
        "rank of a score": lambda: near(f"score={next(turn) * 7919 % (size * STEP)}"),
    }


async def measure(stand: Stand) -> Result:
    """Time each call on boards of all sizes at once."""
    bench = Bench(stand, "".join(_board(size) for size in SIZES), timeout=60)
    for size in SIZES:
        await _fill(stand, bench, size)
    made = {(call, size): make for size in SIZES for call, make in _calls(bench, size).items()}
    seconds = await interleaved({f"{call} {size}": make for (call, size), make in made.items()}, ROUNDS)
    await bench.close()
    names = list(dict.fromkeys(call for call, _ in made))
    taken = {call: [seconds[f"{call} {size}"] for size in SIZES] for call in names}
    ratios: dict[str, Ratio] = {call: ratio(taken[call][-1], taken[call][0]) for call in names}
    medians = {call: [median(part) * 1e3 for part in taken[call]] for call in names}
    return Result(
        name="growth",
        title=TITLE,
        note=NOTE,
        header=("call", *(f"{size:,}" for size in SIZES), "largest ÷ smallest"),
        rows=[(call, *(f"{value:.2f}" for value in medians[call]), str(ratios[call])) for call in names],
        targets=[Target(f"{call}, {SIZES[-1]:,} ÷ {SIZES[0]:,}", ratios[call].value, MOST) for call in names],
        plots={
            "growth.svg": lines(
                "Time of a call by the size of the board, median ms",
                "entries in each standing",
                SIZES,
                [(call, medians[call]) for call in names],
                lambda value: f"{value:.1f}",
            )
        },
    )
