"""Boards to moderate, the players on them, and what is left of one."""

from typing import Any

from tests.support.harness import NOON, Harness
from tests.support.playing import stored
from tests.support.ticket_runs import OPEN_GATES

DAY = 86_400_000
WIDE = f"""
[board.b]
windows = ["daily", "weekly", "all"]
meta = {{ ship = "str" }}
{OPEN_GATES}
[board.b.splits]
mode = ["time", "words"]
level = {{ pattern = "[a-z0-9]+", max = 5 }}
by = ["overall", "mode", "level+mode"]
"""
PLAIN = f"[board.b]\n{OPEN_GATES}\n"
SPLITS = {"mode": "time", "level": "a1"}
RECORD = "laurel:{b}:db-:player:p1"


class Operator:
    """What an operator does to a board, and finds in its store."""

    def __init__(self, here: Harness) -> None:
        self.here = here

    async def act(self, action: Any, player: str = "p1") -> Any:
        """Carry out an action on a player of board b."""
        return await action(self.here.deployment.store, self.here.deployment.board("b"), player, self.here.now)

    async def traces(self, player: str = "p1") -> list[str]:
        """Return every key and every text in the store that holds the player's id."""
        found = []
        for key, value in (await stored(self.here)).items():
            texts = [key, *(str(part) for part in (value if isinstance(value, list | dict) else [value]))]
            found += [text for text in texts if player in text]
        return found


async def code(here: Harness, player: str = "p1", score: float = 10**6, **more: Any) -> tuple[int, str | None]:
    """Submit; return status and code."""
    answer = await here.post("/submit", board="b", player=player, score=score, **more)
    return answer.status_code, answer.json().get("code")


async def crowd(here: Harness) -> None:
    """Let four players play three days, everywhere."""
    for day in range(3):
        here.now = NOON + day * DAY
        for number, player in enumerate(("p0", "p1", "p10", "p2")):
            here.now += 1
            await here.submit(player, 100 + 10 * number + day, splits=SPLITS, name="p1", meta={"ship": "p1"})
