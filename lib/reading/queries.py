"""Query strings: their shape, as pydantic models. Whatever a model does not know must be a split of the board."""

import re
from collections.abc import Mapping
from decimal import Decimal
from math import isfinite
from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError
from pydantic.config import JsonDict

from lib.boards.board import Board
from lib.boards.scores import to_float
from lib.errors import Invalid
from lib.schemas.field_errors import MOST_NAMED, invalid
from lib.schemas.query_string import parse_query
from lib.schemas.writes import PLAYER

MOST_PLAYERS = 50


def _whole(text: Any) -> Any:
    if type(text) is int:  # from Python; a query string holds text alone
        return text
    if not isinstance(text, str) or not re.fullmatch(r"[0-9]{1,15}", text):
        raise ValueError("should be a whole number in plain digits")
    return int(text)


def _decimal(text: Any) -> Decimal:
    if isinstance(text, int | float | Decimal) and not isinstance(text, bool) and isfinite(text):
        return Decimal(str(text))
    if not isinstance(text, str) or not re.fullmatch(r"-?[0-9]+(\.[0-9]+)?", text):
        raise ValueError("should be a plain decimal number")
    return Decimal(text)


def _players(text: Any) -> list[str]:
    players = text if isinstance(text, list) else str(text).split(",")
    if len(players) > MOST_PLAYERS or not all(re.fullmatch(PLAYER, player) for player in players):
        raise ValueError(f"should be 1 to {MOST_PLAYERS} players with commas between them")
    if len(set(players)) != len(players):
        raise ValueError("names a player more than once")
    return players


# What the validator sees to, for the OpenAPI description.
PLAYERS: JsonDict = {"minItems": 1, "maxItems": MOST_PLAYERS, "uniqueItems": True}
Whole = Annotated[int, BeforeValidator(_whole)]
PlayerName = Annotated[str, Field(pattern=PLAYER)]


class Selectors(BaseModel):
    """The parameters that choose a standing."""

    model_config = ConfigDict(extra="allow", frozen=True, defer_build=True)

    board: str
    window: str | None = None
    at: str = "0"

    @classmethod
    def read(cls, raw: bytes) -> Self:
        """Read a query string's shape; raise Invalid, which names the parameter."""
        try:
            return cls.model_validate(parse_query(raw))
        except ValidationError as error:
            raise invalid(error) from None

    def refuse_mixed(self) -> None:
        """Raise Invalid for parameters that do not go together."""

    def splits(self, board: Board) -> Mapping[str, str]:
        """Return the splits among the parameters; raise Invalid for one that the board does not have."""
        others = self.model_extra or {}
        for name in others:
            if name not in board.splits:
                raise Invalid.field(name[:MOST_NAMED], "is not a parameter here, nor a split of this board")
        return others


class TopQuery(Selectors):
    """The query of `GET /top`."""

    limit: Annotated[Whole, Field(ge=1, le=100)] = 10
    offset: Annotated[Whole, Field(ge=0, le=2**53)] = 0
    player: PlayerName | None = None
    v: Annotated[str, Field(max_length=64)] = ""
    format: Literal["svg"] | None = None
    windows: str | None = None
    plural_splits: str | None = Field(default=None, alias="splits")

    @property
    def is_plural(self) -> bool:
        """Whether several standings are asked for."""
        return self.windows is not None or self.plural_splits is not None

    def refuse_mixed(self) -> None:
        """Raise Invalid for what only a single standing has, where several are asked for."""
        for name in ("window", "offset", "player", "format", *(self.model_extra or {})) if self.is_plural else ():
            if name in self.model_fields_set:
                raise Invalid.field(name[:MOST_NAMED], "does not go with windows or splits")


class RankQuery(Selectors):
    """The query of `GET /rank`: one of `player`, `players` and `score`."""

    player: PlayerName | None = None
    players: Annotated[list[str] | None, BeforeValidator(_players), Field(json_schema_extra=PLAYERS)] = None
    score: Annotated[Decimal | None, BeforeValidator(_decimal)] = None
    around: Annotated[Whole, Field(ge=0, le=25)] = 0

    def refuse_mixed(self) -> None:
        """Raise Invalid where there is not one thing to rank."""
        asked = [name for name in ("player", "players", "score") if getattr(self, name) is not None]
        if len(asked) != 1:
            raise Invalid.field(asked[1] if asked else "player", "give one of player, players and score")
        if "around" in self.model_fields_set and asked != ["player"]:
            raise Invalid.field("around", "goes with player only")

    def checked_score(self) -> float:
        """Return the score; raise ScoreOutOfRange past ±(2^53 − 1)."""
        assert self.score is not None
        return to_float(self.score, "score")
