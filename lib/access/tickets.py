"""Signed permissions: a ticket to submit one run, and the token that proves a player's ownership.

Keys rotate: the newest signs, all of them verify, so that a key is retired by leaving it out once its tickets ran out.
A ticket that has expired is told apart from one that was never ours.
"""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from itsdangerous import BadData, URLSafeSerializer

from lib.errors import Misconfigured, NotYourPlayer, TicketInvalid


@dataclass(frozen=True, slots=True)
class Ticket:
    """One run's permission; `started` and `expires` are epoch milliseconds."""

    board: str
    player: str
    started: int
    nonce: str
    expires: int


class Signer:
    """What signs and verifies with a deployment's secrets, the newest of which comes first."""

    def __init__(self, secrets: Sequence[str]) -> None:
        if not secrets:
            raise Misconfigured("LAUREL_SECRET is not set: start and boards with tickets need it.")
        self._tickets = _serializer(secrets, b"laurel.ticket")
        self._players = _serializer(secrets, b"laurel.player")

    def sign_ticket(self, ticket: Ticket) -> str:
        """Return a ticket as text for the browser, which can read it but not change it."""
        return _text(self._tickets.dumps([ticket.board, ticket.player, ticket.started, ticket.nonce, ticket.expires]))

    def read_ticket(self, text: str) -> Ticket:
        """Return a ticket of ours, expired or not; raise TicketInvalid for any other text."""
        try:
            board, player, started, nonce, expires = self._tickets.loads(text)
        except (BadData, ValueError, TypeError):
            raise TicketInvalid() from None
        return Ticket(board, player, started, nonce, expires)

    def sign_player(self, player: str) -> str:
        """Return the token that proves ownership of a player, on every board of the deployment."""
        return _text(self._players.dumps(player))

    def check_player(self, player: str, token: str | None) -> None:
        """Raise NotYourPlayer where a token does not prove ownership of this player."""
        try:
            owned = token is not None and self._players.loads(token) == player
        except (BadData, ValueError):
            owned = False
        if not owned:
            raise NotYourPlayer("player_token does not belong to this player.")


def _serializer(secrets: Sequence[str], salt: bytes) -> URLSafeSerializer:
    # The library wants the oldest key first. SHA-1, its default, would do in an HMAC; nobody should have to know that.
    return URLSafeSerializer(
        [*reversed(secrets)], salt=salt, signer_kwargs={"digest_method": hashlib.sha256, "key_derivation": "hmac"}
    )


def _text(signed: Any) -> str:
    return signed if isinstance(signed, str) else bytes(signed).decode("ascii")
