"""The seam to AWS Lambda: one event in, one answer out. Mangum turns events into ASGI; what it takes on trust is checked.

Functions know nothing of this module but `lambda_entry`, and nothing in front of it knows of Lambda.
"""

import asyncio
import base64
import logging
import os
from collections.abc import Callable
from functools import cache
from secrets import token_hex
from typing import Any, Literal

from mangum import Mangum
from pydantic import BaseModel, Field, ValidationError
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from lib.errors import BadJson, LaurelError
from lib.http import Function, problem

LambdaHandler = Callable[[Any, Any], dict[str, Any]]

_log = logging.getLogger("laurel")


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

    @property
    def is_readable(self) -> bool:
        """Whether the body is what the event says it is."""
        try:
            return not (self.is_base64 and self.body and base64.b64decode(self.body, validate=True) is None)
        except ValueError:
            return False


def lambda_entry(app: Function) -> LambdaHandler:
    """Return the Lambda handler of a function; it answers whatever it is handed, and never raises."""
    if "AWS_LAMBDA_RUNTIME_API" in os.environ:
        # Imported by Lambda itself, this is the start: what is misconfigured belongs into the log of the init phase.
        app.start()
    readable, unreadable = _adapter(app), _adapter(_without_body(app))

    def handler(event: Any, context: Any) -> dict[str, Any]:
        try:
            known = _Event.model_validate(event)
            # Mangum wants the loop of this thread to be there; connections live on it between invocations.
            asyncio.set_event_loop(_loop())
            if known.is_readable:
                return _bare(readable(event, context))
            return _bare(unreadable({**event, "body": None}, context))
        except ValidationError as error:
            first = error.errors(include_url=False, include_input=False)[0]
            return _refusal(f"{'.'.join(map(str, first['loc'])) or 'event'}: {first['msg']}")
        except Exception:
            _log.exception("an event that cannot be read")
            return _refusal("It cannot be read.")

    return handler


@cache
def _loop() -> asyncio.AbstractEventLoop:
    return asyncio.new_event_loop()


def _adapter(app: ASGIApp) -> LambdaHandler:
    # Built at the first event: Mangum looks for the loop of its thread, and an import should not make one.
    @cache
    def adapter() -> Mangum:
        return Mangum(app, lifespan="off", text_mime_types=["application/json", "application/problem+json"])

    return lambda event, context: adapter()(event, context)


def _without_body(app: ASGIApp) -> ASGIApp:
    """Return the app as it answers to a request whose body cannot be read: only where it wants one, that matters."""

    async def receive() -> Message:
        raise BadJson("The body is not the base64 that the event says it is.")

    async def answer(scope: Scope, _: Receive, send: Send) -> None:
        await app(scope, receive, send)

    return answer


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
