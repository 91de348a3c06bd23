"""What another library's tests expect, asked over HTTP: every case of theirs that the contract can express.

Equal scores lie in the order of their ids there, and in the order of arrival here. So the members arrive in the order
in which the other library lists equals: backwards by id where higher is better, forwards where lower is.
"""

import json
import math
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

import pytest

from tests.support.harness import Harness, harness
from tests.support.playing import play
from tests.support.project import ROOT
from tools.upstash_emulator.backends import Backend

CASES = json.loads((ROOT / "tests" / "parity" / "peer_cases.json").read_text(encoding="utf-8"))["cases"]

# Another path through the scripts each: no cap, one read of all rows, counting beside a cap that is too large for that.
CAPS = {"ordinal": (0, 1000), "competition": (0, 1000, 5000), "dense": (1000,)}
KEEPS = {"incr_then_score_and_ranks": "sum", "batches_then_ranks": "last"}

NOT_EXPRESSED = {
    "remove_score_range_then_count": "no route removes anything; the operator's `remove` takes one player",
    "union_sum": "boards are not merged: a game that wants one total declares a board with keep = sum",
    "intersect_sum": "likewise",
}

Ask = Mapping[str, Any]
Shown = list[Any]


def board(case: Mapping[str, Any], cap: int) -> str:
    """Return the text of the board of a case."""
    keep = KEEPS.get(case["ask"]["op"], "best")
    lines = (f'order = "{case["order"]}"', f'rank = "{case["rank"]}"', f'keep = "{keep}"', f"cap = {cap}")
    return "\n".join(["[board.b]", *lines, 'limits = { per_ip = "0" }'])


def members(case: Mapping[str, Any]) -> list[tuple[str, float]]:
    """Return the runs of a case in the order in which they arrive."""
    given = case["members"]
    if isinstance(given, int):
        given = [[f"member_{number}", number] for number in range(1, given + 1)]
    return sorted((tuple(pair) for pair in given), reverse=case["order"] == "desc")


async def rows(here: Harness, first: int, limit: int) -> list[dict[str, Any]]:
    """Return up to `limit` rows from the one at rank `first`."""
    return (await here.get("/top", offset=first - 1, limit=limit))["entries"]  # type: ignore[no-any-return]


async def page_rows(here: Harness, ask: Ask) -> list[dict[str, Any]]:
    return await rows(here, (ask["page"] - 1) * ask["page_size"] + 1, ask["page_size"])


def shown(row: Mapping[str, Any]) -> Shown:
    return [row["player"], row["score"], row["rank"]]


async def own_row(here: Harness, ask: Ask) -> dict[str, Any]:
    """Return the row of the one who is asked for, without values where there is none."""
    entry = (await here.get("/rank", player=ask["id"]))["entry"]
    return entry or {"score": None, "rank": None}


async def ranks(here: Harness, ask: Ask) -> dict[str, int]:
    answer = await here.get("/rank", players=",".join(ask["ids"]))
    return {row["player"]: row["rank"] for row in answer["entries"]}


async def pages(here: Harness, ask: Ask) -> int:
    total: int = (await here.get("/top"))["total"]
    return math.ceil(total / int(ask["page_size"]))


async def count_in_score_range(here: Harness, ask: Ask) -> int:
    """Count by two questions for a newcomer's rank, who comes behind all equals."""
    low = await here.get("/rank", score=ask["min"])
    high = await here.get("/rank", score=math.nextafter(ask["max"], math.inf))
    return int(low["rank"]) - int(high["rank"])


async def score_and_rank(here: Harness, ask: Ask) -> Shown:
    row = await own_row(here, ask)
    return [row["score"], row["rank"]]


async def page_of(here: Harness, ask: Ask) -> int:
    rank: int = (await own_row(here, ask))["rank"]
    return math.ceil(rank / int(ask["page_size"]))


async def incr_then_score_and_ranks(here: Harness, ask: Ask) -> dict[str, Any]:
    answer = await here.submit(ask["id"], ask["delta"])
    return {"score": answer["standings"][0]["score"], "ranks": await ranks(here, ask)}


async def batches_then_ranks(here: Harness, ask: Ask) -> dict[str, int]:
    for batch in ask["batches"]:
        await play(here, *batch)
    return await ranks(here, ask)


async def score_for_percentile(here: Harness, ask: Ask) -> list[float]:
    """Interpolate between the two rows about the place, which is what a client would do."""
    places = (await here.get("/top"))["total"] - 1
    scores = []
    for percentile in ask["p"]:
        place = places * (100 - percentile) / 100
        about = await rows(here, math.floor(place) + 1, 2)
        scores.append(about[0]["score"] + (about[-1]["score"] - about[0]["score"]) * (place % 1))
    return scores


async def friends(here: Harness, ask: Ask) -> list[Shown]:
    entries = (await here.get("/rank", players=",".join(ask["ids"])))["entries"]
    if not ask.get("include_missing", True):
        entries = [row for row in entries if row["rank"] is not None]
    if by := ask.get("sort_by"):
        entries.sort(key=lambda row: (row[by] is None, row[by]))
    return [shown(row) for row in entries]


async def by_score_range(here: Harness, ask: Ask) -> list[Shown]:
    """Read page after page, as `next` says."""
    found: list[Shown] = []
    offset: int | None = 0
    while offset is not None:
        answer = await here.get("/top", offset=offset, limit=7)
        found += [shown(row) for row in answer["entries"] if ask["min"] <= row["score"] <= ask["max"]]
        offset = answer["next"]
    return found


async def by_rank_range_ids(here: Harness, ask: Ask) -> list[str]:
    return [row["player"] for row in await rows(here, ask["from"], ask["to"] - ask["from"] + 1)]


async def at_rank(here: Harness, ask: Ask) -> Shown | None:
    """Return the row at a rank; a rank below 1 cannot be asked for."""
    response = await here.client.get("/top", params={"board": "b", "offset": ask["rank"] - 1, "limit": 1})
    if ask["rank"] < 1:
        assert response.status_code == 422
        return None
    return shown(response.json()["entries"][0])


async def around(here: Harness, ask: Ask) -> list[dict[str, Any]]:
    answer = await here.get("/rank", player=ask["id"], around=ask["page_size"] // 2)
    return answer["entries"]  # type: ignore[no-any-return]


async def keep_top_then_ids(here: Harness, ask: Ask) -> dict[str, Any]:
    """Read what a cap of `n` left of them; see `caps_of`."""
    answer = await here.get("/top")
    return {"removed": 5 - answer["total"], "ids": [row["player"] for row in answer["entries"]]}


async def field_of_own_row(here: Harness, ask: Ask) -> Any:
    row = await own_row(here, ask)
    return row["rank"] is not None if ask["op"] == "exists" else row[ask["op"]]


async def field_of_rows(here: Harness, ask: Ask) -> list[Any]:
    found = await (around(here, ask) if "id" in ask else page_rows(here, ask))
    return [row["player" if ask["op"].endswith("ids") else "rank"] for row in found]


async def around_len(here: Harness, ask: Ask) -> int:
    return len(await around(here, ask))


ANSWERS: Mapping[str, Callable[[Harness, Ask], Awaitable[Any]]] = {
    "score": field_of_own_row,
    "rank": field_of_own_row,
    "exists": field_of_own_row,
    "page_ids": field_of_rows,
    "page_ranks": field_of_rows,
    "around_ids": field_of_rows,
    "around_ranks": field_of_rows,
    **{
        answer.__name__: answer
        for answer in (pages, count_in_score_range, score_and_rank, page_of, incr_then_score_and_ranks, ranks)
    },
    **{answer.__name__: answer for answer in (batches_then_ranks, score_for_percentile, friends, by_score_range)},
    **{answer.__name__: answer for answer in (by_rank_range_ids, at_rank, around_len, keep_top_then_ids)},
}


def is_clipped(case: Mapping[str, Any]) -> bool:
    """Return whether a case clips the neighbourhood of the last player, which here is filled from the other side."""
    return bool(case["ask"]["op"] == "around_len" and case["expected"] < case["ask"]["page_size"])


def caps_of(case: Mapping[str, Any]) -> tuple[int, ...]:
    """Return the caps to show a case with; to keep the top `n` is to have that cap."""
    ask = case["ask"]
    return (ask["n"],) if ask["op"] == "keep_top_then_ids" else CAPS[case["rank"]]


def boards_of(case: Mapping[str, Any]) -> list[str]:
    """Return the names of a case's boards: cases that only ask share one, a case that writes has its own."""
    writer = CASES.index(case) if case["ask"]["op"] in KEEPS else None
    return [json.dumps([case["order"], case["rank"], case["members"], cap, writer]) for cap in caps_of(case)]


EXPRESSED = [case for case in CASES if case["ask"]["op"] not in NOT_EXPRESSED and not is_clipped(case)]
BOARDS = {
    name: [case for case in EXPRESSED if name in boards_of(case)] for case in EXPRESSED for name in boards_of(case)
}


@pytest.mark.parametrize("name", BOARDS)
async def test_the_cases_of_another_library_hold_here(name: str, backend: Backend) -> None:
    cases, cap = BOARDS[name], json.loads(name)[3]
    async with harness(board(cases[0], cap), backend) as here:
        await play(here, *members(cases[0]), ranks="none")
        for case in cases:
            assert await ANSWERS[case["ask"]["op"]](here, case["ask"]) == case["expected"], case["source"]


async def test_the_top_is_kept_whatever_the_order_of_arrival(backend: Backend) -> None:
    """The case that keeps the top 3 sends the best first; here they come last, so that the others are pushed out."""
    [case] = [case for case in CASES if case["ask"]["op"] == "keep_top_then_ids"]
    async with harness(board(case, 3), backend) as here:
        await play(here, *reversed(members(case)))
        assert await keep_top_then_ids(here, case["ask"]) == case["expected"]


async def test_the_last_of_a_board_has_as_many_neighbours_as_the_first(backend: Backend) -> None:
    """The one case we answer otherwise on purpose: the other library gives the first 25 rows and the last 13."""
    [case] = filter(is_clipped, CASES)
    async with harness(board(case, 0), backend) as here:
        await play(here, *members(case), ranks="none")
        found = await around(here, case["ask"])
    assert [row["rank"] for row in found] == [*range(52, 77)]


def test_no_case_is_left_out_without_a_reason() -> None:
    assert len(CASES) == 62
    assert {case["ask"]["op"] for case in CASES} == {*ANSWERS, *NOT_EXPRESSED}
    assert len(EXPRESSED) == 62 - len(NOT_EXPRESSED) - 1
    assert all(any(case in cases for cases in BOARDS.values()) for case in EXPRESSED)
