"""A board: its defaults, what its keys become, and the edges of what it may say."""

from datetime import UTC, datetime
from decimal import Decimal

import pytest

from lib.boards.board import Board
from lib.boards.durations import Rate
from lib.boards.periods import Calendar, Season
from lib.boards.tables import ClosedSplit, Limits, NameRule, OpenSplit, ScoreRule
from lib.boards.toml_file import parse_boards

DAY = 86_400_000
SEASON = 'season = [{ name = "s1", starts = 2026-12-01T00:00:00Z, ends = 2027-03-01T00:00:00Z }]'

EVERY_KEY = """
[board.burrow]
order = "desc"
keep = "best"
windows = ["all", "daily"]
timezone = "Asia/Kolkata"
week_start = "sunday"
cap = 100
remember = "30d"
rank = "ordinal"
tiebreak = "asc"
names = "entry"
score = { min = 0, max = 1000000, step = 0.1 }
name = { max = 16, required = true }
meta = { depth = "int", ship = "str" }
retain = { daily = "0s", all = "30d" }
cache = "10s"
auth = "ticket"
ticket = { shortest = "5s", longest = "1h", per_second = 200.5, period_of = "start" }
limits = { per_ip = "0", per_player = "12/1m", cooldown = "10s" }

[board.burrow.splits]
level = { pattern = "[a-z0-9-]{1,32}", max = 20 }
mode = ["time", "words"]
by = ["overall", "mode", "mode+level"]

[[board.burrow.season]]
name = "s2"
starts = 2027-03-01T00:00:00Z
ends = 2027-06-01T00:00:00+02:00

[[board.burrow.season]]
name = "s1"
starts = 2026-12-01T00:00:00Z
ends = 2027-03-01T00:00:00Z
"""


def board(*lines: str) -> Board:
    """Return a board with these lines in its table."""
    return parse_boards("\n".join(["[board.x]", *lines]))["x"]


def splits(n: int) -> str:
    """Return the line that declares `n` splits."""
    declared = ", ".join(f'a{i} = ["x"]' for i in range(n))
    return f"splits = {{ {declared} }}"


def test_a_board_without_a_line_has_every_default() -> None:
    """The defaults are the ones of the reference."""
    plain = board()
    assert plain.name == "x"
    assert (plain.order, plain.keep, plain.windows, plain.timezone) == ("desc", "best", ("all",), "UTC")
    assert (plain.week_start, plain.cap, plain.remember, plain.rank) == ("monday", 1000, 90 * DAY, "ordinal")
    assert (plain.tiebreak, plain.names, plain.meta, plain.cache, plain.auth) == (None, "entry", {}, 0, "open")
    assert plain.score == ScoreRule(min=None, max=None, step=None)
    assert plain.name_rule == NameRule(max=24, required=False)
    assert (plain.ticket.shortest, plain.ticket.longest) == (0, 7_200_000)
    assert (plain.ticket.per_second, plain.ticket.period_of) == (None, "submit")
    assert (plain.limits.per_ip, plain.limits.per_player, plain.limits.cooldown) == (Rate(60, 60_000), None, 0)
    assert (plain.splits, plain.by, plain.seasons, plain.rules) == ({}, ((),), (), "db-")
    assert [plain.retain(window) for window in ("daily", "weekly", "monthly", "yearly", "season", "all")] == [
        8 * DAY,
        35 * DAY,
        100 * DAY,
        800 * DAY,
        100 * DAY,
        None,
    ]


def test_every_key_is_read() -> None:
    """A board that says everything means everything it says."""
    full = parse_boards(EVERY_KEY)["burrow"]
    assert (full.name, full.windows, full.timezone, full.week_start) == (
        "burrow",
        ("all", "daily"),
        "Asia/Kolkata",
        "sunday",
    )
    assert (full.cap, full.remember, full.tiebreak, full.cache, full.auth) == (100, 30 * DAY, "asc", 10_000, "ticket")
    assert full.score == ScoreRule(min=Decimal(0), max=Decimal(1_000_000), step=Decimal("0.1"))
    assert full.name_rule == NameRule(max=16, required=True)
    assert full.meta == {"depth": "int", "ship": "str"}
    assert (full.retain("daily"), full.retain("all")) == (0, 30 * DAY)
    assert full.ticket.per_second == Decimal("200.5")
    assert (full.ticket.shortest, full.ticket.longest, full.ticket.period_of) == (5000, 3_600_000, "start")
    assert (full.limits.per_ip, full.limits.per_player, full.limits.cooldown) == (None, Rate(12, 60_000), 10_000)
    assert isinstance(full.splits["level"], OpenSplit)
    assert full.splits["mode"] == ClosedSplit(values=("time", "words"))
    assert full.by == ((), ("mode",), ("level", "mode"))


def test_seasons_are_sorted_by_their_start() -> None:
    """The calendar may rely on the order, whatever order the file has."""
    full = parse_boards(EVERY_KEY)["burrow"]
    assert [season.name for season in full.seasons] == ["s1", "s2"]
    assert full.seasons[0] == Season("s1", datetime(2026, 12, 1, tzinfo=UTC), datetime(2027, 3, 1, tzinfo=UTC))


def test_the_calendar_is_the_boards_own() -> None:
    """Zone, first day of the week and seasons reach the calendar, which is made once."""
    full = parse_boards(EVERY_KEY)["burrow"]
    assert isinstance(full.calendar, Calendar)
    assert full.calendar is full.calendar
    assert (full.calendar.zone.key, full.calendar.week_start) == ("Asia/Kolkata", "sunday")
    assert full.calendar.seasons == full.seasons


@pytest.mark.parametrize(
    ("lines", "rules"),
    [
        ([], "db-"),
        (['order = "asc"', 'keep = "last"'], "al-"),
        (['keep = "sum"'], "ds-"),
        (['tiebreak = "asc"'], "dba"),
        (['order = "asc"', 'tiebreak = "desc"'], "abd"),
    ],
)
def test_the_rules_code_is_order_keep_and_tiebreak(lines: list[str], rules: str) -> None:
    """These three decide what a stored score means, and so which keys hold it."""
    assert board(*lines).rules == rules
    assert board(*lines).descending == (rules[0] == "d")


def test_by_default_there_is_overall_and_each_split() -> None:
    """The splits keep the order of the file."""
    assert board('splits = { b = ["x"], a = ["x"] }').by == ((), ("b",), ("a",))


@pytest.mark.parametrize(
    ("split", "value", "allowed"),
    [
        ("mode", "time", True),
        ("mode", "Time", False),
        ("mode", "", False),
        ("level", "a-1", True),
        ("level", "a-1\n", False),
        ("level", "xa-1x ", False),
        ("level", "x" * 33, False),
        ("any", "A_b.c-9", True),
        ("any", "a:b", False),
        ("any", "a b", False),
        ("any", "é", False),
        ("any", "x" * 64, True),
        ("any", "x" * 65, False),
        ("none", "time", False),
    ],
)
def test_a_split_allows_what_its_rule_holds_for_in_full(split: str, value: str, allowed: bool) -> None:
    """An open split's pattern never widens the form that keys and queries rely on."""
    splits = 'splits = { mode = ["time"], level = { pattern = "[a-z0-9-]{1,32}" }, any = { pattern = "(?s).*" } }'
    assert board(splits).allows(split, value) is allowed


def test_open_and_closed_splits_are_told_apart() -> None:
    """Only open ones count their values."""
    split = board('splits = { mode = ["time"], level = { pattern = ".+" } }')
    assert (split.is_open("mode"), split.is_open("level")) == (False, True)


def test_numbers_are_exact() -> None:
    """A tenth is a tenth, not the double nearest to it, and a whole number is as good as a decimal one."""
    assert board("score = { min = -9007199254740991, max = 9007199254740991.0, step = 0.1 }").score == ScoreRule(
        min=Decimal(-9007199254740991), max=Decimal(9007199254740991), step=Decimal("0.1")
    )


@pytest.mark.parametrize(
    "lines",
    [
        ['retain = { all = "90d" }'],
        ['retain = { all = "1d" }', 'remember = "1d"'],
        ['rank = "dense"'],
        ['rank = "dense"', "cap = 1"],
        ['names = "profile"', "cap = 0"],
        ["cap = 10000"],
        ["name = { max = 96 }"],
        ["score = { min = 5, max = 5, step = 5 }"],
        ["score = { min = -0.3, max = -0.3, step = 0.1 }"],
        ["score = { step = 1e-12, min = 9007199254740990, max = 9007199254740991 }"],
        ['limits = { cooldown = "0" }'],
        ['limits = { cooldown = "0s" }'],
        ['ticket = { shortest = "2h" }'],
        ['windows = ["all", "daily", "weekly", "monthly", "yearly"]'],
        [SEASON],
        [SEASON, 'windows = ["season"]'],
        ['timezone = "America/Argentina/Buenos_Aires"'],
        ['splits = { by = ["overall"] }'],
        ['splits = { a = ["1", "2"], by = ["a"] }'],
        ['splits = { abcdefghij_12345 = ["x"] }'],
        ['splits = { level = { pattern = ".", max = 100000 } }'],
        ['windows = ["all", "daily"]', splits(11)],
    ],
)
def test_the_edges_of_what_is_allowed(lines: list[str]) -> None:
    """What lies just inside a bound is taken."""
    assert board(*lines).name == "x"


def test_a_board_cannot_be_changed() -> None:
    """A process keeps its boards for all its requests."""
    with pytest.raises(ValueError, match="frozen"):
        board().cap = 5
    with pytest.raises(ValueError, match="frozen"):
        Limits().cooldown = 5


def test_boards_with_the_same_rules_are_equal_unless_their_names_differ() -> None:
    """The name is part of a board although it is no key of its table."""
    boards = parse_boards("[board.a]\n[board.b]\n")
    assert boards["a"] == parse_boards('[board.a]\norder = "desc"')["a"]
    assert boards["a"] != boards["b"]
