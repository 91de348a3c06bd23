"""`python -m tools`: every command against a live store, for people and for machines, and how each failure ends."""

import asyncio
import io
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import pytest
from starlette.responses import PlainTextResponse

from lib import boardfile
from lib.boards import Board
from lib.deployment import Deployment
from lib.settings import Settings
from lib.tickets import Signer
from tests.fixtures_redis import serve
from tools import boards as printed
from tools import cost, smoke
from tools.backends import MemoryBackend
from tools.cli import main, make_parser
from tools.endpoint import make_endpoint
from tools.terminal import printable, table
from tools.trial import Trial

ROOT = Path(__file__).parent.parent
TOKEN = "a-token-for-tests"
BOARDS = """
[board.b]
windows = ["all", "daily"]
limits = { per_ip = "0" }
splits = { mode = ["time", "words"] }

[board.open]
cap = 0
limits = { per_ip = "0" }

[board.ticketed]
auth = "ticket"

[board.backend]
auth = "server"
"""

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def environ(tmp_path: Path) -> Iterator[dict[str, str]]:
    """Give the environment of a deployment on an empty store: address, token and boards, and no secrets."""
    path = tmp_path / "boards.toml"
    path.write_text(BOARDS)
    with serve(make_endpoint(MemoryBackend(), TOKEN)) as url:
        yield {"UPSTASH_REDIS_REST_URL": url, "UPSTASH_REDIS_REST_TOKEN": TOKEN, "LAUREL_BOARDS": str(path)}


@pytest.fixture
def run(environ: dict[str, str], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Run:
    """Give a way to carry out a command, for its status, its answer and its complaint; nobody sits at the terminal."""
    monkeypatch.setattr(sys, "stdin", io.StringIO())

    def carry_out(*arguments: str, **more: str) -> tuple[int, str, str]:
        status = main(arguments, {**environ, **more})
        captured = capsys.readouterr()
        return status, captured.out, captured.err

    return carry_out


@pytest.fixture
def told(run: Run) -> Callable[..., Any]:
    """Give a way to carry out a command with --json, which must succeed."""

    def answer(*arguments: str, **more: str) -> Any:
        status, out, err = run(*arguments, "--json", **more)
        assert (status, err) == (0, ""), err
        return json.loads(out)

    return answer


@pytest.fixture
def play(environ: dict[str, str], capsys: pytest.CaptureFixture[str]) -> Callable[..., Any]:
    """Give a way to submit through the functions, on the same store and the real clock."""

    async def submit(bodies: tuple[dict[str, Any], ...]) -> list[Any]:
        settings = replace(Settings.read(environ), secrets=("s",), server_token="t")
        trial = Trial(Deployment(settings, boardfile.load(settings.boards_path)))
        try:
            return [(await trial.call("POST", "/submit", body)).json() for body in bodies]
        finally:
            await trial.close()

    def play_all(*bodies: dict[str, Any]) -> list[Any]:
        return asyncio.run(submit(tuple({"board": "b", "score": 1, **body} for body in bodies)))

    return play_all


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
    boards = boardfile.parse(text.partition("```")[0])
    again = boardfile.parse(printed.as_toml(boards))
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


DESTRUCTIVE = [("remove", "b", "p1"), ("erase", "b", "p1"), ("reset", "b"), ("sweep", "open")]


@pytest.mark.parametrize("arguments", DESTRUCTIVE, ids=lambda a: a[0])
def test_nothing_is_destroyed_without_a_word(
    arguments: tuple[str, ...],
    run: Run,
    told: Callable[..., Any],
    play: Callable[..., Any],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Without a terminal and without --yes it is refused; at a terminal, anything but yes is a no."""
    play({"player": "p1"}, {"player": "p1", "board": "open"})
    idle = ("--idle", "0ms") if arguments[0] == "sweep" else ()
    status, out, err = run(*arguments, *idle)
    assert (status, out, err.count("\n")) == (1, "", 1)
    assert "--yes" in err

    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    for answer in ("no\n", "\n", "y\n", ""):
        monkeypatch.setattr(sys, "stdin", Terminal(answer))
        status, out, err = run(*arguments, *idle)
        assert (status, out) == (1, "")
        assert err.endswith("Nothing was done.\n")
    assert told("top", "b")["total"] == told("top", "open")["total"] == 1
    monkeypatch.setattr(sys, "stdin", Terminal("yes\n"))
    assert run(*arguments, *idle)[0] == 0
    assert told("top", arguments[1])["total"] == 0


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


WRONG: list[tuple[tuple[str, ...], dict[str, str], str]] = [
    (("top", "b"), {"UPSTASH_REDIS_REST_URL": ""}, "UPSTASH_REDIS_REST_URL: is missing"),
    (("top", "b"), {"UPSTASH_REDIS_REST_TOKEN": "wrong"}, "WRONGPASS"),
    (("top", "b"), {"UPSTASH_REDIS_REST_URL": "http://127.0.0.1:9"}, "The store cannot be reached"),
    (("top", "b"), {"LAUREL_BOARDS": "no-such.toml"}, "no-such.toml: cannot be read"),
    (("boards",), {"LAUREL_BOARDS": "no-such.toml"}, "no-such.toml: cannot be read"),
    (("cost",), {"LAUREL_BOARDS": "no-such.toml"}, "no-such.toml: cannot be read"),
    (("top", "nope"), {}, "There is no board nope; there are b, open, ticketed, backend."),
    (("ban", "\x1b[31mnope", "p1"), {}, "There is no board \ufffd[31mnope"),
    (("top", "b", "--window", "weekly"), {}, "window"),
    (("top", "b", "--at", "yesterday", "--window", "daily"), {}, "at"),
    (("top", "b", "--split", "mode=x"), {}, "splits.mode"),
    (("ban", "b", "p1"), {"LAUREL_TIMEOUT": "soon"}, "LAUREL_TIMEOUT"),
]


@pytest.mark.parametrize(("arguments", "environ_", "line"), WRONG, ids=lambda value: str(value))
def test_whatever_is_wrong_is_one_line(
    arguments: tuple[str, ...], environ_: dict[str, str], line: str, run: Run
) -> None:
    status, out, err = run(*arguments, **environ_)
    assert (status, out, err.count("\n")) == (1, "", 1)
    assert line in err
    assert TOKEN not in err


@pytest.mark.parametrize(
    "arguments", [(), ("no-such",), ("ban", "b", "not a player"), ("sweep", "open", "--idle", "soon")]
)
def test_whatever_is_misspelt_is_explained(arguments: tuple[str, ...], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(arguments, {})
    assert ended.value.code == 2
    assert "usage:" in capsys.readouterr().err


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


def test_the_doctor_finds_all_well(run: Run, told: Callable[..., Any]) -> None:
    status, out, _ = run("doctor", LAUREL_SECRET="s", LAUREL_SERVER_TOKEN="t")
    assert status == 0
    assert [line[6:].partition(":")[0] for line in out.splitlines()] == [
        "environment", "boards", "secrets", "names", "latency", "read and write", "scripts", "clock",
    ]  # fmt: skip
    assert "shorter than 16" in out
    answer = told("doctor", LAUREL_SECRET="s" * 16, LAUREL_SERVER_TOKEN="t" * 16)
    assert answer["ok"]
    assert {check["status"] for check in answer["checks"]} <= {"ok", "warn"}


@pytest.mark.parametrize(
    ("environ_", "what"),
    [
        ({"UPSTASH_REDIS_REST_URL": "redis://x"}, "environment"),
        ({"LAUREL_BOARDS": "no-such.toml"}, "boards"),
        ({}, "secrets"),
        ({"LAUREL_SECRET": "s", "LAUREL_SERVER_TOKEN": "t", "LAUREL_NAME_FILTER": "no_such:thing"}, "names"),
        ({"UPSTASH_REDIS_REST_URL": "http://127.0.0.1:9", "LAUREL_SECRET": "s", "LAUREL_SERVER_TOKEN": "t"}, "store"),
    ],
    ids=lambda value: str(value),
)
def test_the_doctor_names_what_is_wrong(environ_: dict[str, str], what: str, run: Run) -> None:
    status, out, _ = run("doctor", "--json", **environ_)
    answer = json.loads(out)
    failed = [check["what"] for check in answer["checks"] if check["status"] == "fail"]
    assert (status, answer["ok"], failed) == (1, False, [what])


def test_the_doctor_looks_at_a_deployment(run: Run) -> None:
    """CORS headers that come twice are a deployment no page can use."""
    once, twice, down = (
        serve(PlainTextResponse("ok", headers=headers, status_code=status))
        for headers, status in [
            ({"Access-Control-Allow-Origin": "*"}, 200),
            ({"Access-Control-Allow-Origin": "*, *"}, 200),
            ({}, 503),
        ]
    )
    expected = ("is up", "twice", "answers 503")
    for site, found in zip((once, twice, down), expected, strict=True):
        with site as url:
            _, out, _ = run("doctor", "--url", url)
            assert found in out.splitlines()[-1]
    assert "does not answer" in run("doctor", "--url", "http://127.0.0.1:9")[1]


async def test_the_cost_of_a_play_is_measured() -> None:
    """The numbers are those of the budget table: two commands for the address gate, 2 for a page, 3 + 2N, …"""
    season = '{ name = "s", starts = 2026-01-01T00:00:00Z, ends = 2026-01-02T00:00:00Z }'
    boards = boardfile.parse(f'{BOARDS}[board.closed]\nwindows = ["season"]\nseason = [{season}]')
    plain = await cost.measure(boards["open"])
    assert plain is not None
    # ranks and totals of the one standing: + 2 on what improves
    assert (plain.start, plain.improved, plain.miss, plain.page) == (0, 3 + 2 + 2, 2, 2)
    assert (plain.play, plain.dollars) == (9, 1.8)
    ticketed = await cost.measure(boards["ticketed"])
    assert ticketed is not None
    assert (ticketed.start, ticketed.improved) == (3, plain.improved + 2 + 1)
    assert await cost.measure(boards["closed"]) is None


def test_cost_says_that_it_is_an_estimate(run: Run, told: Callable[..., Any]) -> None:
    status, out, _ = run("cost")
    assert status == 0
    assert "An estimate" in out
    assert set(told("cost")["boards"]) == {"b", "open", "ticketed", "backend"}


@pytest.mark.parametrize("flags", ["known", "unknown"])
async def test_smoke_passes_on_the_local_endpoint_and_leaves_nothing(
    flags: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    """And it touches nothing that was there before."""
    with serve(make_endpoint(MemoryBackend(), TOKEN, flags=flags)) as url:
        environ = {"UPSTASH_REDIS_REST_URL": url, "UPSTASH_REDIS_REST_TOKEN": TOKEN}

        def command(*words: str) -> Any:
            return httpx.post(url, json=words, headers={"Authorization": f"Bearer {TOKEN}"}).json()["result"]

        command("SET", "mine", "1")
        assert await smoke.main(environ) == 0
        assert command("KEYS", "*") == ["mine"]
    out = capsys.readouterr().out
    assert ("is used" if flags == "known" else "is not known here") in out
    assert "FAIL" not in out


async def test_smoke_fails_where_something_is_wrong(capsys: pytest.CaptureFixture[str]) -> None:
    """A wrong token, nobody there, no environment: each ends with a status that says so."""
    with serve(make_endpoint(MemoryBackend(), TOKEN)) as url:
        assert await smoke.main({"UPSTASH_REDIS_REST_URL": url, "UPSTASH_REDIS_REST_TOKEN": "wrong"}) == 1
    assert "FAIL" in capsys.readouterr().out
    assert await smoke.main({}) == 1
    assert capsys.readouterr().err == (
        "UPSTASH_REDIS_REST_URL: is missing; set UPSTASH_REDIS_REST_URL and UPSTASH_REDIS_REST_TOKEN.\n"
    )


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
