"""`docs/operations.md` and `docs/security.md` against the code: commands, variables, keys and tests that they name."""

import argparse
import ast
import re
import shlex
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from lib.boards.periods import Period
from lib.boards.toml_file import parse_boards
from lib.settings import Settings
from lib.storage.keys import Keyspace
from lib.storage.standing import Standing
from tests.support.project import ROOT
from tools.cli.main import make_parser

OPERATIONS = (ROOT / "docs" / "operations.md").read_text("utf-8")
SECURITY = (ROOT / "docs" / "security.md").read_text("utf-8")


def first_cells(head: str) -> list[str]:
    """Return the code in the first column of every table of operations.md under that heading."""
    tables = re.findall(rf"^\| {head} \|.*\n\|[- |]+\n((?:\|.*\n)+)", OPERATIONS, re.MULTILINE)
    return [cell for table in tables for cell in re.findall(r"^\| `([^`]+)`", table, re.MULTILINE)]


def commands() -> dict[str, argparse.ArgumentParser]:
    """Return the parser of each command."""
    [subparsers] = [a for a in make_parser()._actions if isinstance(a, argparse._SubParsersAction)]
    return dict(subparsers.choices)


def examples() -> list[str]:
    """Return every command line in the documents that an operator could copy."""
    return re.findall(r"^python -m tools (.+)$", OPERATIONS + SECURITY, re.MULTILINE)


def test_every_command_is_documented_and_every_documented_command_exists() -> None:
    assert sorted(first_cells("Command")) == sorted(commands())


@pytest.mark.parametrize("line", examples())
def test_every_example_is_a_command(line: str) -> None:
    make_parser().parse_args(shlex.split(line))


def test_every_command_and_every_option_has_an_example() -> None:
    said = [shlex.split(line) for line in examples()]
    for name, parser in commands().items():
        mine = [words for words in said if words[0] == name]
        assert mine, name
        for action in parser._actions:
            for option in action.option_strings:
                if option.startswith("--") and option not in ("--help", "--json", "--yes"):
                    assert any(option in words for words in mine), f"{name} {option}"


def variables() -> Iterator[str]:
    """Yield the name of every variable that the settings or the tools on an operator's machine read."""
    settings = (ROOT / "lib" / "settings.py").read_text("utf-8")
    yield from re.findall(r'"((?:LAUREL|UPSTASH|KV)_[A-Z_]+|DATABASE_URL|VERCEL)"', settings)
    for path in sorted(path for path in (ROOT / "tools").rglob("*.py") if "node_modules" not in path.parts):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Call) and ast.unparse(node.func) in ("environ.get", "variables.get", "listen"):
                name = node.args[0]
                if isinstance(name, ast.Constant):
                    yield str(name.value)


def test_every_variable_is_documented_and_every_documented_variable_is_read() -> None:
    listed = first_cells("Variable")
    assert sorted(listed) == sorted(set(variables()))


def test_every_documented_default_is_the_one_in_use() -> None:
    settings = Settings("http://x", "t")
    defaults = dict(re.findall(r"^\| `(LAUREL_[A-Z_]+)` \| `([^`]+)` \|", OPERATIONS, re.MULTILINE))
    assert defaults == {
        "LAUREL_BOARDS": str(settings.boards_path),
        "LAUREL_PREFIX": settings.prefix,
        "LAUREL_ORIGINS": ",".join(settings.origins),
        "LAUREL_TIMEOUT": str(settings.timeout),
        "LAUREL_TRUST_PROXY": str(settings.trust_proxy),
    }


def test_every_documented_variable_is_accepted() -> None:
    """None of them is a name that only the documents know: the settings change when it is set."""
    base = {"UPSTASH_REDIS_REST_URL": "http://x", "UPSTASH_REDIS_REST_TOKEN": "t"}
    values = {
        "LAUREL_BOARDS": "x.toml", "LAUREL_PREFIX": "x", "LAUREL_ORIGINS": "https://x.example", "LAUREL_SECRET": "x",
        "LAUREL_SERVER_TOKEN": "x", "LAUREL_TIMEOUT": "1", "LAUREL_TRUST_PROXY": "1", "LAUREL_NAME_FILTER": "x:y",
        "DATABASE_URL": "postgres://x/y", "VERCEL": "1",
    }  # fmt: skip
    for name, value in values.items():
        assert name in first_cells("Variable")
        assert Settings.read({**base, name: value}) != Settings.read(base)
    assert replace(Settings.read({"KV_REST_API_URL": "http://x", "KV_REST_API_TOKEN": "t"})) == Settings.read(base)


def test_every_documented_key_is_one_that_is_stored() -> None:
    board = parse_boards('[board.burrow]\nsplits = { mode = ["words"], level = { pattern = "x" } }')["burrow"]
    keys, day = Keyspace("laurel", board), Period("daily", "2026-11-30", 0, 0, 0)
    made = [
        Standing(board, day, {"mode": "words"}).key(keys),
        keys.values(day, "level"),
        keys.record("p1"),
        keys.profiles(),
        keys.gate("…"),
        keys.nonce("…"),
    ]
    assert first_cells("Key") == made
    kinds = {name for name in vars(Keyspace) if not name.startswith("_") and name != "beginning"}
    assert len(made) == len(kinds)


def defined(path: Path) -> set[str]:
    """Return the names of the tests of a file."""
    tree = ast.parse(path.read_text("utf-8"))
    return {node.name for node in tree.body if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)}


def test_every_test_that_the_documents_name_exists() -> None:
    named = re.findall(r"`(?:tests/)?((?:\w+/)*test_\w+\.py)(?:::(test_\w+))?`", SECURITY + OPERATIONS)
    assert len(named) > 30
    for file, test in named:
        path = ROOT / "tests" / file
        assert path.exists(), file
        assert not test or test in defined(path), f"{file}::{test}"


def test_every_attack_names_the_test_that_shows_what_stops_it() -> None:
    """The one line without a test is the one that says that nothing stops it."""
    [table] = re.findall(r"^\| Attack \|.*\n\|[- |]+\n((?:\|.*\n)+)", SECURITY, re.MULTILINE)
    rows = [[cell.strip() for cell in line.strip("| ").split(" | ")] for line in table.splitlines()]
    assert len(rows) > 20
    for attack, stops, _, shown in rows:
        assert "test_" in shown or stops == "nothing here", attack


def test_the_documents_say_plainly_that_it_is_not_cheat_proof() -> None:
    assert "**A browser game cannot be made cheat-proof.**" in SECURITY


@pytest.mark.parametrize(("text", "here"), [(OPERATIONS, "operations.md"), (SECURITY, "security.md")])
def test_every_link_leads_somewhere(text: str, here: str) -> None:
    for target in re.findall(r"\]\(([^)]+)\)", text):
        file, _, anchor = target.partition("#")
        if file.startswith("https://"):
            continue
        path = ROOT / "docs" / (file or here)
        assert path.exists(), target
        heads = [
            re.sub(r"[^a-z0-9 -]", "", h.lower()).replace(" ", "-")
            for h in re.findall(r"^#+ (.*)$", path.read_text("utf-8"), re.MULTILINE)
        ]
        assert not anchor or anchor in heads, target
