"""Query strings: their shape, as pydantic models. Whatever a model does not know must be a split of the board."""

import re
from collections.abc import Mapping
from typing import Annotated, Any, Self
from urllib.parse import parse_qsl

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, model_validator

from lib.boards import Board
from lib.errors import Fault, Invalid, ScoreOutOfRange
from lib.models import PLAYER
from lib.runs import LARGEST

MOST_PARAMETERS = 40
MOST_PLAYERS = 50


def _whole(text: Any) -> int:
    if not isinstance(text, str) or not re.fullmatch(r"[0-9]{1,15}", text):
        raise ValueError("should be a whole number in plain digits")
    return int(text)


def _decimal(text: Any) -> float:
    if not isinstance(text, str) or not re.fullmatch(r"-?[0-9]{1,400}(\.[0-9]{1,400})?", text):
        raise ValueError("should be a plain decimal number")
    return float(text) + 0.0


def _players(text: Any) -> list[str]:
    players = str(text).split(",")
    if len(players) > MOST_PLAYERS or not all(re.fullmatch(PLAYER, player) for player in players):
        raise ValueError(f"should be 1 to {MOST_PLAYERS} players with commas between them")
    return players


Whole = Annotated[int, BeforeValidator(_whole)]
PlayerName = Annotated[str, Field(pattern=PLAYER)]


def parse_query(raw: bytes) -> dict[str, str]:
    """Split a query string; raise Invalid for a repeated parameter, bad UTF-8 or too many of them."""
    try:
        pairs = parse_qsl(raw.decode("ascii"), keep_blank_values=True, errors="strict", max_num_fields=MOST_PARAMETERS)
    except ValueError:
        raise Invalid("The query string is not well-formed.") from None
    query = dict(pairs)
    if len(query) != len(pairs):
        repeated = next(name for name in query if sum(name == other for other, _ in pairs) > 1)
        raise Invalid.field(repeated, "is given more than once")
    return query


def invalid(error: ValidationError) -> Invalid:
    """Return what a caller is told of a model's refusal: each field with what is allowed, never the value."""
    faults = [
        Fault(".".join(str(part) for part in fault["loc"]), fault["msg"].removeprefix("Value error, "))
        for fault in error.errors(include_url=False, include_input=False, include_context=False)
    ]
    return Invalid(
        "; ".join(f"{fault.loc}: {fault.msg}" if fault.loc else fault.msg for fault in faults), faults=faults
    )


class Selectors(BaseModel):
    """The parameters that choose a standing."""

    model_config = ConfigDict(extra="allow", frozen=True)

    board: str
    window: str | None = None
    at: str = "0"

    @classmethod
    def read(cls, raw: bytes) -> Self:
        """Read a query string's shape; raise Invalid, which names the parameter."""
        try:
            return cls(**parse_query(raw))
        except ValidationError as error:
            raise invalid(error) from None

    def splits(self, board: Board) -> Mapping[str, str]:
        """Return the splits among the parameters; raise Invalid for one that the board does not have."""
        others = self.model_extra or {}
        for name in others:
            if name not in board.splits:
                raise Invalid.field(name, "is not a parameter here, nor a split of this board")
        return others


class TopQuery(Selectors):
    """The query of `GET /top`."""

    limit: Annotated[Whole, Field(ge=1, le=100)] = 10
    offset: Annotated[Whole, Field(ge=0, le=2**53)] = 0
    player: PlayerName | None = None
    v: Annotated[str, Field(max_length=64)] = ""
    windows: str | None = None
    plural_splits: str | None = Field(default=None, alias="splits")

    @property
    def is_plural(self) -> bool:
        """Whether several standings are asked for."""
        return self.windows is not None or self.plural_splits is not None

    @model_validator(mode="after")
    def _refuse_mixed(self) -> Self:
        if self.is_plural:
            for name in ("window", "offset", "player"):
                if name in self.model_fields_set:
                    raise ValueError(f"{name} does not go with windows or splits")
            for name in self.model_extra or {}:
                raise ValueError(f"{name} does not go with windows or splits")
            if not re.fullmatch(r"0|-[1-9][0-9]{0,8}", self.at):
                raise ValueError("at should be 0 or -n with windows or splits")
        return self


class RankQuery(Selectors):
    """The query of `GET /rank`: one of `player`, `players` and `score`."""

    player: PlayerName | None = None
    players: Annotated[list[str] | None, BeforeValidator(_players)] = None
    score: Annotated[float | None, BeforeValidator(_decimal)] = None
    around: Annotated[Whole, Field(ge=0, le=25)] = 0

    @model_validator(mode="after")
    def _refuse_mixed(self) -> Self:
        asked = [name for name in ("player", "players", "score") if getattr(self, name) is not None]
        if len(asked) != 1:
            raise ValueError("give one of player, players and score")
        if "around" in self.model_fields_set and asked != ["player"]:
            raise ValueError("around goes with player only")
        return self

    def checked_score(self) -> float:
        """Return the score; raise ScoreOutOfRange past ±(2^53 − 1)."""
        assert self.score is not None
        if abs(self.score) > LARGEST:
            raise ScoreOutOfRange.field("score", f"should be from -{LARGEST} to {LARGEST}")
        return self.score
