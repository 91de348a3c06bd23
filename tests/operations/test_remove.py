"""Removal: a player goes from every standing that is still alive, and nobody else does."""

from typing import Any

import pytest

from lib.boards.toml_file import parse_boards
from lib.operations.find_player import live_periods, live_standings, places_of
from lib.operations.moderate import erase, remove
from tests.operations.moderated_boards import DAY, PLAIN, RECORD, WIDE, Operator, crowd
from tests.support.harness import NOON, harness
from tests.support.playing import players
from tests.support.ticket_runs import kept
from tools.upstash_emulator.backends import Backend, MemoryBackend


@pytest.mark.parametrize("cap", [3, 1000, 0])
async def test_removal_takes_a_player_off_every_live_standing(cap: int, backend: Backend) -> None:
    """Three days, a week, for ever, in three selections: fifteen standings, those that the record forgot included."""
    async with harness(WIDE.replace("[board.b]", f"[board.b]\ncap = {cap}", 1), backend) as here:
        operator = Operator(here)
        await crowd(here)
        assert len(await live_standings(here.deployment.store, here.deployment.board("b"), here.now)) == 15
        assert await operator.act(remove) == 15
        assert not [text for text in await operator.traces() if text.split("\t")[1:2] == ["p1"]]
        left = ["p2", "p10"] if cap == 3 else ["p2", "p10", "p0"]
        for at in ("0", "-1", "-2"):
            assert await players(here, window="daily", at=at, mode="time") == left
        assert (await here.get("/rank", player="p10", window="daily"))["entry"]["rank"] == 2
        assert (await here.get("/rank", player="p1", window="daily"))["entry"] is None


async def test_ranks_close_up_and_a_late_retry_brings_nothing_back(backend: Backend) -> None:
    async with harness(PLAIN, backend) as here:
        operator = Operator(here)
        await here.submit("p1", 900, id="the-cheat-s-own")
        await here.submit("p2", 10)
        assert await operator.act(remove) == 1
        assert (await here.get("/rank", player="p2"))["entry"]["rank"] == 1
        again = await here.submit("p1", 900, id="the-cheat-s-own")
        assert (again["replayed"], again["standings"][0]["kept"]) == (True, False)
        assert await players(here) == ["p2"]


async def test_a_cheat_s_score_does_not_stand_in_the_way_of_honest_ones(backend: Backend) -> None:
    async with harness(PLAIN, backend) as here:
        await here.submit("p1", 900)
        assert await Operator(here).act(remove) == 1
        [standing] = (await here.submit("p1", 10))["standings"]
        assert (standing["improved"], standing["previous"], standing["rank"]) == (True, None, 1)


async def test_removal_finds_rows_whose_record_is_lost(backend: Backend) -> None:
    """Also among rows beyond a cap that was lowered since, which no reader is shown."""
    async with harness(PLAIN, backend) as here:
        for number in range(150):
            await here.submit(f"q{number}", number + 10)
        await here.submit("p1", 1)
        await here.command("DEL", RECORD)
        assert await Operator(here).act(remove) == 1
        await here.submit("p1", 1)
        await here.command("DEL", RECORD)
    lowered = PLAIN + "cap = 2\n"
    async with harness(lowered, backend) as here:
        for number in range(150):
            await here.command("ZADD", "laurel:{b}:db-:all:all:", str(number + 10), f"8000000000000\tq{number}\tp1\t")
        await here.command("ZADD", "laurel:{b}:db-:all:all:", "1", "8000000000000\tp1\t\t")
        assert await Operator(here).act(remove) == 1
        assert await here.command("ZCARD", "laurel:{b}:db-:all:all:") == 150


async def test_removal_takes_the_row_that_is_there_by_then(monkeypatch: pytest.MonkeyPatch) -> None:
    """Between the look and the removal the player improves: it is the new row that goes."""
    async with harness(PLAIN, MemoryBackend()) as here:
        await here.submit("p1", 10)

        async def look_then_play(*arguments: Any) -> Any:
            places = await places_of(*arguments)
            here.now += 1
            await here.submit("p1", 20)
            return places

        monkeypatch.setattr("lib.operations.moderate.places_of", look_then_play)
        assert await Operator(here).act(remove) == 1
        assert await players(here) == []


async def test_removal_of_a_player_who_is_not_there_changes_nothing(backend: Backend) -> None:
    async with harness(WIDE, backend) as here:
        await crowd(here)
        before = await kept(here)
        assert await Operator(here).act(remove, "p") == 0
        assert await Operator(here).act(erase, "p") == 0
        assert await kept(here) == before


def test_live_periods_are_those_not_expired() -> None:
    """To the second: retained for a day, the day before yesterday's end is the last to go."""
    board = parse_boards('[board.b]\nwindows = ["daily"]\nretain = { daily = "1d" }\n')["b"]
    midnight = NOON + DAY // 2
    assert [p.id for p in live_periods(board, midnight - 1)] == ["2033-05-18", "2033-05-17"]
    assert [p.id for p in live_periods(board, midnight)] == ["2033-05-19", "2033-05-18"]


def test_live_seasons_are_those_begun_and_not_expired() -> None:
    seasons = "\n".join(
        f'[[board.b.season]]\nname = "s{month}"\nstarts = 2033-0{month}-01T00:00:00Z\nends = 2033-0{month}-20T00:00:00Z'
        for month in (3, 4, 5, 6)
    )
    board = parse_boards(f'[board.b]\nwindows = ["season"]\nretain = {{ season = "30d" }}\n{seasons}')["b"]
    assert [p.id for p in live_periods(board, NOON)] == ["s4", "s5"]
