"""The answers of the reading calls, as pydantic models; apart from `models`, which every submission needs."""

from typing import Any

from lib.schemas.writes import Answer, Number


class Row(Answer):
    """One player's row; all but `player` are null for the unknown and the unranked."""

    rank: int | None
    player: str
    score: Number | None
    tiebreak: Number | None
    name: str | None
    meta: dict[str, Any] | None
    at: str | None
    """When the score was made; for sums when the player joined."""


class Selected(Answer):
    """The standing that an answer speaks of."""

    board: str
    window: str
    period: str
    starts: str | None
    ends: str | None
    resets_in: int | None
    """Whole seconds until the period ends, rounded up; 0 for past periods, null for `all`."""
    splits: dict[str, str]
    total: int
    """How many are ranked."""


class Top(Selected):
    """The answer of `GET /top`."""

    cap: int
    """How many entries are kept; 0 where there is no cap."""
    next: int | None
    """The offset of the next page, if there is one."""
    entries: list[Row]


class TopWithPlayer(Top):
    """The answer of `GET /top` with `player`."""

    me: Row | None


class Tops(Answer):
    """The answer of the plural `GET /top`."""

    tops: list[Top]


class Ahead(Answer):
    """The row just above a player."""

    player: str
    score: Number
    gap: Number
    """The distance to its score, never negative."""


class RankOfPlayer(Selected):
    """The answer of `GET /rank` with `player`."""

    entry: Row | None
    best: Number | None
    """The score of a known player who is not ranked."""
    cutoff: Number | None
    """The score such a player has to beat."""
    percentile: Number | None
    """100 × (total − entries strictly ahead) / total, two decimals."""
    ahead: Ahead | None
    entries: list[Row]


class RankOfPlayers(Selected):
    """The answer of `GET /rank` with `players`, in the order asked."""

    entries: list[Row]


class RankOfScore(Selected):
    """The answer of `GET /rank` with `score`: the rank a newcomer would get, null if they would be cut."""

    rank: int | None


class Health(Answer):
    """The answer of `GET /health`."""

    ok: bool
    store: str
    latency_ms: Number
    """How long its answer took."""
