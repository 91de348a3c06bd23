"""HTTP for one function: an ASGI app that refuses, calls its handler and replies, the same on every platform.

The order of refusal is method, origin, media type, size, and then what the handler finds. Every failure becomes a
problem document (RFC 9457).
"""

import logging
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from secrets import token_hex
from typing import TypeVar

from pydantic import BaseModel, ValidationError
from starlette.datastructures import Headers
from starlette.types import Receive, Scope, Send

from lib.access.callers import Caller
from lib.deployment import Deployment, process_deployment
from lib.errors import LaurelError, MethodNotAllowed, Misconfigured, NotFound, OriginNotAllowed
from lib.http.body import Body
from lib.http.cors import cors_headers, is_allowed, preflight_headers
from lib.http.lifespan import attend
from lib.http.request import Disconnected, Request
from lib.request_log import log_misconfigured, logged, note_code
from lib.schemas.field_errors import invalid
from lib.schemas.query_string import refuse_parameters
from lib.schemas.strict_json import parse_json, render, render_model
from lib.settings import Settings
from lib.storage.replies import BadReply

_log = logging.getLogger("laurel")

Model = TypeVar("Model", bound=BaseModel)


@dataclass(frozen=True, slots=True)
class Call:
    """One request, as a handler sees it; `now` is epoch milliseconds, read once."""

    deployment: Deployment
    now: int
    query: bytes = field(repr=False)
    headers: Headers = field(repr=False)
    address: str = field(repr=False)
    content: bytes = field(repr=False)

    @property
    def caller(self) -> Caller:
        """Who sent it."""
        return Caller(self.address, self.headers.get("authorization"))

    def body(self, model: type[Model]) -> Model:
        """Return the body as a model; raise BadJson, or Invalid, which names each field that is wrong.

        Whatever takes a body takes no parameters.
        """
        values = parse_json(self.content)
        try:
            answer = model.model_validate(values)
        except ValidationError as error:
            raise invalid(error) from None
        refuse_parameters(self.query)
        return answer


@dataclass(frozen=True, slots=True)
class Reply:
    """What a handler answers; nobody may keep it unless its headers say so."""

    content: bytes = b""
    status: int = 200
    media_type: str | None = "application/json"
    headers: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, answer: BaseModel, status: int = 200) -> "Reply":
        """Return an answer as JSON."""
        return cls(render_model(answer), status)


Handler = Callable[[Call], Awaitable[Reply]]


def problem(error: LaurelError, request_id: str) -> Reply:
    """Return the problem document of a failure; only an internal one names the request, which the log has too."""
    note_code(error.code)
    document = {
        "type": f"urn:laurel:{error.code}",
        "title": error.title,
        "status": error.status,
        "detail": error.detail,
        "code": error.code,
    }
    if error.faults:
        document["errors"] = [{"loc": fault.loc, "msg": fault.msg} for fault in error.faults]
    if error.status == 500:
        document["request_id"] = request_id
    return Reply(render(document), error.status, "application/problem+json", error.headers)


def client_address(request: Request, settings: Settings) -> str:
    """Return the caller's address, from where no caller can write it.

    A platform that overwrites a header is believed there (`Settings.address_header`); a proxy of one's own is believed
    as many hops from the right of `X-Forwarded-For` as there are; else it is the socket's other end, which on Lambda
    is the event's source address.
    """
    if settings.address_header:
        return request.headers.get(settings.address_header, request.address).strip()
    if settings.trust_proxy:
        hops = [hop.strip() for hop in request.headers.get("x-forwarded-for", request.address).split(",")]
        return hops[-settings.trust_proxy] if len(hops) >= settings.trust_proxy else request.address
    return request.address


class Function:
    """The ASGI app of one route: it answers on any path, and to HEAD where it answers to GET."""

    def __init__(
        self,
        *,
        get: Handler | None = None,
        post: Handler | None = None,
        other: Handler | None = None,
        deployment: Deployment | None = None,
    ) -> None:
        self._get, self._post, self._other = get, post, other
        self._handlers = {"GET": get, "HEAD": get, "POST": post}
        methods = [method for method, handler in self._handlers.items() if handler or other]
        self._allowed = ", ".join([*methods, "OPTIONS"])
        self._deployment = deployment

    def on(self, deployment: Deployment) -> "Function":
        """Return the same function on another deployment than the process's own."""
        return Function(get=self._get, post=self._post, other=self._other, deployment=deployment)

    @property
    def route(self) -> str:
        """The name of this function in the log: its handler's."""
        handler = self._post or self._get or self._other
        return handler.__name__.strip("_") if handler else ""

    def start(self) -> None:
        """Read the process's deployment ahead of the first request; what is wrong with it goes to the log."""
        if self._deployment is None:
            try:
                process_deployment()
            except Misconfigured as error:
                log_misconfigured(error.detail)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http":
            await attend(self.start, scope, receive, send)
            return
        request = Request(scope)
        body = Body(request.headers, receive)
        request_id = token_hex(8)
        send = logged(send, request_id, self.route)
        origin = request.headers.get("origin")
        origins: tuple[str, ...] = ("*",)
        try:
            deployment = self._deployment or process_deployment()
            origins = deployment.settings.origins
            reply = await self._answer(request, body, deployment, origin)
        except Disconnected:
            return
        except Misconfigured as error:
            log_misconfigured(error.detail)
            # Paths and values of the deployment are for whoever reads its log.
            told = Misconfigured("The log of this function says what is wrong.")
            # A preflight that fails would hide from a page what the request itself is told.
            preflight = request.method == "OPTIONS"
            reply = self._preflight(request, allowed=True) if preflight else problem(told, request_id)
        except LaurelError as error:
            if isinstance(error, BadReply):
                _log.warning("store: an unknown reply in request %s", request_id, exc_info=True)
            reply = problem(error, request_id)
        except Exception:
            _log.exception("internal error in request %s", request_id)
            reply = problem(LaurelError(f"Request {request_id} failed."), request_id)
        headers = {
            "Cache-Control": "no-store",
            "X-Content-Type-Options": "nosniff",
            **reply.headers,
            **cors_headers(origins, origin),
        }
        await body.discard()
        await request.answer(send, reply.status, reply.content, reply.media_type, headers)

    async def _answer(self, request: Request, body: Body, deployment: Deployment, origin: str | None) -> Reply:
        allowed = is_allowed(deployment.settings.origins, origin)
        if request.method == "OPTIONS":
            return self._preflight(request, allowed=allowed)
        handler = self._handlers.get(request.method) or self._other
        if handler is None:
            raise MethodNotAllowed(self._allowed)
        if not allowed:
            raise OriginNotAllowed()
        content = await body.read() if handler is self._post else b""
        call = Call(
            deployment,
            deployment.clock(),
            request.query,
            request.headers,
            client_address(request, deployment.settings),
            content,
        )
        return await handler(call)

    def _preflight(self, request: Request, *, allowed: bool) -> Reply:
        headers = {"Allow": self._allowed}
        if allowed:
            headers |= preflight_headers(self._allowed)
        return Reply(b"", 204, None, headers)


async def _not_found(call: Call) -> Reply:
    raise NotFound()


class Router:
    """Several functions under one roof, by path; a trailing slash makes no difference."""

    def __init__(self, functions: Mapping[str, Function]) -> None:
        self._functions = dict(functions)
        self._nothing = Function(other=_not_found)

    def on(self, deployment: Deployment) -> "Router":
        """Return the same site on another deployment than the process's own."""
        site = Router({path: function.on(deployment) for path, function in self._functions.items()})
        site._nothing = self._nothing.on(deployment)
        return site

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Hand a request to the function of its path."""
        path = "/" + _path_below_mount(scope).strip("/")
        await self._functions.get(path, self._nothing)(scope, receive, send)


def _path_below_mount(scope: Scope) -> str:
    # An app that mounts this one leaves the whole path as it was, and says which part of it is its own.
    path: str = scope.get("path", "")
    mount = scope.get("root_path", "").rstrip("/")
    return path[len(mount) :] if f"{path}/".startswith(f"{mount}/") else path
