"""The script of `docs/embedding.md` is run as it stands, against an endpoint known by nothing but URL and token."""

import re
from collections.abc import AsyncIterator
from typing import Any

import httpx
import pytest

from functions.web import app as leaderboard
from lib.deployment import process_deployment
from tests.support.harness import TOKEN
from tests.support.project import ROOT
from tests.support.responses import problem, read
from tests.support.servers import serve
from tools.upstash_emulator.backends import MemoryBackend
from tools.upstash_emulator.endpoint import make_endpoint

SCRIPT = re.findall(
    r"^```python\n(.*?)^```$", (ROOT / "docs" / "embedding.md").read_text("utf-8"), re.DOTALL | re.MULTILINE
)[0]


@pytest.fixture
async def game(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[httpx.AsyncClient]:
    """Run the script in an environment of two variables, and give a client of its app."""
    with serve(make_endpoint(MemoryBackend(), TOKEN)) as address:
        monkeypatch.setenv("UPSTASH_REDIS_REST_URL", address)
        monkeypatch.setenv("UPSTASH_REDIS_REST_TOKEN", TOKEN)
        monkeypatch.chdir(ROOT)
        names: dict[str, Any] = {}
        exec(compile(SCRIPT, "game.py", "exec"), names)
        async with httpx.AsyncClient(
            transport=httpx.ASGITransport(app=names["app"]), base_url="http://game.test"
        ) as client:
            yield client
        await names["laurel"].close()


def test_the_script_has_twenty_lines() -> None:
    """As short as promised, blank lines aside."""
    assert len([line for line in SCRIPT.splitlines() if line.strip()]) <= 20


async def test_the_boards_answer_below_the_mount_and_without_http(game: httpx.AsyncClient) -> None:
    """The functions under a path of the game, and the same store read directly."""
    assert (await game.get("/champion")).json() == {"champion": None}
    body = {"board": "burrow", "player": "p1", "score": 1850, "name": "Mina"}
    for path in ("/board/submit", "/board/submit/"):
        assert read(await game.post(path, json=body))["player"] == "p1"
    assert (await game.get("/champion")).json() == {"champion": "Mina"}
    assert read(await game.get("/board/top?board=burrow"))["entries"][0]["name"] == "Mina"
    assert problem(await game.get("/board/champion"))["code"] == "not_found"
    assert problem(await game.get("/board/top?board=nowhere"))["code"] == "unknown_board"


@pytest.mark.parametrize(
    ("mount", "path", "found"),
    [
        ("", "/top", True),
        ("/board", "/board/top", True),
        ("/board/", "/board/top", True),
        ("/a/b", "/a/b/top/", True),
        ("/t", "/top", True),
        ("/board", "/top", True),
        ("/board", "/board", False),
        ("/board", "/board/board/top", False),
        ("", "/board/top", False),
    ],
)
async def test_a_mount_is_taken_off_the_path_once(mount: str, path: str, found: bool) -> None:
    """Some servers leave it in the path, as ASGI says, and some have taken it off already."""
    process_deployment.cache_clear()
    transport = httpx.ASGITransport(app=leaderboard, root_path=mount)
    async with httpx.AsyncClient(transport=transport, base_url="http://game.test") as client:
        response = await client.request("OPTIONS", path)
    assert response.headers["allow"] == ("GET, HEAD, OPTIONS" if found else "GET, HEAD, POST, OPTIONS")
