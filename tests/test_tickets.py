"""Tickets: one run each, for one player and board, in time, and told apart by code when they are not."""

import asyncio
import json
from dataclasses import replace
from typing import Any

import pytest

from lib.errors import Misconfigured, NotYourPlayer, TicketInvalid
from lib.settings import Settings
from lib.tickets import Signer, Ticket
from tests.lab import NOON, Lab, lab
from tests.trust import OPEN_GATES, SECRETS, TICKETS, again, begin, kept, run_of, send
from tools.backends import Backend, MemoryBackend

HOUR = 3_600_000
TICKET = Ticket("b", "p1", NOON, "a-nonce", NOON + HOUR)
TIMED = '[board.b]\nauth = "ticket"\nticket = { shortest = "5s", longest = "1h", per_second = 10 }\n' + OPEN_GATES
TWO_BOARDS = TICKETS + TICKETS.replace("[board.b]", "[board.c]")


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


async def test_a_run_with_its_ticket_is_stored_once(backend: Backend) -> None:
    async with lab(TICKETS, backend, secrets=SECRETS) as here:
        body = run_of(await begin(here), 10)
        assert await send(here, body) == (200, "stored")
        before = await kept(here)
        for _ in range(3):
            assert await send(here, body) == (200, "replayed")
        assert await kept(here) == before


async def test_a_retry_with_its_id_says_what_stands_now(backend: Backend) -> None:
    async with lab(TICKETS, backend, secrets=SECRETS) as here:
        started = await begin(here)
        body = run_of(started, 10, id="a-submission")
        assert await send(here, body) == (200, "stored")
        here.now += 1000
        assert await send(here, run_of(await again(here, started), 30)) == (200, "stored")
        answer = (await here.client.post("/submit", content=json.dumps(body))).json()
        [standing] = answer["standings"]
        assert (answer["replayed"], standing["improved"], standing["score"]) == (True, True, 30)


async def test_a_miss_spends_its_ticket_too(backend: Backend) -> None:
    """A ticket is good for one run, whatever came of it; the same run again is a retry."""
    async with lab(TICKETS, backend, secrets=SECRETS) as here:
        started = await begin(here)
        assert await send(here, run_of(started, 50)) == (200, "stored")
        worse = run_of(await again(here, started), 40)
        assert await send(here, worse) == (200, "stored")
        assert await send(here, worse) == (200, "replayed")
        assert await send(here, {**worse, "score": 60}) == (403, "ticket_used")


@pytest.mark.parametrize(
    ("change", "refusal"),
    [
        ({"ticket": None}, (401, "ticket_required")),
        ({"ticket": "forged"}, (403, "ticket_invalid")),
        ({"player": "somebody-else"}, (403, "ticket_invalid")),
        ({"board": "c"}, (403, "ticket_invalid")),
        ({"score": 11, "id": "another-id"}, (403, "ticket_used")),
        ({"id": "another-id"}, (403, "ticket_used")),
    ],
    ids=str,
)
async def test_a_recorded_session_is_good_for_nothing_else(
    change: dict[str, Any], refusal: tuple[int, str], backend: Backend
) -> None:
    """Whoever listened in changes one thing: refused by the right code, and not a byte in the store is another."""
    async with lab(TWO_BOARDS, backend, secrets=SECRETS) as here:
        body = run_of(await begin(here), 10, id="the-first-id")
        assert await send(here, body) == (200, "stored")
        before = await kept(here)
        recorded = {name: value for name, value in {**body, **change}.items() if value is not None}
        assert await send(here, recorded) == refusal
        assert await kept(here) == before


async def test_the_recorded_id_with_another_score_is_id_reused(backend: Backend) -> None:
    async with lab(TICKETS, backend, secrets=SECRETS) as here:
        body = run_of(await begin(here), 10, id="the-first-id")
        assert await send(here, body) == (200, "stored")
        before = await kept(here)
        assert await send(here, {**body, "score": 11}) == (409, "id_reused")
        assert await kept(here) == before


async def test_a_recorded_session_from_another_address_is_the_same_submission(backend: Backend) -> None:
    """It is answered as the retry it is, for nothing of it is new; and nothing changes."""
    async with lab(TICKETS, backend, secrets=SECRETS) as here:
        body = run_of(await begin(here), 10, id="the-first-id")
        assert await send(here, body) == (200, "stored")
        before = await kept(here)
        async with here.client_at("198.51.100.9") as elsewhere:
            assert await send(here, body, elsewhere) == (200, "replayed")
            assert await send(here, {**body, "score": 99, "id": "another-id"}, elsewhere) == (403, "ticket_used")
        assert await kept(here) == before


@pytest.mark.parametrize("more", [{}, {"id": "the-first-id"}], ids=["no id", "its old id"])
async def test_a_recorded_session_after_its_expiry_is_expired(more: dict[str, Any], backend: Backend) -> None:
    """Also with the id that the record remembers, and without asking the store."""
    async with lab(TICKETS, backend, secrets=SECRETS) as here:
        body = run_of(await begin(here), 10, **more)
        assert await send(here, body) == (200, "stored")
        before = await kept(here)
        here.now += 2 * HOUR + 1
        here.start_meter()
        assert await send(here, body) == (403, "ticket_expired")
        assert here.requests == 0
        assert await kept(here) == before


async def test_a_ticket_is_good_to_its_last_millisecond(backend: Backend) -> None:
    async with lab(TIMED, backend, secrets=SECRETS) as here:
        started = await begin(here)
        here.now += HOUR
        assert await send(here, run_of(started)) == (200, "stored")
        here.now += 1
        assert await send(here, run_of(started)) == (403, "ticket_expired")


async def test_a_run_takes_as_long_as_it_must(backend: Backend) -> None:
    """Too early by a millisecond, too fast by a point; what was refused was not spent."""
    async with lab(TIMED, backend, secrets=SECRETS) as here:
        started = await begin(here)
        here.now += 4_999
        assert await send(here, run_of(started, 1)) == (403, "too_early")
        here.now += 1
        assert await send(here, run_of(started, 51)) == (403, "too_fast")
        assert await kept(here) == {}
        assert await send(here, run_of(started, 50)) == (200, "stored")


async def test_a_start_a_second_ahead_of_the_clock_counts(backend: Backend) -> None:
    """Two instances' clocks differ; the run then took no time at all, and belongs to now."""
    boards = TICKETS.replace("limits", 'windows = ["daily"]\nticket = { period_of = "start" }\nlimits')
    async with lab(boards, backend, secrets=SECRETS) as here:
        started = await begin(here)
        here.now -= 1000
        assert await send(here, run_of(started)) == (200, "stored")


async def test_an_open_board_ignores_a_ticket(backend: Backend) -> None:
    """Whatever is in its place: nothing is checked, and nothing is spent."""
    async with lab(f"[board.b]\n{OPEN_GATES}\n", backend, secrets=SECRETS) as here:
        started = await begin(here)
        for ticket in (started["ticket"], "nonsense"):
            here.now += 3 * HOUR
            body = {"board": "b", "player": "p9", "score": here.now, "ticket": ticket}
            assert await send(here, body) == (200, "stored")
        assert not [key for key in await kept(here) if ":nonce:" in key]


MIDNIGHT = NOON + 12 * HOUR
NIGHT = """
[board.b]
auth = "ticket"
windows = ["daily", "all"]
retain = { daily = "%s" }
ticket = { longest = "40h", period_of = "start" }
limits = { per_ip = "0" }
"""


async def days(here: Lab, body: dict[str, Any]) -> dict[str, tuple[str, bool]]:
    """Submit; return for each window the period it counted for and whether it improved there."""
    answer = (await here.client.post("/submit", content=json.dumps(body))).json()
    return {s["window"]: (s["period"], s["improved"]) for s in answer["standings"]}


async def test_a_run_over_midnight_counts_for_the_day_it_began(backend: Backend) -> None:
    async with lab(NIGHT % "8d", backend, secrets=SECRETS) as here:
        here.now = MIDNIGHT - 60_000
        started = await begin(here)
        here.now = MIDNIGHT + 60_000
        assert await days(here, run_of(started)) == {"daily": ("2033-05-18", True), "all": ("all", True)}


async def test_a_day_that_has_expired_meanwhile_is_skipped(backend: Backend) -> None:
    """With no retention the day is gone at midnight; the all-time board still takes the run."""
    async with lab(NIGHT % "0s", backend, secrets=SECRETS) as here:
        here.now = MIDNIGHT - 60_000
        started = await begin(here)
        here.now = MIDNIGHT + 60_000
        assert await days(here, run_of(started)) == {"all": ("all", True)}


async def test_a_slot_that_holds_a_later_day_is_skipped(backend: Backend) -> None:
    """Two days later the record's slot is taken by today; a run from then must not push today out of it."""
    async with lab(NIGHT % "8d", backend, secrets=SECRETS) as here:
        here.now = MIDNIGHT - HOUR
        started = await begin(here)
        here.now = MIDNIGHT + 25 * HOUR
        today = await again(here, started)
        assert (await days(here, run_of(today, 5)))["daily"] == ("2033-05-20", True)
        assert await days(here, run_of(started, 9)) == {"daily": ("2033-05-18", False), "all": ("all", True)}
        rows = (await here.get("/top", window="daily"))["entries"]
        assert [(row["player"], row["score"]) for row in rows] == [(started["player"], 5)]
        assert (await here.get("/top", window="daily", at="2033-05-18"))["entries"] == []


async def test_keys_are_exchanged_without_losing_a_run(backend: Backend) -> None:
    """A ticket of the old key is taken while both are there; the player's token is signed anew on the way."""
    async with lab(TICKETS, backend, secrets=("old",)) as here:
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


def _with_secrets(here: Lab, *secrets: str) -> Settings:
    return replace(here.deployment.settings, secrets=secrets)


@pytest.mark.parametrize("board", [TICKETS, f"[board.b]\n{OPEN_GATES}\n"], ids=["ticket", "open"])
@pytest.mark.parametrize("more", [{}, {"id": "one-and-the-same"}], ids=["no id", "id"])
async def test_a_thousand_replays_at_once_are_stored_once(board: str, more: dict[str, Any], backend: Backend) -> None:
    """All are answered 200; one of them was the first. An open board knows a retry by its id alone."""
    if not more and "ticket" not in board:
        more = {"id": "or-it-is-no-retry"}
    board = board.replace("[board.b]", '[board.b]\nkeep = "sum"')
    async with lab(board, backend, secrets=SECRETS) as here:
        body = run_of(await begin(here), 7, **more)
        outcomes: list[tuple[int, str]] = []
        for _ in range(10):
            outcomes += await asyncio.gather(*(send(here, body) for _ in range(100)))
        assert outcomes.count((200, "stored")) == 1
        assert outcomes.count((200, "replayed")) == 999
        [row] = (await here.get("/top"))["entries"]
        assert row["score"] == 7


async def test_a_ticket_costs_one_command_and_a_refused_one_none() -> None:
    async with lab(TICKETS, MemoryBackend(), secrets=SECRETS) as here:
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
