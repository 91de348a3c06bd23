"""What an operator does to one player, everywhere the player stands: bans, and the export of all that is stored."""

from typing import Any

import pytest

from lib.operations.moderate import ban, erase, export, remove, unban
from tests.operations.moderated_boards import DAY, PLAIN, RECORD, SPLITS, WIDE, Operator, code, crowd
from tests.support.harness import harness
from tests.support.playing import expiries, players, stored
from tests.support.ticket_runs import kept
from tools.upstash_emulator.backends import Backend, MemoryBackend


async def test_a_banned_player_is_refused_everywhere(backend: Backend) -> None:
    """In every window, split and season to come: the ban is one field of the record that each submission reads."""
    async with harness(WIDE, backend) as here:
        operator = Operator(here)
        await crowd(here)
        await operator.act(ban)
        before = await kept(here)
        assert await code(here, splits=SPLITS) == (403, "banned")
        here.now += 40 * DAY
        assert await code(here, splits={"mode": "words"}) == (403, "banned")
        assert await kept(here) == before
        assert await code(here, "p2", splits=SPLITS) == (200, None)


@pytest.mark.parametrize("board", [PLAIN, PLAIN + "cap = 0\n"], ids=["cap", "no cap"])
async def test_a_ban_costs_no_command_and_leaves_the_rows(board: str, backend: Backend) -> None:
    async with harness(board, backend) as here:
        operator = Operator(here)
        await here.submit("p1", 10)
        await operator.act(ban)
        here.start_meter()
        assert await code(here) == (403, "banned")
        assert (here.billed, here.requests) == (2, 1)
        assert await players(here) == ["p1"]
        await operator.act(unban)
        here.start_meter()
        assert await code(here, score=9) == (200, None)
        assert (here.billed, here.requests) == (2, 1)


async def test_a_ban_outlives_the_record_and_unban_gives_it_its_end_back(backend: Backend) -> None:
    async with harness(PLAIN, backend) as here:
        operator = Operator(here)
        await here.submit("p1", 10)
        end = (await expiries(here))["db-:player:p1"]
        assert end > 0
        await operator.act(ban)
        assert (await expiries(here))["db-:player:p1"] == -1
        assert await operator.act(unban)
        assert (await expiries(here))["db-:player:p1"] == end
        assert not await operator.act(unban)


async def test_a_ban_needs_no_record(backend: Backend) -> None:
    """Nor does it make one: once it is taken back, the player is as new as before."""
    async with harness(PLAIN, backend) as here:
        operator = Operator(here)
        await operator.act(ban)
        assert await code(here) == (403, "banned")
        assert (await expiries(here))["db-:player:p1"] == -1
        await operator.act(unban)
        assert await stored(here) == {key: value for key, value in (await stored(here)).items() if ":gate:" in key}
        [standing] = (await here.submit("p1", 10))["standings"]
        assert (standing["improved"], standing["rank"]) == (True, 1)


async def test_export_shows_all_that_is_stored(backend: Backend) -> None:
    """Rows of days that the record no longer names too; and nothing at all of a player who is not there."""
    async with harness(WIDE, backend) as here:
        operator = Operator(here)
        await crowd(here)
        told = await operator.act(export)
        assert len(told["standings"]) == 15
        assert {(s["window"], s["period"]) for s in told["standings"]} == {
            ("daily", "2033-05-18"),
            ("daily", "2033-05-19"),
            ("daily", "2033-05-20"),
            ("weekly", "2033-W20"),
            ("all", "all"),
        }
        assert told["standings"][0]["name"] == "p1"
        assert told["standings"][0]["meta"] == {"ship": "p1"}
        assert told["record"]["fields"] == await here.command("HGETALL", RECORD)
        assert (told["banned"], told["record"]["expires_in"] > 0, told["profile"]) == (False, True, None)
        nothing: dict[str, Any] = {"banned": False, "record": None, "profile": None, "standings": []}
        assert await operator.act(export, "p") == {"board": "b", "player": "p", **nothing}


async def test_export_shows_the_profile(backend: Backend) -> None:
    async with harness(PLAIN + 'cap = 0\nnames = "profile"\n', backend) as here:
        await here.submit("p1", 1, name="Mina")
        assert (await Operator(here).act(export))["profile"] == {"name": "Mina", "meta": None}


async def test_the_operator_never_looks_through_the_database(monkeypatch: pytest.MonkeyPatch) -> None:
    """Removing, erasing and exporting compute their keys; only a standing itself may be searched."""
    async with harness(WIDE, MemoryBackend()) as here:
        await crowd(here)
        upstash, sent = here.deployment.store.upstash, []
        send = upstash._execute

        async def note(command: Any, **more: Any) -> Any:
            sent.append(command[0])
            return await send(command, **more)

        monkeypatch.setattr(upstash, "_execute", note)
        for action in (export, remove, erase, ban, unban):
            await Operator(here).act(action)
        assert sent
        assert not {"SCAN", "KEYS"}.intersection(sent)
