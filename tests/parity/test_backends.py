"""The Redis in memory answers as a real one does, for every command the scripts may use."""

import asyncio
from collections.abc import Sequence

import pytest
import redis

from tests.support.project import ROOT
from tools.upstash_emulator import lua_guard
from tools.upstash_emulator.backends import Backend, MemoryBackend, RedisBackend
from tools.upstash_emulator.scripting import Scripts
from tools.upstash_emulator.wire import Command, Reply, ReplyError

COMMANDS = (ROOT / "tests" / "parity" / "redis_commands.txt").read_text(encoding="utf-8")

# Writes out the type that Lua sees, which a reply no longer shows: false or nil, "1" or 1, a status or a string.
SHOW = b"""
local show
show = function(reply)
  if type(reply) ~= 'table' then return type(reply) .. ' ' .. tostring(reply) end
  if reply.ok then return 'status ' .. reply.ok end
  if reply.err then return 'error' end
  local parts = {}
  for i = 1, #reply do parts[i] = show(reply[i]) end
  return '{' .. table.concat(parts, ', ') .. '}'
end
return show(redis.pcall(unpack(ARGV)))
"""


def _commands() -> list[Command]:
    lines = [line for line in COMMANDS.splitlines() if line and not line.startswith("#")]
    return [[part.encode() for part in line.split()] for line in lines]


async def _replies(backend: Backend, commands: Sequence[Command], *, in_lua: bool) -> list[str]:
    scripts = Scripts(backend.has_read_only_eval)
    await backend.run([[b"FLUSHALL"]])
    shown = []
    for command in commands:
        sent, finish = scripts.prepare([b"EVAL", SHOW, b"0", *command] if in_lua else command)
        (reply,) = await backend.run([sent])
        shown.append(_shown(finish(reply)[0]))
    await backend.close()
    return shown


def _shown(reply: Reply) -> str:
    return "error" if isinstance(reply, ReplyError) else repr(reply)


@pytest.mark.parametrize("in_lua", [True, False], ids=["from Lua", "by itself"])
def test_both_answer_alike(redis_url: str, in_lua: bool) -> None:
    commands = _commands()
    memory = asyncio.run(_replies(MemoryBackend(), commands, in_lua=in_lua))
    real = asyncio.run(_replies(RedisBackend(redis_url), commands, in_lua=in_lua))
    assert [*zip(commands, memory, strict=True)] == [*zip(commands, real, strict=True)]


def test_the_list_of_writing_commands_leaves_none_out(redis_url: str) -> None:
    with redis.Redis.from_url(redis_url) as client:
        commands = client.execute_command("COMMAND")
    writing = {name.upper() for name, about in commands.items() if "write" in about["flags"]}
    assert writing <= set(lua_guard.WRITES.split())


def test_the_list_of_key_positions_leaves_none_out(redis_url: str) -> None:
    """A command that is not listed, with keys elsewhere than first, would be judged by the wrong argument."""
    with redis.Redis.from_url(redis_url) as client:
        commands = client.execute_command("COMMAND")
    listed = {shape.partition(":")[0]: shape.partition(":")[2] for shape in lua_guard.SHAPES.split()}
    for name, about in commands.items():
        shape = (about["first_key_pos"], about["last_key_pos"], about["step_count"])
        elsewhere = shape != (1, 1, 1) and "noscript" not in about["flags"] and "admin" not in about["flags"]
        if elsewhere and shape[0] > 0:
            assert listed.get(name.upper()) == "{}:{}:{}".format(*shape), name
        elif "movablekeys" in about["flags"] and elsewhere:
            assert name.upper() in listed, name


async def test_a_fault_of_the_imitation_is_an_error_and_not_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    backend = MemoryBackend()
    await backend.run([[b"SET", b"k", b"v"]])

    def fail(*_: object) -> None:
        raise AssertionError("a fault")

    monkeypatch.setattr(backend._connection, "send_command", fail)
    (reply,) = await backend.run([[b"GET", b"k"]])
    assert isinstance(reply, ReplyError)
    assert await backend.run([[b"GET", b"k"]]) == [b"v"]
    await backend.close()


@pytest.mark.needs("redis")
async def test_a_caller_who_leaves_does_not_leave_an_answer_behind(redis_url: str) -> None:
    backend = RedisBackend(redis_url)
    await backend.run([[b"SET", b"k", b"v"]])
    left = asyncio.create_task(backend.run([[b"ECHO", b"for nobody"]]))
    await asyncio.sleep(0)
    left.cancel()
    with pytest.raises(asyncio.CancelledError):
        await left
    assert await backend.run([[b"GET", b"k"]]) == [b"v"]
    await backend.close()
