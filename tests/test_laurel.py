"""Laurel for Python callers: the same models, rules and refusals as over HTTP, asked without it."""

from decimal import Decimal
from typing import Any

import pytest
from pydantic import ValidationError

from lib.errors import AuthRequired, Invalid, LaurelError, NotYourPlayer, RateLimited, UnknownBoard
from lib.laurel import (
    Caller,
    Laurel,
    RankOfPlayer,
    RankOfPlayers,
    RankOfScore,
    RankQuery,
    StartRequest,
    Submission,
    Top,
    TopQuery,
    Tops,
    TopWithPlayer,
)
from tests.support.harness import ADDRESS, TOKEN, harness
from tests.support.servers import serve
from tools.upstash_emulator.backends import Backend, MemoryBackend
from tools.upstash_emulator.endpoint import make_endpoint

BOARDS = """
[board.b]
windows = ["all", "daily"]
cache = "10s"
limits = { per_ip = "2/1m" }
[board.b.splits]
mode = ["time", "words"]
by = ["overall", "mode"]
[board.tickets]
auth = "ticket"
limits = { per_ip = "2/1m" }
[board.backend]
auth = "server"
"""
ANYBODY = Caller(address=ADDRESS)
SECRETS: dict[str, Any] = {"secrets": ("s" * 16,), "server_token": "t" * 16}


async def test_it_answers_as_http_does(backend: Backend) -> None:
    async with harness(BOARDS, backend, **SECRETS) as here:
        laurel = Laurel(here.deployment)
        for number in range(4):
            run = Submission(board="b", player=f"p{number}", score=Decimal("10.5") * number, splits={"mode": "time"})
            assert (await laurel.submit(run)).improved
        for path, query, kind in (
            ("/top", {"board": "b", "limit": 2}, Top),
            ("/top", {"board": "b", "mode": "time", "player": "p1"}, TopWithPlayer),
            ("/top", {"board": "b", "windows": "all,daily", "splits": "overall,mode:time"}, Tops),
        ):
            answer = await laurel.top(TopQuery.model_validate(query))
            assert type(answer) is kind
            assert answer.model_dump() == await here.get(path, **query)
        for ask, text, ranked in (
            (RankQuery(board="b", player="p1", around=1), {"player": "p1", "around": 1}, RankOfPlayer),
            (RankQuery(board="b", players=["p2", "nobody"]), {"players": "p2,nobody"}, RankOfPlayers),
            (RankQuery(board="b", score=Decimal("12.5")), {"score": 12.5}, RankOfScore),
        ):
            place = await laurel.rank(ask)
            assert type(place) is ranked
            assert place.model_dump() == await here.get("/rank", **text)


async def test_the_backend_is_counted_at_no_gate_and_a_player_passed_on_is(backend: Backend) -> None:
    async with harness(BOARDS, backend, **SECRETS) as here:
        laurel = Laurel(here.deployment)
        for number in range(5):
            await laurel.submit(Submission(board="b", player="p1", score=number))
            await laurel.start(StartRequest(board="tickets"))
        assert not await here.command("KEYS", "*:gate:*")
        for number in range(2):
            await laurel.submit(Submission(board="b", player="p1", score=number), ANYBODY)
            await laurel.start(StartRequest(board="tickets"), ANYBODY)
        with pytest.raises(RateLimited):
            await laurel.submit(Submission(board="b", player="p1", score=9), ANYBODY)
        with pytest.raises(RateLimited):
            await laurel.start(StartRequest(board="tickets"), ANYBODY)


async def test_the_backend_needs_no_token_and_a_player_passed_on_does(backend: Backend) -> None:
    async with harness(BOARDS, backend, **SECRETS) as here:
        laurel = Laurel(here.deployment)
        run = Submission(board="backend", player="p1", score=1)
        assert (await laurel.submit(run)).improved
        with pytest.raises(AuthRequired):
            await laurel.submit(run, ANYBODY)
        assert (await laurel.submit(run, Caller(address=ADDRESS, authorization=f"Bearer {'t' * 16}"))).player == "p1"
        started = await laurel.start(StartRequest(board="tickets", player="p1"))
        assert (started.player, started.player_token) == ("p1", None)
        with pytest.raises(NotYourPlayer):
            await laurel.start(StartRequest(board="tickets", player="p1"), ANYBODY)
        assert (await laurel.submit(Submission(board="tickets", player="p1", score=1, ticket=started.ticket))).improved


@pytest.mark.parametrize(
    ("query", "error"),
    [
        ({"board": "nowhere"}, UnknownBoard),
        ({"board": "b", "level": "1"}, Invalid),
        ({"board": "b", "windows": "all", "player": "p1"}, Invalid),
        ({"board": "b", "limit": 0}, ValidationError),
        ({"board": "b", "limit": True}, ValidationError),
        ({"board": "b", "limit": 1.5}, ValidationError),
    ],
)
async def test_a_wrong_query_is_refused(query: dict[str, object], error: type[Exception]) -> None:
    async with harness(BOARDS, MemoryBackend(), **SECRETS) as here:
        with pytest.raises(error):
            await Laurel(here.deployment).top(TopQuery.model_validate(query))


@pytest.mark.parametrize("score", [float("nan"), float("inf"), "1", True, 2**53, 2.0**53])
async def test_a_wrong_score_is_refused(score: object) -> None:
    async with harness(BOARDS, MemoryBackend(), **SECRETS) as here:
        laurel = Laurel(here.deployment)
        with pytest.raises((ValidationError, LaurelError)):
            await laurel.submit(Submission.model_validate({"board": "b", "player": "p1", "score": score}))
        if score != "1":  # which is how a query string has it
            with pytest.raises((ValidationError, LaurelError)):
                await laurel.rank(RankQuery.model_validate({"board": "b", "score": score}))


async def test_it_is_made_from_an_environment(tmp_path_factory: pytest.TempPathFactory) -> None:
    boards = tmp_path_factory.mktemp("boards") / "boards.toml"
    boards.write_text("[board.b]\n")
    with serve(make_endpoint(MemoryBackend(), TOKEN)) as address:
        environ = {"UPSTASH_REDIS_REST_URL": address, "UPSTASH_REDIS_REST_TOKEN": TOKEN, "LAUREL_BOARDS": str(boards)}
        laurel = Laurel.from_environment(environ)
        await laurel.submit(Submission(board="b", player="p1", score=3))
        top = await laurel.top(TopQuery(board="b"))
        assert isinstance(top, Top)
        assert [(row.player, row.score) for row in top.entries] == [("p1", 3)]
        await laurel.close()
