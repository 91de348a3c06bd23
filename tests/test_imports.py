"""Imports flow one way (docs/design.md), files stay small, and a function starts without what it never uses."""

import ast
import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent

# From left to right: a module of lib/ imports only from the layers above its own line.
LAYERS = (
    ("errors",),
    ("settings", "durations", "windows", "names", "times", "documents", "logs", "lifespan", "exchange", "patterns"),
    ("scores", "fielderrors", "callers"),
    ("boardvalues", "querystrings"),
    ("boardtables",),
    ("boards",),
    ("boardfile", "models", "splits"),
    ("pages", "keys", "entries"),
    ("runs", "standings"),
    ("scripts", "queries"),
    ("upstash",),
    ("store",),
    ("etags",),
    ("reads", "caching", "cards", "gates", "cors", "bodies"),
    ("tickets", "namefilters", "wordlist"),
    ("admission",),
    ("submissions", "tops", "ranks", "selecting", "holdings"),
    ("moderation",),
    ("sweeping",),
    ("deployment",),
    ("http",),
    ("events",),
    ("aws",),
)
LAYER_OF = {name: depth for depth, names in enumerate(LAYERS) for name in names}
LONGEST = 250

# What only the local stack, the command line or an optional ledger uses; seconds of cold start, if they got in.
HEAVY = {"fakeredis", "redis", "lupa", "uvicorn", "watchfiles", "psycopg", "hypothesis", "pytest", "tools", "tests"}

STORE_WORDS = re.compile(
    r"(?i:redis|upstash)|\b(EVAL(SHA)?(_RO)?|Z(ADD|REM|RANGE|RANK|REVRANK|CARD|SCORE|COUNT|POP(MIN|MAX))"
    r"|H(GET|SET|DEL|MGET|GETALL)|S(ADD|CARD|ISMEMBER)|SETNX|EXPIRE(AT)?|KEYS|ARGV)\b",
)


def python_files(top: str) -> list[Path]:
    """Return every Python file below the folder `top` of the project, sorted."""
    return sorted((ROOT / top).rglob("*.py"))


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


def concern(module: str) -> str:
    """Return the name under which LAYERS knows a module of lib/: `lib.http.cors` is a part of `http`."""
    return module.split(".")[1] if "." in module else ""


def layer(module: str) -> int:
    """Return the depth of a module of lib/ in LAYERS, and fail with what to do about one that is not there."""
    name = concern(module)
    if name not in LAYER_OF:
        pytest.fail(f"lib/{name} has no place: add {name!r} to LAYERS in tests/test_imports.py", pytrace=False)
    return LAYER_OF[name]


def names(path: Path) -> str:
    """Return the test id of a file."""
    return path.relative_to(ROOT).as_posix()


@pytest.mark.parametrize("path", [p for p in python_files("lib") if p != ROOT / "lib/__init__.py"], ids=names)
def test_lib_imports_only_from_its_left(path: Path) -> None:
    """A module of lib/ knows nothing of functions and tools, nor of the modules beside it and to its right."""
    module = module_name(path)
    own = layer(module)
    for target in imported(path):
        top = target.split(".")[0]
        assert top not in {"functions", "tools", "tests", "bench"}, f"{module} imports {target}"
        if top == "lib" and concern(target) != concern(module):
            assert concern(target), f"{module} imports lib itself: name the module"
            assert layer(target) < own, f"{module} imports {target}, which is not on its left"


@pytest.mark.parametrize("path", python_files("functions"), ids=names)
def test_functions_import_only_lib_and_web_mounts_them(path: Path) -> None:
    """A function stands alone, so that each can be deployed alone; only web.py knows the others."""
    for target in imported(path):
        top = target.split(".")[0]
        assert top not in {"tools", "tests", "bench"}, f"{names(path)} imports {target}"
        assert top != "functions" or path.stem == "web", f"{names(path)} imports {target}"


@pytest.mark.parametrize("path", python_files("tools"), ids=names)
def test_tools_do_not_import_tests_or_benchmarks(path: Path) -> None:
    """The tools are there where the tests are not."""
    for target in imported(path):
        assert target.split(".")[0] not in {"tests", "bench"}, f"{names(path)} imports {target}"


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
