"""How a command fails: in one line, without the token, and before anything is destroyed."""

import io
import sys
from collections.abc import Callable
from typing import Any

import pytest

from tests.cli.running_commands import TOKEN, Run
from tools.cli.main import main

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
