"""Connection to a Redis server, speaking RESP2 through hiredis.

The endpoint passes answers on as they are; a whole client would turn each of them into Python's types first, and would
cut the code off the front of an error.
"""

import asyncio
from collections.abc import Sequence
from urllib.parse import unquote, urlsplit

import hiredis

from tools.upstash_emulator.wire import Command, Reply, ReplyError

_CHUNK = 1 << 20
_INCOMPLETE = object()


class Connection:
    """A connection, for one caller at a time."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer
        self._parser = hiredis.Reader(replyError=ReplyError, notEnoughData=_INCOMPLETE)

    @classmethod
    async def open(cls, url: str) -> "Connection":
        """Return a connection to `redis[s]://[user:password@]host[:port][/db]`; raise OSError or ReplyError."""
        parts = urlsplit(url)
        secure = parts.scheme == "rediss"
        reader, writer = await asyncio.open_connection(
            parts.hostname or "127.0.0.1", parts.port or 6379, ssl=secure or None, limit=_CHUNK
        )
        connection = cls(reader, writer)
        for greeting in _greetings(unquote(parts.username or ""), unquote(parts.password or ""), parts.path.strip("/")):
            (reply,) = await connection.ask([greeting])
            if isinstance(reply, ReplyError):
                connection.close()
                raise reply
        return connection

    @property
    def usable(self) -> bool:
        """Say whether the server has kept the connection open, as far as is known."""
        return not (self._reader.at_eof() or self._writer.is_closing())

    async def ask(self, commands: Sequence[Command]) -> list[Reply]:
        """Send commands in one write and return their replies; raise ConnectionError when the server goes away."""
        # Its stub knows only tuples of one.
        packed = (hiredis.pack_command(tuple(command)) for command in commands)  # type: ignore[arg-type]
        self._writer.write(b"".join(packed))
        replies: list[Reply] = []
        while len(replies) < len(commands):
            reply = self._parser.gets()
            if reply is not _INCOMPLETE:
                replies.append(reply)
                continue
            chunk = await self._reader.read(_CHUNK)
            if not chunk:
                raise ConnectionError("the server closed the connection")
            self._parser.feed(chunk)
        return replies

    def close(self) -> None:
        """Close the connection at once."""
        self._writer.transport.abort()


def _greetings(user: str, password: str, database: str) -> list[Command]:
    login = [[b"AUTH", *(part.encode() for part in (user, password) if part)]] if password else []
    return [*login, [b"SELECT", database.encode()]] if database else login
