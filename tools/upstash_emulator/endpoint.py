"""A Redis database behind Upstash's REST protocol, for this machine only.

Made from Upstash's documents and SDKs, not from a live database; `make smoke` tries one.
"""

import base64
import hmac
import secrets
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from itertools import count
from typing import Literal

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Mount
from starlette.types import Receive, Scope, Send

from tools.upstash_emulator import wire
from tools.upstash_emulator.backends import Backend
from tools.upstash_emulator.scripting import Finish, Scripts
from tools.upstash_emulator.wire import Answer, Command, Reply, ReplyError

_METHODS = frozenset({"GET", "HEAD", "POST", "PUT"})


@dataclass
class Meter:
    """What an Upstash database would have counted since the start, or since `reset`."""

    requests: int = 0
    """HTTP requests, refused ones too."""
    billed: int = 0
    """Billed commands: one a command, and one for each command a script called."""

    def reset(self) -> None:
        """Begin again at nothing."""
        self.requests = self.billed = 0


class _TooLargeError(Exception):
    """The body is over the limit; the argument is its size so far, in bytes."""


@dataclass
class _Result:
    content: Answer | Sequence[Answer]
    status: int = 200
    billed: int = 0


class Endpoint:
    """The ASGI application; `meter` counts what it did."""

    def __init__(self, backend: Backend, token: str, *, flags: Literal["known", "unknown"] = "known") -> None:
        self.meter = Meter()
        self._backend = backend
        self._token = token.encode()
        self._scripts = Scripts(backend.has_read_only_eval, knows_locking=flags == "known")
        self._states = count(1)
        self._origin = secrets.token_hex(4)
        self._app = Starlette(routes=[Mount("/", app=self._serve)], lifespan=self._lifespan)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one ASGI connection."""
        await self._app(scope, receive, send)

    @asynccontextmanager
    async def _lifespan(self, _: Starlette) -> AsyncIterator[None]:
        yield
        await self._backend.close()

    async def _serve(self, scope: Scope, receive: Receive, send: Send) -> None:
        request = Request(scope, receive)
        self.meter.requests += 1
        result = await self._result(request)
        self.meter.billed += result.billed
        headers = {"X-Billed-Commands": str(result.billed), "Upstash-Sync-Token": self._sync_token()}
        response = Response(wire.dump(result.content), result.status, headers, "application/json")
        await response(scope, receive, send)

    def _sync_token(self) -> str:
        """Return a token that no answer carried before: after every command the database is in another state."""
        return base64.b64encode(f"{self._origin}:{next(self._states)}".encode()).decode()

    async def _result(self, request: Request) -> _Result:
        if not self._admits(request):
            return _Result({"error": "WRONGPASS invalid or missing auth token"}, 401)
        if request.method not in _METHODS:
            return _Result({"error": "ERR method not allowed"}, 405)
        try:
            body = await _body(request)
            return await self._dispatch(request, body)
        except _TooLargeError as error:
            return _Result({"error": wire.too_large(error.args[0])}, 400)
        except ReplyError as error:
            return _Result({"error": error.text}, 400)
        except OSError as error:
            return _Result({"error": f"ERR the server behind this endpoint does not answer: {error}"}, 503)

    def _admits(self, request: Request) -> bool:
        scheme, _, token = request.headers.get("authorization", "").partition(" ")
        given = token if scheme.lower() == "bearer" else wire.query_token(request.scope["query_string"])
        return hmac.compare_digest(given.encode(), self._token)

    async def _dispatch(self, request: Request, body: bytes) -> _Result:
        encoded = request.headers.get("upstash-encoding", "").lower() == "base64"
        path = request.scope["raw_path"].partition(b"?")[0].rstrip(b"/")
        if path == b"/pipeline":
            return await self._pipeline(_commands(body, "pipeline"), encoded)
        if path == b"/multi-exec":
            return await self._transaction(_commands(body, "multi-exec"), encoded)
        if path:
            return await self._single(wire.path_command(path, request.scope["query_string"], body), encoded)
        return await self._single(wire.command(wire.parse_body(body, "command")), encoded)

    async def _single(self, command: Command, encoded: bool) -> _Result:
        sent, finish = self._scripts.prepare(command)
        (reply,) = await self._backend.run([sent])
        reply, billed = finish(reply)
        status = 400 if isinstance(reply, ReplyError) else 200
        return _Result(wire.answer(reply, encoded=encoded), status, billed)

    async def _pipeline(self, items: list[object], encoded: bool) -> _Result:
        plan = [self._planned(item) for item in items]
        replies = iter(await self._backend.run([step[0] for step in plan if not isinstance(step, ReplyError)]))
        results: list[tuple[Reply, int]] = [
            (step, 0) if isinstance(step, ReplyError) else step[1](next(replies)) for step in plan
        ]
        answers = [wire.answer(reply, encoded=encoded) for reply, _ in results]
        return _Result(answers, billed=sum(billed for _, billed in results))

    def _planned(self, item: object) -> tuple[Command, Finish] | ReplyError:
        try:
            return self._scripts.prepare(wire.command(item))
        except ReplyError as error:
            return error

    async def _transaction(self, items: list[object], encoded: bool) -> _Result:
        plan = [self._planned(item) for item in items]
        for step in plan:
            if isinstance(step, ReplyError):
                raise step
        steps = [step for step in plan if not isinstance(step, ReplyError)]
        replies = await self._backend.transaction([sent for sent, _ in steps])
        results = [finish(reply) for (_, finish), reply in zip(steps, replies, strict=True)]
        answers = [wire.answer(reply, encoded=encoded) for reply, _ in results]
        return _Result(answers, billed=sum(billed for _, billed in results))


def make_endpoint(backend: Backend, token: str, *, flags: Literal["known", "unknown"] = "known") -> Endpoint:
    """Return the endpoint of a backend; with `flags="unknown"` it refuses `allow-key-locking`, as other servers do."""
    return Endpoint(backend, token, flags=flags)


def _commands(body: bytes, kind: str) -> list[object]:
    items = wire.parse_body(body, f"{kind} request")
    if not items:
        raise ReplyError(f"ERR empty {kind} request")
    if not all(isinstance(item, list) for item in items):
        raise ReplyError(f"ERR failed to parse {kind} request")
    return items


async def _body(request: Request) -> bytes:
    announced = int(request.headers.get("content-length", "0"))
    if announced > wire.LIMIT:
        raise _TooLargeError(announced)
    chunks, size = [], 0
    async for chunk in request.stream():
        chunks.append(chunk)
        size += len(chunk)
        if size > wire.LIMIT:
            raise _TooLargeError(size)
    return b"".join(chunks)
