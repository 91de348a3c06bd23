"""Clocks that differ, and tickets: one that was spent stays spent for as long as any process takes it."""

from itertools import product
from typing import Any

import pytest

from lib.access.admission import NONCE_MARGIN_S
from tests.support.harness import Harness, harness
from tests.support.playing import beside
from tests.support.ticket_runs import HOUR, OPEN_GATES, SECRETS, TICKETS, again, begin, run_of, send
from tools.upstash_emulator.backends import Backend

SECOND, DAY = 1000, 24 * HOUR
SHORT = f'[board.b]\nauth = "ticket"\nticket = {{ longest = "2m" }}\n{OPEN_GATES}\n'
LIFE = 120


async def spend(here: Harness, started: dict[str, Any]) -> int:
    """Submit a run with its ticket; return the seconds that the store knows that it is spent, in tens rounded up."""
    assert await send(here, run_of(started)) == (200, "stored")
    [nonce] = await here.command("KEYS", "*:nonce:*")
    return -(-int(await here.command("TTL", nonce)) // 10) * 10


@pytest.mark.parametrize("ahead", [-DAY, -85 * SECOND, 0, 85 * SECOND, LIFE * SECOND])
async def test_a_spent_ticket_is_known_for_a_life_whoever_spends_it(ahead: int, backend: Backend) -> None:
    """By the store's clock from the moment on: the clock of the process that spends it takes nothing off."""
    async with harness(SHORT, backend, secrets=SECRETS) as here, beside(here, backend, SHORT, secrets=SECRETS) as other:
        started = await begin(here)
        other.now += ahead
        assert await spend(other, started) >= LIFE + NONCE_MARGIN_S


@pytest.mark.parametrize(("signer", "spender", "later"), [*product([-30, 0, 30], [-30, 0, 30, 85], [-30, 0, 30])])
async def test_no_process_within_a_minute_takes_a_ticket_that_is_forgotten(
    signer: int, spender: int, later: int, backend: Backend
) -> None:
    """From the one that signed it, that is; how far the one is off that spends it makes no difference."""
    async with harness(SHORT, backend, secrets=SECRETS) as here, beside(here, backend, SHORT, secrets=SECRETS) as other:
        spent = here.now
        here.now = spent + signer * SECOND
        started = await begin(here)
        other.now = spent + spender * SECOND
        forgotten = spent + await spend(other, started) * SECOND
        here.now = forgotten + later * SECOND + 1
        assert await send(here, run_of(started)) == (403, "ticket_expired")


@pytest.mark.parametrize("ahead", [HOUR, DAY])
async def test_a_ticket_that_a_process_ahead_signed_is_good_once(ahead: int, backend: Backend) -> None:
    """The others take it, and know that it is spent for as long as it seems good to them."""
    async with (
        harness(TICKETS, backend, secrets=SECRETS) as here,
        beside(here, backend, TICKETS, secrets=SECRETS) as other,
    ):
        other.now += ahead
        started = await begin(other)
        known = await spend(here, started)
        here.now += known * SECOND
        assert await send(here, run_of(started)) == (403, "ticket_expired")


async def test_a_ticket_of_the_rules_before_is_known_for_its_own_life(backend: Backend) -> None:
    """The board's tickets were good for two hours when it was signed, and are for two minutes now."""
    async with (
        harness(TICKETS, backend, secrets=SECRETS) as here,
        beside(here, backend, SHORT, secrets=SECRETS) as other,
    ):
        assert await spend(other, await begin(here)) == 2 * 3600 + NONCE_MARGIN_S


@pytest.mark.parametrize("seconds", [0, 1, 119])
async def test_a_ticket_that_is_spent_late_is_known_as_long(seconds: int, backend: Backend) -> None:
    """A process that is behind takes it for as much longer."""
    async with harness(SHORT, backend, secrets=SECRETS) as here:
        started = await begin(here)
        here.now += seconds * SECOND
        assert await spend(here, started) == LIFE + NONCE_MARGIN_S
        assert await send(here, run_of(started)) == (200, "replayed")
        here.now -= seconds * SECOND
        assert await send(here, run_of(await again(here, started))) == (200, "stored")
