"""Random games by every rule: every answer and every key is what a plain model of the design says.

MODEL_EXAMPLES sets how many games are played (30 a combination in an hour's run, say), MODEL_STEPS how long each is.
"""

import functools
import os
from collections.abc import Sequence
from typing import cast

import fakeredis
import hypothesis
import pytest
import redis
from hypothesis.stateful import RuleBasedStateMachine, run_state_machine_as_test

from tests.model_choices import COMBINATIONS, Combination
from tests.model_machine import BoardMachine
from tests.model_store import Client
from tests.model_trial import Store
from tools.backends import Backend, MemoryBackend, RedisBackend

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
    _play(4, [MEMORY], [combination])


@pytest.mark.needs("redis")
def test_a_real_redis_does_what_the_model_and_the_memory_store_say(redis_url: str) -> None:
    server = Store("redis", lambda: RedisBackend(redis_url), lambda _: redis.Redis.from_url(redis_url))
    _play(60, [MEMORY, server], COMBINATIONS)
