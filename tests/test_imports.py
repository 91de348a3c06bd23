"""Imports flow one way (docs/design.md), files stay small, and a function starts without what it never uses."""

import ast
import json
import re
import subprocess
import sys
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

from tests.support.project import ROOT

# From left to right: a room imports only from the rows above its own. A module that lies in no room is one by itself.
ROOMS: dict[str, tuple[tuple[str, ...], ...]] = {
    "lib": (
        ("time_units", "lru_cache"),
        ("errors",),
        ("settings", "request_log"),
        ("boards", "schemas"),
        ("storage",),
        ("access",),
        ("submitting", "reading"),
        ("operations",),
        ("deployment",),
        ("calls",),
        ("laurel",),
        ("http",),
    ),
    "tools": (
        ("upstash_emulator", "openapi", "deploy", "lua"),
        ("dev",),
        ("cli",),
        ("__main__",),
    ),
}
# What each tree must not know.
ABOVE = {"lib": {"functions", "tools", "tests", "bench"}, "tools": {"tests", "bench"}}
LONGEST = 250
MOST_FILES = 10

# What only the local stack, the command line or an optional ledger uses; seconds of cold start, if they got in.
HEAVY = {"fakeredis", "redis", "lupa", "uvicorn", "watchfiles", "psycopg", "hypothesis", "pytest", "tools", "tests"}

STORE_WORDS = re.compile(
    r"(?i:redis|upstash)|\b(EVAL(SHA)?(_RO)?|Z(ADD|REM|RANGE|RANK|REVRANK|CARD|SCORE|COUNT|POP(MIN|MAX))"
    r"|H(GET|SET|DEL|MGET|GETALL)|S(ADD|CARD|ISMEMBER)|SETNX|EXPIRE(AT)?|KEYS|ARGV)\b",
)


def python_files(top: str) -> list[Path]:
    """Return every Python file of ours below the folder `top` of the project, sorted."""
    return sorted(path for path in (ROOT / top).rglob("*.py") if "node_modules" not in path.parts)


def module_name(path: Path) -> str:
    """Return the dotted name of the file `path`: a package is named like its folder."""
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def imported(path: Path) -> Iterator[str]:
    """Yield the dotted name of everything the file `path` imports, at its top, inside functions and for types."""
    package = path.relative_to(ROOT).parent.parts
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = list(package[: len(package) - node.level + 1]) if node.level else []
            base += [node.module] if node.module else []
            yield from (".".join([*base, alias.name]) for alias in node.names)


def room(module: str) -> tuple[str, str]:
    """Return the tree and the room that a module lies in: of `lib.http.cors` they are `lib` and `http`."""
    tree, _, rest = module.partition(".")
    return tree, rest.partition(".")[0]


def depth(module: str) -> int:
    """Return the row of ROOMS that a module lies in, and fail with what to do about one that is not there."""
    tree, name = room(module)
    for row, rooms in enumerate(ROOMS[tree]):
        if name in rooms:
            return row
    pytest.fail(f"{tree}/{name} has no place: add {name!r} to ROOMS in tests/test_imports.py", pytrace=False)


def names(path: Path) -> str:
    """Return the test id of a file."""
    return path.relative_to(ROOT).as_posix()


MODULES = [path for tree in ROOMS for path in python_files(tree)]
IN_ROOMS = [path for path in MODULES if room(module_name(path))[1]]


@pytest.mark.parametrize("path", IN_ROOMS, ids=names)
def test_rooms_import_only_from_their_left(path: Path) -> None:
    """A module knows nothing of the trees above its own, nor of the rooms beside its own and to their right."""
    module = module_name(path)
    tree, own = room(module)
    for target in imported(path):
        top, other = room(target)
        assert top not in ABOVE[tree], f"{module} imports {target}"
        if top == tree and other != own:
            assert other, f"{module} imports {tree} itself: name the module"
            assert depth(target) < depth(module), f"{module} imports {target}, which is not on its left"


@pytest.mark.parametrize("tree", ROOMS)
def test_no_import_goes_in_a_circle(tree: str) -> None:
    """Inside a room as well: a module can be read after those that it imports, and before those that import it."""
    files = {module_name(path): path for path in python_files(tree)}
    known = {
        module: {name for target in imported(path) for name in (target, target.rpartition(".")[0]) if name in files}
        for module, path in files.items()
    }
    try:
        TopologicalSorter(known).prepare()
    except CycleError as error:
        pytest.fail(f"a circle: {' → '.join(error.args[1])}", pytrace=False)


@pytest.mark.parametrize("folder", [path.parent for path in MODULES if path.name == "__init__.py"], ids=names)
def test_a_room_says_what_it_is_and_is_not_crowded(folder: Path) -> None:
    """One sentence, and at most ten files: a folder that grows past them has another room in it."""
    said = ast.get_docstring(ast.parse((folder / "__init__.py").read_text("utf-8"))) or ""
    assert said.endswith("."), f"{names(folder)}/__init__.py says nothing"
    assert "\n" not in said, f"{names(folder)}/__init__.py says more than a sentence"
    files = [path.name for path in folder.iterdir() if path.is_file()]
    assert len(files) <= MOST_FILES, f"{names(folder)} has {len(files)} files: {sorted(files)}"


@pytest.mark.parametrize("path", [*python_files("lib"), *python_files("tools")], ids=names)
def test_no_module_is_named_like_one_of_the_standard_library(path: Path) -> None:
    """Started as a script, or from its own folder, it would be found in the place of the other."""
    assert path.stem not in sys.stdlib_module_names - {"__init__", "__main__"}


@pytest.mark.parametrize("path", python_files("functions"), ids=names)
def test_functions_import_only_lib_and_web_mounts_them(path: Path) -> None:
    """A function stands alone, so that each can be deployed alone; only web.py knows the others."""
    for target in imported(path):
        top = target.split(".")[0]
        assert top not in {"tools", "tests", "bench"}, f"{names(path)} imports {target}"
        assert top != "functions" or path.stem == "web", f"{names(path)} imports {target}"


@pytest.mark.parametrize("path", python_files("functions"), ids=names)
def test_functions_speak_no_redis(path: Path) -> None:
    """A function parses, calls and replies: how something is stored is said in lib/ alone."""
    said = {match[0] for match in STORE_WORDS.finditer(path.read_text("utf-8"))}
    assert not said, f"{names(path)} says {said}"


@pytest.mark.parametrize("path", [*python_files("lib"), *sorted((ROOT / "lib").rglob("*.lua"))], ids=names)
def test_lib_files_are_short(path: Path) -> None:
    """One concern a file: a longer one has two."""
    lines = len(path.read_text("utf-8").splitlines())
    assert lines <= LONGEST, f"{names(path)} has {lines} lines, {LONGEST} are allowed"


def test_submit_starts_without_what_it_never_uses() -> None:
    """A fresh process that imports the function loads no local stack, no command line and no database driver."""
    code = "import functions.submit, json, sys; print(json.dumps(sorted({m.partition('.')[0] for m in sys.modules})))"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    loaded = HEAVY.intersection(json.loads(done.stdout.splitlines()[-1]))
    assert not loaded, f"functions/submit.py loads {sorted(loaded)}"
