"""Lambda on this machine: the Runtime API that its real client polls, and events as a Function URL sends them."""

import base64
import json
import os
import queue
import subprocess
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

SOURCE = "203.0.113.7"
# Whatever else has a body, a Function URL hands on in base64.
TEXTUAL = ("text/", "application/json", "application/xml", "application/javascript")
VERSION = "/2018-06-01/runtime"


class FunctionError(Exception):
    """The function raised instead of answering, or did not even start; the text is what it told the Runtime API."""


class _RuntimeApi(ThreadingHTTPServer):
    """What the runtime polls: `events` go out one at a time, `outcomes` come back."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Exchange)
        self.events: queue.Queue[bytes] = queue.Queue()
        self.outcomes: queue.Queue[tuple[str, bytes]] = queue.Queue()
        self.polled = threading.Event()
        self.invocation = 0

    def handle_error(self, request: object, client_address: object) -> None:
        """Take no notice: a runtime that is stopped leaves its call for the next event behind."""


class _Exchange(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    # One write an answer, at once: Nagle's algorithm would add 40 ms to what a test measures.
    wbufsize = -1
    disable_nagle_algorithm = True
    server: _RuntimeApi

    def do_GET(self) -> None:
        """Hand out the next event, when there is one."""
        self.server.polled.set()
        event = self.server.events.get()
        self.server.invocation += 1
        deadline = int((time.time() + 10) * 1000)
        headers = {
            "Lambda-Runtime-Aws-Request-Id": f"00000000-0000-0000-0000-{self.server.invocation:012}",
            "Lambda-Runtime-Deadline-Ms": str(deadline),
            "Lambda-Runtime-Invoked-Function-Arn": "arn:aws:lambda:eu-central-1:000000000000:function:laurel",
            "Lambda-Runtime-Trace-Id": "Root=1-00000000-000000000000000000000000;Parent=0000000000000000;Sampled=0",
        }
        self._answer(200, event, headers)

    def do_POST(self) -> None:
        """Take in an answer or an error."""
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.server.outcomes.put((self.path.rsplit("/", 1)[-1], body))
        self._answer(202, b'{"status":"OK"}', {})

    def _answer(self, status: int, body: bytes, headers: Mapping[str, str]) -> None:
        self.send_response(status)
        for name, value in {**headers, "Content-Type": "application/json", "Content-Length": str(len(body))}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """Keep quiet."""


@dataclass
class Lambda:
    """One started function: `seconds` from its start to its first call for an event is its cold start."""

    api: _RuntimeApi
    process: subprocess.Popen[bytes]
    output: Path
    seconds: float = 0.0

    @property
    def log(self) -> str:
        """What it wrote to the log so far."""
        return self.output.read_text("utf-8")

    def invoke(self, event: object) -> Any:
        """Send one event and return the function's answer; raise FunctionError with what it says instead."""
        self.api.events.put(json.dumps(event).encode())
        kind, body = self.outcome()
        if kind != "response":
            raise FunctionError(body.decode())
        return json.loads(body)

    def outcome(self) -> tuple[str, bytes]:
        """Wait for what the function has to say."""
        try:
            return self.api.outcomes.get(timeout=15)
        except queue.Empty:
            raise FunctionError(f"nothing came back; its log: {self.log}") from None


@contextmanager
def started(python: Path, task: Path, runtime: Path, function: str, environ: Mapping[str, str]) -> Iterator[Lambda]:
    """Start a function as Lambda does: `task` is the unpacked archive, `runtime` holds awslambdaric.

    Nothing of this process's environment gets in, and no bytecode is written.
    """
    api = _RuntimeApi()
    threading.Thread(target=api.serve_forever, daemon=True).start()
    with tempfile.NamedTemporaryFile() as output:
        given = {
            "PATH": os.environ["PATH"],
            "LANG": "en_US.UTF-8",
            "TZ": ":UTC",
            "PYTHONPATH": str(runtime),
            # The archive's own bytecode is what is measured, and the machine's zones are not there on Lambda.
            "PYTHONDONTWRITEBYTECODE": "1",
            "PYTHONTZPATH": "",
            "AWS_LAMBDA_RUNTIME_API": f"127.0.0.1:{api.server_address[1]}",
            "AWS_LAMBDA_FUNCTION_NAME": "laurel",
            "AWS_LAMBDA_FUNCTION_VERSION": "$LATEST",
            "AWS_LAMBDA_FUNCTION_MEMORY_SIZE": "512",
            "LAMBDA_TASK_ROOT": str(task),
            "_HANDLER": f"functions/{function}.lambda_handler",
            **environ,
        }
        # The task's own folder comes first, as on Lambda, where the runtime's packages are the fallback.
        command: list[str | Path] = [python, "-m", "awslambdaric", f"functions/{function}.lambda_handler"]
        begun = time.perf_counter()
        process = subprocess.Popen(command, cwd=task, env=given, stdout=output, stderr=subprocess.STDOUT)
        running = Lambda(api, process, Path(output.name))
        try:
            while not api.polled.wait(0.001) and process.poll() is None and time.perf_counter() - begun < 20:
                pass
            running.seconds = time.perf_counter() - begun
            yield running
        finally:
            process.kill()
            process.wait(10)
            api.shutdown()
            api.server_close()


def _is_utf8(body: bytes) -> bool:
    try:
        return bool(body.decode()) or not body
    except UnicodeDecodeError:
        return False


@dataclass(frozen=True, kw_only=True)
class Sent:
    """One HTTP request, as a client sends it; `path` is as it stands in the request line, with its query."""

    method: str = "GET"
    path: str = "/"
    headers: tuple[tuple[str, str], ...] = ()
    body: bytes = b""

    def event(self, *, source: str = SOURCE) -> dict[str, Any]:
        """Return the event a Function URL makes of it (payload format 2.0)."""
        url = urlsplit(self.path)
        headers: dict[str, str] = {}
        cookies: list[str] = []
        for name, value in self.headers:
            key = name.lower()
            if key == "cookie":
                cookies += [part.strip() for part in value.split(";")]
            else:
                headers[key] = f"{headers[key]},{value}" if key in headers else value
        if self.body:
            headers["content-length"] = str(len(self.body))
        plain = headers.get("content-type", "").startswith(TEXTUAL) and _is_utf8(self.body)
        event: dict[str, Any] = {
            "version": "2.0",
            "routeKey": "$default",
            "rawPath": unquote(url.path),
            "rawQueryString": url.query,
            "headers": {
                "host": "abc.lambda-url.eu-central-1.on.aws",
                "x-forwarded-for": source,
                "x-forwarded-port": "443",
                "x-forwarded-proto": "https",
                **headers,
            },
            "requestContext": {
                "accountId": "anonymous",
                "http": {
                    "method": self.method,
                    "path": unquote(url.path),
                    "protocol": "HTTP/1.1",
                    "sourceIp": source,
                    "userAgent": headers.get("user-agent", ""),
                },
                "stage": "$default",
            },
            "isBase64Encoded": bool(self.body) and not plain,
        }
        if cookies:
            event["cookies"] = cookies
        if self.body:
            event["body"] = self.body.decode() if plain else base64.b64encode(self.body).decode()
        return event


@dataclass(frozen=True)
class Answer:
    """One HTTP answer: its header names are in lower case, each value in the order it came."""

    status: int
    headers: dict[str, list[str]] = field(default_factory=dict)
    body: bytes = b""

    @classmethod
    def of(cls, answer: Mapping[str, Any]) -> "Answer":
        """Return what a Function URL makes of a function's answer."""
        headers = {name.lower(): [value] for name, value in answer.get("headers", {}).items()}
        if answer.get("cookies"):
            headers["set-cookie"] = list(answer["cookies"])
        body = answer.get("body", "")
        return cls(
            answer["statusCode"],
            headers,
            base64.b64decode(body) if answer.get("isBase64Encoded") else body.encode(),
        )
