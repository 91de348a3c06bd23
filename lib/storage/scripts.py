"""The Lua scripts, put together from their parts, and their SHA-1 as the server computes it.

A line that begins with `--#` is a directive: `--#include a b` stands for the texts of `lua/parts/a.lua` and
`lua/parts/b.lua`, and `--#flags no-writes` makes a script read-only; parts say what they need of others and what they
give (`--#needs`, `--#gives`), which a test holds them to. Any other is refused. Each script is kept twice: with the
flag that keeps Upstash from locking the whole database, and plain, for servers that do not know the flag.
"""

import hashlib
import re
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

# Not through importlib.resources, which takes a millisecond of every cold start: the files are never in an archive.
_LUA = Path(__file__).parent / "lua"

_INCLUDE = re.compile(r"--#include ([a-z]+(?: [a-z]+)*)")
_LOOKS_LIKE_ONE = re.compile(r"\s*--\s*(?:#|(?:include|flags|needs|gives)\b)")
_OF_PARTS = re.compile(r"--#(?:needs|gives) \w+(?: \w+)*")

# Every script answers {commands it called, its reply, its last argument}: with the one that runs it, the first is what
# Upstash bills; the last says whose answer it is.
_FRAME = """\
local called, server = 0, redis
local function counted(call)
return function(...)
called = called + 1
return call(...)
end
end
local redis = {{ call = counted(server.call), pcall = counted(server.pcall) }}
local function run()
{script}
end
local reply = run()
return {{ called, reply, ARGV[#ARGV] }}
"""


def _sha1(text: str) -> str:
    return hashlib.sha1(text.encode(), usedforsecurity=False).hexdigest()


@dataclass(frozen=True, slots=True)
class Script:
    """One script: its texts and their hashes; `reads` says that it writes nothing."""

    name: str
    plain: str
    reads: bool
    flagged: str = field(init=False)
    plain_sha: str = field(init=False)
    flagged_sha: str = field(init=False)

    def __post_init__(self) -> None:
        flags = "no-writes,allow-key-locking" if self.reads else "allow-key-locking"
        object.__setattr__(self, "flagged", f"#!lua flags={flags}\n{self.plain}")
        object.__setattr__(self, "plain_sha", _sha1(self.plain))
        object.__setattr__(self, "flagged_sha", _sha1(self.flagged))


def _read(path: str) -> str:
    return _LUA.joinpath(path).read_text(encoding="utf-8")


def _strip(source: str) -> str:
    """Return Lua without comment lines, blank lines and indents: it is the text that travels."""
    lines = (line.strip() for line in source.splitlines())
    return "\n".join(line for line in lines if line and not line.startswith("--"))


def assemble(source: str) -> tuple[str, bool]:
    """Return a script's text with its parts in their places, and whether it only reads.

    Raises ValueError for a directive that is not known, and for a comment that looks like one.
    """
    lines: list[str] = []
    reads = False
    for line in source.splitlines():
        if not _LOOKS_LIKE_ONE.match(line):
            lines.append(line)
        elif line == "--#flags no-writes":
            reads = True
        elif found := _INCLUDE.fullmatch(line):
            lines += [text for part in found[1].split(" ") for text in _part(part)]
        else:
            raise ValueError(f"not a directive: {line}")
    return "\n".join(lines), reads


def _part(name: str) -> list[str]:
    lines = _read(f"parts/{name}.lua").splitlines()
    for line in lines:
        if _LOOKS_LIKE_ONE.match(line) and not _OF_PARTS.fullmatch(line):
            raise ValueError(f"not a directive of a part: {line}")
    return lines


@cache
def script(name: str) -> Script:
    """Load one script by its file name without the ending."""
    whole, reads = assemble(_read(f"{name}.lua"))
    return Script(name, _FRAME.format(script=_strip(whole)), reads)
