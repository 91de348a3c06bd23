"""What comes in and what goes out, as pydantic models; the JSON of an answer has just these fields, in this order."""

from decimal import Decimal
from math import isfinite
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

PLAYER = r"^[A-Za-z0-9_.:@-]{1,64}$"

Player = Annotated[str, Field(pattern=PLAYER)]
Signed = Annotated[str, Field(max_length=2048)]


def _exact(value: Any) -> Any:
    # Here, because a strict union of the two would name both in its refusal, as score.int and score.decimal.
    if isinstance(value, float) and isfinite(value):  # from Python: JSON is read as decimals
        value = Decimal(repr(value))
    if isinstance(value, bool) or not isinstance(value, int | Decimal):
        raise ValueError("should be a number")
    return value


Exact = Annotated[int | Decimal, Field(union_mode="left_to_right"), BeforeValidator(_exact)]
Number = int | float


class Submission(BaseModel):
    """The body of `POST /submit`, well-formed; whether its board takes it is judged later."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, defer_build=True)

    board: str
    player: Player
    score: Exact
    """A finite decimal number; the board says from where to where, and in which steps."""
    name: str | None = None
    """What is shown for the player, cleaned of what cannot be seen; too long a name is refused, never cut."""
    meta: dict[str, Any] | None = None
    """What else the run brought, of the kinds that the board declares."""
    splits: dict[str, str] | None = None
    """What the run belongs to, such as `{"mode": "words"}`; a missing split skips the standings that need it."""
    tiebreak: Exact | None = None
    """What decides between equal scores; demanded on a board that has tie-breaks, refused on others."""
    id: Annotated[str, Field(pattern=r"^[A-Za-z0-9_-]{8,64}$")] | None = None
    """The same for every try of the same submission, so that it is counted once."""
    ticket: Signed | None = Field(default=None, repr=False)
    """What `start` gave for this run."""
    ranks: Literal["improved", "all", "none"] = "improved"
    """For which standings to answer with rank and total."""


class StartRequest(BaseModel):
    """The body of `POST /start`."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, defer_build=True)

    board: str
    player: Player | None = None
    """Who plays; a new player is made where it is left out."""
    player_token: Signed | None = Field(default=None, repr=False)
    """What the first `start` of this player gave, as the proof of being them."""


class Answer(BaseModel):
    """The root of what goes out; built from values that are right already."""

    model_config = ConfigDict(frozen=True, defer_build=True)


class StandingResult(Answer):
    """What a submission came to in one standing."""

    window: str
    period: str
    starts: str | None
    ends: str | None
    splits: dict[str, str]
    improved: bool
    """Whether this score (for `sum` this addition) is now in what stands for the player."""
    kept: bool
    """Whether the player is among the ranked, as far as is known."""
    score: Number | None
    """What now stands for the player; null where nothing does."""
    previous: Number | None
    """What stood before; null on a replay or where nothing was remembered."""
    rank: int | None
    total: int | None
    cutoff: Number | None
    """The score to beat, where a newcomer was cut."""


class SubmitAnswer(Answer):
    """The answer of `POST /submit`."""

    board: str
    player: str
    improved: bool
    """Whether it improved in any standing."""
    replayed: bool
    """Whether this submission had been stored before."""
    standings: list[StandingResult]


class StartAnswer(Answer):
    """The answer of `POST /start`."""

    ticket: str = Field(repr=False)
    """What `submit` must bring back, once."""
    player: str
    player_token: str | None = Field(repr=False)
    """What proves ownership from now on, signed with the newest key; null where a server asked for a player."""
    expires: str
    """When the ticket is of no use any more."""
