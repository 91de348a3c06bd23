"""The body of one request: read where it is small JSON by name, else thrown away before the answer goes out."""

import asyncio
import re

from starlette.datastructures import Headers
from starlette.types import Receive

from lib.errors import BodyTooLarge, UnsupportedMediaType
from lib.http.request import Disconnected

MOST_BYTES = 8192
# A page may send text/plain without a preflight, which would cost it a round trip and us an invocation.
MEDIA_TYPES = ("", "application/json", "text/plain")

MOST_DISCARDED = 16 * 2**20
DISCARDING_SECONDS = 10


class Body:
    """What a caller sends after the headers; `headers` are only believed about whether it comes at all."""

    def __init__(self, headers: Headers, receive: Receive) -> None:
        self._headers = headers
        self._receive = receive
        # `Expect: 100-continue` waits for our word, which a server gives at the first `receive`.
        self._waits = "expect" in headers
        self._more = "transfer-encoding" in headers or headers.get("content-length", "0") != "0"

    @property
    def _is_over(self) -> bool:
        return self._waits or not self._more

    @property
    def _declared(self) -> int:
        length = self._headers.get("content-length", "")
        return int(length) if re.fullmatch("[0-9]{1,18}", length) else 0

    async def read(self) -> bytes:
        """Return the whole body; raise UnsupportedMediaType, or BodyTooLarge before more of it is kept."""
        media_type = self._headers.get("content-type", "").partition(";")[0].strip().lower()
        if media_type not in MEDIA_TYPES:
            raise UnsupportedMediaType("Send application/json or text/plain.")
        if self._waits and self._declared > MOST_BYTES:
            raise _too_large()
        body = bytearray(await self._part())
        while self._more and len(body) <= MOST_BYTES:
            body += await self._part()
        if len(body) > MOST_BYTES:
            raise _too_large()
        return bytes(body)

    async def discard(self) -> None:
        """Receive what is left of a body that nobody wants, up to a bound in size and time.

        uvicorn does this by itself. A server that closes instead breaks the connection under a client that is still
        sending, and that never reads the answer.
        """
        if self._is_over:
            return
        left = MOST_DISCARDED
        try:
            async with asyncio.timeout(DISCARDING_SECONDS):
                while self._more and left > 0:
                    left -= len(await self._part())
        except (Disconnected, TimeoutError):
            return

    async def _part(self) -> bytes:
        self._waits = False
        message = await self._receive()
        if message["type"] == "http.disconnect":
            self._more = False
            raise Disconnected()
        self._more = message.get("more_body", False)
        part: bytes = message.get("body", b"")
        return part


def _too_large() -> BodyTooLarge:
    return BodyTooLarge(f"A body has at most {MOST_BYTES} bytes.")
