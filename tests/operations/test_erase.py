"""Erasure: nothing of a player is left but a ban, however much there was."""

from typing import Any

import pytest

from lib.boards.toml_file import parse_boards
from lib.errors import StoreUnavailable
from lib.operations.moderate import ban, erase, read_record
from tests.operations.moderated_boards import DAY, PLAIN, RECORD, SPLITS, WIDE, Operator, code
from tests.support.harness import NOON, harness
from tests.support.playing import expiries
from tests.support.ticket_runs import OPEN_GATES
from tools.upstash_emulator.backends import Backend, MemoryBackend


async def test_a_standing_that_the_configuration_no_longer_has_is_cleared_too(backend: Backend) -> None:
    """The record names it; a key is computed from that."""
    async with harness(WIDE, backend) as here:
        await here.submit("p1", 10, splits=SPLITS)
        here.deployment.boards = parse_boards(f'[board.b]\nwindows = ["all"]\n{OPEN_GATES}\n')
        assert await Operator(here).act(erase) == 9
        assert not await Operator(here).traces()


@pytest.mark.parametrize("cap", [1000, 0])
async def test_erasure_leaves_no_trace(cap: int, backend: Backend) -> None:
    """No row, no record, no name: what is left of other players is untouched."""
    profile = 'names = "profile"\n' if cap == 0 else ""
    async with harness(WIDE.replace("[board.b]", f"[board.b]\ncap = {cap}\n{profile}", 1), backend) as here:
        operator = Operator(here)
        for day in range(3):
            here.now = NOON + day * DAY
            for player in ("erased-one", "p2"):
                await here.submit(player, 10 + day, splits=SPLITS, name="Mina", meta={"ship": "argo"})
        others = await operator.traces("p2")
        assert await operator.act(erase, "erased-one") == 15
        assert await operator.traces("erased-one") == []
        assert await operator.traces("p2") == others


async def test_a_ban_survives_erasure(backend: Backend) -> None:
    async with harness(PLAIN, backend) as here:
        operator = Operator(here)
        await here.submit("p1", 10)
        await operator.act(ban)
        assert await operator.act(erase) == 1
        assert set(await here.command("HGETALL", RECORD)) == {"ban"}
        assert (await expiries(here))["db-:player:p1"] == -1
        assert await code(here) == (403, "banned")


async def test_erasure_of_more_standings_than_fit_one_script(backend: Backend) -> None:
    """Two windows of sixty levels: the last script of three takes the record with it."""
    levels = (
        f'[board.b]\nwindows = ["all", "daily"]\n{OPEN_GATES}\n[board.b.splits]\nlevel = {{ pattern = "[0-9]+" }}\n'
    )
    async with harness(levels, backend) as here:
        for level in range(60):
            await here.submit("p1", 10, splits={"level": str(level)})
        assert await Operator(here).act(erase) == 122
        assert await Operator(here).traces() == []


async def test_erasure_gives_up_on_a_player_who_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every time the record was read, there was a new standing: nothing is left half erased without a word."""
    daily = PLAIN.replace("[board.b]", '[board.b]\nwindows = ["daily"]')
    async with harness(daily, MemoryBackend()) as here:
        await here.submit("p1", 10)

        async def read_then_play(*arguments: Any) -> dict[str, str]:
            record = await read_record(*arguments)
            here.now += 7 * DAY
            await here.submit("p1", 10)
            return record

        monkeypatch.setattr("lib.operations.moderate.read_record", read_then_play)
        with pytest.raises(StoreUnavailable, match="ban them first"):
            await Operator(here).act(erase)
