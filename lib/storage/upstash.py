"""The one door to Upstash: raw commands, transactions and scripts over HTTP, each within a deadline.

The SDK is taken for its wire format. Its own retries are off, because they would repeat writes blindly, and so is its
base64 encoding, because all our values are text. Every question carries a word that its answer must repeat: something
between us and the store may give one answer twice, and from then on every question of that connection the one before.
"""

import asyncio
import logging
import os
import time
from collections.abc import AsyncIterator, Awaitable, Sequence
from contextlib import asynccontextmanager
from contextvars import ContextVar
from functools import cached_property
from ssl import SSLContext
from typing import Any

import httpx
from upstash_redis.asyncio import Redis
from upstash_redis.errors import UpstashError

from lib.errors import StoreUnavailable
from lib.request_log import note_store
from lib.storage.refusals import is_about_unknown_flag, refusal_of_all, refused
from lib.storage.replies import BadReply, whole
from lib.storage.scripts import Script

_log = logging.getLogger("laurel")

# Seconds an idle connection is kept. The pool's own 5 s would pay a TLS handshake for every quiet minute.
IDLE_SECONDS = 300
# The pool looks at every connection for each request: with fifty, that took longer than all the rest of a call.
CONNECTIONS = 16
# The SDK fails in ways of its own on an answer of another form, and asserts that it is not `null`.
_MISREAD = (ValueError, LookupError, TypeError, AttributeError, ArithmeticError, RecursionError, AssertionError)

# The answer that a task got last: the SDK does not hand it out.
_answer: ContextVar[httpx.Response | None] = ContextVar("answer", default=None)


class Unanswered(StoreUnavailable):
    """A request went out and no answer came back: it may have been carried out or not."""


class Upstash:
    """A client for one database; keep one per process, so that connections are used again.

    `timeout` bounds a call (seconds); `transport` is what carries requests, by default the network.
    """

    def __init__(
        self, url: str, token: str, *, timeout: float, transport: httpx.AsyncBaseTransport | None = None
    ) -> None:
        self._url, self._token = url, token
        self._timeout = timeout
        self._transport = transport
        self._knows_flag = True

    @cached_property
    def _redis(self) -> Redis:
        # At the first command: what the client loads is a fifth of a cold start, and refusals do without it.
        redis = Redis(self._url, self._token, rest_encoding=None, rest_retries=0, allow_telemetry=False)
        # The SDK has no public way to set the pool. A test fails when this attribute goes away.
        redis._http._client = httpx.AsyncClient(
            transport=self._transport,
            verify=_certificates(redis._http._client),
            timeout=httpx.Timeout(self._timeout),
            event_hooks={"response": [_look_at]},
            limits=httpx.Limits(
                max_connections=CONNECTIONS, max_keepalive_connections=CONNECTIONS, keepalive_expiry=IDLE_SECONDS
            ),
        )
        return redis

    @property
    def knows_flag(self) -> bool:
        """Return whether scripts go out with the flag that keeps Upstash from locking the whole database."""
        return self._knows_flag

    async def close(self) -> None:
        """Close all connections."""
        if "_redis" in vars(self):
            await self._redis.close()

    @asynccontextmanager
    async def deadline(self) -> AsyncIterator[None]:
        """Bound everything inside together; raise `StoreUnavailable` when the time is up."""
        _ = self._redis  # the first time it is loaded here: the deadline is for the store
        try:
            async with asyncio.timeout(self._timeout):
                yield
        except TimeoutError:
            raise StoreUnavailable(f"The store did not answer within {self._timeout:g} s.") from None

    async def ping(self) -> None:
        """Ask whether the store is up (not billed)."""
        async with self.deadline():
            try:
                answer = await self._execute(["PING"], billed=0)
            except UpstashError as error:
                raise refused(error) from error
        if answer != "PONG":
            raise BadReply("PONG")

    async def command(self, *command: str) -> Any:
        """Send one command."""
        [result] = await self.transaction(command)
        return result

    async def transaction(self, *commands: Sequence[str]) -> list[Any]:
        """Send commands that are carried out together, in one request; return their results in order."""
        word = _word()
        async with self.deadline():
            multi = self._redis.multi()
            # Not billed, unlike ECHO.
            for command in (("PING", word), *commands):
                multi.execute(list(command))
            try:
                answer = await self._send(multi.exec(), billed=len(commands))
            except UpstashError as error:
                raise refused(error) from error
            repeated, *results = answer if isinstance(answer, list) and answer else [None]
            await self._expect(word, repeated)
        if len(results) != len(commands):
            raise BadReply(f"{len(commands)} results")
        return results

    async def run(
        self, script: Script, keys: Sequence[str], arguments: Sequence[str], *, again: Sequence[str] | None = None
    ) -> Any:
        """Run a script by its hash, by its text only where the server has not seen it.

        `again` holds the arguments of a second try for when the answer got lost; only scripts that notice a
        repetition themselves may have one.
        """
        async with self.deadline():
            try:
                reply = await self._run(script, keys, arguments)
            except Unanswered:
                if again is None:
                    raise
                reply = await self._run(script, keys, again)
        called, answer = reply
        note_store(billed=whole(called))
        return answer

    async def _run(self, script: Script, keys: Sequence[str], arguments: Sequence[str]) -> tuple[Any, Any]:
        """Run a script; return how many commands it called, and its reply."""
        word = _word()
        reply = await self._evaluate(script, [str(len(keys)), *keys, *arguments, word])
        called, answer, repeated = reply if isinstance(reply, list) and len(reply) == 3 else (0, None, None)
        await self._expect(word, repeated)
        return called, answer

    async def _evaluate(self, script: Script, tail: Sequence[str]) -> Any:
        ending = "_RO" if script.reads else ""
        sha, text = (script.flagged_sha, script.flagged) if self._knows_flag else (script.plain_sha, script.plain)
        try:
            return await self._execute([f"EVALSHA{ending}", sha, *tail])
        except UpstashError as error:
            if "NOSCRIPT" not in str(error):
                raise refused(error) from error
        try:
            return await self._execute([f"EVAL{ending}", text, *tail])
        except UpstashError as error:
            if text == script.plain or not is_about_unknown_flag(error):
                raise refused(error) from error
        self._knows_flag = False
        try:
            return await self._execute([f"EVAL{ending}", script.plain, *tail])
        except UpstashError as error:
            raise refused(error) from error

    async def _expect(self, word: str, repeated: object) -> None:
        """Raise Unanswered where an answer does not repeat the word of its question, and hang up."""
        if repeated == word:
            return
        _log.warning("store: an answer that does not repeat its question")
        answer = _answer.get()
        connection = answer.extensions.get("network_stream") if answer else None
        if connection is not None:
            await connection.aclose()
        raise Unanswered("The store did not answer.")

    async def _execute(self, command: Sequence[str], *, billed: int = 1) -> Any:
        return await self._send(self._redis.execute(list(command)), billed=billed)

    async def _send(self, request: Awaitable[Any], *, billed: int) -> Any:
        """Wait for one answer; an `UpstashError` is the server's own word and passes through."""
        started = time.perf_counter()
        _answer.set(None)
        try:
            return await request
        except (httpx.ConnectError, httpx.TimeoutException) as error:
            raise unreachable(error) from error
        except httpx.HTTPError as error:
            _log.warning("store: no answer (%s)", type(error).__name__)
            raise Unanswered("The store did not answer.") from error
        except _MISREAD as error:
            answer = _answer.get()
            if answer is None:
                raise  # nothing has come back yet: what was to be sent is wrong, and that is ours
            if refusal := refusal_of_all(answer):
                raise UpstashError(refusal) from None
            # Not from the SDK's error: it may quote what the answer held.
            raise BadReply(f"an answer that the SDK can read, not one that makes {type(error).__name__}") from None
        finally:
            note_store(billed=billed, seconds=time.perf_counter() - started)


def _word() -> str:
    return os.urandom(6).hex()


async def _look_at(response: httpx.Response) -> None:
    """Keep an answer for who asked."""
    _answer.set(response)


def _certificates(client: httpx.AsyncClient) -> SSLContext | bool:
    """Return the certificates that a client has read, or True to read them (again), which takes 20 ms."""
    pool = getattr(client._transport, "_pool", None)
    return getattr(pool, "_ssl_context", None) or True


def unreachable(error: Exception) -> StoreUnavailable:
    """Return what a caller is told when nothing was sent or the time was up."""
    _log.warning("store: unreachable (%s)", type(error).__name__)
    return StoreUnavailable("The store cannot be reached.")
