"""Faults that real leaderboards shipped, in how they order, number and cut: none of them can happen here."""

import pytest

from tests.support.harness import harness
from tests.support.playing import beside, page, play, players, stored
from tools.upstash_emulator.backends import Backend

ORDERS = ("desc", "asc")
both_orders = pytest.mark.parametrize("order", ORDERS)
# Each numbering with the caps that take another path through the scripts.
CAPS = {"ordinal": (0, 1000), "competition": (0, 1000, 5000), "dense": (1000,)}
NUMBERINGS = [(rank, cap) for rank, caps in CAPS.items() for cap in caps]
each_numbering = pytest.mark.parametrize(("rank", "cap"), NUMBERINGS)


def board(order: str = "desc", **keys: str | int) -> str:
    """Return the text of a board without gates."""
    lines = [f"{key} = {value if isinstance(value, int) else repr(value)}" for key, value in keys.items()]
    return "\n".join(
        ["[board.b]", f"order = '{order}'", *lines, "limits = { per_ip = '0' }", "meta = { depth = 'int' }"]
    )


@both_orders
@pytest.mark.parametrize("first", ["alice", "bob"])
async def test_equal_scores_do_not_flip_with_the_direction_of_reading(first: str, order: str, backend: Backend) -> None:
    second = {"alice": "bob", "bob": "alice"}[first]
    async with harness(board(order), backend) as here:
        await play(here, (first, 100), (second, 100))
        assert await page(here) == [(first, 100, 1), (second, 100, 2)]


@both_orders
async def test_a_later_player_does_not_outrank_the_first_to_reach_a_score(order: str, backend: Backend) -> None:
    """Reaching it by an improvement is later too, and so is coming back to it by a `last` board."""
    async with harness(board(order, keep="last"), backend) as here:
        await play(here, ("early", 7), ("zoe", 100), ("adam", 100), ("early", 100), ("zoe", 50), ("zoe", 100))
        assert await players(here) == ["adam", "early", "zoe"]


@both_orders
@pytest.mark.parametrize("score", [1e6, 1e9, 2**53 - 1, -(2**53) + 1])
async def test_no_time_is_packed_into_the_score(score: float, order: str, backend: Backend) -> None:
    """A fraction loses the time, score × 10^10 + time passes 2^53: either way a millisecond's distance is lost."""
    async with harness(board(order), backend) as here:
        await play(here, ("zoe", score), ("mia", score), ("adam", score))
        assert await page(here) == [("zoe", score, 1), ("mia", score, 2), ("adam", score, 3)]


@pytest.mark.parametrize("tiebreak", ORDERS)
@both_orders
async def test_score_and_tiebreak_of_two_runs_are_never_combined(order: str, tiebreak: str, backend: Backend) -> None:
    worse, better = (90, 100) if order == "desc" else (100, 90)
    async with harness(board(order, tiebreak=tiebreak), backend) as here:
        await here.submit("p", better, tiebreak=5, meta={"depth": 1})
        for other in (9, 1):
            await here.submit("p", worse, tiebreak=other, meta={"depth": 2})
        [row] = (await here.get("/top"))["entries"]
        assert (row["score"], row["tiebreak"], row["meta"]) == (better, 5, {"depth": 1})
        answers = [await here.submit("p", better, tiebreak=other, meta={"depth": 3}) for other in (4, 6)]
        assert [answer["improved"] for answer in answers] == [tiebreak == "asc", tiebreak == "desc"]


@both_orders
async def test_the_tiebreak_can_sort_against_the_score(order: str, backend: Backend) -> None:
    for tiebreak, best in (("asc", ["fast", "even", "slow"]), ("desc", ["slow", "even", "fast"])):
        async with harness(board(order, tiebreak=tiebreak), backend) as here:
            for player, seconds in (("slow", 60), ("fast", 45), ("even", 50.5)):
                await here.submit(player, 10, tiebreak=seconds)
            assert await players(here) == best


@both_orders
@pytest.mark.parametrize(("rank", "cap"), NUMBERINGS[2:])
async def test_shared_ranks_do_not_begin_again_on_a_page(order: str, rank: str, cap: int, backend: Backend) -> None:
    sign = 1 if order == "desc" else -1
    scores = [sign * score for score in (50, 50, 50, 50, 30, 30, 10)]
    ranks = [1, 1, 1, 1, 2, 2, 3] if rank == "dense" else [1, 1, 1, 1, 5, 5, 7]
    async with harness(board(order, rank=rank, cap=cap), backend) as here:
        await play(here, *[(f"p{number}", score) for number, score in enumerate(scores)])
        for size in (1, 2, 3, 4):
            paged = [row for offset in range(0, 7, size) for row in await page(here, limit=size, offset=offset)]
            assert [shown for _, _, shown in paged] == ranks
        asked = await here.get("/rank", players=",".join(f"p{number}" for number in range(7)))
        assert [row["rank"] for row in asked["entries"]] == ranks


@both_orders
@each_numbering
async def test_an_unknown_player_has_no_rank(order: str, rank: str, cap: int, backend: Backend) -> None:
    """Neither 1, nor 0, nor an error, nor somebody else's: on an empty board and on one with players."""
    async with harness(board(order, rank=rank, cap=cap), backend) as here:
        for _ in range(2):
            alone = await here.get("/rank", player="nobody", around=2)
            assert (alone["entry"], alone["percentile"], alone["ahead"], alone["entries"]) == (None, None, None, [])
            assert (await here.get("/top", player="nobody"))["me"] is None
            assert (await here.get("/rank", players="nobody"))["entries"][0]["rank"] is None
            await play(here, ("somebody", 1))


@both_orders
@each_numbering
async def test_a_missing_player_in_a_list_does_not_shift_the_others(
    order: str, rank: str, cap: int, backend: Backend
) -> None:
    """Nor sorts before them: rows come in the order asked, and the missing have no number that could sort."""
    async with harness(board(order, rank=rank, cap=cap), backend) as here:
        await play(here, ("a", 50), ("b", 30), ("c", 10))
        rows = (await here.get("/rank", players="zz,a,yy,c"))["entries"]
    ranked = {"a": (50, 1), "c": (10, 3)} if order == "desc" else {"a": (50, 3), "c": (10, 1)}
    assert [row["player"] for row in rows] == ["zz", "a", "yy", "c"]
    assert [(row["score"], row["rank"]) for row in rows] == [
        ranked.get(p, (None, None)) for p in ("zz", "a", "yy", "c")
    ]


@each_numbering
async def test_the_first_place_is_1_and_never_a_falsy_0(rank: str, cap: int, backend: Backend) -> None:
    async with harness(board(rank=rank, cap=cap), backend) as here:
        answer = await here.submit("sole", 5)
        shown = await here.get("/rank", player="sole")
        found = [answer["standings"][0]["rank"], shown["entry"]["rank"], shown["entries"][0]["rank"]]
        found += [(await here.get("/top", player="sole"))["me"]["rank"], (await page(here))[0][2]]
        assert found == [1, 1, 1, 1, 1]


@each_numbering
async def test_a_score_of_0_is_a_score(rank: str, cap: int, backend: Backend) -> None:
    """Stored, ranked, remembered as the one to beat, and the best there is where lower is better."""
    async with harness(board("asc", rank=rank, cap=cap), backend) as here:
        [first, later, again] = await play(here, ("zero", 0), ("one", 1), ("zero", 3))
        assert (first["standings"][0]["score"], first["standings"][0]["rank"]) == (0, 1)
        assert (later["standings"][0]["rank"], again["standings"][0]["previous"], again["improved"]) == (2, 0, False)
        assert await page(here) == [("zero", 0, 1), ("one", 1, 2)]
        assert (await here.get("/rank", player="one"))["ahead"] == {"player": "zero", "score": 0, "gap": 1}


@pytest.mark.parametrize(
    ("order", "scores", "best"),
    [("desc", (0, -1), 0), ("asc", (0, 5), 0), ("desc", (-5, -10), -5), ("asc", (-5, -10), -10), ("asc", (0, -1), -1)],
)
async def test_a_falsy_or_negative_best_is_compared_like_any(
    order: str, scores: tuple[int, int], best: int, backend: Backend
) -> None:
    async with harness(board(order), backend) as here:
        await play(here, *(("p", score) for score in scores))
        assert await page(here) == [("p", best, 1)]


@both_orders
async def test_a_run_that_does_not_improve_touches_nothing(order: str, backend: Backend) -> None:
    async with harness(board(order), backend) as here:
        await play(here, ("p", 100))
        before = await stored(here)
        await play(here, ("p", 90 if order == "desc" else 110), ("p", 100), name="Other", meta={"depth": 9})
        assert await stored(here) == before


async def test_a_place_is_never_the_index_in_an_answer(backend: Backend) -> None:
    async with harness(board(), backend) as here:
        await play(here, *((f"p{score}", score) for score in range(10)))
        assert (await here.get("/rank", player="p4"))["entries"][0]["rank"] == 6
        assert (await here.get("/rank", players="p2,p9"))["entries"][0]["rank"] == 8
        assert await page(here, limit=1, offset=5) == [("p4", 4, 6)]


@both_orders
async def test_the_neighbourhood_is_not_off_by_one_at_the_edges(order: str, backend: Backend) -> None:
    firsts = {1: 1, 2: 1, 3: 1, 4: 2, 8: 6, 9: 6, 10: 6}
    async with harness(board(order), backend) as here:
        await play(here, *((f"p{rank}", -rank if order == "desc" else rank) for rank in range(1, 11)), ranks="none")
        for place, first in firsts.items():
            seen = (await here.get("/rank", player=f"p{place}", around=2))["entries"]
            assert [(row["player"], row["rank"]) for row in seen] == [(f"p{n}", n) for n in range(first, first + 5)]
        assert len((await here.get("/rank", player="p5", around=25))["entries"]) == 10
        assert [row["rank"] for row in (await here.get("/rank", player="p5"))["entries"]] == [5]


@both_orders
async def test_pages_neither_repeat_nor_skip_a_row(order: str, backend: Backend) -> None:
    async with harness(board(order), backend) as here:
        await play(here, *((f"p{number}", number) for number in range(25)), ranks="none")
        assert [rank for _, _, rank in await page(here, limit=10, offset=10)] == [*range(11, 21)]
        seen, following = await page(here, limit=10), 10
        while following:
            seen += await page(here, limit=10, offset=following)
            following = (await here.get("/top", limit=10, offset=following))["next"]
        assert [rank for _, _, rank in seen] == [*range(1, 26)]


@both_orders
@pytest.mark.parametrize("arrival", [(1, 2, 3, 4, 5), (5, 4, 3, 2, 1), (3, 5, 1, 4, 2)])
async def test_the_cut_takes_the_losers(arrival: tuple[int, ...], order: str, backend: Backend) -> None:
    async with harness(board(order, cap=3), backend) as here:
        await play(here, *((f"p{score}", score) for score in arrival))
        assert await players(here) == (["p5", "p4", "p3"] if order == "desc" else ["p1", "p2", "p3"])


@both_orders
@pytest.mark.parametrize("over", [1, 2, 10])
async def test_the_cut_takes_all_that_are_too_many(over: int, order: str, backend: Backend) -> None:
    """A lowered cap leaves any number of rows beyond it: unseen at once, gone with the next that enters."""
    sign = 1 if order == "desc" else -1
    async with harness(board(order), backend) as before, beside(before, backend, board(order, cap=3)) as here:
        await play(before, *((f"p{number}", sign * number) for number in range(3 + over)), ranks="none")
        best = [f"p{number}" for number in range(2 + over, over - 1, -1)]
        assert (await players(here), (await here.get("/top"))["total"]) == (best, 3)
        assert (await here.get("/rank", player="p0"))["entry"] is None
        await here.submit("new", sign * 100)
        assert await players(here) == ["new", *best[:2]]
        assert await here.command("ZCARD", f"laurel:{{b}}:{order[0]}b-:all:all:") == 3


@both_orders
@each_numbering
async def test_nobody_is_told_a_rank_beyond_the_cut(order: str, rank: str, cap: int, backend: Backend) -> None:
    """Four equals and a cap of three: the fourth is not kept, has no rank, and learns what there is to beat."""
    async with harness(board(order, cap=3, rank=rank), backend) as here:
        *_, last = await play(here, *((player, 100) for player in "abcd"))
        [standing] = last["standings"]
        shown = await here.get("/rank", player="d")
        top = await here.get("/top", player="d")
        hypothetical = await here.get("/rank", score=100)
    assert (standing["kept"], standing["rank"], standing["total"], standing["cutoff"]) == (False, None, None, 100)
    assert (shown["entry"], shown["best"], shown["cutoff"], shown["total"]) == (None, 100, 100, 3)
    assert (top["me"], top["total"], len(top["entries"]), hypothetical["rank"]) == (None, 3, 3, None)


@both_orders
@each_numbering
async def test_the_percentile_is_the_same_in_both_orders(order: str, rank: str, cap: int, backend: Backend) -> None:
    """100 for the first, also for the only one; equals share it where they share the rank."""
    sign = 1 if order == "desc" else -1
    async with harness(board(order, rank=rank, cap=cap), backend) as here:
        await play(here, ("p12", sign * 12))
        assert (await here.get("/rank", player="p12"))["percentile"] == 100
        await play(here, *((f"p{number}", sign * number) for number in range(11, 0, -1)), ("tie", sign * 6))
        tie = 46.15 if rank == "ordinal" else 53.85
        for player, percentile in {"p12": 100, "p11": 92.31, "p6": 53.85, "tie": tie, "p1": 7.69}.items():
            assert (await here.get("/rank", player=player))["percentile"] == percentile


@both_orders
async def test_ranges_of_scores_are_not_read_backwards(order: str, backend: Backend) -> None:
    """A reversed range with its ends the wrong way round is empty, and every newcomer would be first."""
    async with harness(board(order), backend) as here:
        await play(here, *((f"p{score}", score) for score in (1, 2, 3, 4, 5)))
        ranks = [(await here.get("/rank", score=score))["rank"] for score in (0, 1, 2.5, 5, 6)]
    assert ranks == ([6, 6, 4, 2, 1] if order == "desc" else [1, 2, 3, 6, 6])
