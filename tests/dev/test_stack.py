"""`make dev` runs everything together, survives changes, refuses what is wrong by name, and leaves nothing behind."""

import os
import re
import shlex
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import httpx
import pytest
import redis

from tests.support.project import ROOT
from tests.support.servers import serve
from tools.upstash_emulator.backends import MemoryBackend
from tools.upstash_emulator.endpoint import make_endpoint

BOARDS = '[board.club]\nwindows = ["all", "daily"]\n'
PATIENCE = 30


class Dev:
    """One `python -m tools.dev` and what it has printed."""

    def __init__(self, **variables: str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "tools.dev"],
            cwd=ROOT,
            env={**os.environ, "PORT": "0", "STORE_PORT": "0", "PYTHONUNBUFFERED": "1", **variables},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )
        self.output = ""
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.output += line

    def printed(self, pattern: str) -> re.Match[str]:
        """Wait for a line that matches."""
        wait_for(lambda: re.search(pattern, self.output) or self.process.poll() is not None)
        match = re.search(pattern, self.output)
        assert match, self.output
        return match

    @property
    def address(self) -> str:
        """Wait until it is ready and return where."""
        return self.printed(r"ready: (\S+)")[1]

    def child(self) -> int:
        """Return the process id of the server it runs."""
        found = subprocess.run(["pgrep", "-P", str(self.process.pid)], capture_output=True, text=True, check=True)
        return int(found.stdout.split()[0])

    def ended(self) -> int:
        """Wait for its end and return its status."""
        status = self.process.wait(PATIENCE)
        self._reader.join(PATIENCE)
        return status


@contextmanager
def dev(**variables: str) -> Iterator[Dev]:
    """Run it for the length of a block."""
    stack = Dev(**variables)
    try:
        yield stack
    finally:
        if stack.process.poll() is None:
            stack.process.terminate()
        stack.ended()
        assert stack.process.stdout is not None
        stack.process.stdout.close()


def wait_for(condition: Callable[[], object]) -> None:
    """Wait until something is true."""
    deadline = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < deadline, "waited in vain"
        time.sleep(0.02)


def alive(pid: int) -> bool:
    """Say whether a process runs, and is not only waiting to be collected."""
    with suppress(OSError):
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    return False


@pytest.fixture
def boards(tmp_path: Path) -> Path:
    """Give a boards file that a test may change."""
    path = tmp_path / "boards.toml"
    path.write_text(BOARDS)
    return path


def _top(address: str) -> list[object]:
    return [entry["score"] for entry in httpx.get(f"{address}/top?board=club").json()["entries"]]


def _cap(address: str) -> object:
    # A caller whom the old server has just accepted, and not heard yet, is hung up on.
    with suppress(httpx.TransportError):
        return httpx.get(f"{address}/top?board=club").json()["cap"]
    return None


def test_the_printed_lines_work_data_outlive_a_reload_and_ctrl_c_ends_it_all(boards: Path) -> None:
    with dev(LAUREL_BOARDS=str(boards)) as stack:
        assert httpx.get(f"{stack.address}/health").json()["ok"] is True
        stack.printed(r"(?m)^  curl .*/top.*$")
        for line in re.findall(r"(?m)^  (curl .*)$", stack.output):
            answer = subprocess.run(shlex.split(line), capture_output=True, text=True, check=True).stdout
            assert '"score":100' in answer
        first = stack.child()

        boards.write_text(BOARDS + "cap = 7\n")
        stack.printed(r"boards.toml changed: reloading")
        wait_for(lambda: _cap(stack.address) == 7)
        assert _top(stack.address) == [100]
        second = stack.child()
        assert second != first

        stack.process.send_signal(signal.SIGINT)
        assert stack.ended() == 0
        assert not alive(first)
        assert not alive(second)
        assert "Traceback" not in stack.output


def test_the_store_it_prints_is_the_one_behind_the_functions(boards: Path) -> None:
    with dev(LAUREL_BOARDS=str(boards), UPSTASH_REDIS_REST_TOKEN="chosen") as stack:
        httpx.post(f"{stack.address}/submit", json={"board": "club", "player": "p1", "score": 5})
        store = stack.printed(r"UPSTASH_REDIS_REST_URL=(\S+) UPSTASH_REDIS_REST_TOKEN=(\S+)")
        assert store[2] == "chosen"
        assert httpx.get(f"{store[1]}/dbsize?_token=chosen").json()["result"] > 0
        assert httpx.get(f"{store[1]}/dbsize").status_code == 401


def test_a_forwarded_address_is_not_believed(tmp_path: Path) -> None:
    """uvicorn by itself takes the caller's address from a header that any caller can write."""
    boards = tmp_path / "boards.toml"
    boards.write_text('[board.club]\nlimits = { per_ip = "2/1h" }\n')
    with dev(LAUREL_BOARDS=str(boards)) as stack:
        statuses = [
            httpx.post(
                f"{stack.address}/submit",
                json={"board": "club", "player": "p1", "score": 5},
                headers={"X-Forwarded-For": f"203.0.113.{number}"},
            ).status_code
            for number in range(3)
        ]
    assert statuses == [200, 200, 429]


def test_broken_boards_end_it_with_the_line_that_says_why(boards: Path) -> None:
    boards.write_text('[board.club]\norder = "Desc"\n')
    with dev(LAUREL_BOARDS=str(boards)) as stack:
        assert stack.ended() != 0
        (line,) = stack.output.splitlines()
        assert "boards.toml" in line
        assert "order" in line


def test_boards_that_break_while_it_runs_end_it_too(boards: Path) -> None:
    with dev(LAUREL_BOARDS=str(boards)) as stack:
        child = stack.address and stack.child()
        # In place of the old file, as most editors save.
        new = boards.with_suffix(".new")
        new.write_text("[board.club]\nwindow = 1\n")
        new.replace(boards)
        assert stack.ended() != 0
        assert re.search(r"boards\.toml: .*window", stack.output)
        assert "Traceback" not in stack.output
        assert not alive(int(child))


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("LAUREL_TIMEOUT", "soon"),
        ("LAUREL_BOARDS", "/nowhere/boards.toml"),
        ("PORT", "http"),
        ("REDIS_URL", "redis://user:hush@127.0.0.1:1"),
        ("REDIS_URL", "redis://127.0.0.1:port"),
    ],
)
def test_a_wrong_variable_ends_it_with_one_line_that_names_it(name: str, value: str) -> None:
    with dev(**{name: value}) as stack:
        assert stack.ended() != 0
        (line,) = stack.output.splitlines()
        assert name in line
        assert "hush" not in line


@pytest.mark.parametrize("name", ["PORT", "STORE_PORT"])
def test_a_port_in_use_ends_it_with_one_line_that_names_it(name: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        with dev(**{name: port}) as stack:
            assert stack.ended() != 0
            (line,) = stack.output.splitlines()
            assert name in line
            assert port in line


def test_the_server_does_not_outlive_a_parent_that_was_killed(boards: Path) -> None:
    with dev(LAUREL_BOARDS=str(boards)) as stack:
        child = stack.address and stack.child()
        stack.process.kill()
        wait_for(lambda: not alive(int(child)))


@pytest.mark.needs("redis")
def test_a_redis_of_ones_own_may_stand_behind_it(boards: Path, redis_url: str) -> None:
    with redis.Redis.from_url(redis_url) as client, dev(LAUREL_BOARDS=str(boards), REDIS_URL=redis_url) as stack:
        client.flushall()
        httpx.post(f"{stack.address}/submit", json={"board": "club", "player": "p1", "score": 5})
        assert client.dbsize() > 0


def test_another_endpoint_takes_the_place_of_the_local_one(boards: Path) -> None:
    endpoint = make_endpoint(MemoryBackend(), "theirs")
    with serve(endpoint) as url:
        variables = {"UPSTASH_REDIS_REST_URL": url, "UPSTASH_REDIS_REST_TOKEN": "theirs"}
        with dev(LAUREL_BOARDS=str(boards), STORE_PORT="1", **variables) as stack:
            httpx.post(f"{stack.address}/submit", json={"board": "club", "player": "p1", "score": 5})
            assert endpoint.meter.billed > 0
            assert "theirs" not in stack.output
