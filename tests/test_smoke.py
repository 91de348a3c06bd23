"""The smoke test itself: it passes where all is well, fails where it is not, and leaves nothing behind."""

from typing import Any

import httpx
import pytest

from tests.fixtures_cli import TOKEN
from tests.fixtures_redis import serve
from tools import smoke
from tools.backends import MemoryBackend
from tools.endpoint import make_endpoint


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
