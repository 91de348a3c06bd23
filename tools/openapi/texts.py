"""What the API reference says that no model says: what each route is for, its errors, its parameters."""

from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel

from lib import errors
from lib.errors import LaurelError
from lib.reading.queries import RankQuery, Selectors, TopQuery
from lib.schemas.reads import Health, RankOfPlayer, RankOfPlayers, RankOfScore, Top, Tops, TopWithPlayer
from lib.schemas.writes import StartAnswer, StartRequest, Submission, SubmitAnswer


@dataclass(frozen=True, slots=True)
class Operation:
    """One route: its models, and what is told of it."""

    summary: str
    description: str
    returns: str
    answers: tuple[type[BaseModel], ...]
    errors: tuple[type[LaurelError], ...]
    query: type[Selectors] | None = None
    body: type[BaseModel] | None = None
    example: dict[str, Any] | None = None
    cached: bool = False


DESCRIPTION = (
    "A leaderboard for small games. Times are UTC, as `2026-11-30T12:00:00.000Z`; bodies are JSON of at most 8 KiB, "
    "sent as `application/json` or, from a page without a preflight, as `text/plain`. Unknown and repeated fields and "
    "parameters are refused. Answers carry `no-store` unless they say otherwise."
)

_ALWAYS = (errors.OriginNotAllowed, errors.MethodNotAllowed, LaurelError, errors.StoreUnavailable, errors.Misconfigured)
_BODY = (errors.BadJson, errors.BodyTooLarge, errors.UnsupportedMediaType)
_READ = (*_ALWAYS, errors.UnknownBoard, errors.Invalid, errors.UnknownWindow, errors.UnknownSplit)
_TICKET = (errors.TicketInvalid, errors.TicketExpired, errors.TicketUsed, errors.TooEarly, errors.TooFast)

OPERATIONS = {
    "/submit": Operation(
        summary="Submit a score",
        description="Judges one score and stores it, at once, in every standing it belongs to. Send an `id` of your "
        "own: then a repeated request is counted once.",
        returns="What it came to in every standing, in the order of the board's windows, then of its splits.",
        answers=(SubmitAnswer,),
        errors=(
            *_BODY,
            *(errors.AuthRequired, errors.TicketRequired, *_TICKET, errors.Banned),
            *(*_ALWAYS, errors.UnknownBoard, errors.IdReused),
            *(errors.Invalid, errors.ScoreOutOfRange, errors.UnknownSplit, errors.SumOverflow),
            *(errors.RateLimited, errors.Cooldown, errors.TooManySplitValues),
        ),
        body=Submission,
        example={
            "board": "burrow",
            "player": "p1",
            "score": 1850,
            "name": "Mina",
            "meta": {"depth": 7},
            "splits": {"mode": "words"},
            "id": "run-0001",
        },
    ),
    "/start": Operation(
        summary="Start a run",
        description="Signs the ticket of one run. Without a player it makes one, with a token that proves ownership "
        "from then on; with a player it wants that token. Boards that demand no ticket give one too.",
        returns="The ticket, and whose it is.",
        answers=(StartAnswer,),
        errors=(
            *(*_BODY, errors.AuthRequired, errors.NotYourPlayer, *_ALWAYS),
            *(errors.UnknownBoard, errors.Invalid, errors.RateLimited),
        ),
        body=StartRequest,
        example={"board": "burrow"},
    ),
    "/top": Operation(
        summary="Read the top of a standing",
        description="One page of one standing; with `player`, that player's own row too; with `windows` or `splits`, "
        "several standings of one moment; with `format=svg`, a picture of one.",
        returns="The page, the page with `me`, or `tops`.",
        answers=(Top, TopWithPlayer, Tops),
        errors=_READ,
        query=TopQuery,
        cached=True,
    ),
    "/rank": Operation(
        summary="Find a player, several players, or the place of a score",
        description="Takes one of `player`, `players` and `score`. An unknown player is no error.",
        returns="Where the player, the players or the score stand.",
        answers=(RankOfPlayer, RankOfPlayers, RankOfScore),
        errors=(*_READ, errors.ScoreOutOfRange),
        query=RankQuery,
    ),
    "/health": Operation(
        summary="Ask whether the store answers",
        description="Not billed.",
        returns="It does.",
        answers=(Health,),
        errors=(*_ALWAYS, errors.Invalid),
    ),
}

PARAMETERS = {
    "board": "The board's name.",
    "window": "A window of the board: `all`, `daily`, `weekly`, `monthly`, `yearly` or `season`. By default the first "
    "that the board declares.",
    "at": "The period: `0` is the current one, `-1` the one before; or a period's id, such as `2026-11-30`, "
    "`2026-W49`, `2026-11`, `2026` or a season's name.",
    "limit": "How many rows.",
    "offset": "How many rows to leave out.",
    "player": "A player's id. In `top` it adds their own row as `me`.",
    "players": "Ids of 1 to 50 players, each once, with commas between them.",
    "score": "A score: which rank would a newcomer get with it now?",
    "around": "With `player`: how many neighbours on either side. At the edges the window is filled from the other.",
    "v": "Any text: only makes another cache key. A client sends the id of its last submission, and sees its change.",
    "format": "`svg` answers with a picture of the standing.",
    "windows": "Several windows, each once, with commas between them. Does not go with `window`, `offset`, `player`, "
    "`format` and single splits.",
    "splits": "Several selections, each once, with commas between them: `overall,mode:time,mode:words;level:a1`. Does "
    "not go with what `windows` does not go with.",
    "selection": "The splits that select a standing, one parameter each, such as `mode=words`.",
}
