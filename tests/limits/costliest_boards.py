"""Boards on which one request costs the most, filled straight in a Redis, for the test that counts it."""

import json
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any

import httpx

from lib.storage.entries import meta_text, score_text, tie_key
from lib.storage.standing import standings_of
from tests.support.harness import Harness
from tools.upstash_emulator.backends import RedisBackend

NAME = "b" * 32
SERVER_TOKEN = "a-server-token"
DAY = 86_400_000
CAP = 10_000
# So many rows over the cap, after it was lowered, that one trimming leaves some.
OVER = 200
# How many rows at either end are as long as they can be: a page, and what lies beyond the cap.
IN_FULL = 100 + OVER
PLAYERS = range(50)
# Who was pushed out of all standings, who was never good enough, and who never played.
ABSENT, WORSE, UNKNOWN = 60, 61, 62

META_KEYS = [str(number) * 8 for number in range(7)]
SPLITS = [letter * 16 for letter in "abcdefghijklmnopqrstuvwx"]
SELECTION = dict.fromkeys(SPLITS, "v" * 64)
# Quotes, because JSON doubles them; 512 bytes as it is stored.
SHOWN = '"' * 96
META: dict[str, Any] = {**dict.fromkeys(META_KEYS, "x" * 58), "n": 12}


@dataclass(frozen=True)
class Case:
    """A board of 24 standings, each of one open split, with every limit; and how many rows each holds."""

    name: str
    lines: tuple[str, ...]
    rows: int = CAP
    ticket: bool = False

    @property
    def text(self) -> str:
        """The board as the file has it."""
        meta = ", ".join([*(f'"{key}" = "str"' for key in META_KEYS), 'n = "int"'])
        by = ", ".join(f'"{split}"' for split in SPLITS)
        return "\n".join(
            (
                f"[board.{NAME}]",
                *self.lines,
                *(['auth = "ticket"'] if self.ticket else []),
                'limits = { per_ip = "99999/1d", per_player = "99999/1d", cooldown = "1ms" }',
                "name = { max = 96 }",
                f"meta = {{ {meta} }}",
                f"[board.{NAME}.splits]",
                *(f'{split} = {{ pattern = "v+" }}' for split in SPLITS),
                f"by = [{by}]",
                f"[[board.{NAME}.season]]",
                f'name = "{"s" * 32}"',
                "starts = 2033-01-01T00:00:00Z",
                "ends = 2033-12-01T00:00:00Z",
            )
        )


_SEASON, _CAP = 'windows = ["season"]', f"cap = {CAP}"
CASES = (
    Case("long rows", (_SEASON, _CAP, 'tiebreak = "asc"')),
    Case("a lowered cap", ('retain = { all = "90d" }', _CAP, 'rank = "competition"'), rows=CAP + OVER, ticket=True),
    Case("profiles", (_SEASON, "cap = 0", 'rank = "competition"', 'names = "profile"')),
    Case("dense", (_SEASON, "cap = 1000", 'rank = "dense"'), rows=1000),
)


def _long_numbers() -> Iterator[float]:
    """Yield numbers that take 24 characters, each lower than the one before."""
    for last in range(10**15, 2 * 10**15, 17):
        number = float(f"-1.{last:016}e-300")
        if len(repr(number)) == 24:
            yield number


SCORES = list(islice(_long_numbers(), CAP + 2 * OVER))


def player(number: int) -> str:
    """Return a player's id, as long as it may be."""
    return f"{number:064}"


def place_of(case: Case, number: int) -> int:
    """Return the index at which one of PLAYERS stands: the last ones that a reader is shown."""
    return min(case.rows, CAP) - 1 - number


async def _nothing() -> None:
    """Do nothing."""


async def submit(
    here: Harness, case: Case, number: int, score: float, just_before: Callable[[], Awaitable[None]] = _nothing
) -> httpx.Response:
    """Submit for a player all that a submission may bring, at its longest."""
    here.now += 2
    body: dict[str, Any] = {
        "board": NAME,
        "player": player(number),
        "score": score,
        "ranks": "all",
        "name": SHOWN,
        "meta": META,
        "splits": SELECTION,
    }
    if case.ticket:
        asked, headers = {"board": NAME, "player": player(number)}, {"Authorization": f"Bearer {SERVER_TOKEN}"}
        body["ticket"] = (await here.client.post("/start", json=asked, headers=headers)).json()["ticket"]
    if "tiebreak" in case.text:
        body["tiebreak"] = SCORES[0]
    await just_before()
    answer = await here.client.post("/submit", content=json.dumps(body))
    assert answer.status_code == 200, answer.text
    return answer


async def fill(here: Harness, case: Case, backend: RedisBackend) -> None:
    """Let PLAYERS and ABSENT submit, then add all other rows behind the back of the scripts."""
    for number in PLAYERS:
        await submit(here, case, number, SCORES[place_of(case, number)])
    await submit(here, case, ABSENT, SCORES[-1])
    board = here.deployment.board(NAME)
    tie = tie_key(board, here.now, SCORES[0] if board.tiebreak else None)
    taken = {place_of(case, number) for number in PLAYERS}
    rows, profiles = [], []
    for index, score in enumerate(SCORES[: case.rows]):
        in_full = index < IN_FULL or index >= min(case.rows, CAP) - IN_FULL
        shown = f"{SHOWN}\t{meta_text(META)}" if in_full and board.names != "profile" else "\t"
        who = player(1000 + index) if in_full else str(index)
        if index not in taken:
            rows += [score_text(score).encode(), f"{tie}\t{who}\t{shown}".encode()]
        if in_full:
            profiles += [f"{who}\tname".encode(), SHOWN.encode(), f"{who}\tmeta".encode(), meta_text(META).encode()]
    space = here.deployment.store.keyspace(board)
    for standing in standings_of(board, SELECTION, here.now):
        key = standing.key(space).encode()
        [found] = await backend.run([[b"ZRANGE", key, b"0", b"-1"]])
        assert isinstance(found, list)
        gone = [text for text in found if isinstance(text, bytes) and player(ABSENT).encode() in text]
        await backend.run([[b"ZREM", key, *gone], [b"ZADD", key, *rows]])
    if board.names == "profile":
        await backend.run([[b"HSET", space.profiles().encode(), *profiles]])
