"""`docs/boards.md` is checked against the models: each key, default, example and refusal in it is true."""

import re
import tomllib
from collections.abc import Iterator

import pytest
from pydantic import BaseModel

from lib.boards.board import Board
from lib.boards.field_types import QUERY_WORDS
from lib.boards.tables import Limits, NameRule, OpenSplit, ScoreRule, SeasonRule, TicketRule
from lib.boards.toml_file import load, parse_boards
from lib.errors import Misconfigured
from tests.support.project import ROOT

TEXT = (ROOT / "docs" / "boards.md").read_text(encoding="utf-8")
TABLES: dict[str, type[BaseModel]] = {
    "score": ScoreRule,
    "name": NameRule,
    "ticket": TicketRule,
    "limits": Limits,
    "splits.NAME": OpenSplit,
    "season": SeasonRule,
}


def rows(first_column: str) -> list[dict[str, str]]:
    """Return the rows of every table whose first column has that heading, as heading → cell."""
    found = []
    for table in re.findall(r"(?:^\|.*\|\n)+", TEXT, re.MULTILINE):
        lines = [[cell.strip() for cell in line.strip("|").split(" | ")] for line in table.splitlines()]
        head = [cell.strip("| ") for cell in lines[0]]
        if head[0] == first_column:
            found += [dict(zip(head, (cell.strip("| ") for cell in line), strict=True)) for line in lines[2:]]
    return found


def code(cell: str) -> list[str]:
    """Return what stands in code spans."""
    return re.findall("`([^`]+)`", cell)


def board(*keys: str) -> Board:
    """Return a board with these lines in its table."""
    return parse_boards("\n".join(["[board.x]", *keys]))["x"]


def declared_keys() -> Iterator[str]:
    """Yield every key of the models as the reference writes it."""
    for name, field in Board.model_fields.items():
        key = field.alias or name
        if key == "splits":
            yield "splits.NAME"
        elif key not in TABLES:
            yield key
    for table, model in TABLES.items():
        yield from (f"{table}.{key}" for key in model.model_fields)


def test_every_key_is_documented_and_every_documented_key_exists() -> None:
    """The reference and the models list the same keys, each once."""
    assert sorted(code(row["Key"])[0] for row in rows("Key")) == sorted(declared_keys())


@pytest.mark.parametrize("block", re.findall(r"```toml\n(.*?)```", TEXT, re.DOTALL))
def test_every_block_of_toml_loads(block: str) -> None:
    """What a reader copies works."""
    assert parse_boards(block)


@pytest.mark.parametrize("row", rows("Key"), ids=lambda row: row["Key"])
def test_every_example_loads_and_shows_its_key(row: dict[str, str]) -> None:
    """The example of a key is a board that sets this key."""
    key, lines = code(row["Key"])[0], code(row["Example"])
    assert board(*lines).name == "x"
    assert key.split(".")[0] in tomllib.loads("\n".join(lines))


@pytest.mark.parametrize(
    "row", [row for row in rows("Key") if code(row["Default"]) and "NAME" not in row["Key"]], ids=lambda row: row["Key"]
)
def test_every_default_is_the_one_in_use(row: dict[str, str]) -> None:
    """Saying the documented default changes nothing."""
    key, default = code(row["Key"])[0], code(row["Default"])[0]
    if key == "splits.by":
        assert default == '"overall"'
        assert board('splits = { a = ["x"], b = ["y"] }').by == ((), ("a",), ("b",))
    else:
        assert board(f"{key} = {default}") == board()


def test_the_default_size_of_an_open_split_is_documented() -> None:
    """The one default that is no key of its own."""
    default = next(code(row["Default"])[0] for row in rows("Key") if "splits.NAME.max" in row["Key"])
    assert OpenSplit.model_fields["max"].default == int(default)


@pytest.mark.parametrize("row", rows("Window"), ids=lambda row: row["Window"])
def test_every_default_of_retain_is_the_one_in_use(row: dict[str, str]) -> None:
    """A documented default of `retain`, said aloud, is what a board without it does."""
    window = code(row["Window"])[0]
    default = next(iter(code(row["`retain` if not said"])), None)
    season = 'season = [{ name = "s", starts = 2026-12-01T00:00:00Z, ends = 2027-03-01T00:00:00Z }]'
    keys = [f'windows = ["{window}"]', season]
    said = board(*keys, f'retain = {{ {window} = "{default}" }}') if default else board(*keys)
    assert board(*keys).retain(window) == said.retain(window)
    assert (default is None) == (board(*keys).retain(window) is None)


@pytest.mark.parametrize("row", rows("Refused"), ids=lambda row: row["Refused"])
def test_every_refusal_is_one(row: dict[str, str]) -> None:
    """The combinations listed as refused are refused, each for itself: without its last key the board loads."""
    with pytest.raises(Misconfigured):
        board(*code(row["Refused"]))
    if len(code(row["Refused"])) > 1:
        assert board(*code(row["Refused"])[:-1]).name == "x"


def test_the_reserved_words_are_documented() -> None:
    """A split may not bear these names, and the reference says all of them."""
    listed = TEXT.partition("nor a parameter of a query:")[2].partition(". ")[0]
    assert code(listed) == list(QUERY_WORDS)


def test_the_shipped_boards_load() -> None:
    """The file that a new user edits is right to begin with."""
    assert list(load(ROOT / "boards.toml")) == ["burrow", "sprint", "acorns"]
