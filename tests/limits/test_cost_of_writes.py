"""What a submission and a start cost, in billed commands and requests: the budget table of docs/design.md, by line."""

from typing import Literal

import pytest

from lib.access.admission import Spending
from lib.storage.standing import standings_of
from lib.submitting.attempt import Attempt
from lib.submitting.submit import store_run
from lib.submitting.validation import Run
from tests.limits.priced_calls import (
    ADDRESSED,
    CAP1,
    DAY,
    DENSE,
    HERE,
    ONE,
    PROFILE,
    SHARED,
    SHARED_5000,
    SHARED_OPEN,
    TWELVE,
    TWELVE_SPLITS,
    TWELVE_WINDOWS,
    Case,
    ask,
    board,
    check,
    forget,
    next_day,
    refused,
    run,
    warm_up,
)
from tests.support.harness import NOON, harness
from tools.upstash_emulator.backends import Backend

ID = {"id": "an-id-of-mine"}
DAILY = 'windows = ["daily"]'
GATED = board(limits='per_ip = "0", per_player = "9/1m"')
TWELVE_SUMS = board(TWELVE_WINDOWS, 'keep = "sum"', splits=TWELVE_SPLITS)
LAST, SUM = board('keep = "last"'), board('keep = "sum"')
DAILY_CAP1 = board(DAILY, "cap = 1")
IDLE = board('retain = { all = "90d" }')
IDLE_TWICE = board('retain = { all = "90d" }', splits='mode = ["a"]')
LEVELS = board(DAILY, splits='level = { pattern = "[0-9]", max = 2 }\nby = ["level"]')
LEVEL_AND_MODE = 'level = { pattern = "[0-9]", max = 1 }\nmode = ["x", "y"]\nby = ["level", "level+mode"]'
ONE_LEVEL = board(DAILY, splits=LEVEL_AND_MODE)

known, better = [run("p1", 10)], run("p1", 20)
# Two days: the record is older than the second day's standing, so no old entry is looked for.
yesterday = [run("p1", 10), next_day]
taken = [*yesterday, run("p2", 50)]

MISSES = [
    Case("miss, 1 standing", ONE, known, run("p1", 9), 2),
    Case("miss by an equal score", ONE, known, run("p1", 10), 2),
    Case("miss, 12 standings", TWELVE, [run("p1", 10, **HERE)], run("p1", 9, **HERE), 2),
    Case("miss, player's gate", GATED, known, run("p1", 9), 3),
    Case("miss of a sum: adding 0", SUM, known, run("p1", 0), 2),
    Case("replay, 1 standing", ONE, [run("p1", 10, **ID)], run("p1", 10, **ID), 2),
    Case("replay, 12 standings", TWELVE, [run("p1", 10, **HERE, **ID)], run("p1", 10, **HERE, **ID), 2),
    Case("replay, player's gate", GATED, [run("p1", 10, **ID)], run("p1", 10, **ID), 3, reached=2),
]
IMPROVEMENTS = [
    Case("best, 1 standing", ONE, known, better, 3 + 2),
    Case("best, 12 standings", TWELVE, [run("p1", 10, **HERE)], run("p1", 20, **HERE), 3 + 2 * 12),
    Case("best, player's gate", GATED, known, better, 3 + 2),
    Case("last, 1 standing", LAST, known, run("p1", 9), 3 + 2),
    Case("last, nothing new", LAST, known, run("p1", 10), 3 + 2, reached=3 + 1),
    Case("sum, 1 standing", SUM, known, run("p1", 5), 3 + 1),
    Case("sum, 12 standings", TWELVE_SUMS, [run("p1", 10, **HERE)], run("p1", 5, **HERE), 3 + 12),
    Case("sum, new name", SUM, known, run("p1", 5, name="Mina"), 3 + 1 + 1),
    Case("sum, 12 new names", TWELVE_SUMS, [run("p1", 1, **HERE)], run("p1", 5, name="M", **HERE), 3 + 12 + 12),
    Case("pushed out since", board("cap = 2"), [*known, run("p2", 20), run("p3", 30)], run("p1", 40), 3 + 4),
    Case("profile, nothing brought", PROFILE, known, better, 3 + 2),
    Case("profile, name and improvement", PROFILE, known, run("p1", 20, name="Mina"), 3 + 2 + 1),
    Case("profile, name and miss", PROFILE, known, run("p1", 9, name="Mina"), 2 + 1),
]
NEWCOMERS = [
    Case("enters, no cap", board("cap = 0"), [run("p2", 5)], run("p1", 10), 3 + 2),
    Case("creates, no cap, no expiry", board("cap = 0"), [], run("p1", 10), 3 + 2),
    Case("creates, no cap", board(DAILY, "cap = 0"), [], run("p1", 10), 3 + 2 + 1),
    Case("enters, day's first", board(DAILY), taken, run("p1", 10), 3 + 2 + 1),
    Case("creates, day's first", board(DAILY), yesterday, run("p1", 10), 3 + 2 + 1 + 1),
    Case("cut, day's first", DAILY_CAP1, taken, run("p1", 10), 3 + 2 + 1),
    Case("enters at the cap, day's first", DAILY_CAP1, taken, run("p1", 60), 3 + 4 + 1),
    Case("cut again with a better score", DAILY_CAP1, [*taken, run("p1", 10)], run("p1", 20), 3 + 2),
    Case("enters at the cap at last", DAILY_CAP1, [*taken, run("p1", 10)], run("p1", 60), 3 + 4),
    Case("search, enters", ONE, [run("p2", 5)], run("p1", 10), 3 + 2 + 1),
    Case("search, creates", board(DAILY), [], run("p1", 10), 3 + 2 + 1 + 1),
    Case("search, cut", CAP1, [run("p2", 50)], run("p1", 10), 3 + 1 + 1),
    Case("search, enters at the cap", CAP1, [run("p2", 5)], run("p1", 10), 3 + 3 + 1),
    Case("search, old entry found", ONE, [*known, forget("p1")], better, 3 + 2 + 1 + 1),
    Case("search, old entry found, miss", ONE, [*known, forget("p1")], run("p1", 9), 2 + 1 + 2),
]
DAYS_FIRST = [
    Case("day's first, improvement", ONE, yesterday, better, 3 + 2 + 1),
    Case("day's first, miss", ONE, yesterday, run("p1", 9), 2 + 2),
    Case("day's first, no cap", board("cap = 0"), yesterday, run("p1", 9), 2 + 2, reached=2),
    Case("day's first, retain.all, improvement", IDLE, yesterday, better, 3 + 2 + 1 + 1),
    Case("day's first, retain.all, miss", IDLE, yesterday, run("p1", 9), 2 + 2 + 1),
    Case("day's second, retain.all, miss", IDLE, [*yesterday, better], run("p1", 9), 2),
    Case(
        "day's first, retain.all twice, miss",
        IDLE_TWICE,
        [run("p1", 10, splits={"mode": "a"}), next_day],
        run("p1", 9, splits={"mode": "a"}),
        2 + 2 + 2,
    ),
]
x, y = {"splits": {"level": "1", "mode": "x"}}, {"splits": {"level": "1", "mode": "y"}}
one, two, three = ({"splits": {"level": level}} for level in "123")
OPEN_SPLITS = [
    Case("period's first value", LEVELS, [], run("p1", 10, **one), 3 + 3 + 3 + 1),
    Case("another value", LEVELS, [run("p1", 10, **one)], run("p1", 10, **two), 3 + 3 + 2),
    Case("a standing that is there", LEVELS, [run("p1", 10, **one)], run("p1", 20, **one), 3 + 2),
    Case("known value at its max", ONE_LEVEL, [run("p1", 9, **x)], run("p1", 9, **y), 3 + 3 + 3),
    Case(
        "refused at its max",
        LEVELS,
        [run("p1", 10, **one), run("p1", 10, **two)],
        refused("p1", 10, **three),
        2 + 1 + 3,
        reached=2 + 1 + 2,
    ),
]
blocked = refused("p1", 30)
GATE = [
    Case("address gate, first of its period", ADDRESSED, [], run("p1", 10), 3 + 3 + 1),
    Case("address gate, second", ADDRESSED, known, better, 3 + 2 + 2),
    Case("address gate, second, a miss", ADDRESSED, known, run("p1", 9), 2 + 2),
    Case("address gate, refused", ADDRESSED, [*known, better], blocked, 1 + 1),
    Case("address gate, known as blocked", ADDRESSED, [*known, better, blocked], blocked, 0, requests=0),
]
ranked = {"ranks": "improved"}
retry = {"id": "a-run-of-p1", **ranked}
retried = run("p1", 20, **retry)
RANKS = [
    Case("ranks, 1 standing", ONE, known, run("p1", 20, **ranked), 5 + 2),
    Case("ranks, 12", TWELVE, [run("p1", 10, **HERE)], run("p1", 20, **HERE, **ranked), 27 + 2 * 12),
    Case("ranks where it was counted", board("cap = 0", 'windows = ["daily"]'), [], run("p1", 10, **ranked), 6 + 1),
    Case("ranks where nobody had to count", board("cap = 0"), [], run("p1", 10, **ranked), 5 + 2),
    Case("ranks after a search", ONE, [], run("p1", 10, **ranked), 6 + 1),
    Case("ranks of a miss, not asked for", ONE, known, run("p1", 9, **ranked), 2),
    Case("ranks of a miss, asked for", ONE, known, run("p1", 9, ranks="all"), 2 + 2),
    Case("ranks, competition", SHARED, known, run("p1", 20, **ranked), 5 + 2, reached=5 + 1),
    Case("ranks, competition, cap 5000", SHARED_5000, known, run("p1", 20, **ranked), 5 + 2),
    Case("ranks of a miss, competition, cap 5000", SHARED_5000, known, run("p1", 9, ranks="all"), 2 + 2, reached=2 + 1),
    Case("ranks of a replay, competition, cap 5000", SHARED_5000, [*known, retried], retried, 2 + 2, reached=2 + 1),
    Case("ranks of a miss, competition, no cap", SHARED_OPEN, known, run("p1", 9, ranks="all"), 2 + 2),
    Case("ranks, competition, no cap", SHARED_OPEN, known, run("p1", 20, **ranked), 5 + 2),
    Case("ranks, dense", DENSE, known, run("p1", 20, **ranked), 5 + 2, reached=5 + 1),
]
CASES = [*MISSES, *IMPROVEMENTS, *NEWCOMERS, *DAYS_FIRST, *OPEN_SPLITS, *GATE, *RANKS]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
async def test_a_submission_costs_what_the_table_allows(case: Case, backend: Backend) -> None:
    await check(case, backend)


@pytest.mark.parametrize("ticket", [True, False])
async def test_a_ticket_costs_one_command(ticket: bool, backend: Backend) -> None:
    async with harness(ONE, backend) as here:
        await warm_up(here)
        await here.submit("p1", 10)
        here.start_meter()
        rules = here.deployment.board("b")
        attempted = Run("p1", 20.0, None, None, None, {}, "another-id", True, "none")
        spending = Spending("nonce", 600, NOON) if ticket else None
        standings = standings_of(rules, {}, NOON + 1)
        await store_run(
            here.deployment.store, Attempt(rules, attempted, "caller", standings, NOON + 1, NOON + 1, spending)
        )
        assert (here.billed, here.requests) == (3 + 2 + ticket, 1)


async def test_start_costs_the_address_gate_alone(backend: Backend) -> None:
    async with harness(ADDRESSED, backend, secrets=("a-secret",)) as here:
        await warm_up(here)
        for status, billed, requests in [(200, 1 + 1, 1), (200, 1 + 2, 1), (429, 1 + 1, 1), (429, 0, 0)]:
            here.start_meter()
            answer = await here.post("/start", board="b")
            assert (answer.status_code, here.billed, here.requests) == (status, billed, requests)


async def test_start_without_an_address_gate_asks_nobody(backend: Backend) -> None:
    async with harness(ONE, backend, secrets=("a-secret",)) as here:
        answer = await here.post("/start", board="b")
        assert (answer.status_code, here.requests) == (200, 0)


WORKED_EXAMPLE = """
[board.b]
windows = ["all", "daily"]
retain = { daily = "7d" }
limits = { per_ip = "60/1m" }
"""


async def test_the_worked_example_costs_14(backend: Backend) -> None:
    """The example of docs/design.md, line for line, with its dates moved to where nothing expires meanwhile."""
    async with harness(WORKED_EXAMPLE, backend) as here:
        await warm_up(here)
        here.now = NOON - 2 * DAY
        await here.submit("p1", 1700, name="Mina", **ID)
        await here.submit("p2", 1000)
        here.now = NOON
        reused = await here.post("/submit", board="b", player="p1", score=1, **ID)
        assert reused.status_code == 409  # the caller's first request this minute, which stores nothing
        here.now += 123
        here.start_meter()
        first, second = (await here.submit("p1", 1850, name="Mina"))["standings"]
        assert (here.billed, here.requests) == (14, 1)
        assert (first["improved"], first["previous"], first["rank"], first["total"]) == (True, 1700, 1, 2)
        assert (second["improved"], second["previous"], second["rank"], second["total"]) == (True, None, 1, 1)


@pytest.mark.parametrize(("flags", "requests"), [("known", 2), ("unknown", 3)])
async def test_a_script_is_brought_once(flags: Literal["known", "unknown"], requests: int, backend: Backend) -> None:
    """EVALSHA, NOSCRIPT, EVAL; where the server does not know the flag, the same text again without it."""
    async with harness(ONE, backend, flags=flags) as here:
        await here.command("SCRIPT", "FLUSH")
        spent = []
        for step in (run("p1", 10), run("p1", 9), ask("/rank", player="p1"), ask("/rank", player="p1")):
            here.start_meter()
            await step(here)
            spent.append(here.requests)
        assert spent == [requests, 1, 2, 1]
