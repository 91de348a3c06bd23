"""The Lua scripts, put together from their parts, and their SHA-1 as the server computes it.

A line `-- parts  a b` in a script stands for the texts of `lua/parts/a.lua` and `lua/parts/b.lua`; a line
`-- flags  no-writes` makes it read-only. Each script is kept twice: with the flag that keeps Upstash from locking the
whole database, and plain, for servers that do not know the flag.
"""

import hashlib
import re
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

# Not through importlib.resources, which takes a millisecond of every cold start: the files are never in an archive.
_LUA = Path(__file__).parent / "lua"

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


@cache
def script(name: str) -> Script:
    """Load one script by its file name without the ending."""
    source = _read(f"{name}.lua")
    whole = re.sub(
        r"^-- parts +(.*)$",
        lambda found: "\n".join(_read(f"parts/{part}.lua") for part in found[1].split()),
        source,
        flags=re.MULTILINE,
    )
    return Script(name, _FRAME.format(script=_strip(whole)), reads="-- flags  no-writes" in source)
