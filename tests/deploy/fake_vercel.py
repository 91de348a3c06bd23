"""Vercel's Python runtime on this machine: a function as `vercel build` made it, started as the platform starts it."""

import base64
import json
import os
import socket
import subprocess
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

TRAMPOLINE = "vc__handler__python"


@dataclass
class VercelFunction:
    """One started function: it takes HTTP at `port`; `seconds` from its start until it said so is its cold start."""

    process: subprocess.Popen[bytes]
    port: int = 0
    seconds: float = 0.0
    messages: list[dict[str, Any]] = field(default_factory=list)
    news: threading.Condition = field(default_factory=threading.Condition)

    @property
    def address(self) -> str:
        """The address it answers at."""
        return f"http://127.0.0.1:{self.port}"

    def log(self, requests: int) -> list[str]:
        """Return the lines it told the platform to log until it ended that many requests, which it says after each."""
        with self.news:
            if not self.news.wait_for(lambda: len(self._payloads("end")) >= requests, timeout=20):
                raise RuntimeError(f"only {len(self._payloads('end'))} of {requests} requests were ended")
            texts = [base64.b64decode(payload["message"]).decode() for payload in self._payloads("log")]
        return "\n".join(text.rstrip("\n") for text in texts).splitlines()

    def _payloads(self, kind: str) -> list[dict[str, Any]]:
        return [message["payload"] for message in self.messages if message["type"] == kind]

    def listen(self, connection: socket.socket) -> None:
        """Take in the messages of the runtime, each ended by a zero byte, until it is gone."""
        rest = b""
        with connection:
            while chunk := connection.recv(65536):
                *whole, rest = (rest + chunk).split(b"\0")
                for text in whole:
                    self._take(json.loads(text))

    def _take(self, message: dict[str, Any]) -> None:
        with self.news:
            self.messages.append(message)
            if message["type"] == "server-started":
                self.port = message["payload"]["httpPort"]
            self.news.notify_all()


@contextmanager
def started(
    python: Path, function: Path, environ: Mapping[str, str], *, trampoline: str = TRAMPOLINE
) -> Iterator[VercelFunction]:
    """Start a function from its folder, with its own environment and `environ`, and nothing of this process's."""
    config = json.loads((function / ".vc-config.json").read_text("utf-8"))
    with tempfile.TemporaryDirectory() as folder, socket.socket(socket.AF_UNIX) as listener:
        path = f"{folder}/ipc"
        listener.bind(path)
        listener.listen(1)
        given = {
            **config["environment"],
            # The platform's own launcher puts the folder beside the packages.
            "PYTHONPATH": f"{config['environment']['PYTHONPATH']}:.",
            "PATH": os.environ["PATH"],
            "PYTHONTZPATH": "",
            "VERCEL": "1",
            "VERCEL_IPC_PATH": path,
            **environ,
        }
        begun = time.perf_counter()
        with tempfile.TemporaryFile() as output:
            process = subprocess.Popen(
                [python, "-c", f"import {trampoline}"], cwd=function, env=given, stdout=output, stderr=output
            )
            running = VercelFunction(process)
            try:
                listener.settimeout(20)
                connection, _ = listener.accept()
                threading.Thread(target=running.listen, args=[connection], daemon=True).start()
                with running.news:
                    has_started = running.news.wait_for(lambda: running.port, timeout=20)
                if not has_started:
                    output.seek(0)
                    raise RuntimeError(f"the function did not start: {output.read().decode()}")
                running.seconds = time.perf_counter() - begun
                yield running
            finally:
                process.kill()
                process.wait(10)
