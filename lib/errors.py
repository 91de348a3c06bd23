"""Everything that can go wrong, one root, with what the caller may be told on the class.

`status`, `code` and `title` are fixed per class and become the problem document (RFC 9457) of an answer;
`detail` is public prose of one occurrence. Nothing secret may be put into a detail.
"""

from collections.abc import Sequence
from typing import NamedTuple, Self

from lib.time_units import ceil_seconds


class Fault(NamedTuple):
    """One field that is wrong: `loc` is its dotted path (`meta.depth`), `msg` says what is allowed."""

    loc: str
    msg: str


class Quota(NamedTuple):
    """What a gate allows, for the `RateLimit` headers: `limit` calls in `period` seconds, `reset` seconds to wait."""

    limit: int
    period: int
    reset: int


class LaurelError(Exception):
    """The root of all errors an answer can carry."""

    status = 500
    code = "internal"
    title = "Internal error"

    def __init__(self, detail: str = "", *, faults: Sequence[Fault] = ()) -> None:
        super().__init__(detail or self.title)
        self.detail = detail or self.title
        self.faults = tuple(faults)
        self.headers: dict[str, str] = {}


class BadJson(LaurelError):
    status, code, title = 400, "bad_json", "The body is not JSON"


class AuthRequired(LaurelError):
    status, code, title = 401, "auth_required", "A server token is required"


class TicketRequired(LaurelError):
    status, code, title = 401, "ticket_required", "This board wants a ticket"


class Forbidden(LaurelError):
    """The root of the refusals that no other credentials in the same request would have changed."""

    status, code, title = 403, "forbidden", "Refused"


class TicketInvalid(Forbidden):
    code, title = "ticket_invalid", "The ticket is not valid here"


class TicketExpired(Forbidden):
    code, title = "ticket_expired", "The ticket has expired"


class TicketUsed(Forbidden):
    code, title = "ticket_used", "The ticket was used for another submission"


class TooEarly(Forbidden):
    code, title = "too_early", "The run was too short"


class TooFast(Forbidden):
    code, title = "too_fast", "The score grew too fast"


class NotYourPlayer(Forbidden):
    code, title = "not_your_player", "This player belongs to somebody else"


class Banned(Forbidden):
    code, title = "banned", "This player is banned"


class OriginNotAllowed(Forbidden):
    code, title = "origin_not_allowed", "This origin is not allowed"


class UnknownBoard(LaurelError):
    status, code, title = 404, "unknown_board", "There is no such board"


class NotFound(LaurelError):
    status, code, title = 404, "not_found", "There is nothing here"


class MethodNotAllowed(LaurelError):
    status, code, title = 405, "method_not_allowed", "This method is not allowed here"

    def __init__(self, allowed: str) -> None:
        super().__init__(f"Allowed: {allowed}.")
        self.headers["Allow"] = allowed


class IdReused(LaurelError):
    status, code, title = 409, "id_reused", "This id belongs to another submission"


class BodyTooLarge(LaurelError):
    status, code, title = 413, "body_too_large", "The body is too large"


class UnsupportedMediaType(LaurelError):
    status, code, title = 415, "unsupported_media_type", "Send JSON"


class Invalid(LaurelError):
    """A request whose fields are wrong; `faults` name each of them."""

    status, code, title = 422, "invalid", "The request is not valid"

    @classmethod
    def field(cls, loc: str, msg: str) -> "Invalid":
        """Return the error for one wrong field."""
        return cls(f"{loc}: {msg}" if loc else msg, faults=[Fault(loc, msg)])


class ScoreOutOfRange(Invalid):
    code, title = "score_out_of_range", "The score is not one this board takes"


class UnknownWindow(Invalid):
    code, title = "unknown_window", "There is no such window or period"


class UnknownSplit(Invalid):
    code, title = "unknown_split", "There is no such split, value or selection"


class SumOverflow(Invalid):
    code, title = "sum_overflow", "The total would be too large"


class Retryable(LaurelError):
    """The root of what may succeed later; `wait` is in milliseconds and goes out as `Retry-After`."""

    status = 429

    def __init__(self, detail: str = "", *, wait: int, quota: Quota | None = None) -> None:
        super().__init__(detail)
        self.wait = wait
        self.quota = quota
        self.headers["Retry-After"] = str(max(1, ceil_seconds(wait)))
        if quota is not None:
            self.headers["RateLimit-Policy"] = f'"{self.code}";q={quota.limit};w={quota.period}'
            self.headers["RateLimit"] = f'"{self.code}";r=0;t={quota.reset}'

    def again(self, wait: int) -> Self:
        """Return the same refusal with `wait` ms left."""
        quota = self.quota and self.quota._replace(reset=ceil_seconds(wait))
        return type(self)(self.detail, wait=wait, quota=quota)


class RateLimited(Retryable):
    code, title = "rate_limited", "Too many requests"


class AddressBlocked(RateLimited):
    """The address gate refused: the same for whatever this caller sends to this board."""


class Cooldown(Retryable):
    code, title = "cooldown", "Too soon after the last submission"


class TooManySplitValues(Retryable):
    code, title = "too_many_split_values", "This split has all the values it may have"


class StoreUnavailable(Retryable):
    """The store did not answer, or not sensibly: nothing was stored, or sending again with the same id is safe."""

    status, code, title = 503, "store_unavailable", "The leaderboard is out of reach"

    def __init__(self, detail: str = "", *, wait: int = 2000, quota: Quota | None = None) -> None:
        super().__init__(detail, wait=wait, quota=quota)


class Misconfigured(LaurelError):
    """The deployment is set up wrongly; `detail` names the file or variable, the key and what is allowed."""

    status, code, title = 503, "misconfigured", "This deployment is not set up"

    def __init__(self, detail: str) -> None:
        super().__init__(detail)
        self.headers["Retry-After"] = "60"
