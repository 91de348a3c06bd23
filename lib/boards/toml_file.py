"""Reading `boards.toml`: text to boards, and whatever is wrong with it to one line: where, and what is allowed."""

import json
import re
import tomllib
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ValidationError

from lib.boards.board import Board
from lib.boards.field_types import Mistake
from lib.boards.tables import Limits, NameRule, OpenSplit, ScoreRule, SeasonRule, TicketRule
from lib.errors import Misconfigured

_BOARD_NAME = re.compile("[a-z0-9_-]{1,32}")
_BARE_KEY = re.compile("[A-Za-z0-9_-]+")
_TABLES: dict[str, type[BaseModel]] = {
    "score": ScoreRule,
    "name": NameRule,
    "ticket": TicketRule,
    "limits": Limits,
    "splits": OpenSplit,
    "season": SeasonRule,
}
_SHOULD_BE = {
    "bool_type": "true or false",
    "dict_type": "a table",
    "model_type": "a table",
    "tuple_type": "a list",
    "union_tag_not_found": 'a list of values, or a table such as { pattern = "[a-z]+", max = 200 }',
}


def load(path: Path) -> dict[str, Board]:
    """Return the boards that a file declares, by name; raise Misconfigured, one line: file, key, allowed."""
    try:
        # Some editors begin a file with a byte order mark, which TOML does not know.
        text = path.read_bytes().decode("utf-8-sig")
    except OSError as error:
        raise Misconfigured(f"{path}: cannot be read ({error.strerror}); LAUREL_BOARDS names the file.") from None
    except UnicodeDecodeError as error:
        raise Misconfigured(f"{path}: should be UTF-8 text; byte {error.start} is not.") from None
    return parse_boards(text, str(path))


def parse_boards(text: str, source: str = "boards.toml") -> dict[str, Board]:
    """Return the boards that a text declares, by name; raise Misconfigured that calls the text `source`."""
    try:
        # Decimal, because a step of 0.1 is meant to be a tenth.
        declared = tomllib.loads(text, parse_float=Decimal)
    except (ValueError, ArithmeticError, RecursionError) as error:
        raise Misconfigured(f"{source}: is not TOML: {_one_line(str(error) or 'a number is too large')}.") from None
    for key in declared:
        if key != "board":
            raise Misconfigured(f"{source}: {_key(key)}: is not a key here; declare boards as [board.NAME].")
    boards = declared.get("board")
    if not isinstance(boards, dict) or not boards:
        raise Misconfigured(f"{source}: board: is missing; declare at least one board as [board.NAME].")
    return {name: _board(name, raw, source) for name, raw in boards.items()}


def _board(name: str, raw: object, source: str) -> Board:
    where = f"board.{_key(name)}"
    if not _BOARD_NAME.fullmatch(name):
        raise Misconfigured(f"{source}: {where}: should be named {_BOARD_NAME.pattern}.")
    try:
        return Board.model_validate(raw, context=name)
    except ValidationError as invalid:
        errors = invalid.errors(include_url=False)
        # A misspelt key is also a missing one: what was written says more than what was not.
        error = next((error for error in errors if error["type"] == "extra_forbidden"), errors[0])
        keys = ".".join((where, *_path(error)))
        others = f" ({len(errors) - 1} more)" if len(errors) > 1 else ""
        raise Misconfigured(f"{source}: {keys}: {_explanation(error)}.{others}") from None


def _path(error: Any) -> Iterator[str]:
    """Yield the keys that lead to what is wrong, as the file has them; list items count from 0."""
    loc = list(error["loc"])
    if loc[:1] == ["splits"]:
        # Between a split's name and its keys pydantic puts the kind of the split, and in closed ones our own field.
        del loc[2 : 4 if loc[2:3] == ["closed"] else 3]
    for part in loc:
        if part != "[key]":
            yield part if part == "splits.by" else _key(str(part))
    mistake = error.get("ctx", {}).get("error")
    if isinstance(mistake, Mistake) and mistake.key:
        yield mistake.key


def _explanation(error: Any) -> str:
    kind, shown = error["type"], _shown(error["input"])
    if kind == "value_error":
        reason = error["ctx"]["error"]
        return str(reason) if isinstance(reason, Mistake) else f"{reason}, not {shown}"
    if kind == "literal_error":
        return f"should be {error['ctx']['expected']}, not {shown}".replace("'", '"')
    if kind == "extra_forbidden":
        return f"is not a key here; allowed are {', '.join(_keys_beside(error['loc']))}"
    if kind == "missing":
        return "is missing"
    allowed = _SHOULD_BE.get(kind)
    return f"should be {allowed}, not {shown}" if allowed else _one_line(error["msg"])


def _keys_beside(loc: tuple[Any, ...]) -> list[str]:
    model = _TABLES[loc[0]] if len(loc) > 1 else Board
    aliases = (field.alias or name for name, field in model.model_fields.items())
    return [key for key in aliases if key != "splits.by"]


def _shown(value: object) -> str:
    """Return a value as TOML writes it, on one line and not too long."""
    if isinstance(value, dict):
        return "a table"
    if isinstance(value, list):
        return "a list"
    text = str(value) if isinstance(value, Decimal) else json.dumps(value, ensure_ascii=False, default=str)
    return _one_line(text)


def _one_line(text: str) -> str:
    line = "".join(character if character.isprintable() else " " for character in text)
    return line if len(line) <= 160 else line[:159] + "…"


def _key(part: str) -> str:
    return part if _BARE_KEY.fullmatch(part) else _one_line(json.dumps(part))
