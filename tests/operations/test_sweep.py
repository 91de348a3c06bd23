"""Sweeps and resets: idle players go from a board without a cap, or everything goes from one board."""

from typing import Any

import pytest

from lib.errors import Invalid
from lib.operations.moderate import ban, forget
from lib.operations.sweep import escaped, reset, sweep
from lib.storage.records import newest_activity
from tests.operations.moderated_boards import DAY, PLAIN, Operator
from tests.support.harness import NOON, harness
from tests.support.playing import players
from tools.upstash_emulator.backends import Backend, MemoryBackend

SUMS = PLAIN + 'keep = "sum"\ncap = 0\nnames = "profile"\n'


@pytest.mark.parametrize("board", [SUMS, PLAIN + "cap = 0\n"], ids=["sum", "best"])
async def test_a_sweep_removes_idle_players_and_no_others(board: str, backend: Backend) -> None:
    async with harness(board, backend) as here:
        operator = Operator(here)
        store, here_board = here.deployment.store, here.deployment.board("b")
        for player in ("idle-one", "banned-one", "active-one"):
            await here.submit(player, 10, name="Mina")
        await operator.act(ban, "banned-one")
        here.now += 60 * DAY
        await here.submit("active-one", 20)
        here.now += 31 * DAY
        swept = await sweep(store, here_board, 90 * DAY, here.now)
        assert (swept.players, swept.standings, swept.looked_at) == (1, 1, 3)
        assert await operator.traces("idle-one") == []
        assert await players(here) == ["active-one", "banned-one"]
        assert (await sweep(store, here_board, 90 * DAY, here.now)).players == 0


async def test_a_sweep_spares_whoever_comes_back_meanwhile(monkeypatch: pytest.MonkeyPatch) -> None:
    async with harness(SUMS, MemoryBackend()) as here:
        await here.submit("p1", 10)
        here.now += 91 * DAY

        async def play_first(*arguments: Any) -> int | None:
            await here.submit("p1", 5)
            return await forget(*arguments)

        monkeypatch.setattr("lib.operations.sweep.forget", play_first)
        swept = await sweep(here.deployment.store, here.deployment.board("b"), 90 * DAY, here.now)
        assert swept.players == 0
        assert (await here.get("/rank", player="p1"))["entry"]["score"] == 15


async def test_a_board_with_a_cap_is_not_swept() -> None:
    async with harness(PLAIN, MemoryBackend()) as here:
        with pytest.raises(Invalid, match="remember"):
            await sweep(here.deployment.store, here.deployment.board("b"), DAY, here.now)


@pytest.mark.parametrize(
    "record",
    [
        {},
        {"seen": "x"},
        {"seen": "1 0", "ids": "odd"},
        {"seen": "1 0", "gate": "odd"},
        {"seen": "1 0", "all#0:": "odd"},
    ],
    ids=str,
)
async def test_what_is_not_understood_is_not_idle(record: dict[str, str]) -> None:
    async with harness(SUMS, MemoryBackend()) as here:
        assert newest_activity(here.deployment.board("b"), record, NOON) == NOON


async def test_reset_deletes_one_board_and_leaves_the_others(backend: Backend) -> None:
    """Boards whose names begin alike, and deployments with prefixes of their own, are other boards."""
    boards = "".join(f"[board.{name}]\n" for name in ("b", "b2", "a-b"))
    async with harness(boards, backend) as here:
        for board in ("b", "b2", "a-b"):
            await here.submit("p1", 10, board=board)
        await here.command("SET", "other:{b}:db-:all:all:", "x")
        await here.command("SET", "laurel:{b", "x")
        assert await reset(here.deployment.store, here.deployment.board("b")) == 3
        left = sorted(await here.command("KEYS", "*"))
        assert [key for key in left if "{b}" in key] == ["other:{b}:db-:all:all:"]
        assert len(left) == 3 + 3 + 2


def test_no_character_of_a_prefix_is_a_pattern() -> None:
    assert escaped("a*b?[c]^\\") == r"a\*b\?\[c\]\^" + "\\\\"
