"""One connection to a Redis server, speaking RESP2.

The endpoint passes answers on as they are; a client library would first turn each of them into Python, at several times
the cost, and would cut the code off the front of an error.
"""

import asyncio
from collections.abc import Sequence
from urllib.parse import unquote, urlsplit

from tools.upstash_emulator.wire import Command, Reply, ReplyError

_CHUNK = 1 << 20


class _IncompleteError(Exception):
    """The buffer ends inside a reply."""


class Connection:
    """A connection, for one caller at a time."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer

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
        self._writer.write(b"".join(map(_pack, commands)))
        replies: list[Reply] = []
        buffer, position = b"", 0
        while len(replies) < len(commands):
            try:
                reply, position = _parse(buffer, position)
                replies.append(reply)
            except _IncompleteError:
                chunk = await self._reader.read(_CHUNK)
                if not chunk:
                    raise ConnectionError("the server closed the connection") from None
                buffer, position = buffer[position:] + chunk, 0
        return replies

    def close(self) -> None:
        """Close the connection at once."""
        self._writer.transport.abort()


def _greetings(user: str, password: str, database: str) -> list[Command]:
    login = [[b"AUTH", *(part.encode() for part in (user, password) if part)]] if password else []
    return [*login, [b"SELECT", database.encode()]] if database else login


def _pack(command: Command) -> bytes:
    return b"*%d\r\n" % len(command) + b"".join([b"$%d\r\n%b\r\n" % (len(part), part) for part in command])


def _parse(buffer: bytes, start: int) -> tuple[Reply, int]:
    """Return the reply that begins at `start`, and where the next one does."""
    end = buffer.find(b"\r\n", start)
    if end < 0:
        raise _IncompleteError
    kind, head, after = buffer[start : start + 1], buffer[start + 1 : end], end + 2
    if kind == b"$":
        return _bulk(buffer, after, int(head))
    if kind == b":":
        return int(head), after
    if kind == b"*":
        if head == b"-1":
            return None, after
        items: list[Reply] = []
        for _ in range(int(head)):
            item, after = _parse(buffer, after)
            items.append(item)
        return items, after
    return (ReplyError(head.decode(errors="replace")) if kind == b"-" else head), after


def _bulk(buffer: bytes, start: int, size: int) -> tuple[bytes | None, int]:
    if size < 0:
        return None, start
    end = start + size
    if len(buffer) < end + 2:
        raise _IncompleteError
    return buffer[start:end], end + 2
