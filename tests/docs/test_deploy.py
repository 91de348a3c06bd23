"""`docs/deploy.md` against the code: settings, commands, log lines and links that it names, and its other host."""

import json
import os
import re
import shlex
import subprocess
import sys
import time
from pathlib import Path

import httpx

from lib.request_log import Line
from lib.settings import Settings
from tests.support.project import ROOT
from tests.support.servers import free_port
from tools.deploy.machine import OLDEST_NODE

TEXT = (ROOT / "docs" / "deploy.md").read_text("utf-8")
SERVERLESS = (ROOT / "serverless.yml").read_text("utf-8")
VERCEL = json.loads((ROOT / "vercel.json").read_text("utf-8"))
KNOWN = set(re.findall(r"\b[A-Z][A-Z_]{4,}\b", (ROOT / "lib" / "settings.py").read_text("utf-8")))


def anchors(path: Path) -> set[str]:
    """Return the anchors of a document's headings, as the usual renderers make them."""
    headings = re.findall(r"^#+ (.*)$", path.read_text("utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}


def test_every_variable_exists() -> None:
    """What a reader sets is read by the functions."""
    named = set(re.findall(r"\b(?:LAUREL|UPSTASH|KV)_[A-Z_]+|\bDATABASE_URL\b", TEXT))
    assert named
    assert named <= KNOWN


def test_every_make_target_exists() -> None:
    """What a reader makes can be made."""
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE))
    assert set(re.findall(r"\bmake ([a-z-]+)\b[`\n:; ]", TEXT)) - {"a"} <= targets


def test_every_link_leads_somewhere() -> None:
    """Files and headings are where the links say."""
    for name, anchor in re.findall(r"\]\((?!https?:)([^)#]*)#?([^)]*)\)", TEXT):
        path = ROOT / "docs" / (name or "deploy.md")
        assert path.exists(), name
        assert not anchor or anchor in anchors(path), f"{name}#{anchor}"


def test_the_log_line_is_as_it_is_written() -> None:
    """The example and the table have the keys of the line."""
    [example] = re.findall(r"^\{\"request_id.*\}$", TEXT, re.MULTILINE)
    keys = list(json.loads(Line("id", "submit").text(200)))
    assert list(json.loads(example)) == keys
    rows = re.findall(r"^\| (`\w+`(?:, `\w+`)*) \|", TEXT[TEXT.index("## Logs") :], re.MULTILINE)
    assert [key for row in rows for key in re.findall(r"\w+", row)] == keys


def test_the_numbers_are_those_of_the_files() -> None:
    """Time limits, retention, versions: each stands in one file, and here."""
    [timeout] = re.findall(r"^  timeout: (\d+)", SERVERLESS, re.MULTILINE)
    [duration] = {settings["maxDuration"] for settings in VERCEL["functions"].values()}
    assert f"| `maxDuration` in `vercel.json`, {duration} s | `timeout` in `serverless.yml`, {timeout} s |" in TEXT
    assert int(timeout) > Settings(url="", token="").timeout < duration
    [days] = re.findall(r"logRetentionInDays: (\d+)", SERVERLESS)
    assert f"kept for {days} days" in TEXT
    assert f"Node {'.'.join(map(str, OLDEST_NODE))} or later" in TEXT


def test_the_other_host_runs_as_it_is_written() -> None:
    """The last of its five lines serves the functions, and the log has our lines alone: a query names players."""
    [block] = re.findall(r"^## Any other host\n.*?^```sh\n(.*?)^```$", TEXT, re.MULTILINE | re.DOTALL)
    lines = block.splitlines()
    assert len(lines) == 5
    program, *arguments = shlex.split(lines[-1])
    assert program == "host/bin/uvicorn"
    port = free_port()
    arguments[arguments.index("--port") + 1] = str(port)
    arguments[arguments.index("--host") + 1] = "127.0.0.1"
    environ = {**os.environ, "UPSTASH_REDIS_REST_URL": "http://127.0.0.1:1", "UPSTASH_REDIS_REST_TOKEN": "t"}
    process = subprocess.Popen(
        [sys.executable, "-m", "uvicorn", *arguments],
        cwd=ROOT,
        env=environ,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    try:
        answer = _ask(f"http://127.0.0.1:{port}/top?board=nowhere&player=a-player")
    finally:
        process.terminate()
        log, _ = process.communicate(timeout=10)
    assert '"code": "unknown_board"' in log
    assert "a-player" not in log
    assert (answer.status_code, answer.json()["code"]) == (404, "unknown_board")


def _ask(url: str) -> httpx.Response:
    deadline = time.monotonic() + 20
    while True:
        try:
            return httpx.get(url)
        except httpx.ConnectError:
            assert time.monotonic() < deadline, "it did not start"
            time.sleep(0.05)
