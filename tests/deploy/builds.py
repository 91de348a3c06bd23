"""What the deployment tests share: built functions, started on their runtimes, and a store that watches its callers."""

import asyncio
import http.client
import os
import socket
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

import httpx
import pytest
from starlette.types import ASGIApp, Receive, Scope, Send

from tests.deploy.fake_lambda import Answer, Sent
from tests.support.project import ROOT
from tests.support.servers import serve
from tools.deploy import archive, aws, vercel
from tools.deploy.machine import copy_sources, find_python, sources
from tools.upstash_emulator.backends import MemoryBackend
from tools.upstash_emulator.endpoint import make_endpoint

TOKEN = "a-token-for-tests"


@dataclass
class WatchedStore:
    """A local endpoint that counts its callers' TCP connections, and answers after `delay` seconds."""

    app: ASGIApp
    url: str = ""
    delay: float = 0.0
    connections: set[tuple[str, int]] = field(default_factory=set)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one ASGI connection."""
        if scope["type"] == "http":
            self.connections.add(tuple(scope["client"]))
            await asyncio.sleep(self.delay)
        await self.app(scope, receive, send)

    def environ(self, boards: Path, **more: str) -> dict[str, str]:
        """Return the variables that lead a function here."""
        return {
            "UPSTASH_REDIS_REST_URL": self.url,
            "UPSTASH_REDIS_REST_TOKEN": TOKEN,
            "LAUREL_BOARDS": str(boards),
            **more,
        }


@contextmanager
def watched_store() -> Iterator[WatchedStore]:
    """Serve a store in memory that leaves idle connections open, as Upstash does."""
    endpoint = make_endpoint(MemoryBackend(), TOKEN)
    store = WatchedStore(endpoint)
    with serve(store, keep_alive=120) as url:
        store.url = url
        yield store


def files(folder: Path) -> set[str]:
    """Return the names of all files in a folder."""
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}


def listed(*patterns: str) -> set[str]:
    """Return the names of the project's files that match."""
    return {path.relative_to(ROOT).as_posix() for path in sources(*patterns)}


def planted(folder: Path, *patterns: str) -> set[str]:
    """Return the names of what is copied for a build from a project with secrets in every folder."""
    project, stage = folder / "project", folder / "stage"
    copy_sources(project, *patterns)
    vercel.plant(project)
    copy_sources(stage, *patterns, root=project)
    return files(stage)


def _unbuilt(what: str, command: str) -> None:
    reason = f"{what} is missing or out of date: {command}"
    if os.environ.get("CI") == "true":
        pytest.fail(f"{reason}, and with CI=true nothing may be left out", pytrace=False)
    pytest.skip(reason)


@dataclass(frozen=True)
class LambdaBuild:
    """An unpacked archive, the runtime's packages, and the interpreter for both."""

    python: Path
    task: Path
    runtime: Path
    archive: Path


def lambda_build(folder: Path) -> LambdaBuild:
    """Unpack the archive that this machine can run; skip where there is none, or not of the files as they are."""
    target = aws.runnable()
    if target is None:
        pytest.skip("the archives hold Linux packages, which this machine does not run")
    if not archive.is_fresh(target.path):
        _unbuilt(str(target.path.relative_to(ROOT)), "make lambda")
    python = find_python(target.python)
    assert python
    with zipfile.ZipFile(target.path) as packed:
        packed.extractall(folder)
    return LambdaBuild(python, folder, aws.runtime(target), target.path)


@dataclass(frozen=True)
class VercelBuild:
    """A function as `vercel build` made it, and its interpreter."""

    python: Path
    function: Path


def vercel_build() -> VercelBuild:
    """Return the function that was built; skip where there is none, or not of the files as they are."""
    if not any(find_python(version) for version in vercel.PYTHONS):
        pytest.skip(f"Vercel's runtime needs Python {' or '.join(vercel.PYTHONS)}, and there is none")
    python = vercel.built_python()
    if python is None:
        _unbuilt("dist/vercel", "make vercel")
    assert python
    return VercelBuild(python, vercel.FUNCTION)


@contextmanager
def dev_child(environ: dict[str, str]) -> Iterator[str]:
    """Serve the functions and the static files as `make dev` does, and give the address."""
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP) as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        address = f"http://127.0.0.1:{listener.getsockname()[1]}"
        process = subprocess.Popen(
            [sys.executable, "-m", "tools.dev.serve", str(listener.fileno())],
            cwd=ROOT,
            env={**os.environ, **environ},
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            pass_fds=[listener.fileno()],
        )
        try:
            httpx.get(f"{address}/health", timeout=20)
            yield address
        finally:
            process.communicate(timeout=10)


def send(address: str, sent: Sent) -> Answer:
    """Send a request over HTTP just as it is written, and return the answer."""
    connection = http.client.HTTPConnection(urlsplit(address).netloc, timeout=20)
    try:
        connection.putrequest(sent.method, sent.path, skip_accept_encoding=True)
        for name, value in sent.headers:
            connection.putheader(name, value)
        if sent.body:
            connection.putheader("Content-Length", str(len(sent.body)))
        connection.endheaders(sent.body or None)
        answer = connection.getresponse()
        headers: dict[str, list[str]] = {}
        for name, value in answer.getheaders():
            headers.setdefault(name.lower(), []).append(value)
        return Answer(answer.status, headers, answer.read())
    finally:
        connection.close()
