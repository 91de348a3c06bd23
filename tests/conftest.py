"""What the whole suite shares: the programs of the machine that some tests need, and one Redis server for all."""

import asyncio
import os
import shutil
from collections.abc import AsyncIterator, Iterator
from contextlib import ExitStack
from glob import glob
from pathlib import Path
from typing import TYPE_CHECKING

import hypothesis
import pytest

if TYPE_CHECKING:
    from tools.upstash_emulator.backends import Backend

# A test never reaches the database, nor follows the settings, of the developer who runs it.
for variable in [*os.environ]:
    if variable.startswith(("LAUREL_", "UPSTASH_", "KV_REST_", "VERCEL")) or variable in {"DATABASE_URL", "REDIS_URL"}:
        del os.environ[variable]

# No deadline per example: on a busy machine it fails tests that are right.
hypothesis.settings.register_profile("laurel", parent=hypothesis.settings(), deadline=None)
hypothesis.settings.load_profile("laurel")

# Where each program may be: names are looked for in PATH, patterns in the file system.
PROGRAMS = {
    "redis": ("redis-server",),
    "postgres": ("postgres", "/usr/lib/postgresql/*/bin/postgres"),  # Debian keeps it out of PATH
    "chromium": ("chromium", "chromium-browser", "google-chrome"),
    "node": ("node",),
    "npm": ("npm",),
    "go": ("go",),
    "gopher-lua": ("/usr/share/gocode/src/github.com/yuin/gopher-lua",),
}

# What scripts may run on: Redis' own Lua, or gopher-lua before a Redis, which may spell scores as other servers do.
ENGINES = ("redis", "gopher-lua", "gopher-lua-exponents")


def locate(name: str) -> str | None:
    """Return the path of the program `name` (a key of PROGRAMS), or None where the machine lacks it."""
    for place in PROGRAMS[name]:
        found = max(glob(place), default=None) if "/" in place else shutil.which(place)
        if found:
            return found
    return None


def require(name: str) -> str:
    """Return the path of the program `name`; skip the test where it is missing, or fail it with CI=true."""
    path = locate(name)
    if path:
        return path
    reason = f"{PROGRAMS[name][0]} is not on this machine"
    if os.environ.get("CI") == "true":
        pytest.fail(f"{reason}, and with CI=true nothing may be left out", pytrace=False)
    pytest.skip(reason)


# Mangum makes a loop at import where there is none, and nobody closes it: give it one to find.
_loop = asyncio.new_event_loop()
asyncio.set_event_loop(_loop)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Let a run choose what its Redis runs scripts on."""
    parser.addoption("--engine", choices=ENGINES, default=ENGINES[0], help="what the real Redis runs scripts on")


def pytest_unconfigure() -> None:
    """Close the loop that the functions were imported under."""
    _loop.close()


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Judge `@pytest.mark.needs(...)` before the fixtures of the test are made."""
    for mark in item.iter_markers("needs"):
        for name in mark.args:
            require(name)


@pytest.fixture(scope="session")
def anyio_backend() -> str:
    """Run async tests on the loop the functions run on."""
    return "asyncio"


@pytest.fixture(scope="session")
def gopher_lua_program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the server that runs scripts on gopher-lua, once."""
    require("go")
    require("gopher-lua")
    from tests.support.lua_engines import build_gopher_lua

    return build_gopher_lua(tmp_path_factory.mktemp("engine"))


@pytest.fixture(scope="session")
def redis_url(request: pytest.FixtureRequest) -> Iterator[str]:
    """Start one real Redis for the session and give its URL; a test that uses it begins with FLUSHALL."""
    require("redis")
    from tests.support.lua_engines import gopher_lua  # here: most tests need no server, nor what starts one
    from tests.support.servers import redis_server

    engine = request.config.getoption("engine")
    with ExitStack() as opened:
        url = opened.enter_context(redis_server())
        if engine != "redis":
            program = request.getfixturevalue("gopher_lua_program")
            url = opened.enter_context(gopher_lua(program, url, exponents=engine.endswith("exponents")))
        yield url


@pytest.fixture(params=["memory", "redis"])
async def backend(request: pytest.FixtureRequest) -> "AsyncIterator[Backend]":
    """Give the Redis in memory, then a real one: what a test shows must hold on both."""
    from tools.upstash_emulator.backends import MemoryBackend, RedisBackend

    chosen = MemoryBackend() if request.param == "memory" else RedisBackend(request.getfixturevalue("redis_url"))
    yield chosen
    await chosen.close()
