"""Changes of `boards.toml` under a filled store: nobody stands twice, no total begins anew, nothing vanishes."""

import re

import pytest

from lib.boards.board import Board
from tests.support.harness import Harness, harness
from tests.support.playing import page, play
from tests.support.project import ROOT
from tools.upstash_emulator.backends import Backend

DOCS = (ROOT / "docs" / "boards.md").read_text("utf-8")
DAY = 86_400_000
RECORD = "laurel:{b}:%s:player:p1"


def board(*lines: str, keep: str = "sum") -> str:
    """Return a board of these lines without an address gate."""
    return "\n".join(["[board.b]", f"keep = '{keep}'", "limits = { per_ip = '0' }", *lines])


async def changed(here: Harness, boards: str, days: int = 0) -> None:
    """Deploy other boards, some days later."""
    await here.deployment.store.upstash.close()
    here.now += days * DAY
    here.deploy(boards)


@pytest.mark.parametrize(("keep", "stands"), [("sum", 107), ("best", 100), ("last", 7)])
async def test_a_cap_that_is_lifted_leaves_nobody_twice(keep: str, stands: int, backend: Backend) -> None:
    """Five days later the record of the capped time has expired, and the row is still there."""
    async with harness(board("cap = 1000", "remember = '2d'", keep=keep), backend) as here:
        await play(here, ("p1", 100), ("p2", 50))
        await changed(here, board("cap = 0", keep=keep), days=5)
        await here.command("DEL", RECORD % f"d{keep[0]}-")  # by the store's own clock no time has passed
        await play(here, ("p1", 7))
        assert sorted(await page(here)) == sorted(
            [("p1", stands, 1 if stands > 50 else 2), ("p2", 50, 2 if stands > 50 else 1)]
        )


async def test_a_record_of_an_uncapped_board_does_not_expire_any_more(backend: Backend) -> None:
    async with harness(board("cap = 1000", "remember = '2d'"), backend) as here:
        await play(here, ("p1", 100))
        assert await here.command("TTL", RECORD % "ds-") > 0
        await changed(here, board("cap = 0"))
        await play(here, ("p1", 7))
        assert await here.command("TTL", RECORD % "ds-") == -1
        await changed(here, board("cap = 3"))
        await play(here, ("p1", 1))
        assert await here.command("TTL", RECORD % "ds-") > 0
        assert await page(here) == [("p1", 108, 1)]


async def test_a_total_below_the_cut_goes_on_when_idle_standings_begin_to_end(backend: Backend) -> None:
    async with harness(board("cap = 1"), backend) as here:
        await play(here, ("p2", 50), ("p1", 30))
        await changed(here, board("cap = 1", "retain.all = '90d'"), days=1)
        [answer] = await play(here, ("p1", 10))
        assert answer["standings"][0]["score"] == 40
        await play(here, ("p1", 20))
        assert await page(here) == [("p1", 60, 1)]


async def test_a_standing_that_ends_no_more_when_idle_loses_its_timer(backend: Backend) -> None:
    split = 'splits.level = { pattern = "[a-z]" }'
    async with harness(board("retain.all = '90d'", split), backend) as here:
        await play(here, ("p1", 1), splits={"level": "a"})
        await changed(here, board(split))
        await play(here, ("p1", 1), splits={"level": "a"})
        for key in ("all:all:", "all:all:level=a", "all:all:values:level"):
            assert await here.command("TTL", f"laurel:{{b}}:ds-:{key}") == -1, key


async def test_names_stay_when_a_board_begins_to_show_profiles(backend: Backend) -> None:
    names = "meta = { ship = 'str' }"
    async with harness(board("cap = 0", names), backend) as here:
        await here.submit("p1", 1, name="Mina", meta={"ship": "a"})
        await here.submit("p2", 1, name="Zoe")
        await changed(here, board("cap = 0", "names = 'profile'", names))
        await here.submit("p2", 1, name="Zoë")
        rows = (await here.get("/top"))["entries"]
        assert {row["player"]: (row["name"], row["meta"]) for row in rows} == {
            "p1": ("Mina", {"ship": "a"}),
            "p2": ("Zoë", {}),
        }


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (["cap = 2"], ["cap = 5"]),
        (["cap = 0"], ["cap = 3"]),
        (["rank = 'ordinal'"], ["rank = 'competition'"]),
        (
            ["timezone = 'UTC'", "windows = ['daily', 'all']"],
            ["timezone = 'Europe/Berlin'", "windows = ['daily', 'all']"],
        ),
        (["windows = ['all']"], ["windows = ['all', 'monthly']"]),
        (["remember = '90d'"], ["remember = '2d'"]),
        (["score = { max = 1000 }"], ["score = { max = 20 }"]),
        (["name = { max = 24 }"], ["name = { max = 2 }"]),
        (["splits.level = ['a', 'b']"], ["splits.level = { pattern = '[a-z]', max = 1 }"]),
        (["splits.level = { pattern = '[a-z]' }"], ["splits.level = ['a', 'b']"]),
        (["splits.level = ['a']"], ["splits.level = ['a']", "splits.by = ['overall', 'level']"]),
        (["auth = 'open'"], ["cache = '0s'"]),
    ],
    ids=lambda lines: lines[0],
)
async def test_totals_go_on_under_other_rules_and_back(before: list[str], after: list[str], backend: Backend) -> None:
    splits = {"splits": {"level": "a"}} if any("level" in line for line in before) else {}
    async with harness(board(*before), backend) as here:
        await play(here, ("p1", 10), ("p2", 5), **splits)
        await changed(here, board(*after))
        await play(here, ("p1", 10), ("p2", 5), **splits)
        await changed(here, board(*before))
        await play(here, ("p1", 10), ("p2", 5), **splits)
        for query in ({}, {"level": "a"}) if splits else ({},):
            assert await page(here, window="all", **query) == [("p1", 30, 1), ("p2", 15, 2)]


@pytest.mark.parametrize("other", ["order = 'asc'", "keep = 'best'", "keep = 'last'"])
async def test_another_meaning_begins_empty_and_the_old_one_comes_back(other: str, backend: Backend) -> None:
    async with harness(board(), backend) as here:
        await play(here, ("p1", 10))
        await changed(here, board().replace("keep = 'sum'", other if "keep" in other else f"keep = 'sum'\n{other}"))
        assert await page(here) == []
        await play(here, ("p1", 3))
        await changed(here, board())
        assert await page(here) == [("p1", 10, 1)]


def test_the_docs_say_of_every_key_what_a_change_of_it_does() -> None:
    section = DOCS.partition("## Changing a live board")[2]
    told = {
        name.partition(".")[0]
        for row in re.findall(r"^\| (`[^|]*) \|", section, re.M)
        for name in re.findall(r"`([^`]*)`", row)
    }
    assert told == {(field.alias or name).partition(".")[0] for name, field in Board.model_fields.items()}


async def test_a_replay_says_what_its_run_improved_whatever_day_the_week_begins_on_now(backend: Backend) -> None:
    async with harness(board("windows = ['weekly']", "week_start = 'sunday'"), backend) as here:
        [first] = await play(here, ("p1", 1), id="0123456789abcdef")
        await changed(here, board("windows = ['weekly']", "week_start = 'monday'"))
        [again] = await play(here, ("p1", 1), id="0123456789abcdef")
        assert first["standings"][0]["period"] != again["standings"][0]["period"]
        assert (again["replayed"], again["standings"][0]["improved"], again["standings"][0]["kept"]) == (
            True,
            True,
            False,
        )
