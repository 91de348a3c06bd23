"""Many submissions in little time: what the client would send goes straight to Redis, a batch at a time."""

import asyncio
from collections.abc import Coroutine, Iterable
from itertools import islice
from typing import Any

from upstash_redis.errors import UpstashError

from bench.stand import Bench, Stand
from tools.upstash_emulator.resp import Connection
from tools.upstash_emulator.wire import ReplyError

BATCH = 200


class Straight:
    """Stands in for the SDK's `execute`: it holds commands back until there is a batch of them."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._waiting: list[tuple[list[bytes], asyncio.Future[Any]]] = []

    async def execute(self, command: list[str]) -> Any:
        """Wait for the batch; return the reply, or raise UpstashError with the server's words."""
        future = asyncio.get_running_loop().create_future()
        self._waiting.append(([part.encode() for part in command], future))
        reply = await future
        if isinstance(reply, ReplyError):
            raise UpstashError(reply.text)
        return reply

    async def send(self) -> None:
        """Send what has gathered in one write."""
        batch, self._waiting = self._waiting, []
        replies = await self._connection.ask([command for command, _ in batch])
        for (_, future), reply in zip(batch, replies, strict=True):
            future.set_result(_text(reply))


def _text(reply: Any) -> Any:
    if isinstance(reply, list):
        return [_text(item) for item in reply]
    return reply.decode() if isinstance(reply, bytes) else reply


async def submit_all(stand: Stand, bench: Bench, submissions: Iterable[Coroutine[Any, Any, bytes]]) -> None:
    """Carry out submissions of a bench in batches; within one they must not depend on each other."""
    connection = await Connection.open(stand.redis_url)
    straight = Straight(connection)
    bench.upstash._redis.execute = straight.execute  # type: ignore[method-assign]
    waiting = iter(submissions)
    # The first alone, because it brings the script, and finds that Redis does not know Upstash's flag.
    size = 1
    while batch := list(islice(waiting, size)):
        await _batch(straight, batch)
        size = BATCH
    connection.close()


async def _batch(straight: Straight, batch: list[Coroutine[Any, Any, bytes]]) -> None:
    tasks = [asyncio.create_task(submission) for submission in batch]
    while not all(task.done() for task in tasks):
        # Everything that can go on without Redis does, before the batch leaves.
        await asyncio.sleep(0)
        await straight.send()
    await asyncio.gather(*tasks)
