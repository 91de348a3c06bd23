"""What a thousand plays cost in billed commands and in requests, beside the plain way of building the same."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import partial

from bench.peers import Play, Requests, carry_out, rabbit_submit
from bench.plots import bars
from bench.results import Result
from bench.stand import Bench, Count, Stand
from bench.systems import BOARDS, SYSTEMS, Calls, System, plays

TITLE = "Cost"
PLAYS = 500
PLAYERS = 50
DAYS = 2
PER = 1000
DOLLARS_PER_COMMAND = 0.20 / 100_000
NOTE = f"""\
Billed commands per {PER:,} plays (a script is one, and one for each command it calls), by the endpoint's own count. A
play is one submission and then the page that the game shows: Rabbit Hole ten rows and the own rank, Typestrix six
standings of ten rows, real-time caching ten rows with profiles and the neighbourhood, chess a page of 25, the rank and
the neighbours. {PLAYS} plays of {PLAYERS} players over {DAYS} days, the same for both, each the first of its caller's
minute.

The plain way is that of the published account (`bench/peers.py`). It does less: several requests, each waited for, that
can fail in between; no totals, no replays, no limit for the callers of the last three (Laurel's address gate is {PER:,}
of its commands), no cap for Typestrix, no expiry for real-time caching, ranks that ignore ties in chess. What an
account leaves open is taken at its cheapest; "always" is Rabbit Hole with expiry and trim after runs that changed
nothing too. Upstash asks $0.20 for 100,000 commands."""


@dataclass(slots=True)
class Cost:
    """What the submissions and the pages of some plays came to."""

    submits: Count
    pages: Count

    def billed(self) -> float:
        """Return the billed commands of a thousand plays."""
        return (self.submits.billed + self.pages.billed) * PER / PLAYS

    def requests(self) -> float:
        """Return the requests of one play."""
        return (self.submits.requests + self.pages.requests) / PLAYS


Step = Callable[[Play], Awaitable[None]]


async def _cost(stand: Stand, bench: Bench, system: System, submit: Step, page: Step) -> Cost:
    """Play the same plays; the first is not counted, because it may bring the scripts."""
    stand.empty()
    cost = Cost(Count(), Count())
    for number, play in enumerate(plays(system, PLAYS + 1, players=PLAYERS, days=DAYS)):
        for step, total in ((submit, cost.submits), (page, cost.pages)):
            bench.count = count = Count()
            await step(play)
            if number:
                total.requests += count.requests
                total.billed += count.billed
    return cost


def _ours(bench: Bench, make: Callable[[Bench, Play], Calls]) -> Step:
    async def step(play: Play) -> None:
        for call in make(bench, play):
            await call

    return step


def _theirs(bench: Bench, peer: Callable[[Play], Requests]) -> Step:
    return lambda play: carry_out(bench, peer, play)


def _row(system: str, who: str, cost: Cost) -> tuple[str, ...]:
    return (
        system,
        who,
        f"{cost.submits.billed * PER / PLAYS:,.0f}",
        f"{cost.pages.billed * PER / PLAYS:,.0f}",
        f"{cost.billed():,.0f}",
        f"{cost.billed() * 1000 * DOLLARS_PER_COMMAND:.2f}",
        f"{cost.requests():.1f}",
    )


async def measure(stand: Stand) -> Result:
    """Count what plays of the four systems cost, here and with their peers."""
    bench = Bench(stand, BOARDS)
    ours, theirs, rows = {}, {}, []
    for name, system in SYSTEMS.items():
        ours[name] = await _cost(stand, bench, system, _ours(bench, system.submit), _ours(bench, system.page))
        peer_submit, peer_page = _theirs(bench, system.peer_submit), _theirs(bench, system.peer_page)
        theirs[name] = await _cost(stand, bench, system, peer_submit, peer_page)
        rows += [_row(system.title, "Laurel", ours[name]), _row("", "plain", theirs[name])]
    rabbit = SYSTEMS["rabbit"]
    always = _theirs(bench, partial(rabbit_submit, always=True))
    told = await _cost(stand, bench, rabbit, always, _theirs(bench, rabbit.peer_page))
    rows.insert(2, _row("", "plain, always", told))
    await bench.close()
    return Result(
        name="cost",
        title=TITLE,
        note=NOTE,
        header=("system", "", "submissions", "pages", f"billed / {PER:,}", "$ / million plays", "requests / play"),
        rows=rows,
        plots={
            "cost.svg": bars(
                f"Billed commands per {PER:,} plays",
                ["Laurel", "the plain way"],
                [(system.title, [ours[name].billed(), theirs[name].billed()]) for name, system in SYSTEMS.items()],
                lambda value: f"{value:,.0f}",
            ),
            "requests.svg": bars(
                "Requests to Upstash per play, each waited for",
                ["Laurel", "the plain way"],
                [(system.title, [ours[name].requests(), theirs[name].requests()]) for name, system in SYSTEMS.items()],
                lambda value: f"{value:.1f}",
            ),
        },
    )
