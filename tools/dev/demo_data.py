"""`make demo-data`: a crowd of players on every open board of a running `make dev`."""

import os
import random
import sys
from collections.abc import Iterator, Mapping
from decimal import Decimal
from pathlib import Path
from typing import Any

import httpx

from lib.boards import toml_file
from lib.boards.board import Board
from lib.boards.tables import ClosedSplit
from lib.deployment import wall_clock
from lib.errors import Misconfigured
from tools.dev import example_requests

# Below the default of 60 calls a minute and address, so that one run fits in.
CROWD = 45
NAMES = (
    "Mina", "Juno", "Otto", "Zoë", "Ravi", "Aiko", "Lía", "Kofi", "Nils", "Petra", "Søren", "Ines", "Tomás", "Yuki",
    "Anouk", "Bela", "Cleo", "Dario", "Edda", "Fynn", "Gita", "Hugo", "Iris", "Jules", "明美", "Олег", "نور", "🦊 Fox",
)  # fmt: skip
WORDS = ("comet", "lark", "moth", "ember", "fern", "onyx")


def crowd(board: Board, now: int, seed: int = 7) -> Iterator[dict[str, Any]]:
    """Yield the bodies of as many submissions as CROWD, the same ones each time; none where no value fits."""
    chance = random.Random(f"{board.name} {seed}")
    first = example_requests.submission(board, now)
    for number in range(CROWD if first else 0):
        body: dict[str, Any] = {**(first or {}), "player": f"demo-{number}", "score": _score(board, chance)}
        body["name"] = chance.choice(NAMES)[: board.name_rule.max]
        if board.meta:
            body["meta"] = {key: _meta(kind, chance) for key, kind in board.meta.items()}
        for split, rule in board.splits.items():
            if isinstance(rule, ClosedSplit) and "splits" in body:
                body["splits"] = {**body["splits"], split: chance.choice(rule.values)}
        if board.tiebreak:
            body["tiebreak"] = chance.randrange(1000)
        yield body


def _score(board: Board, chance: random.Random) -> int | float:
    """Return a score in the lower part of the range, more often a bad one than a good one, and on the step."""
    rule = board.score
    low = Decimal(0) if rule.min is None else rule.min
    high = low + 10_000 if rule.max is None else min(rule.max, low + 100_000)
    spread = Decimal(str(round(chance.betavariate(2, 5) if board.descending else chance.betavariate(2, 8), 6)))
    score = low + (high - low) * spread
    if rule.step:
        score = max(low, score - score % rule.step)
    return int(score) if score == int(score) else float(score)


def _meta(kind: str, chance: random.Random) -> Any:
    values = {
        "int": chance.randrange(1, 40),
        "float": round(chance.uniform(80, 100), 1),
        "str": chance.choice(WORDS),
        "bool": chance.random() < 0.5,
    }
    return values[kind]


def fill(board: Board, client: httpx.Client, now: int) -> str:
    """Submit a crowd to one board; return the line that says what came of it."""
    if board.auth != "open":
        return f"{board.name}: left alone, because only runs with credentials may submit"
    stored = 0
    for body in crowd(board, now):
        answer = client.post("/submit", json=body)
        if answer.status_code != 200:
            problem = answer.json()
            wait = answer.headers.get("Retry-After", "")
            return f"{board.name}: {stored} players, then {problem['code']}" + (f", again in {wait} s" if wait else "")
        stored += 1
    return f"{board.name}: {stored} players"


def main(environ: Mapping[str, str]) -> int:
    """Fill the boards of the deployment at LAUREL_URL, by default the local one; return an exit status."""
    url = environ.get("LAUREL_URL") or f"http://127.0.0.1:{environ.get('PORT') or 8787}"
    try:
        boards = toml_file.load(Path(environ.get("LAUREL_BOARDS") or "boards.toml"))
        with httpx.Client(base_url=url, trust_env=False, timeout=10) as client:
            for board in boards.values():
                print(fill(board, client, wall_clock()))
    except Misconfigured as error:
        print(error.detail, file=sys.stderr)
        return 1
    except (httpx.HTTPError, ValueError, KeyError):
        print(f"{url} does not answer as Laurel does: is `make dev` running?", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(os.environ))
