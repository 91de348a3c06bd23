"""`make dev`: the functions, the static files and a local Upstash endpoint, in two processes.

This one holds the endpoint and both listening sockets, so data and waiting callers outlive a reload; a child serves.
"""

import asyncio
import secrets
import signal
import socket
import sys
import time
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
from watchfiles import Change, awatch

from lib.boards import toml_file
from lib.errors import Misconfigured
from lib.settings import Settings
from tools.dev import example_requests
from tools.dev.local_store import address, listen, local_store
from tools.dev.serve import MISCONFIGURED, ROOT


@dataclass
class Stack:
    """Everything `make dev` runs: `environ` is what the child gets, `site` is the socket it serves on."""

    environ: dict[str, str]
    site: socket.socket
    boards_path: Path
    store: str
    announced: bool = False
    stop: asyncio.Event = field(default_factory=asyncio.Event)
    changes: asyncio.Queue[str] = field(default_factory=asyncio.Queue)

    @property
    def address(self) -> str:
        """Return where the functions answer."""
        return address(self.site)

    async def run(self) -> int:
        """Serve until told to stop, with a fresh child after every change; return an exit status."""
        while True:
            async with self._child() as child:
                status = await self._outcome(child)
            if status is not None:
                return status

    @asynccontextmanager
    async def _child(self) -> AsyncIterator[asyncio.subprocess.Process]:
        descriptor = self.site.fileno()
        child = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "tools.dev.serve", str(descriptor)),
            stdin=asyncio.subprocess.PIPE,
            env=self.environ,
            pass_fds=[descriptor],
            start_new_session=True,  # Ctrl-C is for this process, which lets the child finish its answers
        )
        assert child.stdin is not None
        try:
            yield child
        finally:
            child.stdin.close()
            try:
                await asyncio.wait_for(child.wait(), 5)
            except TimeoutError:
                child.kill()
                await child.wait()

    async def _outcome(self, child: asyncio.subprocess.Process) -> int | None:
        """Wait for what happens next; return an exit status, or None to go on with a new child."""
        checked = asyncio.create_task(self._check())
        stopped, changed = asyncio.create_task(self.stop.wait()), asyncio.create_task(self._change())
        ended = asyncio.create_task(child.wait())
        waiting: set[asyncio.Task[Any]] = {checked, stopped, changed, ended}
        try:
            while True:
                await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
                if stopped.done():
                    return 0
                if checked in waiting and checked.done():
                    waiting.discard(checked)
                    if not checked.result():
                        return 1
                if changed.done():
                    return None
                if ended in waiting and ended.done():
                    waiting.discard(ended)
                    if ended.result() == MISCONFIGURED or not self.announced:
                        return 1
                    print(f"The functions ended with status {ended.result()}: waiting for a change.", flush=True)
        finally:
            for task in (checked, stopped, changed, ended):
                task.cancel()

    async def _change(self) -> None:
        path = await self.changes.get()
        print(f"{path} changed: reloading.", flush=True)
        # One save often touches several files, and one reload is enough for them.
        while not self.changes.empty():
            self.changes.get_nowait()

    async def _check(self) -> bool:
        """Wait until `/health` answers 200 and say so the first time; return False for a wrong configuration."""
        complaint = ""
        async with httpx.AsyncClient(base_url=self.address, trust_env=False, timeout=10) as client:
            while True:
                with suppress(httpx.HTTPError, ValueError):
                    answer = await client.get("/health")
                    if answer.status_code == 200:
                        break
                    problem = answer.json()
                    if problem.get("code") == "misconfigured":
                        print(problem["detail"], file=sys.stderr, flush=True)
                        return False
                    if problem.get("detail") != complaint:
                        complaint = problem.get("detail")
                        print(f"Not ready yet: {complaint}", flush=True)
                await asyncio.sleep(0.05)
        if not self.announced:
            self.announced = True
            self._announce()
        return True

    def _announce(self) -> None:
        boards = toml_file.load(self.boards_path)
        lines = example_requests.curls(boards, self.address, time.time_ns() // 1_000_000)
        print(f"\nLaurel is ready: {self.address}   boards: {', '.join(boards)}\n{self.store}\n")
        print("\n".join(f"  {line}" for line in lines), flush=True)

    async def watch(self) -> None:
        """Note every change of the code and of the boards."""
        packages = [ROOT / "lib", ROOT / "functions"]
        folders = [path for package in packages for path in (package, *package.rglob("*")) if path.is_dir()]
        boards = self.boards_path.resolve()

        def counts(_: Change, path: str) -> bool:
            return Path(path) == boards or (Path(path).suffix in (".py", ".lua") and Path(path).parent in folders)

        # Not the boards file itself but its folder: many editors save by putting a new file in its place.
        async for batch in awatch(*{*folders, boards.parent}, watch_filter=counts, recursive=False):
            self.changes.put_nowait(Path(min(path for _, path in batch)).name)


async def main(environ: Mapping[str, str]) -> int:
    """Run the stack that an environment describes; return an exit status."""
    variables = dict(environ)
    if not variables.get("LAUREL_SECRET", "").strip():
        variables["LAUREL_SECRET"] = secrets.token_urlsafe(32)
    try:
        site = listen("PORT", 8787, environ)
        async with local_store(variables) as store:
            stack = Stack(variables, site, Settings.read(variables).boards_path, store)
            loop = asyncio.get_running_loop()
            for number in (signal.SIGINT, signal.SIGTERM):
                loop.add_signal_handler(number, stack.stop.set)
            watching = asyncio.create_task(stack.watch())
            try:
                return await stack.run()
            finally:
                watching.cancel()
    except Misconfigured as error:
        print(error.detail, file=sys.stderr)
        return 1
