"""A served store, and ways to carry out commands on it and to play on it."""

import asyncio
import io
import json
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from lib.boards import toml_file
from lib.deployment import Deployment
from lib.settings import Settings
from tests.cli.running_commands import BOARDS, TOKEN, Run
from tests.support.servers import serve
from tools.cli.main import main
from tools.cli.trial import Trial
from tools.upstash_emulator.backends import MemoryBackend
from tools.upstash_emulator.endpoint import make_endpoint


@pytest.fixture
def environ(tmp_path: Path) -> Iterator[dict[str, str]]:
    """Serve an empty store and give a deployment's environment: address, token and boards, and no secrets."""
    path = tmp_path / "boards.toml"
    path.write_text(BOARDS)
    with serve(make_endpoint(MemoryBackend(), TOKEN)) as url:
        yield {"UPSTASH_REDIS_REST_URL": url, "UPSTASH_REDIS_REST_TOKEN": TOKEN, "LAUREL_BOARDS": str(path)}


@pytest.fixture
def run(environ: dict[str, str], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Run:
    """Give a way to carry out a command, for status, answer and complaint; nobody sits at the terminal."""
    monkeypatch.setattr(sys, "stdin", io.StringIO())

    def carry_out(*arguments: str, **more: str) -> tuple[int, str, str]:
        status = main(arguments, {**environ, **more})
        captured = capsys.readouterr()
        return status, captured.out, captured.err

    return carry_out


@pytest.fixture
def told(run: Run) -> Callable[..., Any]:
    """Give a way to carry out a command with --json, which must succeed."""

    def answer(*arguments: str, **more: str) -> Any:
        status, out, err = run(*arguments, "--json", **more)
        assert (status, err) == (0, ""), err
        return json.loads(out)

    return answer


@pytest.fixture
def play(environ: dict[str, str]) -> Callable[..., Any]:
    """Give a way to submit through the functions, on the same store and the real clock."""

    async def submit(bodies: tuple[dict[str, Any], ...]) -> list[Any]:
        settings = replace(Settings.read(environ), secrets=("s",), server_token="t")
        trial = Trial(Deployment(settings, toml_file.load(settings.boards_path)))
        try:
            return [(await trial.call("POST", "/submit", body)).json() for body in bodies]
        finally:
            await trial.close()

    def play_all(*bodies: dict[str, Any]) -> list[Any]:
        return asyncio.run(submit(tuple({"board": "b", "score": 1, **body} for body in bodies)))

    return play_all
