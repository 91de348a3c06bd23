"""Writes that fail in the middle leave nothing behind, whichever command it is; a retry counts once."""

from typing import Any

import pytest

from lib.storage import scripts
from tests.regressions.test_writes import code_of
from tests.support.failing_scripts import broken
from tests.support.harness import NOON, Harness, harness
from tests.support.playing import page
from tests.support.ticket_runs import SECRETS, begin, kept, run_of
from tools.upstash_emulator.backends import Backend

DAY = 86_400_000
SPLITS = 'splits = { level = { pattern = "[a-z]+", max = 5 }, by = ["overall", "level"] }'
OPEN = "limits = { per_ip = '0', per_player = '90/1m' }"
BOARDS = {
    "capped": f"[board.b]\nkeep = 'sum'\ncap = 2\nwindows = ['all', 'daily']\nretain.all = '90d'\n{OPEN}\n{SPLITS}",
    "profile": f"[board.b]\nkeep = 'last'\ncap = 0\nnames = 'profile'\nwindows = ['daily', 'all']\n{OPEN}\n{SPLITS}",
    "ticket": f"[board.b]\nauth = 'ticket'\ncap = 2\n{OPEN}",
}
RUN: dict[str, Any] = {"player": "p1", "score": 7, "name": "Mina", "id": "an-id-of-mine", "splits": {"level": "a"}}


async def crowd(here: Harness) -> None:
    """Fill the board with others, some of whom will be trimmed, and with yesterday's run of the player."""
    here.now = NOON - DAY
    for player, score in (("p1", 1), ("p2", 5), ("p3", 6)):
        await here.submit(player, score, splits={"level": "a"})
    here.now = NOON


async def fail_each_write(here: Harness, monkeypatch: pytest.MonkeyPatch, **run: Any) -> int:
    """Let each write of one submission fail in turn; demand that nothing has changed. Return how many there are."""
    whole, before, number = scripts.script("submit"), await kept(here), 0
    while True:
        number += 1
        monkeypatch.setattr("lib.submitting.submit.script", lambda name, n=number: broken(whole, n))
        answer = await code_of(here, **run)
        if answer == (200, ""):
            return number - 1
        assert answer == (503, "store_unavailable")
        assert await kept(here) == before, f"write {number}"


@pytest.mark.parametrize("name", ["capped", "profile"])
async def test_whichever_write_fails_nothing_is_written(
    name: str, backend: Backend, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with harness(BOARDS[name], backend) as here:
        await crowd(here)
        writes = await fail_each_write(here, monkeypatch, **RUN)
        assert writes > 8
        again = await here.submit(**RUN)
        assert again["replayed"]
        score = 8 if name == "capped" else 7
        assert ("p1", score, 1) in await page(here, window="all")


async def test_a_newcomers_failed_write_leaves_no_key(backend: Backend, monkeypatch: pytest.MonkeyPatch) -> None:
    async with harness(BOARDS["capped"], backend) as here:
        assert await fail_each_write(here, monkeypatch, **RUN) > 8


async def test_a_failed_write_spends_no_ticket(backend: Backend, monkeypatch: pytest.MonkeyPatch) -> None:
    async with harness(BOARDS["ticket"], backend, secrets=SECRETS) as here:
        started = await begin(here)
        run = run_of(started, 5)
        del run["board"]
        assert await fail_each_write(here, monkeypatch, **run) >= 3
        assert await page(here) == [(started["player"], 5, 1)]


@pytest.mark.parametrize(
    ("name", "key"),
    [
        ("profile", "laurel:{b}:profiles"),
        ("profile", "laurel:{b}:dl-:all:all:level=a"),
        ("capped", "laurel:{b}:ds-:daily:2033-05-18:level=a"),
        ("capped", "laurel:{b}:ds-:daily:2033-05-18:values:level"),
        ("capped", "laurel:{b}:ds-:player:p1"),
    ],
)
async def test_a_key_of_another_type_leaves_nothing_half(name: str, key: str, backend: Backend) -> None:
    async with harness(BOARDS[name], backend) as here:
        await here.command("SET", key, "planted")
        for _ in range(5):
            assert await code_of(here, **RUN) == (503, "store_unavailable")
        assert await kept(here) == {key: "planted"}
        await here.command("DEL", key)
        assert not (await here.submit(**RUN))["replayed"]
        assert await page(here, window="all") == await page(here, window="all", level="a") == [("p1", 7, 1)]
