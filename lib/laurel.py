"""Laurel for Python callers: the leaderboards of one environment, asked without HTTP (docs/embedding.md)."""

import os
from collections.abc import Mapping
from typing import Self

from lib.access.callers import BACKEND, Caller
from lib.calls.rank import rank
from lib.calls.start import start
from lib.calls.submit import submit
from lib.calls.top import top
from lib.deployment import Deployment
from lib.reading.queries import RankQuery, TopQuery
from lib.schemas.reads import RankOfPlayer, RankOfPlayers, RankOfScore, Top, Tops, TopWithPlayer
from lib.schemas.writes import StartAnswer, StartRequest, Submission, SubmitAnswer

__all__ = [
    "BACKEND",
    "Caller",
    "Laurel",
    "RankOfPlayer",
    "RankOfPlayers",
    "RankOfScore",
    "RankQuery",
    "StartAnswer",
    "StartRequest",
    "Submission",
    "SubmitAnswer",
    "Top",
    "TopQuery",
    "TopWithPlayer",
    "Tops",
]


class Laurel:
    """The boards of a deployment; keep one per process, so that connections are used again, and `close` it at the end.

    Calls take and return the models of the HTTP contract, and raise `lib.errors.LaurelError`, whose `status` and
    `code` are those of the problem documents. `caller` says for whom a call is made: by default for the game's own
    backend, which needs no token and is counted at no address gate.
    """

    def __init__(self, deployment: Deployment) -> None:
        self.deployment = deployment

    @classmethod
    def from_environment(cls, environ: Mapping[str, str] = os.environ) -> Self:
        """Set up what an environment describes; raise Misconfigured, which names what is wrong."""
        return cls(Deployment.read(environ))

    async def submit(self, submission: Submission, caller: Caller = BACKEND) -> SubmitAnswer:
        """Store one run in every standing it belongs to, as `POST /submit` does."""
        return await submit(self.deployment, submission, caller, self.deployment.clock())

    async def start(self, request: StartRequest, caller: Caller = BACKEND) -> StartAnswer:
        """Sign the ticket of one run, as `POST /start` does."""
        return await start(self.deployment, request, caller, self.deployment.clock())

    async def top(self, query: TopQuery) -> Top | TopWithPlayer | Tops:
        """Read pages of one standing or of several, as `GET /top` does."""
        return await top(self.deployment, query, self.deployment.clock())

    async def rank(self, query: RankQuery) -> RankOfPlayer | RankOfPlayers | RankOfScore:
        """Read where a player, several players or a score stand, as `GET /rank` does."""
        return await rank(self.deployment, query, self.deployment.clock())

    async def close(self) -> None:
        """Close all connections."""
        await self.deployment.store.upstash.close()
