"""What may stand behind the endpoint: a Redis inside this process, or a real one."""

import re
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any, Protocol

import fakeredis
import redis

from tools.upstash_emulator.resp import Connection
from tools.upstash_emulator.wire import Command, Reply, ReplyError

_MULTI: Command = [b"MULTI"]
_EXEC: Command = [b"EXEC"]
_COMPILING = re.compile(r'.*error loading code: \[string "<python>"\]:([^\n]*).*', re.DOTALL)


class Backend(Protocol):
    """Something that answers Redis commands."""

    has_read_only_eval: bool
    """Whether it knows EVAL_RO and EVALSHA_RO, and so refuses a script's writes itself."""

    async def run(self, commands: Sequence[Command]) -> list[Reply]:
        """Return one reply a command; raise OSError when the server is out of reach."""
        ...

    async def transaction(self, commands: Sequence[Command]) -> list[Reply]:
        """Return one reply a command, run with nothing in between; raise ReplyError when it was discarded."""
        ...

    async def close(self) -> None:
        """Let go of the server."""
        ...


class RedisBackend:
    """A Redis server, through a pool of connections that belongs to one event loop."""

    has_read_only_eval = True

    def __init__(self, url: str) -> None:
        self._url = url
        self._idle: list[Connection] = []

    @asynccontextmanager
    async def _connection(self) -> AsyncIterator[Connection]:
        connection = None
        while self._idle and connection is None:
            candidate = self._idle.pop()
            if candidate.usable:
                connection = candidate
            else:
                candidate.close()
        connection = connection or await Connection.open(self._url)
        try:
            yield connection
        except BaseException:  # a cancelled caller too: what it did not read would answer the next one
            connection.close()
            raise
        self._idle.append(connection)

    async def run(self, commands: Sequence[Command]) -> list[Reply]:
        """Return one reply a command; raise OSError when the server is out of reach."""
        async with self._connection() as connection:
            return await connection.ask(commands)

    async def transaction(self, commands: Sequence[Command]) -> list[Reply]:
        """Return one reply a command, run with nothing in between; raise ReplyError when it was discarded."""
        async with self._connection() as connection:
            return _executed(await connection.ask([_MULTI, *commands, _EXEC]))

    async def close(self) -> None:
        """Close the connections that nobody uses."""
        while self._idle:
            self._idle.pop().close()


class MemoryBackend:
    """A Redis inside this process, gone with it; give it a `server` to look into from outside."""

    has_read_only_eval = False

    def __init__(self, server: fakeredis.FakeServer | None = None) -> None:
        self.server = server or fakeredis.FakeServer(version=(7,))
        self._client = fakeredis.FakeRedis(server=self.server, protocol=2)
        self._connection: Any = self._client.connection_pool.get_connection()

    async def run(self, commands: Sequence[Command]) -> list[Reply]:
        """Return one reply a command."""
        return [self._ask(command) for command in commands]

    async def transaction(self, commands: Sequence[Command]) -> list[Reply]:
        """Return one reply a command; raise ReplyError when it was discarded. Nothing here awaits, so it is atomic."""
        return _executed([self._ask(command) for command in (_MULTI, *commands, _EXEC)])

    def _ask(self, command: Command) -> Reply:
        try:
            self._connection.send_command(*command)
            return _reply(self._connection.read_response(disable_decoding=True))
        except redis.ResponseError as error:
            return _error(error)
        except Exception as error:
            # A fault of the imitation itself. Its parser does not survive one, so go on with a fresh connection.
            self._client.connection_pool.disconnect()
            self._connection = self._client.connection_pool.make_connection()
            return ReplyError(f"ERR {command[0].decode(errors='replace')}: {type(error).__name__}: {error}")

    async def close(self) -> None:
        """Let go of the connection; the data stay in `server`."""
        self._client.close()


def _executed(replies: list[Reply]) -> list[Reply]:
    results = replies[-1]
    if isinstance(results, list):
        return results
    raise results if isinstance(results, ReplyError) else ReplyError("EXECABORT Transaction discarded.")


def _reply(value: Any) -> Reply:
    """Return what fakeredis answered in the endpoint's types."""
    if isinstance(value, list):
        return [_reply(item) for item in value]
    if isinstance(value, redis.ResponseError):
        return _error(value)
    if isinstance(value, str):
        return value.encode()
    assert value is None or isinstance(value, bytes | int)
    return value


def _error(error: redis.ResponseError) -> ReplyError:
    """Return an error with the code that redis-py took off its front, in the words of a real server."""
    code = getattr(error, "status_code", None)
    text = f"{code} {error}" if code else str(error)
    return ReplyError(_COMPILING.sub(r"ERR Error compiling script (new function): user_script:\1", text))
