"""`cost`: how many commands a play costs on each board, measured on a store in memory, and what that comes to."""

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import httpx

from lib.boards.board import Board
from lib.deployment import Deployment, wall_clock
from lib.settings import Settings
from lib.storage.scripts import script
from lib.time_units import DAY_MS
from tools.cli.arguments import Commands, Options, add_command
from tools.cli.context import boards_of
from tools.cli.terminal import say, say_json, table
from tools.cli.trial import Trial
from tools.dev import example_requests
from tools.upstash_emulator.backends import MemoryBackend
from tools.upstash_emulator.endpoint import make_endpoint

# Upstash, pay as you go, autumn 2026.
DOLLARS_PER_100K_COMMANDS = 0.20
_TOKEN = "only-in-this-process"  # noqa: S105 - opens nothing but the store in memory
_NOTE = (
    "An estimate: a play is {play}. Measured on a store in memory with two players; commands are counted as Upstash "
    "bills them, at ${price:.2f} per 100,000 (pay as you go). What the platform asks for the functions, storage, "
    "traffic and replicas comes on top; a miss costs less, and pages from a shared cache cost nothing."
)
PLAY = "one improving submission, its ticket where the board wants one, and one page of top"


def add_to(commands: Commands) -> None:
    """Add the command."""
    add_command(commands, "cost", run, "measure the commands of a play on each board, and estimate what they cost")


@dataclass(frozen=True, slots=True)
class Cost:
    """Billed commands of each call; `start` is 0 on boards that want no ticket."""

    start: int
    first: int
    improved: int
    miss: int | None
    """None where every submission counts: there are no misses."""
    page: int

    @property
    def play(self) -> int:
        """Return the commands of a whole play."""
        return self.start + self.improved + self.page

    @property
    def dollars(self) -> float:
        """Return what 100,000 plays cost."""
        return round(self.play * DOLLARS_PER_100K_COMMANDS, 2)


async def run(options: Options, environ: Mapping[str, str]) -> None:
    """Print what plays cost on each board; no database is asked."""
    costs = {name: await measure(board) for name, board in boards_of(environ).items()}
    note = _NOTE.format(play=PLAY, price=DOLLARS_PER_100K_COMMANDS)
    if options.json:
        say_json({"estimate": note, "boards": {name: _told(one) for name, one in costs.items()}})
        return
    rows = [
        (name, one.start, one.first, one.improved, one.miss, one.page, one.play, f"{one.dollars:.2f}")
        for name, one in costs.items()
        if one is not None
    ]
    if rows:
        heads = ("board", "start", "first", "improved", "miss", "page", "a play", "$ per 100k plays")
        say(table(heads, rows))
    for name, one in costs.items():
        if one is None:
            say(f"{name}: not measured, because no made-up submission fits its splits, or no season is open")
    say(f"\n{note}")


def _told(one: Cost | None) -> dict[str, Any] | None:
    if one is None:
        return None
    calls = {"start": one.start, "first": one.first, "improved": one.improved, "miss": one.miss, "page": one.page}
    return {**calls, "play": one.play, "dollars_per_100k_plays": one.dollars}


async def measure(board: Board) -> Cost | None:
    """Play on one board in memory; return what each call cost, None where no submission of ours fits."""
    now = wall_clock() // DAY_MS * DAY_MS + DAY_MS // 2
    body = example_requests.submission(board, now)
    if body is None:
        return None
    clock = _Clock(now)
    endpoint = make_endpoint(MemoryBackend(), _TOKEN)
    settings = Settings(url="http://store.invalid", token=_TOKEN, secrets=(_TOKEN,), server_token=_TOKEN)
    way = httpx.ASGITransport(app=endpoint)
    trial = Trial(Deployment(settings, {board.name: board}, clock=clock, transport=way))
    play = _Play(board, trial, clock, endpoint.meter)
    try:
        for name in ("submit", "start", "top", "rank"):
            await trial.deployment.store.upstash.command("SCRIPT", "LOAD", script(name).flagged)
        worse, better = _scores(board, body["score"])
        await play.submit({**body, "player": "p2", "score": worse})
        first = await play.submit({**body, "score": worse})
        improved = await play.submit({**body, "score": better})
        start = play.start_cost
        miss = await play.submit({**body, "score": worse}) if board.keep == "best" else None
        return Cost(start, first, improved, miss, await play.page(body))
    finally:
        await trial.close()


@dataclass(slots=True)
class _Clock:
    now: int

    def __call__(self) -> int:
        return self.now


@dataclass(slots=True)
class _Play:
    board: Board
    trial: Trial
    clock: _Clock
    meter: Any
    start_cost: int = 0

    async def submit(self, body: Mapping[str, Any]) -> int:
        """Submit when all gates are open again; return what it cost."""
        limits = self.board.limits
        rates = [rate.period for rate in (limits.per_ip, limits.per_player) if rate]
        self.clock.now += max([limits.cooldown, *rates]) + 1
        body = {**body, "ranks": "improved"}
        if self.board.auth == "ticket":
            ticket, self.start_cost = await self._call("/start", {"board": self.board.name, "player": body["player"]})
            body["ticket"] = ticket["ticket"]
            self.clock.now += self._run_time(body["score"])
        return (await self._call("/submit", body))[1]

    def _run_time(self, score: float) -> int:
        """Return how long (ms) a run has to take for its score to be believed."""
        rule = self.board.ticket
        slow = 0 if rule.per_second is None else int(Decimal(str(score)) * 1000 / rule.per_second) + 1
        return min(max(rule.shortest, slow), rule.longest)

    async def page(self, body: Mapping[str, Any]) -> int:
        """Read the first page that the submission is in; return what it cost."""
        values = body.get("splits", {})
        names = next(names for names in self.board.by if all(name in values for name in names))
        self.meter.reset()
        await self.trial.call("GET", "/top", board=self.board.name, **{name: values[name] for name in names})
        return int(self.meter.billed)

    async def _call(self, path: str, body: dict[str, Any]) -> tuple[dict[str, Any], int]:
        self.meter.reset()
        answer = await self.trial.call("POST", path, body)
        return answer.json(), int(self.meter.billed)


def _scores(board: Board, score: object) -> tuple[int | float, int | float]:
    """Return a worse and a better score, a step apart where the range has room for two."""
    middle, step, rule = Decimal(str(score)), board.score.step or Decimal(1), board.score
    fitting = [
        value
        for value in (middle - step, middle, middle + step)
        if (rule.min is None or value >= rule.min) and (rule.max is None or value <= rule.max)
    ]
    low, high = (int(value) if value == int(value) else float(value) for value in (fitting[0], fitting[-1]))
    return (low, high) if board.descending else (high, low)
