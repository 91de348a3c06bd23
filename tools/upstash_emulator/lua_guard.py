"""Makes a script count its commands and keep to its flags, on servers that know nothing of Upstash's.

`guard.lua` does the work inside the server, so one atomic call still is one atomic call on any backend.
"""

import hashlib
import re
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from tools.upstash_emulator.wire import Reply, ReplyError

SHAPES = (
    "DEL:1:-1:1 UNLINK:1:-1:1 EXISTS:1:-1:1 TOUCH:1:-1:1 MGET:1:-1:1 MSET:1:-1:2 MSETNX:1:-1:2 "
    "PFCOUNT:1:-1:1 PFMERGE:1:-1:1 SDIFF:1:-1:1 SDIFFSTORE:1:-1:1 SINTER:1:-1:1 SINTERSTORE:1:-1:1 "
    "SUNION:1:-1:1 SUNIONSTORE:1:-1:1 BITOP:2:-1:1 COPY:1:2:1 RENAME:1:2:1 RENAMENX:1:2:1 SMOVE:1:2:1 LMOVE:1:2:1 "
    "RPOPLPUSH:1:2:1 LCS:1:2:1 ZRANGESTORE:1:2:1 GEOSEARCHSTORE:1:2:1 "
    "ZUNION:1:0:0 ZINTER:1:0:0 ZDIFF:1:0:0 ZINTERCARD:1:0:0 SINTERCARD:1:0:0 ZMPOP:1:0:0 LMPOP:1:0:0 "
    "BZMPOP:2:0:0 BLMPOP:2:0:0 MIGRATE:3:3:1 "
    "ZUNIONSTORE:2:1:0 ZINTERSTORE:2:1:0 ZDIFFSTORE:2:1:0 OBJECT:2:2:1 MEMORY:2:2:1 XGROUP:2:2:1 XINFO:2:2:1 "
    "XREAD:0:0:1 XREADGROUP:0:0:1 PING:0:0:1 ECHO:0:0:1 TIME:0:0:1 INFO:0:0:1 DBSIZE:0:0:1 KEYS:0:0:1 SCAN:0:0:1 "
    "RANDOMKEY:0:0:1 FLUSHALL:0:0:1 FLUSHDB:0:0:1 PUBLISH:0:0:1 COMMAND:0:0:1 CONFIG:0:0:1 SELECT:0:0:1 "
)
"""Where the keys of a command stand, as first:last:step by the rules of COMMAND INFO.

A step of 0 says that `first` holds how many keys follow it, after `last` keys of their own. A command that is not named
has one key, its first argument. Streams, and the BY and STORE of SORT and GEORADIUS, are not looked into.
"""
WRITES = (
    "APPEND BITFIELD BITOP BLMOVE BLMPOP BLPOP BRPOP BRPOPLPUSH BZMPOP BZPOPMAX BZPOPMIN COPY DECR DECRBY DEL "
    "EXPIRE EXPIREAT FLUSHALL FLUSHDB GEOADD GEORADIUS GEORADIUSBYMEMBER GEOSEARCHSTORE GETDEL GETEX GETSET HDEL "
    "HEXPIRE HEXPIREAT HINCRBY HINCRBYFLOAT HMSET HPERSIST HPEXPIRE HPEXPIREAT HSET HSETNX INCR INCRBY "
    "INCRBYFLOAT LINSERT LMOVE LMPOP LPOP LPUSH LPUSHX LREM LSET LTRIM MIGRATE MOVE MSET MSETNX PERSIST PEXPIRE "
    "PEXPIREAT PFADD PFDEBUG PFMERGE PSETEX PUBLISH RENAME RENAMENX RESTORE RESTORE-ASKING RPOP RPOPLPUSH RPUSH "
    "RPUSHX SADD SDIFFSTORE SET SETBIT SETEX SETNX SETRANGE SINTERSTORE SMOVE SORT SPOP SPUBLISH SREM "
    "SUNIONSTORE SWAPDB UNLINK XACK XADD XAUTOCLAIM XCLAIM XDEL XGROUP XREADGROUP XSETID XTRIM ZADD ZDIFFSTORE "
    "ZINCRBY ZINTERSTORE ZMPOP ZPOPMAX ZPOPMIN ZRANGESTORE ZREM ZREMRANGEBYLEX ZREMRANGEBYRANK ZREMRANGEBYSCORE "
    "ZUNIONSTORE "
)
"""What a script that promises not to write may not call."""
_DYNAMIC = "ERR Dynamic keys are not allowed in Lua scripts when 'allow-key-locking' flag is set. '"
_LOCKING, _NO_WRITES = "allow-key-locking", "no-writes"
_FLAGS = {_LOCKING, _NO_WRITES, "allow-oom", "allow-stale", "no-cluster", "allow-cross-slot-keys"}

_SOURCE = Path(__file__).with_name("guard.lua").read_text(encoding="utf-8")
_LINE = " ".join(line.partition("--")[0].strip() for line in _SOURCE.splitlines())


def sha1(text: bytes) -> str:
    """Return the name a script goes by: the SHA-1 of its text, as 40 lower-case hex digits."""
    return hashlib.sha1(text, usedforsecurity=False).hexdigest()


@dataclass(frozen=True)
class GuardedScript:
    """A script as its author wrote it, and as the server behind gets it."""

    source: bytes
    flags: frozenset[str]

    @classmethod
    def read(cls, source: bytes, *, knows_locking: bool = True) -> "GuardedScript":
        """Return the script of a text; raise ReplyError for a shebang line that the server would refuse."""
        if not source.startswith(b"#!"):
            return cls(source, frozenset())
        engine, *options = source.partition(b"\n")[0].decode(errors="replace").split()
        if engine != "#!lua":
            raise ReplyError(f"ERR Unexpected engine in script shebang: {engine}")
        known = _FLAGS if knows_locking else _FLAGS - {_LOCKING}
        flags: set[str] = set()
        for option in options:
            if not option.startswith("flags="):
                raise ReplyError(f"ERR Unknown lua shebang option: {option}")
            flags.update(filter(None, option.removeprefix("flags=").split(",")))
        for flag in sorted(flags - known):
            raise ReplyError(f"ERR Error compiling script: Unexpected flag in script shebang: {flag}")
        return cls(source, frozenset(flags))

    @property
    def no_writes(self) -> bool:
        """Say whether the script promises not to write."""
        return _NO_WRITES in self.flags

    @cached_property
    def name(self) -> str:
        """Return the SHA-1 its callers know it by."""
        return sha1(self.source)

    @cached_property
    def text(self) -> bytes:
        """Return what is sent in its place."""
        return self._guarded(read_only=False)

    @cached_property
    def read_only_text(self) -> bytes:
        """Return what is sent in its place to a server that cannot refuse its writes itself."""
        return self._guarded(read_only=True)

    @cached_property
    def sent_name(self) -> bytes:
        """Return the SHA-1 the server behind knows it by."""
        return sha1(self.text).encode()

    def _guarded(self, *, read_only: bool) -> bytes:
        values = {
            "LOCKING": "true" if _LOCKING in self.flags else "false",
            "READ_ONLY": "true" if read_only else "false",
            "SHAPES": f"' {SHAPES}'",
            "WRITES": f"' {WRITES}'" if read_only else "''",
            "DYNAMIC": f'"{_DYNAMIC}"',
        }
        guard = re.sub(r"\$([A-Z_]+)", lambda match: values[match[1]], _LINE)
        # The shebang line turns into the guard's; any other first line stays, behind the guard.
        body = self.source.partition(b"\n")[2] if self.source.startswith(b"#!") else self.source
        separator = b"\n" if self.source.startswith(b"#!") else b" "
        return guard.encode() + separator + body + b"\nend)"

    def unwrap(self, reply: Reply) -> tuple[Reply, int]:
        """Return the script's own reply, and how many commands it called, from what the guard returned."""
        if not isinstance(reply, list) or not reply or not isinstance(reply[0], int):
            return reply, 0
        if len(reply) < 3:
            return reply[1] if len(reply) == 2 else None, reply[0]
        message, line = (part.decode(errors="replace") if isinstance(part, bytes) else "" for part in reply[2:4])
        return ReplyError(f"{message} script: {self.name}, on @user_script:{line}." if line else message), reply[0]
