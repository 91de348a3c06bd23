"""What comes in and what goes out, as pydantic models; the JSON of an answer has just these fields, in this order."""

from decimal import Decimal
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

PLAYER = r"^[A-Za-z0-9_.:@-]{1,64}$"

Player = Annotated[str, Field(pattern=PLAYER)]


def _exact(value: Any) -> Any:
    # Here, because a strict union of the two would name both in its refusal, as score.int and score.decimal.
    if isinstance(value, bool) or not isinstance(value, int | Decimal):
        raise ValueError("should be a number")
    return value


Exact = Annotated[int | Decimal, Field(union_mode="left_to_right"), BeforeValidator(_exact)]
Number = int | float


class Submission(BaseModel):
    """The body of `POST /submit`, well-formed; whether its board takes it is judged later."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    board: str
    player: Player
    score: Exact
    name: str | None = None
    meta: dict[str, Any] | None = None
    splits: dict[str, str] | None = None
    tiebreak: Exact | None = None
    id: Annotated[str, Field(pattern=r"^[A-Za-z0-9_-]{8,64}$")] | None = None
    ticket: Annotated[str, Field(max_length=2048)] | None = None
    ranks: Literal["improved", "all", "none"] = "improved"


class StartRequest(BaseModel):
    """The body of `POST /start`."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    board: str
    player: Player | None = None
    player_token: Annotated[str, Field(max_length=2048)] | None = None


class Answer(BaseModel):
    """The root of what goes out; built from values that are right already."""

    model_config = ConfigDict(frozen=True)


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

    ticket: str
    """What `submit` must bring back, once."""
    player: str
    player_token: str | None
    """What proves ownership from now on, signed with the newest key; null where a server asked for a player."""
    expires: str
    """When the ticket is of no use any more."""
