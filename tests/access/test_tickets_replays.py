"""A ticket is good for one run: the same run again is a retry, and anything else is refused by its code."""

import asyncio
import json
from collections.abc import Mapping
from typing import Any

import pytest

from lib.operations.moderate import erase
from tests.support.harness import Harness, harness
from tests.support.ticket_runs import HOUR, OPEN_GATES, SECRETS, TICKETS, again, begin, kept, run_of, send
from tools.upstash_emulator.backends import Backend


async def replay(here: Harness, body: Mapping[str, Any]) -> dict[str, Any]:
    """Send a run again, which must be known; return what its one standing says."""
    answer = (await here.client.post("/submit", content=json.dumps(body))).json()
    assert answer["replayed"] is True, answer
    [standing] = answer["standings"]
    assert isinstance(standing, dict)
    return standing


TWO_BOARDS = TICKETS + TICKETS.replace("[board.b]", "[board.c]")


async def test_a_run_with_its_ticket_is_stored_once(backend: Backend) -> None:
    async with harness(TICKETS, backend, secrets=SECRETS) as here:
        body = run_of(await begin(here), 10)
        assert await send(here, body) == (200, "stored")
        before = await kept(here)
        for _ in range(3):
            assert await send(here, body) == (200, "replayed")
        assert await kept(here) == before


async def test_a_retry_with_its_id_says_what_stands_now(backend: Backend) -> None:
    async with harness(TICKETS, backend, secrets=SECRETS) as here:
        started = await begin(here)
        body = run_of(started, 10, id="a-submission")
        assert await send(here, body) == (200, "stored")
        here.now += 1000
        assert await send(here, run_of(await again(here, started), 30)) == (200, "stored")
        standing = await replay(here, body)
        assert (standing["improved"], standing["score"]) == (True, 30)


async def test_a_miss_spends_its_ticket_too(backend: Backend) -> None:
    """A ticket is good for one run, whatever came of it; the same run again is a retry."""
    async with harness(TICKETS, backend, secrets=SECRETS) as here:
        started = await begin(here)
        assert await send(here, run_of(started, 50)) == (200, "stored")
        worse = run_of(await again(here, started), 40)
        assert await send(here, worse) == (200, "stored")
        assert await send(here, worse) == (200, "replayed")
        assert await send(here, {**worse, "score": 60}) == (403, "ticket_used")


@pytest.mark.parametrize("keep", ["best", "last", "sum"])
async def test_a_run_known_by_its_ticket_alone_says_what_stands_now(keep: str, backend: Backend) -> None:
    """Also where a miss left no id, and where the player was erased since: nothing stood before, nor is there a cut."""
    async with harness(f"{TICKETS}keep = '{keep}'\n", backend, secrets=SECRETS) as here:
        started = await begin(here)
        first = run_of(started, 10, id="the-first-run")
        assert await send(here, first) == (200, "stored")
        miss = run_of(await again(here, started), 0, id="no-better-run")
        assert await send(here, miss) == (200, "stored")
        store, board = here.deployment.store, here.deployment.board("b")
        await here.command("HDEL", store.keyspace(board).record(first["player"]), "ids")
        stands = 0 if keep == "last" else 10
        for body in (first, miss):
            standing = await replay(here, body)
            assert (standing["score"], standing["kept"], standing["previous"]) == (stands, True, None)
        await erase(store, board, first["player"], here.now)
        for body in (first, miss):
            standing = await replay(here, body)
            assert (standing["score"], standing["kept"], standing["previous"]) == (None, False, None)


@pytest.mark.parametrize(
    ("change", "refusal"),
    [
        ({"ticket": None}, (401, "ticket_required")),
        ({"ticket": "forged"}, (403, "ticket_invalid")),
        ({"player": "somebody-else"}, (403, "ticket_invalid")),
        ({"board": "c"}, (403, "ticket_invalid")),
        ({"score": 11, "id": "another-id"}, (403, "ticket_used")),
        ({"id": "another-id"}, (403, "ticket_used")),
    ],
    ids=str,
)
async def test_a_recorded_session_is_good_for_nothing_else(
    change: dict[str, Any], refusal: tuple[int, str], backend: Backend
) -> None:
    """Whoever listened in changes one thing: refused by the right code, and not a byte in the store is another."""
    async with harness(TWO_BOARDS, backend, secrets=SECRETS) as here:
        body = run_of(await begin(here), 10, id="the-first-id")
        assert await send(here, body) == (200, "stored")
        before = await kept(here)
        recorded = {name: value for name, value in {**body, **change}.items() if value is not None}
        assert await send(here, recorded) == refusal
        assert await kept(here) == before


async def test_the_recorded_id_with_another_score_is_id_reused(backend: Backend) -> None:
    async with harness(TICKETS, backend, secrets=SECRETS) as here:
        body = run_of(await begin(here), 10, id="the-first-id")
        assert await send(here, body) == (200, "stored")
        before = await kept(here)
        assert await send(here, {**body, "score": 11}) == (409, "id_reused")
        assert await kept(here) == before


async def test_a_recorded_session_from_another_address_is_the_same_submission(backend: Backend) -> None:
    """It is answered as the retry it is, for nothing of it is new; and nothing changes."""
    async with harness(TICKETS, backend, secrets=SECRETS) as here:
        body = run_of(await begin(here), 10, id="the-first-id")
        assert await send(here, body) == (200, "stored")
        before = await kept(here)
        async with here.client_at("198.51.100.9") as elsewhere:
            assert await send(here, body, elsewhere) == (200, "replayed")
            assert await send(here, {**body, "score": 99, "id": "another-id"}, elsewhere) == (403, "ticket_used")
        assert await kept(here) == before


@pytest.mark.parametrize("more", [{}, {"id": "the-first-id"}], ids=["no id", "its old id"])
async def test_a_recorded_session_after_its_expiry_is_expired(more: dict[str, Any], backend: Backend) -> None:
    """Also with the id that the record remembers, and without asking the store."""
    async with harness(TICKETS, backend, secrets=SECRETS) as here:
        body = run_of(await begin(here), 10, **more)
        assert await send(here, body) == (200, "stored")
        before = await kept(here)
        here.now += 2 * HOUR + 1
        here.start_meter()
        assert await send(here, body) == (403, "ticket_expired")
        assert here.requests == 0
        assert await kept(here) == before


@pytest.mark.parametrize("board", [TICKETS, f"[board.b]\n{OPEN_GATES}\n"], ids=["ticket", "open"])
@pytest.mark.parametrize("more", [{}, {"id": "one-and-the-same"}], ids=["no id", "id"])
async def test_a_thousand_replays_at_once_are_stored_once(board: str, more: dict[str, Any], backend: Backend) -> None:
    """All are answered 200; one of them was the first. An open board knows a retry by its id alone."""
    if not more and "ticket" not in board:
        more = {"id": "or-it-is-no-retry"}
    board = board.replace("[board.b]", '[board.b]\nkeep = "sum"')
    async with harness(board, backend, secrets=SECRETS) as here:
        body = run_of(await begin(here), 7, **more)
        outcomes: list[tuple[int, str]] = []
        for _ in range(10):
            outcomes += await asyncio.gather(*(send(here, body) for _ in range(100)))
        assert outcomes.count((200, "stored")) == 1
        assert outcomes.count((200, "replayed")) == 999
        [row] = (await here.get("/top"))["entries"]
        assert row["score"] == 7
