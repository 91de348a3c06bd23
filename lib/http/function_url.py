"""Events of Lambda Function URLs as requests, and no exception whatever comes.

Mangum turns events into ASGI; what it takes on trust is checked here.
"""

import asyncio
import base64
import logging
from functools import cache
from secrets import token_hex
from typing import Any, Literal

from mangum import Mangum
from pydantic import BaseModel, Field, ValidationError

from lib.errors import LaurelError
from lib.http.app import Function, problem

_log = logging.getLogger("laurel")

# One byte that is no UTF-8: a function refuses it where it reads a body at all, as `bad_json`.
_UNREADABLE = base64.b64encode(b"\xff").decode()


class BadEvent(LaurelError):
    """Lambda was handed something else than a request to a Function URL."""

    status, code, title = 400, "bad_event", "This is no request"


class _Http(BaseModel):
    method: str
    path: str
    source_ip: str = Field(alias="sourceIp", min_length=1)


class _Context(BaseModel):
    http: _Http


class _Event(BaseModel):
    """What a Function URL sends (payload format 2.0), as far as the answer depends on it."""

    version: Literal["2.0"]
    context: _Context = Field(alias="requestContext")
    query: str = Field("", alias="rawQueryString")
    headers: dict[str, str]
    cookies: list[str] = []
    body: str | None = None
    is_base64: bool = Field(False, alias="isBase64Encoded")

    def is_readable(self) -> bool:
        """Return whether the body is the base64 that the event says it is."""
        try:
            base64.b64decode(self.body or "" if self.is_base64 else "", validate=True)
        except ValueError:
            return False
        return True


@cache
def loop() -> asyncio.AbstractEventLoop:
    """Return the one loop of all invocations: connections to the store live on it."""
    return asyncio.new_event_loop()


class Adapter:
    """A function behind a Function URL: it answers every event, and those that are no request with a 400."""

    def __init__(self, app: Function) -> None:
        # Mangum wants the loop of its thread to be there.
        asyncio.set_event_loop(loop())
        self._mangum = Mangum(app, lifespan="off", text_mime_types=["application/json", "application/problem+json"])

    def __call__(self, event: Any, context: Any) -> dict[str, Any]:
        """Answer one event."""
        try:
            if not _Event.model_validate(event).is_readable():
                _log.warning("a body that is not the base64 its event says it is")
                event = {**event, "body": _UNREADABLE}
            asyncio.set_event_loop(loop())
            return _bare(self._mangum(event, context))
        except ValidationError as error:
            first = error.errors(include_url=False, include_input=False)[0]
            return _refusal(f"{'.'.join(map(str, first['loc'])) or 'event'}: {first['msg']}")
        except Exception:
            _log.exception("an event that cannot be turned into a request")
            return _refusal("it cannot be read")


def _bare(answer: dict[str, Any]) -> dict[str, Any]:
    """Return an answer without the content type that Mangum gives to one that has no content."""
    if answer["statusCode"] in (204, 304):
        answer.get("headers", {}).pop("content-type", None)
    return answer


def _refusal(why: str) -> dict[str, Any]:
    _log.error("not a request to a Function URL: %s", why)
    reply = problem(BadEvent(f"Not a request to a Function URL (payload format 2.0): {why}."), token_hex(8))
    return {
        "statusCode": reply.status,
        "headers": {"content-type": str(reply.media_type), "cache-control": "no-store"},
        "body": reply.content.decode(),
        "isBase64Encoded": False,
    }
