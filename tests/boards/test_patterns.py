"""Patterns of open splits: none that is accepted can stall a process, and what might is refused by name."""

import re
import time

import pytest

from lib.boards.patterns import bounded
from lib.boards.toml_file import parse_boards
from lib.errors import Misconfigured

ACCEPTED = [
    "[a-z0-9-]{1,32}",
    "[0-9]{4}-[0-9]{2}-[0-9]{2}",
    "[0-9]",
    ".+",
    "(?s).*",
    "level-[0-9]{1,3}",
    "(easy|hard)-[0-9]+",
    "[a-z]+(-[0-9]+)?",
    "([a-z]{2}){3}",
    "(a|b)*c",
    "^day-[0-9]+$",
    "[a-z]*[a-z]*[a-z]*!",
]
REFUSED = [
    "([a-z0-9]+-?)+",
    "[a-z]+(-[a-z]+)*",
    "(a|ab)*c",
    "(.*)*",
    "(a?){30}a{30}",
    "(a|ab){30}c",
    "a?" * 30 + "a" * 30,
    ".*.*.*.*!",
    r"(a)\1",
    "(?=a)a",
    "(?<!b)a",
]
NASTY = ["a" * 64, "a" * 63 + "!", "-" * 64, "ab" * 32, "0" * 64, "a-" * 32, "level-" + "9" * 58]


@pytest.mark.parametrize("pattern", ACCEPTED)
def test_an_accepted_pattern_is_quick_with_every_value(pattern: str) -> None:
    """Far less than the longest a gate lets anybody wait; a pattern that stalls takes minutes with the same values."""
    compiled = bounded(pattern)
    started = time.process_time()
    for value in NASTY:
        compiled.fullmatch(value)
    assert time.process_time() - started < 2


@pytest.mark.parametrize("pattern", REFUSED)
def test_a_pattern_that_might_stall_is_refused_by_name(pattern: str) -> None:
    board = f"[board.b.splits]\nlevel = {{ pattern = '{pattern}' }}\n"
    with pytest.raises(
        Misconfigured, match=re.escape("board.b.splits.level.pattern: should be a regular expression that")
    ):
        parse_boards(board)


@pytest.mark.parametrize("pattern", ["[a-", "a{99999999999}", "(" * 2000 + ")" * 2000])
def test_what_is_no_pattern_is_refused_as_such(pattern: str) -> None:
    with pytest.raises(ValueError, match="should be a regular expression"):
        bounded(pattern)
