"""Scripts run on the local endpoint as on Upstash: by their own SHA-1, held to their flags, each command counted."""

import hashlib
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx
import pytest

from tests.support.servers import serve
from tests.upstash_emulator.local_endpoint import LOCKING, TOKEN, Local
from tools.upstash_emulator.backends import MemoryBackend
from tools.upstash_emulator.endpoint import make_endpoint


def test_scripts_are_known_by_the_sha1_of_their_own_text(local: Local) -> None:
    script = f"{LOCKING}return redis.call('GET', KEYS[1])"
    name = hashlib.sha1(script.encode()).hexdigest()
    unknown = "NOSCRIPT No matching script. Please use EVAL."
    assert local.ask("EVALSHA", name, 1, "k") == unknown
    assert local.ask("EVALSHA_RO", name, 1, "k") == unknown
    assert local.ask("SCRIPT", "EXISTS", name, "0" * 40) == [0, 0]
    assert local.ask("EVAL", script, 1, "k") is None
    assert local.ask("SCRIPT", "EXISTS", name, "0" * 40) == [1, 0]
    local.ask("SET", "k", "v")
    assert local.ask("EVALSHA", name.upper(), 1, "k") == "v"
    assert local.ask("EVALSHA_RO", name, 1, "k") == "v"
    assert local.ask("SCRIPT", "FLUSH") == "OK"
    assert local.ask("EVALSHA", name, 1, "k") == unknown
    assert local.ask("SCRIPT", "LOAD", script) == name
    assert local.ask("EVALSHA", name, 1, "k") == "v"


def test_scripts_work_inside_pipelines_and_transactions(local: Local) -> None:
    script = "return {redis.call('INCR', KEYS[1]), ARGV[1]}"
    name = hashlib.sha1(script.encode()).hexdigest()
    commands = [["EVAL", script, 1, "n", "a"], ["EVALSHA", name, 1, "n", "b"], ["EVALSHA", "0" * 40, 0]]
    results = [{"result": [1, "a"]}, {"result": [2, "b"]}, {"error": "NOSCRIPT No matching script. Please use EVAL."}]
    assert local.send(commands, "/pipeline").json() == results
    local.ask("DEL", "n")
    assert local.send(commands, "/multi-exec").json() == results


@pytest.mark.parametrize(
    ("body", "reply"),
    [
        ("return", None),
        ("return nil", None),
        ("return false", None),
        ("return true", 1),
        ("return 15.5", 15),
        ("return '15.5'", "15.5"),
        ("return {1, nil, 3}", [1]),
        ("return {1, false, {2, 'x'}}", [1, None, [2, "x"]]),
        ("return {ok = 'FINE'}", "FINE"),
        ("return redis.status_reply('FINE')", "FINE"),
        ("return redis.call('SET', KEYS[1], 'v')", "OK"),
        ("return {#KEYS, #ARGV, unpack(ARGV)}", [1, 2, "a", "b"]),
        ("local t = {} for i, v in ipairs(ARGV) do t[i] = v .. i end return t -- and a last word", ["a1", "b2"]),
    ],
)
def test_lua_values_turn_into_replies_as_in_redis(local: Local, body: str, reply: object) -> None:
    assert local.ask("EVAL", body, 1, "k", "a", "b") == reply


@pytest.mark.parametrize(
    ("body", "error"),
    [
        ("return redis.error_reply('MINE no')", "MINE no"),
        ("return {err = 'MINE no'}", "MINE no"),
        ("error({err = 'MINE no'})", "MINE no"),
        ("return redis.pcall('LPUSH', 's', 'x')", "WRONGTYPE Operation against a key holding the wrong kind of value"),
        ("x = = 1", "ERR Error compiling script (new function): user_script:1: unexpected symbol near '='"),
    ],
)
def test_a_script_that_fails_answers_its_error(local: Local, body: str, error: str) -> None:
    local.ask("SET", "s", "v")
    assert local.ask("EVAL", body, 0).startswith(error)


@pytest.mark.parametrize("first", ["", "#!lua\n", LOCKING])
@pytest.mark.parametrize(
    ("last", "message"),
    [
        ("redis.call('LPUSH', KEYS[1], 'x')", "WRONGTYPE Operation against a key holding the wrong kind of value"),
        ("local x = nil .. 'a'", "ERR user_script:{line}: attempt to concatenate a nil value"),
        ("error('boom')", "ERR user_script:{line}: boom"),
    ],
)
def test_an_error_names_the_line_of_the_script_as_written(local: Local, first: str, last: str, message: str) -> None:
    local.ask("SET", "k", "v")
    script = f"{first}local a = 1\n\n{last}\nreturn a"
    line = script.count("\n", 0, script.index(last)) + 1
    name = hashlib.sha1(script.encode()).hexdigest()
    suffix = f" script: {name}, on @user_script:{line}."
    assert local.ask("EVAL", script, 1, "k") == message.format(line=line) + suffix


@pytest.mark.parametrize(
    ("call", "stray"),
    [
        ("'GET', 'other'", "other"),
        ("'get', 'k:other'", "k:other"),
        ("'GET', 7", "7"),
        ("'DEL', KEYS[1], 'other'", "other"),
        ("'EXISTS', 'other', KEYS[1]", "other"),
        ("'MGET', KEYS[1], KEYS[2], 'other'", "other"),
        ("'MSET', KEYS[1], 'v', 'other', 'v'", "other"),
        ("'RENAME', KEYS[1], 'other'", "other"),
        ("'ZUNIONSTORE', 'other', 1, KEYS[1]", "other"),
        ("'ZUNIONSTORE', KEYS[1], 2, KEYS[2], 'other'", "other"),
        ("'ZUNION', 1, 'other'", "other"),
        ("'BITOP', 'AND', KEYS[1], 'other'", "other"),
        ("'GET', KEYS[1]", None),
        ("'MSET', KEYS[1], 'v', KEYS[2], 'other'", None),
        ("'ZUNIONSTORE', KEYS[1], 2, KEYS[2], 'k3', 'WEIGHTS', 1, 2", None),
        ("'SET', KEYS[1], 'other'", None),
        ("'TIME'", None),
        ("'PING'", None),
    ],
)
def test_with_the_lock_flag_every_key_must_be_declared(local: Local, call: str, stray: str | None) -> None:
    """The rule that Upstash enforces and no other server does, so a script that breaks it fails here first."""
    refusal = "ERR Dynamic keys are not allowed in Lua scripts when 'allow-key-locking' flag is set."
    keys = ["k", "k2", "k3"]
    answer = local.ask("EVAL", f"{LOCKING}return redis.pcall({call})", len(keys), *keys)
    assert (str(answer).startswith(refusal) and f"'{stray}'" in answer) is (stray is not None)
    raised = local.ask("EVAL", f"{LOCKING}local r = redis.call({call}) return 'done'", len(keys), *keys)
    assert raised.startswith(refusal) if stray else raised == "done"
    free = local.ask("EVAL", f"return redis.pcall({call})", len(keys), *keys)
    assert not str(free).startswith(refusal)


@pytest.mark.parametrize("command", ["SET k v", "ZADD k 1 a", "EXPIRE k 9", "DEL k", "SET k v GET", "zpopmin k"])
def test_a_read_only_script_cannot_write(local: Local, command: str) -> None:
    call = ", ".join(f"'{part}'" for part in command.split())
    local.ask("ZADD", "k", 1, "a")
    refusal = "ERR Write commands are not allowed from read-only scripts."
    flagged, plain = f"#!lua flags=no-writes,allow-key-locking\nreturn redis.call({call})", f"return redis.call({call})"
    assert local.ask("EVAL", flagged, 1, "k").startswith(refusal)
    assert local.ask("EVAL_RO", plain, 1, "k").startswith(refusal)
    assert local.ask("EVALSHA_RO", hashlib.sha1(plain.encode()).hexdigest(), 1, "k").startswith(refusal)
    assert local.ask("EVAL_RO", "return redis.call('ZSCORE', KEYS[1], 'a')", 1, "k") == "1"


@pytest.mark.parametrize("body", ["KEYS[1] = 'x'", "ARGV[1] = 'x'", "ARGV[3] = 'x'", "table.remove(ARGV)"])
def test_a_script_that_changes_its_arguments_fails(local: Local, body: str) -> None:
    assert local.ask("EVAL", f"{body} return 1", 1, "k", "a", "b").startswith("ERR attempt to modify a read-only table")


@pytest.mark.parametrize(
    ("shebang", "error"),
    [
        ("#!lua flags=no-such", "ERR Error compiling script: Unexpected flag in script shebang: no-such"),
        ("#!js", "ERR Unexpected engine in script shebang: #!js"),
        ("#!lua name=x", "ERR Unknown lua shebang option: name=x"),
    ],
)
def test_a_wrong_shebang_line_is_refused(local: Local, shebang: str, error: str) -> None:
    assert local.ask("EVAL", f"{shebang}\nreturn 1", 0) == error
    assert local.ask("SCRIPT", "LOAD", f"{shebang}\nreturn 1") == error


def test_an_endpoint_may_be_one_that_does_not_know_the_lock_flag() -> None:
    endpoint = make_endpoint(MemoryBackend(), TOKEN, flags="unknown")
    with serve(endpoint) as url:
        headers = {"Authorization": f"Bearer {TOKEN}"}
        refused = httpx.post(url, json=["EVAL", f"{LOCKING}return 1", 0], headers=headers)
        assert refused.status_code == 400
        expected = "ERR Error compiling script: Unexpected flag in script shebang: allow-key-locking"
        assert refused.json() == {"error": expected}
        assert httpx.post(url, json=["EVAL", "return 1", 0], headers=headers).json() == {"result": 1}


@pytest.mark.parametrize(
    ("path", "body", "billed"),
    [
        ("/", ["SET", "k", "v"], 1),
        ("/", ["MGET", "k", "k2", "k3"], 1),
        ("/", ["PING"], 0),
        ("/", ["INFO"], 0),
        ("/", ["NOSUCH"], 0),
        ("/", ["EVAL", "return 1", 0], 1),
        ("/", ["EVAL", "for i = 1, 5 do redis.call('INCR', KEYS[1]) end return redis.pcall('GET')", 1, "n"], 7),
        ("/", ["EVAL", "redis.call('INCR', KEYS[1]) error('after')", 1, "n"], 2),
        ("/", ["EVALSHA", "0" * 40, 0], 1),
        ("/pipeline", [["PING"], ["SET", "k", "v"], ["EVAL", "return redis.call('GET', KEYS[1])", 1, "k"]], 3),
        ("/multi-exec", [["PING"], ["SET", "k", "v"], ["EVAL", "return redis.call('GET', KEYS[1])", 1, "k"]], 3),
    ],
)
def test_billed_commands_are_counted(local: Local, path: str, body: Any, billed: int) -> None:
    local.endpoint.meter.reset()
    answer = local.send(body, path)
    assert answer.headers["X-Billed-Commands"] == str(billed)
    assert (local.endpoint.meter.requests, local.endpoint.meter.billed) == (1, billed)


def test_concurrent_callers_do_not_disturb_the_count(local: Local) -> None:
    def evaluate(calls: int) -> tuple[int, str]:
        script = "for i = 1, tonumber(ARGV[1]) do redis.call('INCR', KEYS[1]) end"
        return calls, local.send(["EVAL", script, 1, "n", calls]).headers["X-Billed-Commands"]

    with ThreadPoolExecutor(8) as callers:
        assert all(billed == str(1 + calls) for calls, billed in callers.map(evaluate, range(60)))
