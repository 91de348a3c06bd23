"""Short ways to begin a run, to send it in, and to tell what became of it, for the tests about trust."""

import json
from collections.abc import Mapping
from typing import Any

import httpx

from tests.support.harness import Harness
from tests.support.playing import stored

HOUR = 3_600_000  # ms
SECRETS = ("a-signing-secret-of-these-tests",)
OPEN_GATES = 'limits = { per_ip = "0" }'
TICKETS = f'[board.b]\nauth = "ticket"\n{OPEN_GATES}\n'


async def begin(here: Harness, board: str = "b", **who: Any) -> dict[str, Any]:
    """Start a run, which must be allowed; return ticket, player, player_token and expires."""
    answer = await here.post("/start", board=board, **who)
    assert answer.status_code == 200, answer.text
    started: dict[str, Any] = answer.json()
    return started


async def again(here: Harness, started: Mapping[str, Any], board: str = "b") -> dict[str, Any]:
    """Start another run of the same player."""
    return await begin(here, board, player=started["player"], player_token=started["player_token"])


def run_of(started: Mapping[str, Any], score: float = 10, **more: Any) -> dict[str, Any]:
    """Return the body of a submission of a run that was started."""
    return {"board": "b", "player": started["player"], "ticket": started["ticket"], "score": score, **more}


def told(answer: httpx.Response) -> tuple[int, str]:
    """Return the status and the code of an answer; of a 200 whether it was a replay."""
    document = answer.json()
    if answer.status_code == 200:
        return 200, "replayed" if document.get("replayed") else "stored"
    return answer.status_code, document["code"]


async def send(here: Harness, body: Mapping[str, Any], client: httpx.AsyncClient | None = None) -> tuple[int, str]:
    """Submit; return what became of it."""
    return told(await (client or here.client).post("/submit", content=json.dumps(body)))


async def kept(here: Harness) -> dict[str, Any]:
    """Return everything stored but the address gates, which count refused calls too."""
    return {key: value for key, value in (await stored(here)).items() if ":gate:" not in key}
