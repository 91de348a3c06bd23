"""Reading `boards.toml`: files as editors leave them, and the one line that refuses a wrong one."""

from pathlib import Path

import pytest

from lib.boards.toml_file import load, parse_boards
from lib.errors import Misconfigured

SEASON = 'season = [{ name = "s1", starts = 2026-12-01T00:00:00Z, ends = 2027-03-01T00:00:00Z }]'


def refusal(text: str) -> str:
    """Return the line that refuses a text, without the name of the file."""
    with pytest.raises(Misconfigured) as refused:
        parse_boards(text, "my.toml")
    detail = refused.value.detail
    assert detail.isprintable(), "one line"
    assert len(detail) < 400
    assert detail.startswith("my.toml: ")
    return detail.removeprefix("my.toml: ")


def splits(n: int) -> str:
    """Return the line that declares `n` splits."""
    declared = ", ".join(f'a{i} = ["x"]' for i in range(n))
    return f"splits = {{ {declared} }}"


WRONG_BOARDS = [
    # unknown keys and values
    ('colour = "red"', "board.x.colour: is not a key here; allowed are order, keep, windows"),
    ('order = "Desc"', 'board.x.order: should be "desc" or "asc", not "Desc"'),
    ("order = true", 'board.x.order: should be "desc" or "asc", not true'),
    ('keep = "worst"', 'board.x.keep: should be "best", "last" or "sum"'),
    ('rank = "dens"', 'board.x.rank: should be "ordinal", "competition" or "dense"'),
    ('tiebreak = "none"', 'board.x.tiebreak: should be "asc" or "desc"'),
    ('names = "latest"', 'board.x.names: should be "entry" or "profile"'),
    ('auth = "tickets"', 'board.x.auth: should be "open", "ticket" or "server"'),
    ('week_start = "friday"', 'board.x.week_start: should be "monday", "sunday" or "saturday"'),
    ('limits = { per_user = "1/1m" }', "board.x.limits.per_user: is not a key here; allowed are per_ip, per_player"),
    ("score = { maximum = 1 }", "board.x.score.maximum: is not a key here; allowed are min, max, step"),
    ("name = { min = 1 }", "board.x.name.min: is not a key here; allowed are max, required"),
    ('"a\\nb" = 1', 'board.x."a\\nb": is not a key here'),
    # types
    ('cap = "10"', 'board.x.cap: should be a whole number from 0 to 10000, not "10"'),
    ("cap = true", "board.x.cap: should be a whole number from 0 to 10000, not true"),
    ("cap = 10.0", "board.x.cap: should be a whole number from 0 to 10000, not 10.0"),
    ("cap = -1", "board.x.cap: should be a whole number from 0 to 10000, not -1"),
    ("cap = 10001", "board.x.cap: should be a whole number from 0 to 10000, not 10001"),
    ("name = { required = 1 }", "board.x.name.required: should be true or false, not 1"),
    ('name = "Mina"', 'board.x.name: should be a table, not "Mina"'),
    ("score = [0, 1]", "board.x.score: should be a table, not a list"),
    ('windows = "all"', 'board.x.windows: should be a list, not "all"'),
    ('meta = ["depth"]', "board.x.meta: should be a table, not a list"),
    ('splits = ["mode"]', "board.x.splits: should be a table, not a list"),
    ("season = 1", "board.x.season: should be a list, not 1"),
    # durations and rates
    (
        'cache = "10 s"',
        'board.x.cache: should be a whole number and one of ms, s, m, h, d, w, such as "10s", not "10 s"',
    ),
    ("cache = 10", "board.x.cache: should be a whole number and one of ms, s, m, h, d, w"),
    ('cache = "0"', "board.x.cache: should be a whole number and one of ms"),
    ('remember = "0s"', 'board.x.remember: should be at least "1s"'),
    ('remember = "400000d"', 'board.x.remember: should be at most "365250d"'),
    ("limits = { per_ip = 60 }", 'board.x.limits.per_ip: should be a count from 1 to 9999999, "/" and a duration'),
    ('limits = { per_player = "60/1 m" }', 'board.x.limits.per_player: the duration after the "/" should be'),
    ('limits = { cooldown = "1/1m" }', "board.x.limits.cooldown: should be a whole number and one of"),
    # numbers
    (
        "score = { min = nan }",
        "board.x.score.min: should be a number from -9007199254740991 to 9007199254740991, not NaN",
    ),
    ("score = { max = inf }", "board.x.score.max: should be a number from"),
    ("score = { max = 9007199254740992 }", "board.x.score.max: should be a number from"),
    ("score = { min = -9007199254740991.5 }", "board.x.score.min: should be a number from"),
    ("score = { max = true }", "board.x.score.max: should be a number from"),
    ('score = { max = "9" }', "board.x.score.max: should be a number from"),
    ("score = { max = 1e400 }", "board.x.score.max: should be a number from"),
    ("score = { min = 2, max = 1 }", "board.x.score.min: should not be above max"),
    ("score = { step = 0 }", "board.x.score.step: should be more than 0"),
    ("score = { step = -1 }", "board.x.score.step: should be more than 0"),
    ("score = { min = -0.9, max = -0.2, step = 1 }", "board.x.score.step: should have at least one multiple from min"),
    ("name = { max = 0 }", "board.x.name.max: should be a whole number from 1 to 1000, not 0"),
    ("name = { max = 1001 }", "board.x.name.max: should be a whole number from 1 to 1000, not 1001"),
    # windows and seasons
    ("windows = []", "board.x.windows: should not be empty"),
    ('windows = ["all", "all"]', 'board.x.windows: should not list "all" twice'),
    ('windows = ["all", "hourly"]', 'board.x.windows.1: should be "daily", "weekly", "monthly", "yearly"'),
    ('windows = ["season"]', "board.x.windows: names season, so declare a [[board.x.season]]"),
    ('timezone = "Mars/Olympus"', "board.x.timezone: should be an IANA time zone"),
    ('timezone = "America"', "board.x.timezone: should be an IANA time zone"),
    ('timezone = "../../etc/passwd"', "board.x.timezone: should be an IANA time zone"),
    ('timezone = "utc"', "board.x.timezone: should be an IANA time zone"),
    ('timezone = "localtime"', "board.x.timezone: should be an IANA time zone"),
    ('timezone = ""', "board.x.timezone: should be an IANA time zone"),
    ('timezone = "+01:00"', "board.x.timezone: should be an IANA time zone"),
    ('retain = { weekly = "5w" }', "board.x.retain.weekly: is not among the windows, which are all"),
    ('retain = { hourly = "5w" }', 'board.x.retain.hourly: should be "daily", "weekly"'),
    ("retain = { all = 90 }", "board.x.retain.all: should be a whole number and one of"),
    ('season = [{ name = "S1" }]', "board.x.season.0.name: should be text of the form [a-z][a-z0-9_-]{0,31}, not"),
    ('season = [{ name = "s1", starts = 2026-12-01T00:00:00Z }]', "board.x.season.0.ends: is missing"),
    (SEASON.replace("00:00:00Z", "00:00:00"), "board.x.season.0.starts: should be a time with an offset"),
    (SEASON.replace("T00:00:00Z", ""), "board.x.season.0.starts: should be a time with an offset"),
    (
        SEASON.replace("00Z, e", "00.5Z, e"),
        "board.x.season.0.starts: should be a time with an offset, in whole seconds",
    ),
    (SEASON.replace("2027-03", "9999-12"), "board.x.season.0.ends: should be a time from 1970 to 9998"),
    (SEASON.replace("2027-03", "2026-12"), "board.x.season.0.ends: should be later than starts"),
    # splits
    ('splits = { by = ["mode"] }', 'board.x.splits.by: names "mode", but the splits are none'),
    ('splits = { a = ["x"], by = ["a", "b"] }', 'board.x.splits.by: names "b", but the splits are a'),
    ('splits = { a = ["x"], by = [] }', "board.x.splits.by: should not be empty"),
    ('splits = { a = ["x"], by = "a" }', 'board.x.splits.by: should be a list, not "a"'),
    ('splits = { a = ["x"], by = ["a+a"] }', 'board.x.splits.by.0: should be "overall", or different splits joined by'),
    ('splits = { a = ["x"], by = ["a", "a+"] }', "board.x.splits.by.1: should be"),
    ('splits = { a = ["x"], by = ["a", 1] }', "board.x.splits.by.1: should be"),
    ('splits = { a = ["x"], by = ["a", "a"] }', 'board.x.splits.by: should not list "a" twice'),
    ('splits = { a = ["x"], by = ["overall", "a", "overall"] }', 'board.x.splits.by: should not list "overall" twice'),
    ('splits = { a = ["x"], b = ["x"], by = ["a+b", "b+a"] }', 'board.x.splits.by: should not list "a+b" twice'),
    ('splits = { a = ["x"], b = ["x"], by = ["overall", "a"] }', "board.x.splits.b: is in no selection of by"),
    ('splits = { Mode = ["x"] }', "board.x.splits.Mode: should be named [a-z][a-z0-9_]{0,15}"),
    ('splits = { abcdefghij_123456 = ["x"] }', "board.x.splits.abcdefghij_123456: should be named"),
    ('splits = { "" = ["x"] }', 'board.x.splits."": should be named'),
    ('splits = { overall = ["x"] }', "board.x.splits.overall: should not be named overall, by or board, window"),
    ('splits = { format = ["x"] }', "board.x.splits.format: should not be named"),
    ("splits = { a = [] }", "board.x.splits.a: should not be empty"),
    ('splits = { a = ["x", "x"] }', 'board.x.splits.a: should not list "x" twice'),
    ('splits = { a = ["x", "a b"] }', "board.x.splits.a.1: should be text of the form [A-Za-z0-9_.-]{1,64}"),
    ("splits = { a = [1] }", "board.x.splits.a.0: should be text of the form"),
    ('splits = { a = "x" }', "board.x.splits.a: should be a list of values, or a table such as { pattern"),
    ("splits = { a = {} }", "board.x.splits.a.pattern: is missing"),
    ('splits = { a = { values = ["x"] } }', "board.x.splits.a.values: is not a key here; allowed are pattern, max"),
    ('splits = { a = { pattern = "[a-" } }', "board.x.splits.a.pattern: should be a regular expression (unterminated"),
    ('splits = { a = { pattern = "a{99999999999}" } }', "board.x.splits.a.pattern: should be a regular expression"),
    ("splits = { a = { pattern = 1 } }", "board.x.splits.a.pattern: should be a regular expression, not 1"),
    ('splits = { a = { pattern = "a", max = 0 } }', "board.x.splits.a.max: should be a whole number from 1 to 100000"),
    ('splits = { a = { pattern = "a", max = 100001 } }', "board.x.splits.a.max: should be a whole number from 1 to"),
    # meta and tickets
    ('meta = { depth = "integer" }', 'board.x.meta.depth: should be "int", "float", "str" or "bool"'),
    ('meta = { "a b" = "int" }', 'board.x.meta."a b": should be named [A-Za-z0-9_-]{1,32}'),
    ('ticket = { longest = "0s" }', "board.x.ticket.longest: should be longer than nothing"),
    ('ticket = { shortest = "3h" }', "board.x.ticket.shortest: should not be longer than longest"),
    ("ticket = { per_second = 0 }", "board.x.ticket.per_second: should be more than 0"),
    ('ticket = { period_of = "end" }', 'board.x.ticket.period_of: should be "submit" or "start"'),
    # combinations
    ('tiebreak = "asc"\nkeep = "sum"', 'board.x.tiebreak: cannot go with keep = "sum"'),
    ('tiebreak = "asc"\nrank = "competition"', 'board.x.tiebreak: needs rank = "ordinal"'),
    ('tiebreak = "asc"\nrank = "dense"', 'board.x.tiebreak: needs rank = "ordinal"'),
    ('rank = "dense"\ncap = 0', "board.x.rank: can be dense only with a cap from 1 to 1000"),
    ('rank = "dense"\ncap = 1001', "board.x.rank: can be dense only with a cap from 1 to 1000"),
    ('retain = { all = "90d" }\ncap = 0', "board.x.retain.all: needs a cap above 0"),
    ('retain = { all = "89d" }', "board.x.retain.all: should not be shorter than remember (default 90d)"),
    ('names = "profile"', 'board.x.names: can be "profile" only with cap = 0 (the default is 1000)'),
    ('order = "asc"\nticket = { per_second = 1 }', 'board.x.ticket.per_second: needs order = "desc"'),
]


@pytest.mark.parametrize(("lines", "expected"), WRONG_BOARDS)
def test_a_wrong_board_is_refused_with_the_key_and_what_is_allowed(lines: str, expected: str) -> None:
    """One line: the file, the dotted key as the file has it, what is allowed."""
    assert expected in refusal(f"[board.x]\n{lines}")


def test_more_standings_than_a_submission_may_reach_are_refused() -> None:
    """5 windows × 5 selections are one too many."""
    windows = 'windows = ["all", "daily", "weekly", "monthly", "yearly"]'
    assert "at most 24 standings, not 5 windows × 5 selections = 25" in refusal(f"[board.x]\n{windows}\n{splits(4)}")


@pytest.mark.parametrize(
    ("second", "expected"),
    [
        ('{ name = "s1", starts = 2027-03-01T00:00:00Z, ends = 2027-04-01T00:00:00Z }', 'should not list "s1" twice'),
        (
            '{ name = "s2", starts = 2027-02-28T23:59:59Z, ends = 2027-04-01T00:00:00Z }',
            '"s2" should not start before "s1" ends',
        ),
        (
            '{ name = "s0", starts = 2026-11-01T00:00:00Z, ends = 2026-12-01T00:00:00-01:00 }',
            '"s1" should not start before "s0" ends',
        ),
    ],
)
def test_seasons_of_one_name_or_one_time_are_refused(second: str, expected: str) -> None:
    """Offsets count: what looks adjacent on the wall may overlap in time."""
    assert f"board.x.season: {expected}" in refusal(f"[board.x]\n{SEASON[:-1]}, {second}]")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", "board: is missing; declare at least one board as [board.NAME]"),
        ("# nothing\n", "board: is missing"),
        ("board = 1\n", "board: is missing"),
        ('[[board]]\nname = "x"\n', "board: is missing"),
        ("[board]\nx = 1\n", "board.x: should be a table, not 1"),
        ("[boards.x]\n", "boards: is not a key here; declare boards as [board.NAME]"),
        ("title = 1\n[board.x]\n", "title: is not a key here"),
        ("[board.Burrow]\n", "board.Burrow: should be named [a-z0-9_-]{1,32}"),
        (f"[board.{'x' * 33}]\n", "should be named [a-z0-9_-]{1,32}"),
        ('[board."a\\nb"]\n', 'board."a\\nb": should be named'),
        ('[board."é"]\n', "should be named"),
        ("[board.x\n", "is not TOML: Expected ']'"),
        ("[board.x]\n[board.x]\n", "is not TOML: Cannot declare ('board', 'x') twice"),
        ("[board.x]\norder = desc\n", "is not TOML: Invalid value (at line 2"),
        ('[board.x]\norder = "asc"\norder = "asc"\n', "is not TOML: Cannot overwrite a value"),
        ('[board.x]\norder = "\u2028\u202eup"\n', 'not "  up"'),
        (f"[board.x]\ncap = {'9' * 5000}\n", "is not TOML: "),
        ("[board.x]\nscore = { max = 1e99999999999999999999 }\n", "is not TOML: "),
        (f"[board.x]\ncap = {'[' * 20000}\n", "is not TOML: "),
        ('[board.a]\n[board.b]\norder = "up"\n', 'board.b.order: should be "desc" or "asc", not "up"'),
        ('[board.x]\norder = "up"\nkeep = "all"\n', 'not "up". (1 more)'),
    ],
)
def test_a_wrong_file_is_refused_in_one_line(text: str, expected: str) -> None:
    """Syntax, an empty file, and what stands beside the boards."""
    assert expected in refusal(text)


def test_a_long_value_is_not_repeated_in_full() -> None:
    """A line stays a line; `refusal` counts its characters and looks for line ends."""
    assert "…" in refusal('[board.x]\norder = "' + "up\\n\\u001b[31m" * 1000 + '"')


def test_a_file_is_loaded_by_its_path(tmp_path: Path) -> None:
    """A byte order mark and Windows line ends, as some editors leave them, do no harm."""
    path = tmp_path / "boards.toml"
    path.write_bytes(b'\xef\xbb\xbf[board.a]\r\norder = "asc"\r\n[board.b]\r\n')
    boards = load(path)
    assert [(name, loaded.name, loaded.order) for name, loaded in boards.items()] == [
        ("a", "a", "asc"),
        ("b", "b", "desc"),
    ]


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    """Missing, a folder, or not UTF-8: the path is in the message, and the variable that chose it."""
    with pytest.raises(
        Misconfigured, match=r"nowhere\.toml: cannot be read \(No such file or directory\).*LAUREL_BOARDS"
    ):
        load(tmp_path / "nowhere.toml")
    with pytest.raises(Misconfigured, match="cannot be read"):
        load(tmp_path)
    latin = tmp_path / "latin.toml"
    latin.write_bytes("[board.x] # é".encode("latin-1"))
    with pytest.raises(Misconfigured, match=r"latin\.toml: should be UTF-8 text; byte 12 is not"):
        load(latin)
