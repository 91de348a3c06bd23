"""The local endpoint keeps Upstash's REST protocol, over the Redis in memory and over a real one alike."""

import base64
import statistics
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import httpx
import pytest
from upstash_redis.asyncio import Redis

from tests.support.servers import redis_server, serve
from tests.upstash_emulator.local_endpoint import TOKEN, Local
from tools.upstash_emulator import wire
from tools.upstash_emulator.backends import RedisBackend
from tools.upstash_emulator.endpoint import make_endpoint


@pytest.mark.parametrize("credentials", [{}, {"Authorization": "Bearer wrong"}, {"Authorization": f"Basic {TOKEN}"}])
def test_a_missing_or_wrong_token_is_401(local: Local, credentials: dict[str, str]) -> None:
    answer = httpx.post(local.url, json=["PING"], headers=credentials)
    assert (answer.status_code, answer.json()) == (401, {"error": "WRONGPASS invalid or missing auth token"})


def test_the_token_may_stand_in_the_query(local: Local) -> None:
    assert httpx.get(f"{local.url}/set/k/v?_token={TOKEN}").json() == {"result": "OK"}


@pytest.mark.parametrize("method", ["DELETE", "PATCH", "OPTIONS"])
def test_other_methods_are_405(local: Local, method: str) -> None:
    assert local.http.request(method, "/get/k").status_code == 405


def test_arguments_keep_the_spelling_they_were_sent_in(local: Local) -> None:
    body = '["RPUSH", "k", "snow ☃", 12345678901234567890, 1.50, 1e3, true, false, "\\ud83d\\ude00", "\\ud83d"]'
    assert local.http.post("/", content=body).json() == {"result": 8}
    assert local.ask("LRANGE", "k", 0, -1) == [
        "snow ☃", "12345678901234567890", "1.50", "1e3", "true", "false", "😀", "\N{REPLACEMENT CHARACTER}"
    ]  # fmt: skip


def test_answers_hold_only_strings_integers_lists_and_null(local: Local) -> None:
    local.ask("ZADD", "z", 0.1, "a", 3, "b")
    assert local.ask("ZRANGE", "z", 0, -1, "WITHSCORES") == ["a", "0.10000000000000001", "b", "3"]
    assert local.ask("ZSCORE", "z", "b") == "3"
    assert local.ask("ZRANK", "z", "b") == 1
    assert local.ask("ZMSCORE", "z", "a", "nobody") == ["0.10000000000000001", None]


@pytest.mark.parametrize(
    ("body", "error"),
    [
        ("", "ERR failed to parse command"),
        ("[", "ERR failed to parse command"),
        ('{"a": 1}', "ERR failed to parse command"),
        ('"PING"', "ERR failed to parse command"),
        ('["SET", "k", NaN]', "ERR failed to parse command"),
        ("[" * 10_000, "ERR failed to parse command"),
        ("[]", "ERR empty command"),
        ('["SET", "k", null]', "ERR unsupported arg type"),
        ('["SET", "k", ["v"]]', "ERR unsupported arg type"),
        ('["SET", "k", {"v": 1}]', "ERR unsupported arg type"),
        ('["SET", "k"]', "ERR wrong number of arguments for 'set' command"),
        ('["ZADD", "z", "high", "a"]', "ERR value is not a valid float"),
    ],
)
def test_a_bad_command_is_400(local: Local, body: str, error: str) -> None:
    answer = local.http.post("/", content=body)
    assert (answer.status_code, answer.json()) == (400, {"error": error})


@pytest.mark.parametrize(
    "command", ["NOSUCH a", "BLPOP k 0", "SUBSCRIBE c", "MULTI", "CLIENT ID", "SELECT 1", "XREAD BLOCK 0 STREAMS s 0"]
)
def test_what_rest_cannot_do_is_not_available(local: Local, command: str) -> None:
    name = command.partition(" ")[0]
    assert local.ask(*command.split()).startswith(f"ERR Command is not available: '{name}'. See https://upstash.com/")


def test_the_path_form_takes_path_then_body_then_query(local: Local) -> None:
    assert local.http.get("/set/a%2Fb/snow%20%E2%98%83").json() == {"result": "OK"}
    assert local.ask("GET", "a/b") == "snow ☃"
    assert local.http.post("/set/k?EX=100&NX", content=b'{"any": "bytes"}').json() == {"result": "OK"}
    assert local.ask("GET", "k") == '{"any": "bytes"}'
    assert 0 < local.ask("TTL", "k") <= 100
    assert local.http.get("/get/k/").json() == {"result": '{"any": "bytes"}'}
    assert local.http.put("/incr/n").json() == {"result": 1}
    assert local.http.get("/get").status_code == 400


def test_base64_covers_every_string_but_the_top_ok(local: Local) -> None:
    encoded = {"Upstash-Encoding": "base64"}
    commands = [["SET", "k", "OK"], ["GET", "k"], ["MGET", "k", "none"], ["STRLEN", "k"]]
    assert local.send(commands, "/pipeline", **encoded).json() == [
        {"result": "OK"}, {"result": "OK"}, {"result": ["T0s=", None]}, {"result": 2}
    ]  # fmt: skip
    script = "return {'a', {'OK', 1, {ok = 'fine'}}, false}"
    nested = local.send(["EVAL", script, 0], **encoded).json()["result"]
    assert nested == ["YQ==", ["T0s=", 1, base64.b64encode(b"fine").decode()], None]


def test_bytes_that_are_no_text_survive_base64(local: Local) -> None:
    local.http.post("/set/k", content=b"\xff\x00")
    answer = local.send(["GET", "k"], **{"Upstash-Encoding": "base64"})
    assert base64.b64decode(answer.json()["result"]) == b"\xff\x00"


def test_the_sync_token_changes_with_every_answer(local: Local) -> None:
    tokens = {local.send(["PING"]).headers["Upstash-Sync-Token"] for _ in range(5)}
    assert len(tokens) == 5


def test_a_pipeline_answers_each_command_by_itself(local: Local) -> None:
    commands = [["SET", "k", "v"], ["INCR", "k"], [], ["GET", None], ["NOSUCH"], ["GET", "k"]]
    answer = local.send(commands, "/pipeline")
    assert answer.status_code == 200
    assert [*map(list, answer.json())] == [["result"], ["error"], ["error"], ["error"], ["error"], ["result"]]


@pytest.mark.parametrize("path", ["/pipeline", "/multi-exec"])
@pytest.mark.parametrize("body", ["[]", "{}", '["PING"]', "nonsense", ""])
def test_a_batch_that_is_empty_or_no_list_of_lists_is_an_error(local: Local, path: str, body: str) -> None:
    answer = local.http.post(path, content=body)
    assert answer.status_code == 400
    assert answer.json()["error"].startswith(("ERR empty", "ERR failed to parse"))


def test_a_transaction_keeps_going_after_an_error_at_run_time(local: Local) -> None:
    answer = local.send([["SET", "k", "v"], ["LPUSH", "k", "x"], ["GET", "k"]], "/multi-exec")
    assert answer.status_code == 200
    assert answer.json() == [
        {"result": "OK"},
        {"error": "WRONGTYPE Operation against a key holding the wrong kind of value"},
        {"result": "v"},
    ]


@pytest.mark.parametrize("bad", [["NOSUCH"], ["SET", "k"], ["SUBSCRIBE", "c"], ["GET", {}]])
def test_a_discarded_transaction_is_one_error_and_changes_nothing(local: Local, bad: list[object]) -> None:
    answer = local.send([["SET", "k", "v"], bad], "/multi-exec")
    assert answer.status_code == 400
    assert list(answer.json()) == ["error"]
    assert local.ask("GET", "k") is None


def test_transactions_do_not_mix(local: Local) -> None:
    def transfer(_: int) -> bool:
        both = local.send([["INCR", "a"], ["GET", "b"], ["INCR", "b"], ["GET", "a"]], "/multi-exec").json()
        a, b, _, after = (item["result"] for item in both)
        return int(a) == int(b or 0) + 1 == int(after)

    with ThreadPoolExecutor(16) as callers:
        assert all(callers.map(transfer, range(200)))


def test_a_body_over_ten_megabytes_is_refused(local: Local) -> None:
    error = f"ERR max request size exceeded. Limit: 10485760 bytes, Actual: {wire.LIMIT + 1} bytes"
    answer = local.http.post("/set/k", content=b"x" * (wire.LIMIT + 1))
    assert (answer.status_code, answer.json()) == (400, {"error": error})

    def without_a_length() -> Iterator[bytes]:
        yield b"x" * wire.LIMIT
        yield b"x"

    assert local.http.post("/set/k", content=without_a_length()).json() == {"error": error}
    assert local.ask("EXISTS", "k") == 0


def test_large_values_and_long_lists_come_back_whole(local: Local) -> None:
    value = "x\r\n" * 1_000_000
    local.http.post("/set/k", content=value)
    assert local.ask("GET", "k") == value
    local.ask("RPUSH", "l", *range(20_000))
    assert local.ask("LRANGE", "l", 0, -1) == [*map(str, range(20_000))]


async def test_the_sdk_works_against_it(local: Local) -> None:
    async with Redis(local.url, TOKEN, rest_retries=0) as sdk:
        assert await sdk.set("k", "snow ☃", nx=True, ex=100)
        assert await sdk.get("k") == "snow ☃"
        assert await sdk.zadd("z", {"a": 1.5, "b": 2}) == 2
        assert await sdk.zrange("z", 0, -1, withscores=True, rev=True) == [("b", 2.0), ("a", 1.5)]
        assert await sdk.eval("return {KEYS[1], ARGV[1]}", keys=["k"], args=["v"]) == ["k", "v"]
        for batch, results in (sdk.pipeline(), [True, 1]), (sdk.multi(), [False, 2]):
            batch.set("a", 0, nx=True)
            batch.incr("a")
            assert await batch.exec() == results


def test_an_answer_does_not_wait_for_an_acknowledgement(local: Local) -> None:
    """Head and body go out in two writes, which cost 40 ms a request where TCP_NODELAY is not set."""
    times = []
    for _ in range(21):
        start = time.perf_counter()
        local.send(["PING"])
        times.append(time.perf_counter() - start)
    assert statistics.median(times) < 0.02


@pytest.mark.needs("redis")
def test_a_redis_that_is_gone_is_503_and_one_that_is_back_is_used_again() -> None:
    headers = {"Authorization": f"Bearer {TOKEN}"}
    with redis_server() as url:
        served = serve(make_endpoint(RedisBackend(url), TOKEN))
        address = served.__enter__()
        assert httpx.post(address, json=["PING"], headers=headers).json() == {"result": "PONG"}
    try:
        answer = httpx.post(address, json=["PING"], headers=headers)
        assert (answer.status_code, list(answer.json())) == (503, ["error"])
        with redis_server(int(url.rpartition(":")[2])):
            assert httpx.post(address, json=["PING"], headers=headers).json() == {"result": "PONG"}
    finally:
        served.__exit__(None, None, None)
