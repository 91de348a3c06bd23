"""The request that `make dev` prints is one that the board takes."""

import json
import shlex
from urllib.parse import parse_qsl, urlsplit

import pytest

from lib.boards.toml_file import parse_boards
from tools.dev import example_requests

NOW = 1_795_856_400_000  # 2026-11-28T17:00:00Z


def _submission(table: str) -> dict[str, object] | None:
    (board,) = parse_boards(f"[board.b]\n{table}").values()
    return example_requests.submission(board, NOW)


@pytest.mark.parametrize(
    ("rule", "score"),
    [
        ("{}", 100),
        ("{ min = 0, max = 10 }", 10),
        ("{ min = 500 }", 500),
        ("{ step = 7 }", 98),
        ("{ step = 0.3 }", 99.9),
        ("{ min = 995, step = 10 }", 1000),
        ("{ max = -5, step = 2 }", None),
        ("{ max = -5 }", -5),
    ],
)
def test_the_score_is_in_range_and_on_the_step(rule: str, score: object) -> None:
    body = _submission(f"score = {rule}")
    assert body is None if score is None else body is not None and body["score"] == score


def test_the_name_fits_and_the_tiebreak_is_there() -> None:
    body = _submission('tiebreak = "asc"\nname = { max = 2, required = true }')
    assert body is not None
    assert (body["name"], body["tiebreak"]) == ("Mi", 1)


def test_a_value_is_found_for_open_and_closed_splits() -> None:
    body = _submission(
        '[board.b.splits]\nmode = ["time"]\nlevel = { pattern = "[a-z0-9-]{3,32}" }\nby = ["mode+level"]'
    )
    assert body is not None
    assert body["splits"] == {"mode": "time", "level": "easy"}


@pytest.mark.parametrize(
    "table",
    [
        '[board.b.splits]\nlevel = { pattern = "only-this" }\nby = ["level"]',
        'windows = ["season"]\n'
        '[[board.b.season]]\nname = "s"\nstarts = 2027-01-01T00:00:00Z\nends = 2027-02-01T00:00:00Z',
    ],
)
def test_a_board_that_no_submission_would_reach_now_has_none(table: str) -> None:
    assert _submission(table) is None


def test_the_lines_can_be_pasted() -> None:
    boards = parse_boards(
        '[board.closed]\nauth = "server"\n[board.tracks]\n[board.tracks.splits]\ntrack = ["up"]\nby = ["track"]\n'
    )
    submit, top = (shlex.split(line) for line in example_requests.curls(boards, "http://127.0.0.1:1", NOW))
    assert json.loads(submit[-1])["board"] == "tracks"
    assert "Content-Type: application/json" in submit
    assert parse_qsl(urlsplit(top[-1]).query) == [("board", "tracks"), ("track", "up")]


@pytest.mark.parametrize(("auth", "lines"), [("server", 2), ("ticket", 1)])
def test_where_nobody_may_simply_submit_the_lines_say_so(auth: str, lines: int) -> None:
    shown = example_requests.curls(parse_boards(f'[board.b]\nauth = "{auth}"'), "http://127.0.0.1:1", NOW)
    assert len(shown) == lines
    assert ("$LAUREL_SERVER_TOKEN" in shown[0]) is (auth == "server")
