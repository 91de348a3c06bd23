"""Ownership: whoever was given a player first keeps it, and nobody else can write, pose or block under that name."""

from typing import Any

import pytest

from tests.support.harness import Harness, harness
from tests.support.ticket_runs import OPEN_GATES, SECRETS, TICKETS, again, begin, kept, run_of, send, told
from tools.upstash_emulator.backends import Backend, MemoryBackend

SERVER = "the-token-of-a-backend"


async def test_a_player_is_minted_with_the_proof_that_it_is_ours(backend: Backend) -> None:
    """No two are the same, and the token opens the next run."""
    async with harness(TICKETS, backend, secrets=SECRETS) as here:
        one, other = await begin(here), await begin(here)
        assert one["player"].startswith("p_")
        assert one["player"] != other["player"]
        assert await send(here, run_of(await again(here, one), 10)) == (200, "stored")


@pytest.mark.parametrize("token", [None, "", "nonsense", "of another player", "a ticket"])
async def test_nobody_starts_a_run_for_somebody_else(token: str | None, backend: Backend) -> None:
    """Refused before the store is asked, so that guessing costs nothing and counts nowhere."""
    async with harness(TICKETS, backend, secrets=SECRETS) as here:
        mine, theirs = await begin(here), await begin(here)
        said = {"of another player": mine["player_token"], "a ticket": theirs["ticket"]}.get(token or "", token)
        proof = {} if said is None else {"player_token": said}
        here.start_meter()
        answer = await here.post("/start", board="b", player=theirs["player"], **proof)
        assert told(answer) == (403, "not_your_player")
        assert here.requests == 0


async def test_a_name_that_nobody_has_yet_cannot_be_claimed_either(backend: Backend) -> None:
    """A player of one's own choice needs a token, and only the operator or a backend can give one."""
    async with harness(TICKETS, backend, secrets=SECRETS) as here:
        assert told(await here.post("/start", board="b", player="champion")) == (403, "not_your_player")


async def test_a_token_without_its_player_is_a_mistake(backend: Backend) -> None:
    async with harness(TICKETS, backend, secrets=SECRETS) as here:
        token = (await begin(here))["player_token"]
        assert told(await here.post("/start", board="b", player_token=token)) == (422, "invalid")


async def test_nobody_overwrites_a_player_whose_ticket_they_do_not_have(backend: Backend) -> None:
    """Where the last score counts, this is how a score would be ruined."""
    board = TICKETS.replace("[board.b]", '[board.b]\nkeep = "last"')
    async with harness(board, backend, secrets=SECRETS) as here:
        mine, theirs = await begin(here), await begin(here)
        assert await send(here, run_of(theirs, 100)) == (200, "stored")
        before = await kept(here)
        assert await send(here, {**run_of(mine, 0), "player": theirs["player"]}) == (403, "ticket_invalid")
        assert await send(here, {"board": "b", "player": theirs["player"], "score": 0}) == (401, "ticket_required")
        assert await kept(here) == before


async def test_a_token_is_good_on_every_board(backend: Backend) -> None:
    boards = TICKETS + TICKETS.replace("[board.b]", "[board.c]")
    async with harness(boards, backend, secrets=SECRETS) as here:
        mine = await begin(
            here, "c", player=(started := await begin(here))["player"], player_token=started["player_token"]
        )
        assert await send(here, {**run_of(mine), "board": "c"}) == (200, "stored")


async def test_a_backend_starts_a_run_for_any_player(backend: Backend) -> None:
    """It is given no token of theirs: a backend needs none, and should have none to lose."""
    async with harness(TICKETS, backend, secrets=SECRETS, server_token=SERVER) as here:
        here.client.headers["Authorization"] = f"Bearer {SERVER}"
        started = await begin(here, player="champion")
        assert started["player_token"] is None
        del here.client.headers["Authorization"]
        assert await send(here, run_of(started)) == (200, "stored")


async def row_of(here: Harness, player: str) -> dict[str, Any]:
    """Return a player's row."""
    row: dict[str, Any] = (await here.get("/rank", player=player))["entry"]
    return row


@pytest.mark.parametrize("board", ["", 'keep = "sum"\n', 'keep = "last"\n', 'order = "asc"\n'])
async def test_a_name_spelt_like_a_player_does_not_pose_as_them(board: str, backend: Backend) -> None:
    """A newcomer is looked for in the standing by their id: an attacker's name that reads the same must not be them."""
    async with harness(f"[board.b]\n{board}{OPEN_GATES}\n", backend) as here:
        for number, player in enumerate(("attacker", "villain")):
            await here.submit(player, 1000 * number, name="champion")
        [standing] = (await here.submit("champion", 10, name="Mina"))["standings"]
        assert (standing["improved"], standing["previous"], standing["score"]) == (True, None, 10)
        assert (await row_of(here, "champion"))["name"] == "Mina"
        assert (await row_of(here, "attacker"))["score"] == 0
        assert (await here.get("/top"))["total"] == 3


async def test_a_name_spelt_like_a_player_is_not_shown_for_them() -> None:
    """Nor does a search for a player who is not there find whoever bears the name."""
    async with harness(f"[board.b]\n{OPEN_GATES}\n", MemoryBackend()) as here:
        await here.submit("attacker", 1000, name="champion")
        place = await here.get("/rank", player="champion")
        assert (place["entry"], place["best"]) == (None, None)
        assert (await here.get("/top", player="champion"))["me"] is None
