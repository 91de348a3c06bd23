"""`cost`: what a play costs, measured."""

from collections.abc import Callable
from typing import Any

from lib.boards import toml_file
from tests.cli.running_commands import BOARDS, Run
from tools.cli.commands import cost


async def test_the_cost_of_a_play_is_measured() -> None:
    """The numbers are those of the budget table: two commands for the address gate, 2 for a page, 3 + 2N, …"""
    season = '{ name = "s", starts = 2026-01-01T00:00:00Z, ends = 2026-01-02T00:00:00Z }'
    boards = toml_file.parse_boards(f'{BOARDS}[board.closed]\nwindows = ["season"]\nseason = [{season}]')
    plain = await cost.measure(boards["open"])
    assert plain is not None
    # ranks and totals of the one standing: + 2 on what improves
    assert (plain.start, plain.improved, plain.miss, plain.page) == (0, 3 + 2 + 2, 2, 2)
    assert (plain.play, plain.dollars) == (9, 1.8)
    ticketed = await cost.measure(boards["ticketed"])
    assert ticketed is not None
    assert (ticketed.start, ticketed.improved) == (3, plain.improved + 2 + 1)
    assert await cost.measure(boards["closed"]) is None


def test_cost_says_that_it_is_an_estimate(run: Run, told: Callable[..., Any]) -> None:
    status, out, _ = run("cost")
    assert status == 0
    assert "An estimate" in out
    assert set(told("cost")["boards"]) == {"b", "open", "ticketed", "backend"}
