"""Who may submit to a board, and who may start a run on it (docs/security.md). Nothing here asks the store."""

import hmac
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from lib.access.callers import Caller
from lib.boards.board import Board
from lib.errors import (
    AuthRequired,
    Misconfigured,
    TicketExpired,
    TicketInvalid,
    TicketRequired,
    TooEarly,
    TooFast,
)
from lib.schemas.writes import Submission
from lib.settings import Settings
from lib.time_units import ceil_seconds

if TYPE_CHECKING:
    from lib.access.tickets import Signer

# Kept longer than a ticket is good for: a process that is behind the one that signed it takes it that much longer.
NONCE_MARGIN_S = 60


@dataclass(frozen=True, slots=True)
class Spending:
    """A ticket to be spent with the submission: its nonce, kept for `seconds`, and when the run began (ms)."""

    nonce: str
    seconds: int
    started: int


@cache
def signer_of(secrets: tuple[str, ...]) -> "Signer":
    """Return the signer of these secrets; raise Misconfigured where there are none."""
    # Here, because a board that is open to all never needs the import.
    from lib.access.tickets import Signer

    return Signer(secrets)


def is_backend(settings: Settings, caller: Caller) -> bool:
    """Return whether a caller is the game's own backend; raise AuthRequired for one whose proof is wrong."""
    given = caller.authorization
    if given is None:
        return caller.backend
    if settings.server_token is None:
        raise AuthRequired("LAUREL_SERVER_TOKEN is not set here.")
    scheme, _, token = given.partition(" ")
    if scheme.lower() != "bearer" or not hmac.compare_digest(token.strip().encode(), settings.server_token.encode()):
        raise AuthRequired("The server token is not right.")
    return True


def check_secrets(settings: Settings, boards: Iterable[Board]) -> None:
    """Raise Misconfigured where a board needs a secret that the environment does not have."""
    for board in boards:
        if board.auth == "server" and settings.server_token is None:
            raise Misconfigured(f'LAUREL_SERVER_TOKEN is not set: board.{board.name}.auth = "server" needs it.')
        if board.auth == "ticket" and not settings.secrets:
            raise Misconfigured(f'LAUREL_SECRET is not set: board.{board.name}.auth = "ticket" needs it.')


def admit(board: Board, submission: Submission, settings: Settings, caller: Caller, now: int) -> Spending | None:
    """Admit a submission by its board's `auth`; return the ticket to be spent with it, if there is one.

    Raises AuthRequired and TicketRequired (401), TicketInvalid, TicketExpired, TooEarly and TooFast (403).
    """
    if board.auth == "server" and not is_backend(settings, caller):
        raise AuthRequired('Send "Authorization: Bearer" with the server token.')
    if board.auth != "ticket":
        return None
    if submission.ticket is None:
        raise TicketRequired("POST /start gives one.")
    ticket = signer_of(settings.secrets).read_ticket(submission.ticket)
    if ticket.board != board.name or ticket.player != submission.player:
        raise TicketInvalid("The ticket is for another board or player.")
    if now > ticket.expires:
        raise TicketExpired()
    # An instance whose clock is behind may see a start that is still to come.
    elapsed = max(0, now - ticket.started)
    if elapsed < board.ticket.shortest:
        raise TooEarly()
    if board.ticket.per_second is not None and submission.score * 1000 > board.ticket.per_second * elapsed:
        raise TooFast(f"At most {board.ticket.per_second} points a second.")
    # At least a ticket's whole life, whatever the clock says is left of it: this process may be ahead of the next.
    life = max(ticket.expires - ticket.started, ticket.expires - now)
    return Spending(ticket.nonce, ceil_seconds(life) + NONCE_MARGIN_S, min(ticket.started, now))
