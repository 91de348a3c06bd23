"""The arguments of submit.lua: written by name in Python and read by name in Lua, both in one order."""

import re

import pytest

from lib.access.admission import Spending
from lib.boards.toml_file import parse_boards
from lib.schemas.writes import Submission
from lib.storage.keys import Keyspace
from lib.submitting.arguments import Arguments, arguments_of
from lib.submitting.attempt import Attempt
from lib.submitting.validation import check_run
from tests.support.harness import NOON
from tests.support.project import ROOT

LUA = (ROOT / "lib/storage/lua/parts/submission.lua").read_text("utf-8")
BOARD = """
[board.b]
windows = ["all", "season"]
tiebreak = "asc"
[board.b.splits]
mode = ["time"]
level = { pattern = "[a-z]+", max = 5 }
by = ["overall", "level+mode"]
[[board.b.season]]
name = "s1"
starts = 2033-01-01T00:00:00Z
ends = 2034-01-01T00:00:00Z
"""


@pytest.fixture
def arguments() -> Arguments:
    """Give what a run with everything a run can have is sent with."""
    board = parse_boards(BOARD)["b"]
    body = {"board": "b", "player": "p", "score": 1, "tiebreak": 2, "splits": {"mode": "time", "level": "a"}}
    run = check_run(board, Submission.model_validate(body), fresh_id="x" * 8, refuses_name=None)
    attempt = Attempt.of(board, run, "caller", NOON, Spending("nonce", 60, NOON - 1000))
    return arguments_of(attempt, Keyspace("laurel", board))


def read_by(block: str) -> list[str]:
    """Return the names that a block of Lua takes arguments under, in their order."""
    return re.findall(r"^\s*(?:local |standing\.)?(\w+) = \{? ?take(?:_flag|_number)?\(\)", block, re.MULTILINE)


def table(name: str) -> str:
    """Return the text of the function in parts/submission.lua that takes a table."""
    blocks: list[str] = re.findall(rf"^local function take_{name}\(\)\n(.*?)^end", LUA, re.MULTILINE | re.DOTALL)
    assert len(blocks) == 1
    return blocks[0]


def test_the_tables_have_the_fields_that_lua_reads(arguments: Arguments) -> None:
    assert ["gated", *arguments.request] == read_by(table("request"))
    assert [*arguments.board] == read_by(table("board"))
    assert [*arguments.limits] == read_by(table("limits"))


def test_a_standing_has_the_fields_that_lua_reads(arguments: Arguments) -> None:
    loop = LUA[LUA.index("for at = 1, take_number()") :]
    counted = loop.index("for open = 1, take_number()")
    assert {tuple(one.standing) for one in arguments.standings} == {tuple(read_by(loop[:counted]))}
    [line] = re.findall(r"standing\.values\[open\] = \{(.*)\}", loop)
    values = re.findall(r"(\w+) = (?:KEYS\[)?take", line)
    assert [len(one.values) for one in arguments.standings] == [0, 1, 0, 1]
    assert [[*value] for one in arguments.standings for value in one.values] == [values, values]


def test_nothing_else_is_taken(arguments: Arguments) -> None:
    """Every take of the part is one of those that were compared, and the counts of standings and of values."""
    tables = [table("request"), table("board"), table("limits"), LUA[LUA.index("for at = 1, take_number()") :]]
    inside = sum(len(re.findall(r"\btake(?:_flag|_number)?\(\)", block)) for block in tables)
    helpers = len(re.findall(r"return number\(take\(\)\)|return take\(\) ==", LUA))
    functions = len(re.findall(r"local function take(?:_flag|_number)?\(\)", LUA))
    assert len(re.findall(r"\btake(?:_flag|_number)?\(\)", LUA)) == inside + helpers + functions


def test_the_gate_is_all_that_a_second_try_changes(arguments: Arguments) -> None:
    first, again = arguments.flat(gated=True), arguments.flat(gated=False)
    assert (first[0], again[0], first[1:]) == ("1", "0", again[1:])
    assert all(isinstance(text, str) for text in first)
