"""What a read costs, in billed commands and requests: the budget table of docs/design.md, line by line."""

import pytest

from tests.limits.priced_calls import (
    CAP1,
    DENSE,
    HERE,
    ONE,
    PROFILE,
    SHARED,
    SHARED_5000,
    SHARED_OPEN,
    TWELVE,
    Case,
    ask,
    check,
    forget,
    run,
)
from tools.upstash_emulator.backends import Backend

three_players = [run(f"p{number}", number * 10) for number in (1, 2, 3)]
next_page, of_p1 = {"limit": 1, "offset": 1}, {"player": "p1"}
page_of_p1 = ask("/top", **next_page, **of_p1)
plural = {"windows": "all,daily,weekly,monthly", "splits": "overall,mode:a,tier:1"}
TOPS = [
    Case("top", ONE, three_players, ask("/top"), 2),
    Case("top, 12 standings", TWELVE, [run("p1", 10, **HERE)], ask("/top", **plural), 2 * 12),
    Case("top, next page", ONE, three_players, ask("/top", **next_page), 2),
    Case("top, competition", SHARED, three_players, ask("/top"), 2),
    Case("top, competition, next page", SHARED, three_players, ask("/top", **next_page), 4, reached=2),
    Case("top, competition, cap 5000, next page", SHARED_5000, three_players, ask("/top", **next_page), 4),
    Case("top, competition, no cap, next page", SHARED_OPEN, three_players, ask("/top", **next_page), 4),
    Case("top, dense, next page", DENSE, three_players, ask("/top", **next_page), 4, reached=2),
    Case("top, player", ONE, three_players, ask("/top", **of_p1), 5),
    Case("top, player, search", ONE, three_players, ask("/top", player="zz"), 5 + 1, reached=5),
    Case("top, player, competition", SHARED, three_players, ask("/top", **of_p1), 5 + 1, reached=3),
    Case("top, player, competition, cap 5000", SHARED_5000, three_players, ask("/top", **of_p1), 5 + 1),
    Case("top, player, competition, no cap", SHARED_OPEN, three_players, ask("/top", **of_p1), 5 + 1, reached=5),
    Case("top, player, competition, cap 5000, next page", SHARED_5000, three_players, page_of_p1, 5 + 1, reached=3),
    Case("top, player, competition, no cap, next page", SHARED_OPEN, three_players, page_of_p1, 5 + 1),
    Case("top, player, dense", DENSE, three_players, ask("/top", **of_p1), 5 + 1, reached=3),
    Case("top, profile", PROFILE, three_players, ask("/top"), 2 + 2),
    Case("top, profile, player", PROFILE, three_players, ask("/top", **of_p1), 5 + 2, reached=5 + 1),
]
in_3 = {"players": "p1,p2,p3"}
PLACES = [
    Case("rank", ONE, three_players, ask("/rank", **of_p1), 5),
    Case("rank, neighbours", ONE, three_players, ask("/rank", **of_p1, around=1), 5),
    Case("rank, competition", SHARED, three_players, ask("/rank", **of_p1, around=1), 5 + 1, reached=3),
    Case("rank, competition, cap 5000", SHARED_5000, three_players, ask("/rank", **of_p1, around=1), 5 + 1),
    Case("rank, competition, no cap", SHARED_OPEN, three_players, ask("/rank", **of_p1, around=1), 5 + 1),
    Case("rank, dense", DENSE, three_players, ask("/rank", **of_p1, around=1), 5 + 1, reached=3),
    Case("rank, cut-off", CAP1, [run("p2", 50), run("p1", 9)], ask("/rank", **of_p1), 5 + 1, reached=4),
    Case("rank, cut-off, pushed out", CAP1, [run("p1", 9), run("p2", 50)], ask("/rank", **of_p1), 6, reached=5),
    Case("rank, search", ONE, [*three_players, forget("p1")], ask("/rank", **of_p1), 5 + 1, reached=3),
    Case("rank, 3 players", ONE, three_players, ask("/rank", **in_3), 2 + 2 * 3),
    Case("rank, 3 players, competition", SHARED, three_players, ask("/rank", **in_3), 2 + 2 * 3 + 1, reached=5),
    Case("rank, 3 players, competition, cap 5000", SHARED_5000, three_players, ask("/rank", **in_3), 2 + 2 * 3 + 1),
    Case("rank, 3 players, competition, no cap", SHARED_OPEN, three_players, ask("/rank", **in_3), 2 + 2 * 3 + 1, 8),
    Case("rank, 3 players, search", ONE, three_players, ask("/rank", players="p1,zz,p3"), 8 + 1, reached=5),
    Case("rank, 3 players, profile", PROFILE, three_players, ask("/rank", **in_3), 2 + 2 * 3 + 2, reached=9),
    Case("rank, score", ONE, three_players, ask("/rank", score=15), 3, reached=2),
    Case("rank, score, competition", SHARED, three_players, ask("/rank", score=15), 3),
    Case("rank, score, dense", DENSE, three_players, ask("/rank", score=15), 3, reached=1),
]


@pytest.mark.parametrize("case", [*TOPS, *PLACES], ids=lambda case: case.name)
async def test_a_read_costs_what_the_table_allows(case: Case, backend: Backend) -> None:
    await check(case, backend)
