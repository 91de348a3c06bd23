"""`auth = "server"`: only the game's own backend submits; its token is compared in constant time and shown nowhere."""

import ast
import hmac
import inspect
import json
import logging
from pathlib import Path
from typing import Any

import pytest
from starlette.datastructures import Headers

from lib.access import admission
from lib.access.callers import Caller
from lib.boards.toml_file import parse_boards
from lib.deployment import Deployment
from lib.errors import AuthRequired, Misconfigured
from lib.http.app import Call
from lib.schemas.writes import StartAnswer, StartRequest, Submission
from lib.settings import Settings
from tests.support.harness import TOKEN, Harness, harness
from tests.support.ticket_runs import OPEN_GATES, SECRETS, TICKETS, begin, run_of, told
from tools.upstash_emulator.backends import Backend, MemoryBackend

SERVER = "the-token-of-a-backend"
BOARD = f'[board.b]\nauth = "server"\n{OPEN_GATES}\n'
BODY = json.dumps({"board": "b", "player": "p1", "score": 10})


async def submit(here: Harness, *authorization: str) -> tuple[int, str]:
    """Submit with that header, or without one."""
    headers = [(b"Authorization", value.encode("latin-1")) for value in authorization]
    return told(await here.client.post("/submit", content=BODY, headers=headers))


@pytest.mark.parametrize("scheme", ["Bearer", "bearer", "BEARER"])
async def test_a_backend_submits_for_anybody(scheme: str, backend: Backend) -> None:
    async with harness(BOARD, backend, server_token=SERVER) as here:
        assert await submit(here, f"{scheme} {SERVER}") == (200, "stored")


@pytest.mark.parametrize(
    "authorization",
    ["", "Bearer", "Bearer ", f"Bearer {SERVER}x", f"Bearer {SERVER[:-1]}", f"Basic {SERVER}", SERVER, "Bearer \xe9"],
)
async def test_nobody_else_does(authorization: str, backend: Backend) -> None:
    """Refused before the store is asked."""
    async with harness(BOARD, backend, server_token=SERVER) as here:
        assert await submit(here, authorization) == (401, "auth_required")
        assert await submit(here) == (401, "auth_required")
        assert here.requests == 0


async def test_a_token_sent_twice_is_none(backend: Backend) -> None:
    """Which of the two would count differs between platforms: Lambda joins what comes twice."""
    async with harness(BOARD, backend, server_token=SERVER) as here:
        assert await submit(here, f"Bearer {SERVER}", f"Bearer {SERVER}") == (401, "auth_required")


async def test_a_ticket_does_not_stand_in_for_the_token(backend: Backend) -> None:
    async with harness(BOARD, backend, server_token=SERVER, secrets=SECRETS) as here:
        body = run_of(await begin(here))
        assert told(await here.client.post("/submit", content=json.dumps(body))) == (401, "auth_required")


async def test_a_wrong_token_is_refused_by_start_too(backend: Backend) -> None:
    """Somebody who tries to be a backend is told so, and is not taken for a player."""
    async with harness(TICKETS, backend, server_token=SERVER, secrets=SECRETS) as here:
        answer = await here.client.post(
            "/start", content='{"board": "b"}', headers={"Authorization": "Bearer nonsense"}
        )
        assert told(answer) == (401, "auth_required")


def test_the_board_needs_the_variable() -> None:
    with pytest.raises(Misconfigured, match=r"LAUREL_SERVER_TOKEN.*board\.b"):
        Deployment(Settings("http://x", "t"), parse_boards(BOARD))
    with pytest.raises(Misconfigured, match=r"LAUREL_SECRET.*board\.b"):
        Deployment(Settings("http://x", "t"), parse_boards(TICKETS))


def test_tokens_are_compared_in_constant_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """The server token meets what was sent only in `hmac.compare_digest`, whole and whatever its length."""
    compared = []

    def compare(one: bytes, other: bytes) -> bool:
        compared.append((one, other))
        return one == other

    monkeypatch.setattr(hmac, "compare_digest", compare)
    settings = Settings("http://x", "t", server_token=SERVER)
    for given in ("x", SERVER):
        caller = Caller(authorization=f"Bearer {given}")
        if given == SERVER:
            assert admission.is_backend(settings, caller)
        else:
            with pytest.raises(AuthRequired):
                admission.is_backend(settings, caller)
    assert compared == [(b"x", SERVER.encode()), (SERVER.encode(), SERVER.encode())]


def test_no_secret_is_compared_with_an_operator() -> None:
    """In the code that handles credentials, none of them stands beside == or !=."""
    root = Path(inspect.getfile(admission)).parent
    for name in ("admission", "tickets"):
        for node in ast.walk(ast.parse((root / f"{name}.py").read_text("utf-8"))):
            if isinstance(node, ast.Compare) and any(isinstance(op, ast.Eq | ast.NotEq) for op in node.ops):
                sides = " ".join(ast.unparse(side) for side in (node.left, *node.comparators))
                assert not any(word in sides for word in ("server_token", "secret", "signature")), sides


ALL_SECRETS = ("rest-token-0", "signing-secret-1", "older-secret-2", "server-token-3", "pg-password-4")


def secretive() -> Settings:
    """Return settings with a different secret wherever there can be one."""
    rest, newest, older, server, password = ALL_SECRETS
    return Settings(
        "http://store.test",
        rest,
        secrets=(newest, older),
        server_token=server,
        database_url=f"postgres://u:{password}@h/d",
    )


def test_no_secret_is_in_a_repr() -> None:
    """What a traceback, a debugger or a careless print would show."""
    settings = secretive()
    here = Deployment(settings, parse_boards(TICKETS))
    signer = admission.signer_of(settings.secrets)
    requests = [
        Submission(board="b", player="p1", score=1, ticket=settings.secrets[0]),
        StartRequest(board="b", player_token=settings.secrets[0]),
        StartAnswer(ticket=settings.secrets[0], player="p1", player_token=settings.secrets[1], expires="soon"),
        Call(here, 0, b"", Headers({"authorization": f"Bearer {settings.server_token}"}), "", settings.token.encode()),
    ]
    for shown in (settings, here, here.store, here.store.upstash, here.blocked, signer, *requests):
        for text in (repr(shown), str(shown), f"{shown}"):
            assert not [secret for secret in ALL_SECRETS if secret in text]


@pytest.mark.parametrize("name", ["UPSTASH_REDIS_REST_TOKEN", "LAUREL_SECRET", "LAUREL_SERVER_TOKEN", "DATABASE_URL"])
def test_no_secret_is_in_the_refusal_of_a_malformed_one(name: str) -> None:
    environ = {"UPSTASH_REDIS_REST_URL": "http://x", "UPSTASH_REDIS_REST_TOKEN": "t", name: "hush hush\n, ,"}
    with pytest.raises(Misconfigured) as refusal:
        Settings.read(environ)
    assert name in refusal.value.detail
    assert "hush" not in refusal.value.detail


async def test_no_secret_or_address_or_name_is_in_an_answer_or_a_log(
    caplog: pytest.LogCaptureFixture, capsys: pytest.CaptureFixture[str]
) -> None:
    """Not when all is well, not when it is refused, not when the store is gone, not when a fault of ours shows."""
    caplog.set_level(logging.DEBUG)
    _, newest, older, server, password = ALL_SECRETS
    boards = BOARD + TICKETS.replace("[board.b]", "[board.t]")
    private: dict[str, Any] = {
        "secrets": (newest, older),
        "server_token": server,
        "database_url": f"postgres://u:{password}@h/d",
    }
    async with harness(boards, MemoryBackend(), **private) as here:
        started = await begin(here, "t")
        player, ticket, token = (started[name] for name in ("player", "ticket", "player_token"))
        body = {"board": "t", "player": player, "score": 1, "name": "Wilhelmina", "ticket": ticket}
        answers = [await here.post("/submit", **body), await here.post("/submit", **{**body, "score": 2})]
        answers += [await here.post("/start", board="t", player="else", player_token=token)]
        answers += [await here.client.post("/submit", content=BODY, headers={"Authorization": f"Bearer {server}x"})]
        here.deployment.store.upstash._redis._headers["Authorization"] = "Bearer wrong"
        answers += [await here.post("/submit", **{**body, "score": 1})]
        here.deployment.clock = lambda: 1 // 0
        answers += [await here.post("/submit", **body)]
        assert [answer.status_code for answer in answers] == [200, 403, 403, 401, 503, 500]
    written = caplog.text + capsys.readouterr().out
    assert "internal error" in written
    for text in (*ALL_SECRETS, TOKEN, "203.0.113.7", "Wilhelmina", player, ticket, token):
        assert text not in written
    for text in (*ALL_SECRETS, TOKEN, "203.0.113.7"):
        assert not [answer for answer in answers if text in answer.text + str(answer.headers)]
