"""Tickets: signed and read back, known by the board that asks for them, and paid for with one command."""

from dataclasses import replace
from typing import Any

import pytest

from lib.access.tickets import Signer, Ticket
from lib.errors import Misconfigured, NotYourPlayer, TicketInvalid
from lib.settings import Settings
from tests.support.harness import NOON, Harness, harness
from tests.support.ticket_runs import HOUR, OPEN_GATES, SECRETS, TICKETS, again, begin, kept, run_of, send
from tools.upstash_emulator.backends import Backend, MemoryBackend

TICKET = Ticket("b", "p1", NOON, "a-nonce", NOON + HOUR)


def test_a_ticket_reads_back_as_it_was_signed() -> None:
    signer = Signer(SECRETS)
    assert signer.read_ticket(signer.sign_ticket(TICKET)) == TICKET


@pytest.mark.parametrize("change", [lambda t: t[:-1] + ("A" if t[-1] != "A" else "B"), lambda t: "A" + t, lambda t: ""])
def test_a_changed_ticket_is_no_ticket(change: Any) -> None:
    signer = Signer(SECRETS)
    with pytest.raises(TicketInvalid):
        signer.read_ticket(change(signer.sign_ticket(TICKET)))


@pytest.mark.parametrize("text", ["", "x", "a.b", "..", "é.é", "\ud800", "." * 2000, "bnVsbA.AAAA"])
def test_any_text_that_is_no_ticket_is_refused(text: str) -> None:
    with pytest.raises(TicketInvalid):
        Signer(SECRETS).read_ticket(text)


def test_a_player_token_is_no_ticket_and_a_ticket_no_player_token() -> None:
    """The two are signed apart, though with the same secret."""
    signer = Signer(SECRETS)
    with pytest.raises(TicketInvalid):
        signer.read_ticket(signer.sign_player("p1"))
    with pytest.raises(NotYourPlayer):
        signer.check_player("p1", signer.sign_ticket(TICKET))


def test_keys_rotate_newest_first() -> None:
    """The newest key signs, older ones still verify, and a key that is gone verifies nothing."""
    before, between, after = Signer(["old"]), Signer(["new", "old"]), Signer(["new"])
    old, new = before.sign_ticket(TICKET), between.sign_ticket(TICKET)
    assert between.read_ticket(old) == between.read_ticket(new) == after.read_ticket(new) == TICKET
    for reader, text in ((after, old), (before, new)):
        with pytest.raises(TicketInvalid):
            reader.read_ticket(text)


def test_without_a_secret_there_are_no_tickets() -> None:
    with pytest.raises(Misconfigured, match="LAUREL_SECRET"):
        Signer([])


async def test_an_open_board_ignores_a_ticket(backend: Backend) -> None:
    """Whatever is in its place: nothing is checked, and nothing is spent."""
    async with harness(f"[board.b]\n{OPEN_GATES}\n", backend, secrets=SECRETS) as here:
        started = await begin(here)
        for ticket in (started["ticket"], "nonsense"):
            here.now += 3 * HOUR
            body = {"board": "b", "player": "p9", "score": here.now, "ticket": ticket}
            assert await send(here, body) == (200, "stored")
        assert not [key for key in await kept(here) if ":nonce:" in key]


async def test_keys_are_exchanged_without_losing_a_run(backend: Backend) -> None:
    """A ticket of the old key is taken while both are there; the player's token is signed anew on the way."""
    async with harness(TICKETS, backend, secrets=("old",)) as here:
        started = await begin(here)
        under_way = run_of(started, 10)
        here.deployment.settings = _with_secrets(here, "new", "old")
        assert await send(here, under_way) == (200, "stored")
        renewed = await again(here, started)
        here.deployment.settings = _with_secrets(here, "new")
        assert await send(here, run_of(renewed, 20)) == (200, "stored")
        await again(here, renewed)
        retired = await here.post("/start", board="b", player=started["player"], player_token=started["player_token"])
        assert (retired.status_code, retired.json()["code"]) == (403, "not_your_player")
        assert await send(here, under_way) == (403, "ticket_invalid")


def _with_secrets(here: Harness, *secrets: str) -> Settings:
    return replace(here.deployment.settings, secrets=secrets)


async def test_a_ticket_costs_one_command_and_a_refused_one_none() -> None:
    async with harness(TICKETS, MemoryBackend(), secrets=SECRETS) as here:
        started = await begin(here)
        assert await send(here, run_of(started, 10)) == (200, "stored")
        second = run_of(await again(here, started), 20, ranks="none")
        here.now += 1
        here.start_meter()
        assert await send(here, second) == (200, "stored")
        assert here.billed == 3 + 2 + 1
        here.start_meter()
        for body in ({**second, "ticket": "forged"}, {**second, "player": "else"}):
            assert (await send(here, body))[1] == "ticket_invalid"
        assert here.requests == 0
