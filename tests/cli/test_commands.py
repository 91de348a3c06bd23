"""`python -m tools`: every command against a live store, for people and for machines."""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from typing import Any

import httpx
import pytest

from lib.access.tickets import Signer
from lib.boards import toml_file
from lib.boards.board import Board
from tests.cli.running_commands import TOKEN, Run
from tests.support.project import ROOT
from tools.cli.commands import boards as printed
from tools.cli.main import make_parser
from tools.cli.terminal import printable, table


def test_the_boards_as_they_are_understood(run: Run, told: Callable[..., Any]) -> None:
    """Every default is said, and the store is not asked."""
    status, out, err = run("boards", UPSTASH_REDIS_REST_URL="", UPSTASH_REDIS_REST_TOKEN="")
    assert (status, err) == (0, "")
    assert 'by = ["overall", "mode"]' in out
    answer = told("boards")
    assert list(answer) == ["b", "open", "ticketed", "backend"]
    assert answer["b"]["retain"] == {"daily": "8d"}
    assert answer["b"]["limits"] == {"per_ip": "0", "per_player": "0", "cooldown": "0"}


EXAMPLES = [
    (ROOT / "boards.toml").read_text("utf-8"),
    *(block for block in (ROOT / "docs/boards.md").read_text("utf-8").split("```toml\n")[1:]),
    '[board.b]\nscore = { min = -0.5, max = 1e3, step = 1e-12 }\nremember = "1500ms"\ntiebreak = "desc"',
    '[board.b]\nsplits = { x = { pattern = "[a-z\\\\d]\\\\.\\"\\t" }, by = ["x"] }\nticket = { per_second = 0.25 }\n',
]


@pytest.mark.parametrize("text", EXAMPLES)
def test_what_is_printed_can_be_read_back_and_means_the_same(text: str) -> None:
    boards = toml_file.parse_boards(text.partition("```")[0])
    again = toml_file.parse_boards(printed.as_toml(boards))
    assert [same(board) for board in again.values()] == [same(board) for board in boards.values()]
    assert printed.as_toml(again) == printed.as_toml(boards)


def same(board: Board) -> dict[str, Any]:
    """Return what a board comes to, whether it was said or is a default."""
    kept = {window: board.retain(window) for window in board.windows}
    return {
        **board.model_dump(exclude={"retained", "selections", "season"}),
        "kept": kept,
        "by": board.by,
        "s": board.seasons,
    }


def test_top_shows_a_page(run: Run, told: Callable[..., Any], play: Callable[..., Any]) -> None:
    play({"player": "p1", "score": 10, "name": "Mina"}, {"player": "p2", "score": 30, "splits": {"mode": "time"}})
    status, out, _ = run("top", "b")
    assert status == 0
    assert [line.split()[:4] for line in out.splitlines()[2:]] == [
        ["1", "30", "p2", out.splitlines()[2].split()[3]],
        ["2", "10", "Mina", "p1"],
    ]
    page = told("top", "b", "--window", "daily", "--split", "mode=time", "--limit", "1")
    assert ([row["player"] for row in page["entries"]], page["total"], page["splits"]) == (["p2"], 1, {"mode": "time"})
    assert "Nobody" in run("top", "b", "--at", "-1", "--window", "daily")[1]


def test_ban_unban_remove_erase_export(run: Run, told: Callable[..., Any], play: Callable[..., Any]) -> None:
    """A whole case, as an operator works it; each step seen by the functions."""
    cheat = {"player": "p1", "score": 999, "splits": {"mode": "time"}, "name": "Cheat"}
    play(cheat, {"player": "p2", "score": 5})
    assert told("ban", "b", "p1") == {"board": "b", "player": "p1", "banned": True}
    assert play(cheat)[0]["code"] == "banned"
    assert told("top", "b")["total"] == 2
    assert told("remove", "b", "p1", "--yes") == {"board": "b", "player": "p1", "standings": 4}
    assert [row["rank"] for row in told("top", "b")["entries"]] == [1]
    assert told("unban", "b", "p1") == {"board": "b", "player": "p1", "banned": False}
    assert play({**cheat, "score": 3})[0]["improved"]
    exported = json.loads(run("export", "b", "p1")[1])
    assert [s["score"] for s in exported["standings"]] == [3] * 4
    assert told("erase", "b", "p1", "--yes") == {"board": "b", "player": "p1", "standings": 4}
    assert told("export", "b", "p1") == {
        "board": "b", "player": "p1", "banned": False, "record": None, "profile": None, "standings": [],
    }  # fmt: skip


def test_all_boards_at_once(run: Run, told: Callable[..., Any], play: Callable[..., Any]) -> None:
    """With the name of a board or without one."""
    play({"player": "p1"}, {"player": "p1", "board": "open"})
    names = ["b", "open", "ticketed", "backend"]
    for arguments in (("ban", "p1", "--all-boards"), ("ban", "--all-boards", "p1"), ("ban", "b", "p1", "--all-boards")):
        answer = told(*arguments)
        assert answer == {"player": "p1", "boards": [{"board": name, "banned": True} for name in names]}
    answer = told("remove", "p1", "--all-boards", "--yes")
    assert (answer["standings"], [one["standings"] for one in answer["boards"]]) == (3, [2, 1, 0, 0])
    status, _, err = run("ban", "p1")
    assert (status, err) == (1, "Name the board of p1, or say --all-boards.\n")


def test_reset_and_sweep_say_what_they_did(run: Run, told: Callable[..., Any], play: Callable[..., Any]) -> None:
    play({"player": "p1", "board": "open"}, {"player": "p2", "board": "open"}, {"player": "p1"})
    assert told("sweep", "open", "--yes") == {"board": "open", "players": 0, "standings": 0, "looked_at": 2}
    assert told("sweep", "open", "--idle", "0ms", "--yes")["players"] == 2
    assert told("reset", "b", "--yes") == {"board": "b", "keys": 3}
    assert run("sweep", "b", "--yes")[0] == 1


def test_a_token_is_the_player_s_own(run: Run, told: Callable[..., Any]) -> None:
    """Signed with the newest secret; the store is not asked."""
    answer = told("token", "ticketed", "p1", LAUREL_SECRET="new,old", UPSTASH_REDIS_REST_URL="http://127.0.0.1:9")
    Signer(["new"]).check_player("p1", answer["player_token"])
    assert run("token", "b", "p1", LAUREL_SECRET="new")[1].strip() == answer["player_token"]
    status, _, err = run("token", "b", "p1")
    assert (status, "LAUREL_SECRET" in err) == (1, True)


def test_nothing_printed_commands_a_terminal() -> None:
    """Whatever got into the database: no escape, no new line, no reversal; an emoji stays whole."""
    family = "\U0001f468\u200d\U0001f469\u200d\U0001f467"
    assert printable(f"a\x1b[2J\r\n\u202eb\x07{family}") == f"a\ufffd[2J\ufffd\ufffd\ufffdb\ufffd{family}"
    assert "\x1b" not in table(("name",), [("\x1b]0;x\x07",)])


def test_a_tampered_row_is_shown_and_commands_nothing(
    run: Run, told: Callable[..., Any], play: Callable[..., Any], environ: Mapping[str, str]
) -> None:
    play({"player": "p1"})
    row = ["ZADD", "laurel:{b}:db-:all:all:", "9", "8000000000000\tp2\t\x1b[2Jname\t"]
    httpx.post(environ["UPSTASH_REDIS_REST_URL"], json=row, headers={"Authorization": f"Bearer {TOKEN}"})
    status, out, _ = run("top", "b")
    assert (status, "\x1b" in out, "name" in out) == (0, False, True)
    assert "\x1b" not in run("top", "b", "--json")[1]
    assert told("top", "b")["entries"][0]["name"] == "\x1b[2Jname"


def test_the_commands_run_as_a_module(environ: dict[str, str]) -> None:
    """From the project's folder, with the output piped away before it ends."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("LAUREL_", "UPSTASH_"))}
    done = subprocess.run(
        [sys.executable, "-m", "tools", "boards", "--json"],
        cwd=ROOT,
        env={**clean, **environ},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert list(json.loads(done.stdout)) == ["b", "open", "ticketed", "backend"]


def test_every_command_has_a_summary() -> None:
    text = make_parser().format_help()
    for name in (
        "boards",
        "top",
        "ban",
        "unban",
        "remove",
        "erase",
        "export",
        "token",
        "reset",
        "sweep",
        "doctor",
        "cost",
    ):
        assert f"    {name}" in text
