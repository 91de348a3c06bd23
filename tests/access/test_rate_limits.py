"""The gates of a board: who is admitted, who is refused and until when, and what a refusal leaves behind."""

from typing import Any

import httpx
import pytest

from tests.support.failing_stores import Unreliable
from tests.support.harness import Harness, harness
from tests.support.playing import beside, stored
from tools.upstash_emulator.backends import Backend

ADDRESS_GATE = '[board.b]\nlimits = { per_ip = "3/1m" }\n[board.other]\nlimits = { per_ip = "3/1m" }\n'
PLAYER_GATE = '[board.b]\nlimits = { per_ip = "0", per_player = "2/1m" }\n'
COOLDOWN = '[board.b]\nlimits = { per_ip = "0", cooldown = "10s" }\n'
ALL_GATES = '[board.b]\nlimits = { per_ip = "9/1m", per_player = "1/1m", cooldown = "10s" }\n'
RECORD = "laurel:{b}:db-:player:p1"


async def submit(here: Harness, score: float = 1, player: str = "p1", **more: Any) -> tuple[int, str]:
    """Submit, and return the status with the code of a refusal."""
    answer = await here.post("/submit", **{"board": "b", "player": player, "score": score, **more})
    return answer.status_code, answer.json().get("code", "")


def assert_refused(answer: httpx.Response, code: str, *, limit: int, period: int, wait: int) -> None:
    """Demand a 429 that says what is allowed and how many seconds to wait."""
    assert (answer.status_code, answer.json()["code"]) == (429, code), answer.text
    assert answer.headers["retry-after"] == str(wait)
    assert answer.headers["ratelimit-policy"] == f'"{code}";q={limit};w={period}'
    assert answer.headers["ratelimit"] == f'"{code}";r=0;t={wait}'


async def gate_key(here: Harness) -> str:
    """Return the key of the one address gate there is."""
    [key] = await here.command("KEYS", "laurel:{b}:gate:*")
    return str(key)


OK, REFUSED, COOLING = (200, ""), (429, "rate_limited"), (429, "cooldown")


async def test_an_address_is_admitted_up_to_the_limit_until_its_period_ends(backend: Backend) -> None:
    """The period begins with the first call, and ends to the millisecond, seen by a process that remembers nothing."""
    async with harness(ADDRESS_GATE, backend) as here:
        begin = here.now
        assert [await submit(here) for _ in range(3)] == [OK] * 3
        for passed, wait in [(0, 60), (20_000, 40), (20_001, 40), (59_999, 1)]:
            here.now = begin + passed
            async with beside(here, backend, ADDRESS_GATE) as other:
                answer = await other.post("/submit", board="b", player="p1", score=1)
                assert_refused(answer, "rate_limited", limit=3, period=60, wait=wait)
        here.now = begin + 60_000
        assert [await submit(here) for _ in range(4)] == [OK, OK, OK, REFUSED]


async def test_a_board_counts_for_itself(backend: Backend) -> None:
    async with harness(ADDRESS_GATE, backend) as here:
        assert [await submit(here) for _ in range(4)][3] == REFUSED
        assert await submit(here, board="other") == OK


async def test_the_address_gate_counts_whatever_reached_the_store_and_nothing_else(backend: Backend) -> None:
    """A miss, a replay and a reused id cost a call; a request that is not valid costs none."""
    async with harness('[board.b]\nscore = { max = 100 }\nlimits = { per_ip = "9/1m" }', backend) as here:
        counted = []
        sent: list[tuple[int, dict[str, Any], int]] = [
            (10, {"id": "an-id-of-mine"}, 200),
            (1, {}, 200),
            (10, {"id": "an-id-of-mine"}, 200),
            (11, {"id": "an-id-of-mine"}, 409),
            (101, {}, 422),
            (1, {"unknown": 1}, 422),
        ]
        for score, more, status in sent:
            assert (await submit(here, score, **more))[0] == status
            counted.append((await here.command("GET", await gate_key(here))).split()[0])
        assert counted == ["1", "2", "3", "4", "4", "4"]


async def test_an_address_gate_always_expires(backend: Backend) -> None:
    """From the first call on, after each further one, after a refusal, and in the next period."""
    async with harness(ADDRESS_GATE, backend) as here:
        for _ in range(5):
            await submit(here)
            assert 50_000 < await here.command("PTTL", await gate_key(here)) <= 60_000
        here.now += 60_000
        await submit(here)
        assert 50_000 < await here.command("PTTL", await gate_key(here)) <= 60_000


async def test_further_calls_do_not_prolong_an_address_gate(backend: Backend) -> None:
    async with harness(ADDRESS_GATE, backend) as here:
        await submit(here)
        await here.command("PEXPIRE", await gate_key(here), "9000")
        await submit(here)
        assert 0 < await here.command("PTTL", await gate_key(here)) <= 9000
        assert (await here.command("GET", await gate_key(here))).split()[0] == "2"


async def test_an_address_gate_that_is_off_stores_nothing(backend: Backend) -> None:
    async with harness(COOLDOWN, backend) as here:
        await submit(here)
        assert await here.command("KEYS", "*gate*") == []


async def test_a_fixed_period_lets_twice_the_limit_through_at_its_edge(backend: Backend) -> None:
    """What docs/operations.md says of it: the last calls of one period and the first of the next, side by side."""
    async with harness(ADDRESS_GATE, backend) as here:
        begin = here.now
        admitted = []
        for passed in (0, 59_998, 59_999, 60_000, 60_000, 60_000, 60_001):
            here.now = begin + passed
            admitted.append(await submit(here))
        assert admitted == [OK] * 6 + [REFUSED]


async def test_a_player_is_admitted_up_to_the_limit_until_the_period_ends(backend: Backend) -> None:
    async with harness(PLAYER_GATE, backend) as here:
        begin = here.now
        assert [await submit(here) for _ in range(2)] == [OK] * 2
        for passed, wait in [(0, 60), (20_001, 40), (59_999, 1)]:
            here.now = begin + passed
            answer = await here.post("/submit", board="b", player="p1", score=1)
            assert_refused(answer, "rate_limited", limit=2, period=60, wait=wait)
        here.now = begin + 60_000
        assert [await submit(here) for _ in range(3)] == [OK, OK, REFUSED]


async def test_a_players_gate_holds_at_every_address_and_for_nobody_else(backend: Backend) -> None:
    async with harness(PLAYER_GATE, backend) as here:
        for _ in range(2):
            await submit(here)
        assert await submit(here, player="p2") == OK
        async with here.client_at("198.51.100.1") as elsewhere:
            answer = await elsewhere.post("/submit", json={"board": "b", "player": "p1", "score": 99})
        assert answer.status_code == 429


async def test_misses_count_at_a_players_gate(backend: Backend) -> None:
    async with harness(PLAYER_GATE, backend) as here:
        assert [await submit(here, score) for score in (10, 9, 11)] == [OK, OK, REFUSED]


async def test_a_cooldown_ends_to_the_millisecond(backend: Backend) -> None:
    """It counts from the last admitted submission: a refused one does not prolong it."""
    async with harness(COOLDOWN, backend) as here:
        begin = here.now
        assert await submit(here) == OK
        for passed, wait in [(0, 10), (1, 10), (5000, 5), (9999, 1)]:
            here.now = begin + passed
            answer = await here.post("/submit", board="b", player="p1", score=2)
            assert_refused(answer, "cooldown", limit=1, period=10, wait=wait)
        here.now = begin + 10_000
        assert [await submit(here, 2), await submit(here, 3)] == [OK, COOLING]


async def test_a_cooldown_is_judged_before_the_players_limit(backend: Backend) -> None:
    async with harness(ALL_GATES, backend) as here:
        assert [await submit(here), await submit(here, 2)] == [OK, COOLING]
        here.now += 10_000
        assert await submit(here, 3) == REFUSED


@pytest.mark.parametrize("boards", [PLAYER_GATE, COOLDOWN])
async def test_a_refused_submission_writes_nothing(boards: str, backend: Backend) -> None:
    async with harness(boards, backend) as here:
        statuses = []
        for score in range(3):
            before = await stored(here)
            statuses.append((await submit(here, score, name=f"N{score}"))[0])
            if statuses[-1] == 429:
                assert await stored(here) == before
        assert statuses[-1] == 429


@pytest.mark.parametrize(("window", "period", "wait"), [("daily", 86_400, 43_200), ("all", 86_400, 86_400)])
async def test_a_full_split_says_how_much_it_holds_and_for_how_long(
    window: str, period: int, wait: int, backend: Backend
) -> None:
    """As any limit does: until the period ends, or for `all`, where values go only with their standing, a day."""
    splits = '[board.b.splits]\nmode = { pattern = "[a-z]", max = 9 }\nlevel = { pattern = "[a-z]", max = 2 }\n'
    async with harness(f"[board.b]\nwindows = ['{window}']\n{splits}", backend) as here:
        for level in "xy":
            await here.submit("p1", 1, splits={"mode": "a", "level": level})
        body = {"player": "p1", "score": 2, "splits": {"mode": "b", "level": "z"}}
        answer = await here.post("/submit", board="b", **body)
        assert_refused(answer, "too_many_split_values", limit=2, period=period, wait=wait)


async def test_a_refused_submission_leaves_only_the_count_of_its_address(backend: Backend) -> None:
    async with harness(ALL_GATES, backend) as here:
        await submit(here)
        before = dict(await stored(here))
        assert await submit(here, 2) == COOLING
        after = dict(await stored(here))
        gate = await gate_key(here)
        assert (before.pop(gate).split()[0], after.pop(gate).split()[0]) == ("1", "2")
        assert before == after


async def test_a_replay_passes_the_players_gate_and_counts_nothing(backend: Backend) -> None:
    """A game that sends a run again must learn that it is stored, not that it is too soon."""
    async with harness(ALL_GATES, backend) as here:
        assert await submit(here, 5, id="an-id-of-mine") == OK
        gate = await here.command("HGET", RECORD, "gate")
        here.now += 100
        for _ in range(3):
            assert (await here.submit("p1", 5, id="an-id-of-mine"))["replayed"]
        assert await here.command("HGET", RECORD, "gate") == gate
        assert await submit(here, 6, id="an-id-of-mine") == (409, "id_reused")
        assert await submit(here, 6, id="another-id") == COOLING


async def test_a_miss_that_is_sent_again_passes_the_players_gate(backend: Backend) -> None:
    """A miss stores no id, but the gate knows whom it last admitted; the same id with another score is not them."""
    async with harness(ALL_GATES, backend) as here:
        await submit(here, 50)
        here.now += 60_000
        assert await submit(here, 5, id="an-id-of-mine") == OK
        gate = await here.command("HGET", RECORD, "gate")
        here.now += 100
        assert await submit(here, 5, id="an-id-of-mine") == OK
        assert await here.command("HGET", RECORD, "gate") == gate
        assert await submit(here, 6, id="an-id-of-mine") == COOLING
        assert await submit(here, 5, id="another-id") == COOLING


@pytest.mark.parametrize("score", [5, 60])
async def test_our_own_second_try_after_a_lost_answer_is_not_refused(score: int, backend: Backend) -> None:
    """Whether it was a miss or an improvement, with an id of our own making, and with the last place at the gate."""
    rules = '[board.b]\nlimits = { per_ip = "2/1m", per_player = "1/1m", cooldown = "10s" }'
    async with harness(rules, backend) as here:
        await submit(here, 50)
        here.now += 59_000
        await here.command("HDEL", RECORD, "gate")
        way = Unreliable(here, 1)
        assert await submit(here, score) == OK
        assert len(way.sent) == 2
        assert (await here.command("GET", await gate_key(here))).split()[0] == "2"
