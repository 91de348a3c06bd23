"""Bans, removal, erasure, export: what an operator does to one player, everywhere the player stands."""

from typing import Any

import pytest

from lib.boardfile import parse
from lib.errors import Invalid, StoreUnavailable
from lib.holdings import live_periods, live_standings, places_of
from lib.moderation import ban, erase, export, forget, read_record, remove, unban
from lib.sweeping import escaped, newest_activity, reset, sweep
from tests.lab import NOON, Lab, lab
from tests.story import expiries, players, stored
from tests.trust import OPEN_GATES, kept
from tools.backends import Backend, MemoryBackend

DAY = 86_400_000
WIDE = f"""
[board.b]
windows = ["daily", "weekly", "all"]
meta = {{ ship = "str" }}
{OPEN_GATES}
[board.b.splits]
mode = ["time", "words"]
level = {{ pattern = "[a-z0-9]+", max = 5 }}
by = ["overall", "mode", "level+mode"]
"""
PLAIN = f"[board.b]\n{OPEN_GATES}\n"
SPLITS = {"mode": "time", "level": "a1"}
RECORD = "laurel:{b}:db-:player:p1"


class Desk:
    """The operator's side of a lab."""

    def __init__(self, here: Lab) -> None:
        self.here = here

    async def act(self, action: Any, player: str = "p1") -> Any:
        """Carry out an action on a player of board b."""
        return await action(self.here.deployment.store, self.here.deployment.board("b"), player, self.here.now)

    async def traces(self, player: str = "p1") -> list[str]:
        """Return every key and every text in the store that holds the player's id."""
        found = []
        for key, value in (await stored(self.here)).items():
            texts = [key, *(str(part) for part in (value if isinstance(value, list | dict) else [value]))]
            found += [text for text in texts if player in text]
        return found


async def code(here: Lab, player: str = "p1", score: float = 10**6, **more: Any) -> tuple[int, str | None]:
    """Submit; return status and code."""
    answer = await here.post("/submit", board="b", player=player, score=score, **more)
    return answer.status_code, answer.json().get("code")


async def crowd(here: Lab) -> None:
    """Let four players play three days, everywhere."""
    for day in range(3):
        here.now = NOON + day * DAY
        for number, player in enumerate(("p0", "p1", "p10", "p2")):
            here.now += 1
            await here.submit(player, 100 + 10 * number + day, splits=SPLITS, name="p1", meta={"ship": "p1"})


async def test_a_banned_player_is_refused_everywhere(backend: Backend) -> None:
    """In every window, split and season to come: the ban is one field of the record that each submission reads."""
    async with lab(WIDE, backend) as here:
        desk = Desk(here)
        await crowd(here)
        await desk.act(ban)
        before = await kept(here)
        assert await code(here, splits=SPLITS) == (403, "banned")
        here.now += 40 * DAY
        assert await code(here, splits={"mode": "words"}) == (403, "banned")
        assert await kept(here) == before
        assert await code(here, "p2", splits=SPLITS) == (200, None)


@pytest.mark.parametrize("board", [PLAIN, PLAIN + "cap = 0\n"], ids=["cap", "no cap"])
async def test_a_ban_costs_no_command_and_leaves_the_rows(board: str, backend: Backend) -> None:
    async with lab(board, backend) as here:
        desk = Desk(here)
        await here.submit("p1", 10)
        await desk.act(ban)
        here.start_meter()
        assert await code(here) == (403, "banned")
        assert (here.billed, here.requests) == (2, 1)
        assert await players(here) == ["p1"]
        await desk.act(unban)
        here.start_meter()
        assert await code(here, score=9) == (200, None)
        assert (here.billed, here.requests) == (2, 1)


async def test_a_ban_outlives_the_record_and_unban_gives_it_its_end_back(backend: Backend) -> None:
    async with lab(PLAIN, backend) as here:
        desk = Desk(here)
        await here.submit("p1", 10)
        end = (await expiries(here))["db-:player:p1"]
        assert end > 0
        await desk.act(ban)
        assert (await expiries(here))["db-:player:p1"] == -1
        assert await desk.act(unban)
        assert (await expiries(here))["db-:player:p1"] == end
        assert not await desk.act(unban)


async def test_a_ban_needs_no_record(backend: Backend) -> None:
    """Nor does it make one: once it is taken back, the player is as new as before."""
    async with lab(PLAIN, backend) as here:
        desk = Desk(here)
        await desk.act(ban)
        assert await code(here) == (403, "banned")
        assert (await expiries(here))["db-:player:p1"] == -1
        await desk.act(unban)
        assert await stored(here) == {key: value for key, value in (await stored(here)).items() if ":gate:" in key}
        [standing] = (await here.submit("p1", 10))["standings"]
        assert (standing["improved"], standing["rank"]) == (True, 1)


@pytest.mark.parametrize("cap", [3, 1000, 0])
async def test_removal_takes_a_player_off_every_live_standing(cap: int, backend: Backend) -> None:
    """Three days, a week, for ever, in three selections: fifteen standings, those that the record forgot included."""
    async with lab(WIDE.replace("[board.b]", f"[board.b]\ncap = {cap}", 1), backend) as here:
        desk = Desk(here)
        await crowd(here)
        assert len(await live_standings(here.deployment.store, here.deployment.board("b"), here.now)) == 15
        assert await desk.act(remove) == 15
        assert not [text for text in await desk.traces() if text.split("\t")[1:2] == ["p1"]]
        left = ["p2", "p10"] if cap == 3 else ["p2", "p10", "p0"]
        for at in ("0", "-1", "-2"):
            assert await players(here, window="daily", at=at, mode="time") == left
        assert (await here.get("/rank", player="p10", window="daily"))["entry"]["rank"] == 2
        assert (await here.get("/rank", player="p1", window="daily"))["entry"] is None


async def test_ranks_close_up_and_a_late_retry_brings_nothing_back(backend: Backend) -> None:
    async with lab(PLAIN, backend) as here:
        desk = Desk(here)
        await here.submit("p1", 900, id="the-cheat-s-own")
        await here.submit("p2", 10)
        assert await desk.act(remove) == 1
        assert (await here.get("/rank", player="p2"))["entry"]["rank"] == 1
        again = await here.submit("p1", 900, id="the-cheat-s-own")
        assert (again["replayed"], again["standings"][0]["kept"]) == (True, False)
        assert await players(here) == ["p2"]


async def test_a_cheat_s_score_does_not_stand_in_the_way_of_honest_ones(backend: Backend) -> None:
    async with lab(PLAIN, backend) as here:
        await here.submit("p1", 900)
        assert await Desk(here).act(remove) == 1
        [standing] = (await here.submit("p1", 10))["standings"]
        assert (standing["improved"], standing["previous"], standing["rank"]) == (True, None, 1)


async def test_removal_finds_rows_whose_record_is_lost(backend: Backend) -> None:
    """Also among rows beyond a cap that was lowered since, which no reader is shown."""
    async with lab(PLAIN, backend) as here:
        for number in range(150):
            await here.submit(f"q{number}", number + 10)
        await here.submit("p1", 1)
        await here.command("DEL", RECORD)
        assert await Desk(here).act(remove) == 1
        await here.submit("p1", 1)
        await here.command("DEL", RECORD)
    lowered = PLAIN + "cap = 2\n"
    async with lab(lowered, backend) as here:
        for number in range(150):
            await here.command("ZADD", "laurel:{b}:db-:all:all:", str(number + 10), f"8000000000000\tq{number}\tp1\t")
        await here.command("ZADD", "laurel:{b}:db-:all:all:", "1", "8000000000000\tp1\t\t")
        assert await Desk(here).act(remove) == 1
        assert await here.command("ZCARD", "laurel:{b}:db-:all:all:") == 150


async def test_removal_takes_the_row_that_is_there_by_then(monkeypatch: pytest.MonkeyPatch) -> None:
    """Between the look and the removal the player improves: it is the new row that goes."""
    async with lab(PLAIN, MemoryBackend()) as here:
        await here.submit("p1", 10)

        async def look_then_play(*arguments: Any) -> Any:
            places = await places_of(*arguments)
            here.now += 1
            await here.submit("p1", 20)
            return places

        monkeypatch.setattr("lib.moderation.places_of", look_then_play)
        assert await Desk(here).act(remove) == 1
        assert await players(here) == []


async def test_removal_of_a_player_who_is_not_there_changes_nothing(backend: Backend) -> None:
    async with lab(WIDE, backend) as here:
        await crowd(here)
        before = await kept(here)
        assert await Desk(here).act(remove, "p") == 0
        assert await Desk(here).act(erase, "p") == 0
        assert await kept(here) == before


async def test_a_standing_that_the_configuration_no_longer_has_is_cleared_too(backend: Backend) -> None:
    """The record names it; a key is computed from that."""
    async with lab(WIDE, backend) as here:
        await here.submit("p1", 10, splits=SPLITS)
        here.deployment.boards = parse(f'[board.b]\nwindows = ["all"]\n{OPEN_GATES}\n')
        assert await Desk(here).act(erase) == 9
        assert not await Desk(here).traces()


@pytest.mark.parametrize("cap", [1000, 0])
async def test_erasure_leaves_no_trace(cap: int, backend: Backend) -> None:
    """No row, no record, no name: what is left of other players is untouched."""
    profile = 'names = "profile"\n' if cap == 0 else ""
    async with lab(WIDE.replace("[board.b]", f"[board.b]\ncap = {cap}\n{profile}", 1), backend) as here:
        desk = Desk(here)
        for day in range(3):
            here.now = NOON + day * DAY
            for player in ("erased-one", "p2"):
                await here.submit(player, 10 + day, splits=SPLITS, name="Mina", meta={"ship": "argo"})
        others = await desk.traces("p2")
        assert await desk.act(erase, "erased-one") == 15
        assert await desk.traces("erased-one") == []
        assert await desk.traces("p2") == others


async def test_a_ban_survives_erasure(backend: Backend) -> None:
    async with lab(PLAIN, backend) as here:
        desk = Desk(here)
        await here.submit("p1", 10)
        await desk.act(ban)
        assert await desk.act(erase) == 1
        assert set(await here.command("HGETALL", RECORD)) == {"ban"}
        assert (await expiries(here))["db-:player:p1"] == -1
        assert await code(here) == (403, "banned")


async def test_erasure_of_more_standings_than_fit_one_script(backend: Backend) -> None:
    """Two windows of sixty levels: the last script of three takes the record with it."""
    levels = (
        f'[board.b]\nwindows = ["all", "daily"]\n{OPEN_GATES}\n[board.b.splits]\nlevel = {{ pattern = "[0-9]+" }}\n'
    )
    async with lab(levels, backend) as here:
        for level in range(60):
            await here.submit("p1", 10, splits={"level": str(level)})
        assert await Desk(here).act(erase) == 122
        assert await Desk(here).traces() == []


async def test_erasure_gives_up_on_a_player_who_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every time the record was read, there was a new standing: nothing is left half erased without a word."""
    daily = PLAIN.replace("[board.b]", '[board.b]\nwindows = ["daily"]')
    async with lab(daily, MemoryBackend()) as here:
        await here.submit("p1", 10)

        async def read_then_play(*arguments: Any) -> dict[str, str]:
            record = await read_record(*arguments)
            here.now += 7 * DAY
            await here.submit("p1", 10)
            return record

        monkeypatch.setattr("lib.moderation.read_record", read_then_play)
        with pytest.raises(StoreUnavailable, match="ban them first"):
            await Desk(here).act(erase)


async def test_export_shows_all_that_is_stored(backend: Backend) -> None:
    """Rows of days that the record no longer names too; and nothing at all of a player who is not there."""
    async with lab(WIDE, backend) as here:
        desk = Desk(here)
        await crowd(here)
        told = await desk.act(export)
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
        assert await desk.act(export, "p") == {"board": "b", "player": "p", **nothing}


async def test_export_shows_the_profile(backend: Backend) -> None:
    async with lab(PLAIN + 'cap = 0\nnames = "profile"\n', backend) as here:
        await here.submit("p1", 1, name="Mina")
        assert (await Desk(here).act(export))["profile"] == {"name": "Mina", "meta": None}


async def test_the_operator_never_looks_through_the_database(monkeypatch: pytest.MonkeyPatch) -> None:
    """Removing, erasing and exporting compute their keys; only a standing itself may be searched."""
    async with lab(WIDE, MemoryBackend()) as here:
        await crowd(here)
        upstash, sent = here.deployment.store.upstash, []
        send = upstash._execute

        async def note(command: Any, **more: Any) -> Any:
            sent.append(command[0])
            return await send(command, **more)

        monkeypatch.setattr(upstash, "_execute", note)
        for action in (export, remove, erase, ban, unban):
            await Desk(here).act(action)
        assert sent
        assert not {"SCAN", "KEYS"}.intersection(sent)


def test_live_periods_are_those_not_expired() -> None:
    """To the second: retained for a day, the day before yesterday's end is the last to go."""
    board = parse('[board.b]\nwindows = ["daily"]\nretain = { daily = "1d" }\n')["b"]
    midnight = NOON + DAY // 2
    assert [p.id for p in live_periods(board, midnight - 1)] == ["2033-05-18", "2033-05-17"]
    assert [p.id for p in live_periods(board, midnight)] == ["2033-05-19", "2033-05-18"]


def test_live_seasons_are_those_begun_and_not_expired() -> None:
    seasons = "\n".join(
        f'[[board.b.season]]\nname = "s{month}"\nstarts = 2033-0{month}-01T00:00:00Z\nends = 2033-0{month}-20T00:00:00Z'
        for month in (3, 4, 5, 6)
    )
    board = parse(f'[board.b]\nwindows = ["season"]\nretain = {{ season = "30d" }}\n{seasons}')["b"]
    assert [p.id for p in live_periods(board, NOON)] == ["s4", "s5"]


SUMS = PLAIN + 'keep = "sum"\ncap = 0\nnames = "profile"\n'


@pytest.mark.parametrize("board", [SUMS, PLAIN + "cap = 0\n"], ids=["sum", "best"])
async def test_a_sweep_removes_idle_players_and_no_others(board: str, backend: Backend) -> None:
    async with lab(board, backend) as here:
        desk = Desk(here)
        store, here_board = here.deployment.store, here.deployment.board("b")
        for player in ("idle-one", "banned-one", "active-one"):
            await here.submit(player, 10, name="Mina")
        await desk.act(ban, "banned-one")
        here.now += 60 * DAY
        await here.submit("active-one", 20)
        here.now += 31 * DAY
        swept = await sweep(store, here_board, 90 * DAY, here.now)
        assert (swept.players, swept.standings, swept.looked_at) == (1, 1, 3)
        assert await desk.traces("idle-one") == []
        assert await players(here) == ["active-one", "banned-one"]
        assert (await sweep(store, here_board, 90 * DAY, here.now)).players == 0


async def test_a_sweep_spares_whoever_comes_back_meanwhile(monkeypatch: pytest.MonkeyPatch) -> None:
    async with lab(SUMS, MemoryBackend()) as here:
        await here.submit("p1", 10)
        here.now += 91 * DAY

        async def play_first(*arguments: Any) -> int | None:
            await here.submit("p1", 5)
            return await forget(*arguments)

        monkeypatch.setattr("lib.sweeping.forget", play_first)
        swept = await sweep(here.deployment.store, here.deployment.board("b"), 90 * DAY, here.now)
        assert swept.players == 0
        assert (await here.get("/rank", player="p1"))["entry"]["score"] == 15


async def test_a_board_with_a_cap_is_not_swept() -> None:
    async with lab(PLAIN, MemoryBackend()) as here:
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
    async with lab(SUMS, MemoryBackend()) as here:
        assert newest_activity(here.deployment.board("b"), record, NOON) == NOON


async def test_reset_deletes_one_board_and_leaves_the_others(backend: Backend) -> None:
    """Boards whose names begin alike, and deployments with prefixes of their own, are other boards."""
    boards = "".join(f"[board.{name}]\n" for name in ("b", "b2", "a-b"))
    async with lab(boards, backend) as here:
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
