"""The smoke test itself: it passes where all is well, fails where it is not, and leaves nothing behind."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from lib.storage import scripts
from lib.storage.scripts import Script
from tests.cli.running_commands import TOKEN
from tests.support.lua_engines import gopher_lua
from tests.support.servers import redis_server, serve
from tools.cli import smoke
from tools.upstash_emulator.backends import MemoryBackend, RedisBackend
from tools.upstash_emulator.endpoint import make_endpoint


@pytest.mark.parametrize("flags", ["known", "unknown"])
async def test_smoke_passes_on_the_local_endpoint_and_leaves_nothing(
    flags: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    """And it touches nothing that was there before."""
    with serve(make_endpoint(MemoryBackend(), TOKEN, flags=flags)) as url:
        environ = {"UPSTASH_REDIS_REST_URL": url, "UPSTASH_REDIS_REST_TOKEN": TOKEN}

        def command(*words: str) -> Any:
            return httpx.post(url, json=words, headers={"Authorization": f"Bearer {TOKEN}"}).json()["result"]

        command("SET", "mine", "1")
        assert await smoke.main(environ) == 0
        assert command("KEYS", "*") == ["mine"]
    out = capsys.readouterr().out
    assert ("is used" if flags == "known" else "is not known here") in out
    assert "numbers: tonumber('1e-07') is 1e-07, an assignment from two calls is sound, scores read " in out
    assert "FAIL" not in out


async def test_smoke_fails_where_something_is_wrong(capsys: pytest.CaptureFixture[str]) -> None:
    """A wrong token, nobody there, no environment: each ends with a status that says so."""
    with serve(make_endpoint(MemoryBackend(), TOKEN)) as url:
        assert await smoke.main({"UPSTASH_REDIS_REST_URL": url, "UPSTASH_REDIS_REST_TOKEN": "wrong"}) == 1
    assert "FAIL" in capsys.readouterr().out
    assert await smoke.main({}) == 1
    assert capsys.readouterr().err == (
        "UPSTASH_REDIS_REST_URL: is missing; set UPSTASH_REDIS_REST_URL and UPSTASH_REDIS_REST_TOKEN.\n"
    )


@pytest.fixture
def other_engine(gopher_lua_program: Path) -> Iterator[dict[str, str]]:
    """Give the environment of a database with another Lua, which spells scores in another way."""
    with (
        redis_server() as behind,
        gopher_lua(gopher_lua_program, behind, exponents=True) as url,
        serve(make_endpoint(RedisBackend(url), TOKEN)) as address,
    ):
        yield {"UPSTASH_REDIS_REST_URL": address, "UPSTASH_REDIS_REST_TOKEN": TOKEN}


@pytest.mark.needs("redis", "go", "gopher-lua")
async def test_smoke_says_what_is_particular_about_an_engine(
    other_engine: dict[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    """It is no failure, because our scripts mind it."""
    assert await smoke.main(other_engine) == 0
    told = (
        "tonumber('1e-07') is nil, an assignment from two calls overwrites another local, scores read 1e-07 and 1e+15"
    )
    assert f"ok    numbers: {told} (" in capsys.readouterr().out


@pytest.mark.needs("redis", "go", "gopher-lua")
async def test_smoke_fails_where_our_scripts_do_not_mind_the_engine(
    other_engine: dict[str, str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    whole = scripts.script("submit")
    careless = re.sub(r"(local function number\(text\)\n)return .*", r"\1return text and tonumber(text)", whole.plain)
    assert careless != whole.plain
    monkeypatch.setattr("lib.submitting.submit.script", lambda name: Script(name, careless, whole.reads))
    assert await smoke.main(other_engine) == 1
    assert "FAIL  numbering: " in capsys.readouterr().out
