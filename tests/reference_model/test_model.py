"""Random games by every rule: every answer and every key is what a plain model of the design says.

MODEL_EXAMPLES says how many games each test plays, MODEL_STEPS how many steps a game has; 100 is a run of half an hour.
"""

import functools
import os
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import cast

import fakeredis
import hypothesis
import pytest
import redis
from hypothesis.stateful import RuleBasedStateMachine, run_state_machine_as_test

from tests.reference_model.choices import COMBINATIONS, Combination
from tests.reference_model.machine import BoardMachine
from tests.reference_model.store import Client
from tests.reference_model.trial import Store
from tests.support.harness import NOON, harness
from tools.upstash_emulator.backends import Backend, MemoryBackend, RedisBackend

_STEPS = int(os.environ.get("MODEL_STEPS", "30"))


def _play(number: int, stores: Sequence[Store], combinations: Sequence[Combination]) -> None:
    """Play games; a failure is shrunk and shown as the few steps that lead to it."""
    games = hypothesis.settings(
        max_examples=int(os.environ.get("MODEL_EXAMPLES", number)),
        stateful_step_count=_STEPS,
        deadline=None,
        phases=set(hypothesis.Phase) - {hypothesis.Phase.explain},
        report_multiple_bugs=False,
        suppress_health_check=list(hypothesis.HealthCheck),
    )
    machine = functools.partial(BoardMachine, stores, combinations)
    run_state_machine_as_test(cast(type[RuleBasedStateMachine], machine), settings=games)


def _look_into_memory(backend: Backend) -> Client:
    assert isinstance(backend, MemoryBackend)
    return fakeredis.FakeRedis(server=backend.server)


MEMORY = Store("memory", MemoryBackend, _look_into_memory)


@pytest.mark.parametrize("combination", COMBINATIONS, ids=str)
def test_the_memory_store_does_what_the_model_says(combination: Combination) -> None:
    _play(3, [MEMORY], [combination])


@pytest.mark.needs("redis")
def test_a_real_redis_does_what_the_model_and_the_memory_store_say(redis_url: str) -> None:
    server = Store("redis", lambda: RedisBackend(redis_url), lambda _: redis.Redis.from_url(redis_url))
    _play(40, [MEMORY, server], COMBINATIONS)


async def test_a_player_pushed_out_by_a_row_that_fell_since_is_back_with_the_same_score() -> None:
    async with harness('[board.b]\nkeep = "last"\ncap = 1', MemoryBackend()) as opened:
        await opened.submit("p1", 10)
        await opened.submit("p2", 20)
        await opened.submit("p2", 5)
        answer = await opened.submit("p1", 10)
        assert (answer["standings"][0]["rank"], answer["standings"][0]["kept"]) == (1, True)


SEASONAL = f"""[board.b]
windows = ["season", "all"]
[[board.b.season]]
name = "s1"
starts = {datetime.fromtimestamp(NOON // 1000 + 60, UTC).isoformat()}
ends = {datetime.fromtimestamp(NOON // 1000 + 120, UTC).isoformat()}
"""


@pytest.mark.parametrize(("first", "second"), [(0, 90), (90, 150)])
async def test_a_replay_knows_what_it_improved_when_a_season_began_or_ended_in_between(first: int, second: int) -> None:
    async with harness(SEASONAL, MemoryBackend()) as opened:
        for seconds in (first, second):
            opened.now = NOON + seconds * 1000
            answer = await opened.submit("p1", 10, id="submission-1")
        improved = {standing["window"]: standing["improved"] for standing in answer["standings"]}
        assert answer["replayed"]
        assert improved == ({"season": False, "all": True} if second == 90 else {"all": True})
