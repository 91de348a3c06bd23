"""The rules of the scripts that Upstash's engine, which no test can run, makes necessary; and two others that agree."""

import re
from pathlib import Path
from typing import Any

import pytest

from lib.storage.scripts import assemble, script
from tests.storage.lua_rules import from_calls
from tests.support.harness import Harness, harness
from tests.support.playing import stored
from tests.support.project import ROOT
from tools.lua.lint import names
from tools.upstash_emulator.backends import Backend, MemoryBackend, RedisBackend

SCRIPTS = sorted((ROOT / "lib/storage/lua").glob("*.lua"))
PARTS = sorted((ROOT / "lib/storage/lua/parts").glob("*.lua"))
HEADINGS = ["KEYS", "ARGV", "reply", "billed"]

every_file = pytest.mark.parametrize("path", [*SCRIPTS, *PARTS], ids=lambda path: path.stem)
every_script = pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.stem)


def code(path: Path) -> str:
    """Return a file's Lua without its comments and without what is inside its texts."""
    return bare(path.read_text("utf-8"))


def bare(lua: str) -> str:
    """Return Lua likewise."""
    return re.sub(r" *--.*", "", re.sub(r'"(?:[^"\\\n]|\\.)*"', '""', lua))


def parts_of(lua: str) -> list[str]:
    """Return the names of the parts that a script, or a line of it, includes."""
    return [part for line in re.findall(r"^--#include (.*)$", lua, re.M) for part in line.split()]


@every_script
def test_a_script_opens_with_what_it_takes_gives_and_costs(path: Path) -> None:
    head = re.match(r"(?:--.*\n)+", path.read_text("utf-8"))
    assert head, "no comment at the top"
    assert re.findall(r"^-- (KEYS|ARGV|reply|billed) ", head[0], re.M) == HEADINGS
    assert len(head[0].splitlines()[0]) > len("-- ") + 20, "the first line says what it does"


@every_script
def test_a_script_is_sent_by_somebody(path: Path) -> None:
    sources = (ROOT / "lib").rglob("*.py")
    assert any(f'script("{path.stem}")' in source.read_text("utf-8") for source in sources)


def test_every_part_is_used_and_every_part_exists() -> None:
    assert {part for path in SCRIPTS for part in parts_of(path.read_text("utf-8"))} == {path.stem for path in PARTS}


@every_script
def test_no_part_is_in_a_script_twice(path: Path) -> None:
    assert len(parts_of(path.read_text("utf-8"))) == len(set(parts_of(path.read_text("utf-8"))))


@pytest.mark.parametrize(
    "line",
    [
        "--#flag no-writes",
        "--#flags no-write",
        "--#flags  no-writes",
        "--#flags",
        " --#flags no-writes",
        "-- #flags no-writes",
        "--flags no-writes",
        "-- flags  no-writes",
        "--#flags no-writes ",
        "--#include",
        "--#include gate, order",
        "--#include  gate",
        "-- include gate",
        "--#needs number",
        "--#",
    ],
)
def test_what_only_looks_like_a_directive_is_refused(line: str) -> None:
    """One space too few must not turn a script that reads into one that writes."""
    with pytest.raises(ValueError, match="not a directive"):
        assemble(f"-- A script.\n{line}\nreturn 1\n")


def test_directives_are_what_they_say() -> None:
    text, reads = assemble("--#flags no-writes\n--#include integer\nreturn integer(1)\n")
    assert reads
    assert text.endswith("end\nreturn integer(1)")
    assert not assemble("-- Prose of flags, that includes nothing.\nreturn 1\n")[1]


@every_script
def test_a_script_that_writes_nothing_says_so(path: Path) -> None:
    whole = assemble(path.read_text("utf-8"))[0]
    writes = re.findall(r'"(Z(?:ADD|REM|POPMIN|POPMAX)|S(?:ADD|REM|ET)|H(?:SET|DEL)|DEL|EXPIREAT|PERSIST)"', whole)
    assert script(path.stem).reads is not bool(writes)


def made(lua: str) -> set[str]:
    """Return the names that a piece of Lua gives to what follows it."""
    found = re.findall(r"^local (?:function (\w+)|([\w, ]+?)(?: =|$))", lua, re.MULTILINE)
    return {name for function, names in found for name in [function, *names.split(", ")] if name}


@pytest.mark.parametrize("path", PARTS, ids=lambda path: path.stem)
def test_a_part_gives_what_it_makes_and_needs_what_it_uses(path: Path) -> None:
    """And says both at its top; luacheck finds what it uses and does not name."""
    assert set(names(path, "gives")) <= made(code(path))
    words = set(re.findall(r"(?<![.\w])\w+", code(path)))
    assert set(names(path, "needs")) <= words


@every_script
def test_everything_that_a_part_needs_comes_before_it(path: Path) -> None:
    known: set[str] = set()
    for line in path.read_text("utf-8").splitlines():
        for part in parts_of(line):
            file = PARTS[0].with_name(f"{part}.lua")
            missing = set(names(file, "needs")) - known
            assert not missing, f"{part}.lua needs {sorted(missing)}"
            known |= set(names(file, "gives"))
        known |= made(line)


@pytest.mark.parametrize("path", PARTS, ids=lambda path: path.stem)
def test_a_part_does_nothing_while_it_is_included(path: Path) -> None:
    """It makes functions, constants and empty tables; what is to be done, the script does in its own lines."""
    for line in code(path).splitlines():
        if line and not line.startswith((" ", "end")):
            assert re.fullmatch(r"local function \w+\(.*\)|local \w+(, \w+)* = [\w{}, ]+|local \w+", line), line


FORBIDDEN = {
    "a library whose JSON drops nulls and confuses empty lists": r"\bcjson\b",
    "other libraries": r"\b(cmsgpack|bit|struct|os|io|debug|package|coroutine|loadstring|load|dofile|require)\b\s*[.(]",
    "a number's own text": r"\btostring\b",
    "a change of what was passed in": r"\b(KEYS|ARGV)\b(\s*\[[^\]]*\])?\s*=[^=]|\btable\.\w+\(\s*(KEYS|ARGV)\b",
    "chance and the server's clock": r"\bmath\.random|\bredis\.call\(\s*\"TIME",
    "what Redis offers and Upstash may not": r"\bredis\.(?!p?call\b)",
    "a number joined to text as it is": r"\.\.\s*(#|\d|(?:to)?number\b|math\.)|\b\d+\s*\.\.",
    "a number read as the engine likes": r"\btonumber\b",
    "texts that the shortening of scripts would change": r"\[=*\[",
    "syntax that Lua 5.1 does not have": r"\bgoto\b|//|::|<<|>>|\butf8\.|\btable\.(pack|unpack|move)\b",
}
# Where each of them has its one place.
ALLOWED = {("number", "a number read as the engine likes")}


@every_file
@pytest.mark.parametrize("what", FORBIDDEN)
def test_lua_does_without(path: Path, what: str) -> None:
    found = re.search(FORBIDDEN[what], code(path))
    assert (found is not None) is ((path.stem, what) in ALLOWED), f"{path.name}: {found}"


@every_file
def test_no_assignment_takes_its_values_from_two_calls(path: Path) -> None:
    """On Debian's gopher-lua the first local of the function would be overwritten."""
    assert from_calls(code(path)) == []


@pytest.mark.parametrize(
    ("line", "is_refused"),
    [
        ("count, ends = number(count), number(ends)", True),
        ("local old, new = text(a), text(b)", True),
        ("if x then a, b[#b + 1] = f(x) or 0, 1 + g.h(y) end", True),
        ("a.x, a[i], c = f(x),\n  2,\n  g(y)", True),
        ("local a, b = f(g(x), h(y))", False),
        ("spent[#spent + 1], is_spent[slot] = slot, true\nf(x)", False),
        ("a, b = f(x), 1", True),
        ("a, b = {}, b", True),
        ("a.x, b = f(x), 1", False),
        ("local fields, seen = {}, number(x)", False),
        ("return f(x), g(y)", False),
        ("local t = { a = f(x), b = g(y), c = h(z) }", False),
        ("for at, row in pairs(f(x)) do g(at, row) end", False),
        ("local a, b = x and (y or z), f(x)", False),
    ],
)
def test_the_look_for_such_assignments_sees_them(line: str, is_refused: bool) -> None:
    assert bool(from_calls(f"local x = 1\n{line}\nlocal y = f(x)\n")) is is_refused


@every_file
def test_no_command_is_sent_to_a_key_spelt_in_lua(path: Path) -> None:
    """Every key comes from KEYS, or the script could not lock only what it touches."""
    source = re.sub(r"--.*", "", path.read_text("utf-8"))
    for name, key in re.findall(r'redis\.call\(\s*([^,()]+(?: and "\w+" or "\w+")?),\s*([^,()]+)', source):
        assert not key.lstrip().startswith('"'), f"{name} {key}"


@every_script
def test_a_script_makes_no_globals(path: Path) -> None:
    """Redis refuses them, and only where such a line is reached."""
    whole = "\n".join(
        [*(code(ROOT / f"lib/storage/lua/parts/{part}.lua") for part in parts_of(path.read_text("utf-8"))), code(path)]
    )
    names = r"([a-zA-Z_]\w*(?:, [a-zA-Z_]\w*)*)"
    local = set(", ".join(re.findall(rf"\b(?:local|for|local function) {names}", whole)).split(", "))
    local |= set(", ".join(re.findall(rf"\bfunction [\w.]*\({names}\)", whole)).split(", "))
    assigned = re.findall(rf"^\s*{names} = .*(?<![, ])$", whole, re.M)
    assert assigned
    assert set(", ".join(assigned).split(", ")) <= local
    assert not re.search(r"^\s*function \w+\(", whole, re.M)


def test_what_travels_is_shorter_and_the_same() -> None:
    """Comments and indents stay at home; each use of the long text costs their transport."""
    for path in SCRIPTS:
        for line in script(path.stem).plain.splitlines():
            assert line == line.strip() != ""
            assert not line.startswith("--")


STORY = """
[board.b]
windows = ["all", "daily"]
cap = 5
tiebreak = "asc"
meta = { depth = "int", ratio = "float", ship = "str" }
limits = { per_ip = "0" }
[board.b.splits]
level = { pattern = "[a-z0-9-]+", max = 3 }
[board.low]
order = "asc"
keep = "last"
rank = "competition"
cap = 3
limits = { per_ip = "0", per_player = "5/1m", cooldown = "1ms" }
[board.sum]
keep = "sum"
rank = "dense"
windows = ["all", "weekly"]
retain = { all = "90d" }
limits = { per_ip = "40/1m" }
[board.profile]
names = "profile"
cap = 0
limits = { per_ip = "0" }
"""
SCORES = [0, 15.5, -3, 0.1, 1 / 3, 2**53 - 1, -(2**53 - 1), 123456789012345.6, 1e-7, 1234567890123456]
NAMES = ["Mina", "", None, "Zoë ☃ 👩‍🚀", 'quo"te\\', "<b>"]
QUESTIONS = ("/top?limit=3", "/top?offset=2", "/top?player=p1", "/rank?player=p3&around=2", "/rank?players=p1,zz,p4")


async def tell(here: Harness) -> list[Any]:
    """Play the same story on any engine; return every answer, and all that is stored in the end."""
    answers: list[Any] = []

    async def submit(board: str, at: int, **more: Any) -> None:
        here.now += 1 if at % 3 else 0
        body = {
            "board": board,
            "player": f"p{at % 7}",
            "score": SCORES[at % 10],
            "ranks": "all",
            "id": f"run-{at}-{board}",
        }
        answer = await here.post("/submit", **body, **more)
        answers.append((answer.status_code, answer.json()))

    for at in range(40):
        brought = {"name": NAMES[at % 6]} if NAMES[at % 6] is not None else {}
        meta = {"meta": {"depth": at, "ratio": at / 3, "ship": "☃"}} if at % 4 else {}
        await submit("b", at, tiebreak=SCORES[at % 9], splits={"level": f"l{at % 5}"}, **brought, **meta)
        await submit("low", at, **brought)
        await submit("sum", at)
        await submit("sum", at)
        await submit("profile", at, **brought)
        if at == 20:
            here.now += 86_400_000 * 8
    for board in ("b", "low", "sum", "profile"):
        for path in (
            "/top?limit=3",
            "/top?offset=2",
            "/top?player=p1",
            "/rank?player=p3&around=2",
            "/rank?players=p1,zz,p4",
        ):
            answer = await here.client.get(f"{path}&board={board}")
            answers.append((answer.status_code, answer.json()))
    # A set has no order of its own.
    return [answers, {key: sorted(held) if ":values:" in key else held for key, held in (await stored(here)).items()}]


@pytest.mark.needs("redis")
async def test_two_engines_answer_and_store_the_same(redis_url: str) -> None:
    """C Lua inside a real Redis and the imitation's own: what a script does must not depend on either."""
    real = RedisBackend(redis_url)
    told = []
    for opened in (harness(STORY, MemoryBackend()), harness(STORY, real), harness(STORY, real, flags="unknown")):
        async with opened as here:
            told.append(await tell(here))
    await real.close()
    assert told[0] == told[1] == told[2]
    statuses = {status for status, _ in told[0][0]}
    assert statuses == {200, 422, 429}


def leaves(reply: Any) -> list[Any]:
    """Return everything in a reply that is no list."""
    return [leaf for part in reply for leaf in leaves(part)] if isinstance(reply, list) else [reply]


async def test_numbers_leave_a_script_as_text(backend: Backend) -> None:
    """As Lua numbers they would be cut to integers, and how they turn into text differs between engines."""
    async with harness(STORY, backend) as here:
        seen: list[Any] = []
        here.way.listeners.append(lambda response: seen.append(response.json()))
        await tell(here)
    replies = [
        answer["result"][1] for answer in seen if isinstance(answer, dict) and type(answer.get("result")) is list
    ]
    assert len(replies) > 100
    assert {type(leaf) for reply in replies for leaf in leaves(reply)} <= {str, type(None)}
