"""Faults that real leaderboards shipped, in calendars, keys and expiry: none of them can happen here."""

import re
import time
from collections.abc import Iterator

import pytest

from lib.boards.toml_file import parse_boards
from lib.errors import Misconfigured
from tests.support.harness import NOON, harness
from tests.support.playing import beside, expiries, ms, page, play, players, status, stored
from tests.support.project import ROOT
from tools.upstash_emulator.backends import Backend

LUA = ROOT / "lib" / "storage" / "lua"
DAY = 86_400
OPEN = "limits = { per_ip = '0' }"
CALENDAR = "windows = ['all', 'daily', 'weekly', 'monthly', 'yearly']"
BOARD = f"[board.b]\n{CALENDAR}\n{OPEN}\n"
UNCAPPED = f"{BOARD}cap = 0\nnames = 'profile'\n"
SPLIT = f"[board.b]\nwindows = ['daily']\n{OPEN}\n[board.b.splits]\nlevel = {{ pattern = '[a-z0-9*-]+', max = 2 }}\n"
# The end of 2033-05-18, a Wednesday and the day of every harness, in epoch seconds.
MIDNIGHT = NOON // 1000 + DAY // 2


@pytest.mark.parametrize(
    ("now", "week", "day"),
    [
        ("2036-12-31T12:00:00+00:00", "2037-W01", "2036-12-31"),
        ("2037-12-31T23:59:59+00:00", "2037-W53", "2037-12-31"),
        ("2038-01-01T00:00:00+00:00", "2037-W53", "2038-01-01"),
        ("2038-01-04T00:00:00+00:00", "2038-W01", "2038-01-04"),
        ("2034-01-01T00:00:00+00:00", "2033-W52", "2034-01-01"),
    ],
)
async def test_a_week_has_the_year_of_its_thursday(now: str, week: str, day: str, backend: Backend) -> None:
    """The calendar year beside the week's number names another week, up to a year away."""
    async with harness(BOARD, backend) as here:
        here.now = ms(now)
        standings = {s["window"]: s["period"] for s in (await here.submit("p", 1))["standings"]}
        assert (standings["weekly"], standings["daily"], standings["yearly"]) == (week, day, day[:4])


@pytest.mark.parametrize(
    ("zone", "now", "week", "day", "starts"),
    [
        ("Asia/Tokyo", "2033-05-16T00:30:00+09:00", "2033-W20", "2033-05-16", "2033-05-15T15:00:00.000Z"),
        ("Asia/Tokyo", "2033-05-15T23:30:00+09:00", "2033-W19", "2033-05-15", "2033-05-14T15:00:00.000Z"),
        ("America/New_York", "2033-05-15T23:30:00-04:00", "2033-W19", "2033-05-15", "2033-05-15T04:00:00.000Z"),
    ],
)
async def test_day_and_week_are_of_one_zone(
    zone: str, now: str, week: str, day: str, starts: str, backend: Backend
) -> None:
    async with harness(f"{BOARD}timezone = '{zone}'", backend) as here:
        here.now = ms(now)
        standings = {s["window"]: s for s in (await here.submit("p", 1))["standings"]}
        assert (standings["weekly"]["period"], standings["daily"]["period"]) == (week, day)
        assert standings["daily"]["starts"] == starts


@pytest.fixture(params=["Asia/Tokyo", "America/Los_Angeles"])
def local_zone(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """Put the process into a zone of its own, as the server it runs on may be."""
    monkeypatch.setenv("TZ", request.param)
    time.tzset()
    yield request.param
    monkeypatch.undo()
    time.tzset()


async def test_the_zone_of_the_server_is_in_nothing(local_zone: str, backend: Backend) -> None:
    async with harness(BOARD, backend) as here:
        for hour in (-11, 0, 11):
            here.now = NOON + hour * 3_600_000
            answer = await here.submit("p", hour)
            assert answer["standings"][1]["period"] == "2033-05-18"
            assert answer["standings"][1]["starts"] == "2033-05-18T00:00:00.000Z"
        assert (await expiries(here))["db-:daily:2033-05-18:"] == MIDNIGHT + 8 * DAY


async def test_a_zone_is_more_than_an_offset(backend: Backend) -> None:
    async with harness(f"{BOARD}timezone = 'Europe/Paris'", backend) as here:
        for day, starts in (("2033-07-14", "2033-07-13T22:00:00.000Z"), ("2033-01-14", "2033-01-13T23:00:00.000Z")):
            assert (await here.get("/top", window="daily", at=day))["starts"] == starts
    with pytest.raises(Misconfigured, match="timezone"):
        parse_boards(f"{BOARD}timezone = '+01:00'")


@pytest.mark.parametrize("board", [BOARD, UNCAPPED], ids=["capped", "uncapped"])
async def test_windows_end_when_they_said_they_would(board: str, backend: Backend) -> None:
    """Whoever writes, and whenever: no write slides them, in seconds and not in milliseconds, from the first one on."""
    ends = {
        "db-:all:all:": -1,
        "db-:daily:2033-05-18:": MIDNIGHT + 8 * DAY,
        "db-:weekly:2033-W20:": MIDNIGHT + 4 * DAY + 5 * 7 * DAY,
        "db-:monthly:2033-05:": MIDNIGHT + 13 * DAY + 100 * DAY,
        "db-:yearly:2033:": MIDNIGHT + 227 * DAY + 800 * DAY,
    }
    async with harness(board, backend) as here:
        await play(here, ("first", 1))
        for later, run in enumerate([("second", 2), ("first", 3), ("first", 0), ("second", 4)]):
            here.now = NOON + (later + 1) * 2 * 3_600_000
            await play(here, run)
            assert {key: end for key, end in (await expiries(here)).items() if key in ends} == ends


async def test_the_all_time_board_does_not_expire(backend: Backend) -> None:
    """Neither by a window's timer that was put on all keys, nor by being idle, unless the board says so."""
    async with harness(BOARD, backend) as here:
        await play(here, ("p", 1))
        assert (await expiries(here))["db-:all:all:"] == -1
        here.now += 400 * DAY * 1000
        assert await players(here) == ["p"]
    async with harness(f"{BOARD}retain = {{ all = '90d' }}", backend) as here:
        await play(here, ("p", 1))
        assert (await expiries(here))["db-:all:all:"] == MIDNIGHT + 90 * DAY


async def test_no_key_is_left_without_its_timer(backend: Backend) -> None:
    """Set when the key is there, which EXPIRE demands, and set at once, which EXPIRE … GT does not."""
    board = SPLIT.replace(OPEN, "limits = { per_ip = '60/1m' }")
    async with harness(board, backend) as here:
        for day in range(4):
            here.now = NOON + day * DAY * 1000
            for level in ("a", "b"):
                await here.submit("p", day, splits={"level": level})
        times = await expiries(here)
        assert len([key for key in times if ":daily:" in key]) == 4 * (1 + 2 + 1)
        assert {key.split(":")[1] for key in times} == {"daily", "player"} | {
            key.split(":")[1] for key in times if key.startswith("gate:")
        }
        assert all(end > 0 for end in times.values())
        [gate] = [key for key in times if key.startswith("gate:")]
        assert 0 < await here.command("PTTL", f"laurel:{{b}}:{gate}") <= 60_000


async def test_the_timer_of_one_window_takes_no_name_from_another(backend: Backend) -> None:
    async with harness(UNCAPPED, backend) as here:
        await play(here, ("p", 1), name="Mina")
        times = await expiries(here)
        assert (times["profiles"], times["db-:player:p"]) == (-1, -1)
        await here.command("DEL", "laurel:{b}:db-:daily:2033-05-18:")  # as it will be gone in its time
        assert [row["name"] for row in (await here.get("/top", window="all"))["entries"]] == ["Mina"]


async def test_an_emptied_standing_gets_its_timer_back(backend: Backend) -> None:
    """Replacing its only row does not empty it, and whoever comes after its last row was taken out sets it again."""
    key, end = "db-:daily:2033-05-18:", MIDNIGHT + 8 * DAY
    async with harness(BOARD, backend) as here:
        await play(here, ("p", 1), ("p", 2), ("p", 3))
        assert (await expiries(here))[key] == end
        await here.command("ZREMRANGEBYRANK", f"laurel:{{b}}:{key}", "0", "-1")
        for run in (("p", 4), ("q", 1)):
            await play(here, run)
            assert (await expiries(here))[key] == end


async def test_losing_one_of_two_keys_loses_no_more(backend: Backend) -> None:
    """Eviction and expiry take any key: rows without a record still list, and nobody appears twice."""
    async with harness(BOARD, backend) as here:
        await play(here, ("p", 10), ("q", 5), name="Mina")
        await here.command("DEL", "laurel:{b}:db-:player:p")
        assert (await here.get("/top"))["entries"][0]["name"] == "Mina"
        assert (await here.get("/rank", player="p"))["entry"]["rank"] == 1
        [worse, better] = await play(here, ("p", 7), ("p", 12))
        assert (worse["improved"], worse["standings"][0]["previous"], better["improved"]) == (False, 10, True)
        assert await page(here) == [("p", 12, 1), ("q", 5, 2)]
        await here.command("DEL", "laurel:{b}:db-:all:all:")
        unranked = await here.get("/rank", player="p")
        assert (unranked["entry"], unranked["best"], unranked["total"]) == (None, 12, 0)
        await play(here, ("p", 13))
        assert await page(here) == [("p", 13, 1)]


async def test_losing_the_profiles_loses_only_names(backend: Backend) -> None:
    async with harness(UNCAPPED, backend) as here:
        await play(here, ("p", 10), name="Mina")
        await here.command("DEL", "laurel:{b}:profiles")
        [row] = (await here.get("/top", player="p"))["entries"]
        assert (row["rank"], row["score"], row["name"], row["meta"]) == (1, 10, None, {})


async def test_no_caller_can_make_up_boards_or_splits(backend: Backend) -> None:
    """Names that are not declared reach no store, and an open list of values has an end."""
    async with harness(SPLIT, backend) as here:
        for board in ("random", "B", "b ", "", "*", "b}:{x", "b:daily"):
            response = await here.post("/submit", board=board, player="p", score=1)
            assert (response.status_code, response.json()["code"]) == (404, "unknown_board")
        for splits in ({"level": "A"}, {"level": "a}"}, {"other": "a"}, {"level": "a" * 65}):
            response = await here.post("/submit", board="b", player="p", score=1, splits=splits)
            assert (response.status_code, response.json()["code"]) == (422, "unknown_split")
        assert here.requests == 0
        for number in range(10):
            response = await here.post("/submit", board="b", player="p", score=1, splits={"level": f"v{number}"})
            assert response.status_code == (200 if number < 2 else 429)
        assert len([key for key in await stored(here) if "level=" in key]) == 2


async def test_nothing_matches_what_a_user_wrote(backend: Backend) -> None:
    """Keys are computed, never looked for: a star is a letter, where it is allowed at all."""
    async with harness(SPLIT, backend) as here:
        await play(here, ("p", 1), splits={"level": "a"})
        assert await status(here, "/top", level="*") == (422, "unknown_split")
        assert await status(here, "/rank", player="*") == (422, "invalid")
        assert await status(here, "/top", board="*") == (404, "unknown_board")


def test_no_script_looks_for_keys() -> None:
    scripts = [path.read_text(encoding="utf-8") for path in LUA.rglob("*.lua")]
    called = {name for text in scripts for name in re.findall(r'(?:redis\.call|write)\(\s*"(\w+)"', text)}
    assert {"ZADD", "HMGET"} <= called
    assert not called & {"KEYS", "SCAN"}


async def test_a_board_lies_in_one_slot_of_a_cluster(backend: Backend) -> None:
    two = f"{SPLIT}\n[board.x]\n{OPEN}"
    async with harness(two, backend) as here, beside(here, backend, two, prefix="other") as other:
        await play(here, ("p", 1), splits={"level": "a"})
        await play(other, ("p", 1), board="x")
        tags = {re.fullmatch(r"(\w+):\{(\w+)\}:[^{}]*", key) for key in await stored(here)}
        assert {tag and tag.groups() for tag in tags} == {("laurel", "b"), ("other", "x")}
