"""Faults that real leaderboards shipped, in how they write: retries, races, halves. None of them can happen here."""

import asyncio
from collections.abc import Iterable
from typing import Any

import httpx
import pytest

from tests.support.harness import Harness, harness
from tests.support.playing import beside, expiries, page, play, stored
from tools.upstash_emulator.backends import Backend

OPEN = "limits = { per_ip = '0' }"
BEST = f"[board.b]\n{OPEN}\nmeta = {{ ship = 'str' }}\nwindows = ['all', 'daily']\n"
SUM = f"[board.b]\nkeep = 'sum'\n{OPEN}\n"
TICKET = f"{SUM}auth = 'ticket'"
LOST = httpx.ReadError("the connection was dropped")
LATE = httpx.ReadTimeout("no answer in time")


class Wire(httpx.AsyncBaseTransport):
    """The way to the store. Each request is carried out; then the next fault, if one is left, takes its answer."""

    def __init__(self, here: Harness, faults: Iterable[Exception]) -> None:
        self._inner = httpx.ASGITransport(app=here.endpoint)
        self._faults = iter(faults)

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        response = await self._inner.handle_async_request(request)
        fault = next(self._faults, None)
        if fault is not None:
            raise fault
        return response


class Hanging(httpx.AsyncBaseTransport):
    """A store that takes a request and never answers."""

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        await asyncio.Event().wait()
        raise AssertionError("nobody sets this event")


def connect(here: Harness, transport: httpx.AsyncBaseTransport) -> None:
    here.way.through = transport


async def code_of(here: Harness, **body: Any) -> tuple[int, str]:
    response = await here.post("/submit", board="b", **body)
    return response.status_code, response.json().get("code", "")


@pytest.mark.parametrize("named", [{}, {"id": "run-00000001"}])
async def test_our_own_second_try_does_not_count_twice(named: dict[str, str], backend: Backend) -> None:
    async with harness(SUM, backend) as here:
        await play(here, ("p", 50))
        connect(here, Wire(here, [LOST]))
        answer = await here.submit("p", 50, **named)
        assert (answer["replayed"], answer["improved"], answer["standings"][0]["score"]) == (True, True, 100)
        assert await page(here) == [("p", 100, 1)]


@pytest.mark.parametrize("limits", ["per_ip = '1/1m'", "per_player = '1/1m'", "cooldown = '10s'"])
async def test_our_own_second_try_passes_the_gate_that_the_first_one_passed(limits: str, backend: Backend) -> None:
    """Also when the first one was a miss, of which nothing is remembered but that it passed."""
    async with harness(f"[board.b]\nlimits = {{ {limits} }}", backend) as here:
        await play(here, ("p", 50))
        for score, best in ((40, 50), (60, 60)):
            here.now += 60_000
            connect(here, Wire(here, [LOST]))
            assert (await here.submit("p", score))["standings"][0]["score"] == best
        assert (await code_of(here, player="p", score=70))[0] == 429


async def test_only_a_lost_answer_is_asked_for_again_and_only_once(backend: Backend) -> None:
    """Not after the time is up, not after an error of the store, not for ever; the caller's retry is then safe."""
    async with harness(SUM, backend) as here:
        await play(here, ("other", 1))
        told: list[tuple[list[Exception], int]] = [([LATE], 1), ([LOST, LOST], 2), ([LOST, LATE], 2)]
        for number, (faults, requests) in enumerate(told):
            run = {"player": "p", "score": 50, "id": f"run-0000000{number}"}
            connect(here, Wire(here, faults))
            here.start_meter()
            assert await code_of(here, **run) == (503, "store_unavailable")
            assert here.requests == requests
            assert await code_of(here, **run) == (200, "")
            assert await page(here) == [("p", 50 * (number + 1), 1), ("other", 1, 2)]


async def test_an_error_of_the_store_is_not_answered_by_writing_again(backend: Backend) -> None:
    async with harness(SUM, backend) as here:
        await play(here, ("p", 1))
        await here.command("SET", "laurel:{b}:ds-:player:q", "no record")
        here.start_meter()
        assert await code_of(here, player="q", score=5) == (503, "store_unavailable")
        assert here.requests == 1


async def test_a_store_that_hangs_is_given_up_within_the_deadline(backend: Backend) -> None:
    """Neither the SDK's missing timeout nor its pause of 3 s before a retry is waited for."""
    async with harness(SUM, backend, timeout=0.05) as here:
        connect(here, Hanging())
        async with asyncio.timeout(2):
            response = await here.post("/submit", board="b", player="p", score=1)
        assert (response.status_code, response.json()["code"]) == (503, "store_unavailable")
        assert "retry-after" in response.headers


async def test_a_retry_of_the_caller_makes_no_second_entry(backend: Backend) -> None:
    async with harness(SUM, backend) as here:
        answers = [await here.submit("p", 50, id="run-00000001") for _ in range(8)]
        assert [answer["replayed"] for answer in answers] == [False] + [True] * 7
        assert await page(here) == [("p", 50, 1)]
        for other in ({"score": 51}, {"score": -50}):
            assert await code_of(here, player="p", id="run-00000001", **other) == (409, "id_reused")
        assert await page(here) == [("p", 50, 1)]


@pytest.mark.parametrize(("order", "best"), [("desc", 960), ("asc", 900)])
async def test_of_parallel_runs_the_better_stands(order: str, best: int, backend: Backend) -> None:
    """Reading, comparing and writing are one step, whatever process they come from and whoever comes last."""
    board = f"{BEST}order = '{order}'"
    async with harness(board, backend) as here, beside(here, backend, board) as other:
        scores = [900, 950, 910, 960, 905, 955] * 2
        await asyncio.gather(*((here, other)[i % 2].submit("p", score) for i, score in enumerate(scores)))
        assert await page(here) == [("p", best, 1)]


async def test_parallel_additions_all_count(backend: Backend) -> None:
    async with harness(SUM, backend) as here, beside(here, backend, SUM) as other:
        await asyncio.gather(*((here, other)[i % 2].submit("p", i) for i in range(20)))
        assert await page(here) == [("p", sum(range(20)), 1)]


@pytest.mark.parametrize("same", [True, False])
async def test_one_id_in_parallel_is_spent_once(same: bool, backend: Backend) -> None:
    async with harness(SUM, backend) as here, beside(here, backend, SUM) as other:
        runs = [{"player": "p", "score": 5 if same else 5 + i, "id": "run-00000001"} for i in range(6)]
        codes = await asyncio.gather(*(code_of((here, other)[i % 2], **run) for i, run in enumerate(runs)))
        assert sorted(codes) == [(200, "")] * 6 if same else [(200, "")] + [(409, "id_reused")] * 5
        assert len(await page(here)) == 1


@pytest.mark.parametrize("order", [(5, 6, 7), (7, 6, 5)])
async def test_a_ticket_is_consumed_with_the_write(order: tuple[int, ...], backend: Backend) -> None:
    """Of runs that bring one ticket at the same time one is stored: there is no moment between saving and spending."""
    async with harness(TICKET, backend, secrets=("a secret for tests",)) as here:
        given = (await here.post("/start", board="b")).json()
        run = {"player": given["player"], "ticket": given["ticket"]}
        codes = await asyncio.gather(*(code_of(here, score=score, **run) for score in order))
        assert sorted(codes) == [(200, ""), (403, "ticket_used"), (403, "ticket_used")]
        assert [score for _, score, _ in await page(here)] == [order[codes.index((200, ""))]]


@pytest.mark.parametrize(("order", "first", "second"), [("desc", 5, 6), ("asc", 12.3, 11.9)])
async def test_a_newcomer_enters_and_only_a_better_run_improves(
    order: str, first: float, second: float, backend: Backend
) -> None:
    """The GT that is right for high scores would keep the worst of low ones."""
    async with harness(f"{BEST}order = '{order}'", backend) as here:
        answers = await play(here, ("p", first), ("p", second), ("p", first), ("p", second))
        assert [answer["improved"] for answer in answers] == [True, True, False, False]
        assert [answer["standings"][0]["score"] for answer in answers] == [first, second, second, second]
        assert await page(here) == [("p", second, 1)]


async def test_an_improvement_brings_its_name_along(backend: Backend) -> None:
    """That a set did not grow (ZADD answers 0) does not mean that nothing changed."""
    async with harness(BEST, backend) as here:
        await play(here, ("p", 100), name="Old", meta={"ship": "A"})
        [answer] = await play(here, ("p", 110), name="New", meta={"ship": "B"})
        [row] = (await here.get("/top"))["entries"]
        assert (answer["improved"], row["name"], row["meta"]) == (True, "New", {"ship": "B"})


async def test_score_name_and_expiry_go_in_one_request(backend: Backend) -> None:
    """There is no moment between them in which a crash could leave half."""
    async with harness(BEST, backend) as here:
        await play(here, ("other", 1))
        here.start_meter()
        await play(here, ("p", 100), name="Mina", meta={"ship": "A"})
        assert here.requests == 1


async def test_a_name_never_stands_beside_the_score_of_another_run(backend: Backend) -> None:
    async with harness(BEST, backend) as here, beside(here, backend, BEST) as other:
        runs = [100, 110, 105, 120, 90]
        await asyncio.gather(
            *(
                (here, other)[i % 2].submit("p", s, name=f"run {s}", meta={"ship": f"of {s}"})
                for i, s in enumerate(runs)
            )
        )
        for window in ("all", "daily"):
            [row] = (await here.get("/top", window=window))["entries"]
            assert (row["score"], row["name"], row["meta"]) == (120, "run 120", {"ship": "of 120"})


async def test_a_command_that_fails_leaves_no_half_written_board(backend: Backend) -> None:
    """Whatever is of the wrong type is read before anything is written."""
    async with harness(BEST, backend) as here:
        await play(here, ("other", 1))
        for key in ("laurel:{b}:db-:player:p", "laurel:{b}:db-:daily:2033-05-18:"):
            kept = await stored(here)
            await here.command("DEL", key)
            await here.command("SET", key, "of another type")
            before = await stored(here)
            assert await code_of(here, player="p", score=5) == (503, "store_unavailable")
            assert await stored(here) == before != kept
            await here.command("DEL", key)


@pytest.mark.parametrize("order", ["desc", "asc"])
async def test_who_is_cut_leaves_no_orphan(order: str, backend: Backend) -> None:
    """Names are part of the rows, so they go with them; what is remembered of a player expires by itself."""
    sign = 1 if order == "desc" else -1
    async with harness(f"[board.b]\norder = '{order}'\ncap = 3\n{OPEN}", backend) as here:
        for number in range(5):
            await play(here, (f"p{number}", sign * number), name=f"Name {number}")
        times = await expiries(here)
        records = {key: ends for key, ends in times.items() if ":player:" in key}
        assert {*times} - {*records} == {f"{order[0]}b-:all:all:"}
        assert len(records) == 5
        assert all(ends > here.now // 1000 for ends in records.values())
        rows = await here.command("ZRANGE", f"laurel:{{b}}:{order[0]}b-:all:all:", "0", "-1")
        assert sorted(row.split("\t")[2] for row in rows) == ["Name 2", "Name 3", "Name 4"]


async def test_a_board_is_never_taken_for_another(backend: Backend) -> None:
    boards = "\n".join(f"[board.{name}]\nkeep = '{keep}'\n{OPEN}" for name, keep in (("b", "best"), ("x", "sum")))
    async with harness(boards, backend) as here:
        await play(here, ("p", 100))
        *_, answer = await play(here, ("p", 5), ("p", 3), board="x")
        assert answer["standings"][0]["score"] == 8
        assert (await page(here, board="x"), await page(here)) == ([("p", 8, 1)], [("p", 100, 1)])


async def test_meta_is_not_overwritten_by_a_worse_run_nor_by_another_board(backend: Backend) -> None:
    """Nor the all-time best's by today's best."""
    async with harness(f"{BEST}\n[board.x]\n{OPEN}\nmeta = {{ ship = 'str' }}", backend) as here:
        await play(here, ("p", 100), meta={"ship": "A"})
        await play(here, ("p", 80), meta={"ship": "B"})
        await play(here, ("p", 200), board="x", meta={"ship": "C"})
        here.now += 86_400_000
        await play(here, ("p", 90), meta={"ship": "D"})
        tops = (await here.get("/top", windows="all,daily"))["tops"]
        rows = [(row["score"], row["meta"]["ship"]) for top in tops for row in top["entries"]]
        assert rows == [(100, "A"), (90, "D")]
