"""The head of one request, and its answer on the way out.

Starlette's own Request and Response would do, but they bring form parsers, cookies and file serving along: 2 ms of
every cold start.
"""

from collections.abc import Iterable, Mapping

from starlette.datastructures import Headers
from starlette.types import Scope, Send

# They have no content, and must not say how long it is.
EMPTY = (204, 304)


class Disconnected(Exception):
    """The caller went away before the request was read."""


def _headers(raw: Iterable[tuple[bytes, bytes]]) -> Headers:
    """Return headers with those that came several times joined into one, as Lambda hands them on.

    Else which of two tokens, origins or media types counts would depend on the platform.
    """
    joined: dict[bytes, bytes] = {}
    for name, value in raw:
        joined[name] = joined[name] + b"," + value if name in joined else value
    return Headers(raw=list(joined.items()))


class Request:
    """What came before the body; `address` is the socket's other end."""

    def __init__(self, scope: Scope) -> None:
        self.headers = _headers(scope["headers"])
        self.method: str = scope["method"]
        self.query: bytes = scope["query_string"]
        self.address: str = scope["client"][0] if scope.get("client") else ""

    async def answer(
        self, send: Send, status: int, content: bytes, media_type: str | None, headers: Mapping[str, str]
    ) -> None:
        """Send an answer; one to HEAD has the headers of the content, and keeps the content back."""
        more = {} if status in EMPTY else {"Content-Length": str(len(content))}
        if media_type:
            more["Content-Type"] = media_type
        raw = [(name.lower().encode("latin-1"), value.encode("latin-1")) for name, value in {**headers, **more}.items()]
        await send({"type": "http.response.start", "status": status, "headers": raw})
        await send({"type": "http.response.body", "body": b"" if self.method == "HEAD" else content})
