"""Commands on their way in: what is refused, what each one costs, and scripts exchanged for guarded ones."""

from collections.abc import Callable
from dataclasses import dataclass, field

from tools.upstash_emulator.lua_guard import GuardedScript
from tools.upstash_emulator.wire import Command, Reply, ReplyError

Finish = Callable[[Reply], tuple[Reply, int]]
"""Turns the server's reply into the caller's, and says how many commands it is billed as."""

UNBILLED = frozenset({"AUTH", "HELLO", "SELECT", "COMMAND", "CONFIG", "INFO", "PING", "RESET", "QUIT"})
# They change the state of a connection that callers share here, or would keep it waiting.
_REFUSED = (
    " AUTH HELLO SELECT RESET QUIT CLIENT MULTI EXEC DISCARD WATCH UNWATCH MONITOR SYNC PSYNC REPLCONF WAIT WAITAOF "
    "SHUTDOWN DEBUG FAILOVER SUBSCRIBE PSUBSCRIBE SSUBSCRIBE UNSUBSCRIBE PUNSUBSCRIBE SUNSUBSCRIBE "
    "BLPOP BRPOP BLMOVE BLMPOP BRPOPLPUSH BZPOPMIN BZPOPMAX BZMPOP "
)
_EVALS = frozenset({"EVAL", "EVAL_RO", "EVALSHA", "EVALSHA_RO"})


def unavailable(name: str) -> ReplyError:
    """Return the error for a command that does not exist over REST, in Upstash's words."""
    link = "https://upstash.com/docs/redis/overall/rediscompatibility"
    return ReplyError(f"ERR Command is not available: '{name}'. See {link} for details")


@dataclass
class Scripts:
    """The scripts that callers have brought, by the SHA-1 of the text as they know it."""

    has_read_only_eval: bool
    knows_locking: bool = True
    _known: dict[str, GuardedScript] = field(default_factory=dict)

    def prepare(self, command: Command) -> tuple[Command, Finish]:
        """Return what to send for a command, and what to do with the reply; raise ReplyError to refuse it."""
        name = command[0].decode(errors="replace").upper()
        if f" {name} " in _REFUSED or (name in ("XREAD", "XREADGROUP") and b"BLOCK" in map(bytes.upper, command)):
            raise unavailable(name)
        if name in _EVALS and len(command) > 1:
            return self._evaluation(name, command)
        if name == "SCRIPT" and len(command) > 1:
            return self._script(command)
        return command, lambda reply: _outcome(name, reply)

    def _evaluation(self, name: str, command: Command) -> tuple[Command, Finish]:
        by_name, read_only = name.startswith("EVALSHA"), name.endswith("_RO")
        script = self._known.get(command[1].decode(errors="replace").lower()) if by_name else self._add(command[1])
        if script is None:  # the server says NOSCRIPT, in the right place of a pipeline
            plain = name if self.has_read_only_eval else name.removesuffix("_RO")
            return [plain.encode(), *command[1:]], lambda reply: (reply, 1)
        read_only = read_only or script.no_writes
        if read_only and not self.has_read_only_eval:
            sent = [b"EVAL", script.read_only_text]
        else:
            suffix = b"_RO" if read_only else b""
            sent = [b"EVALSHA" + suffix, script.sent_name] if by_name else [b"EVAL" + suffix, script.text]
        return sent + command[2:], lambda reply: _billed(script.unwrap(reply))

    def _script(self, command: Command) -> tuple[Command, Finish]:
        verb, arguments = command[1].upper(), command[2:]
        if verb == b"LOAD" and len(arguments) == 1:
            script = self._add(arguments[0])
            loaded = script.name.encode()
            return [*command[:2], script.text], lambda reply: (loaded if isinstance(reply, bytes) else reply, 1)
        if verb == b"EXISTS":
            known = [self._known.get(name.decode(errors="replace").lower()) for name in arguments]
            sent = [script.sent_name if script else name for script, name in zip(known, arguments, strict=True)]
            return command[:2] + sent, lambda reply: (reply, 1)
        if verb == b"FLUSH":
            self._known.clear()
        return command, lambda reply: (reply, 1)

    def _add(self, source: bytes) -> GuardedScript:
        script = GuardedScript.read(source, knows_locking=self.knows_locking)
        # Kept as it was: the texts made from it are cached on it.
        return self._known.setdefault(script.name, script)


def _billed(result: tuple[Reply, int]) -> tuple[Reply, int]:
    reply, calls = result
    return reply, 1 + calls


def _outcome(name: str, reply: Reply) -> tuple[Reply, int]:
    if isinstance(reply, ReplyError) and reply.text.startswith("ERR unknown command"):
        return unavailable(name), 0
    return reply, 0 if name in UNBILLED else 1
