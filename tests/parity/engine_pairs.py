"""Two deployments side by side on stores that run scripts on different engines, and random calls to make on both."""

import random
from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import pytest

from lib.operations.moderate import erase, remove
from tests.support.harness import Harness, harness
from tests.support.ticket_runs import OPEN_GATES, SECRETS
from tools.upstash_emulator.backends import RedisBackend
from tools.upstash_emulator.wire import Reply

_META = 'meta = { depth = "int" }'
_SPLITS = '[board.b.splits]\nlevel = { pattern = "[a-z0-9-]+", max = 3 }\n'
KINDS = {
    "best": f'windows = ["all", "daily"]\ncap = 4\ntiebreak = "asc"\n{_META}\n{OPEN_GATES}\n{_SPLITS}',
    "least": f'order = "asc"\ncap = 3\ntiebreak = "desc"\n{OPEN_GATES}',
    "last": 'keep = "last"\nrank = "competition"\ncap = 5\nlimits = { per_player = "5/1m", cooldown = "5ms" }',
    "sum": f'keep = "sum"\nrank = "dense"\nwindows = ["weekly", "all"]\nretain = {{ all = "90d" }}\n{OPEN_GATES}',
    "long": f'keep = "last"\norder = "asc"\nrank = "competition"\ncap = 5000\n{OPEN_GATES}',
    "open": f'names = "profile"\ncap = 0\nrank = "competition"\n{_META}\n{OPEN_GATES}',
    "ticket": 'auth = "ticket"\nlimits = { per_ip = "90/1h", per_player = "9/1h" }',
}
_SMALL = [1e-7, -1e-7, 5e-324, -2.5e-300, 1e-5, 0.0001]
_LARGE = [1e15, -1e15, 1e15 + 0.125, 123456789012345.6, 2**53 - 1, 1 - 2**53, 2**53]
_SCORES = [0, 1, 2.5, -1, 0.1, 1 / 3, *_SMALL, *_LARGE]
_PLAYERS = ["p1", "p10", "P1", "p.1", "zoe-2", "@:_"]
_NAMES = ["", "Mina", "Zoë ☃ 👩‍🚀", 'quo"te\\', "p1"]
_STEPS_MS = [0, 0, 0, 1, 1, 7, 1000, 60_000, 3_600_000, 86_400_000, 8 * 86_400_000]

# What gives random text on the way to a store and back.
_RANDOM = (
    "lib.calls.start.token_urlsafe",
    "lib.calls.submit.token_urlsafe",
    "lib.http.app.token_hex",
    "lib.storage.upstash._word",
)


@dataclass(frozen=True)
class Call:
    """A request, or what an operator does to a player."""

    path: str
    values: Mapping[str, Any]

    async def make(self, here: Harness) -> tuple[int, Any]:
        """Make it; return the status and what was answered, as it came."""
        if self.path in ("remove", "erase"):
            action = remove if self.path == "remove" else erase
            return 0, await action(here.deployment.store, here.deployment.board("b"), self.values["player"], here.now)
        if self.path in ("/submit", "/start"):
            answer = await here.post(self.path, board="b", **self.values)
        else:
            answer = await here.client.get(self.path, params={"board": "b", **self.values})
        return answer.status_code, (answer.text, answer.headers.get("retry-after"))


@dataclass
class Dice:
    """What draws the calls to a kind of board, the same ones each time."""

    kind: str
    started: list[dict[str, str]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._dice = random.Random(self.kind)

    def step(self) -> int:
        """Draw how long (ms) to wait."""
        # A ticket is good for two hours.
        return self._dice.choice(_STEPS_MS[:7] if self.kind == "ticket" else _STEPS_MS)

    def call(self) -> Call:
        """Draw a call."""
        dice, player = self._dice, self._dice.choice(_PLAYERS)
        match dice.randrange(20):
            case 0:
                return Call(dice.choice(["remove", "remove", "erase"]), {"player": player})
            case 1 | 2:
                return Call("/top", {"player": player, "offset": dice.randrange(4), "limit": dice.randrange(1, 9)})
            case 3:
                return Call("/rank", {"player": player, "around": dice.randrange(4)})
            case 4:
                return Call("/rank", {"players": ",".join(dice.sample(_PLAYERS, 4))})
            case 5:
                return Call("/rank", {"score": repr(dice.choice(_SCORES))})
            case 6 | 7 if self.kind == "ticket":
                return Call("/start", {})
        return Call("/submit", self._submission(player))

    def _submission(self, player: str) -> dict[str, Any]:
        dice = self._dice
        drawn: dict[str, Any] = {
            "player": player,
            "score": dice.choice(_SCORES),
            "ranks": dice.choice(["improved", "all", "none"]),
            "name": dice.choice(_NAMES),
            "id": f"submission-{dice.randrange(60)}",
            "meta": {"depth": dice.randrange(9)},
            "splits": {"level": f"l{dice.randrange(5)}"},
            "tiebreak": dice.choice(_SCORES),
        }
        optional = ["name", "id", *(name for name in ("meta", "splits") if name in KINDS[self.kind])]
        left_out = [name for name in ("name", "id", "meta", "splits") if name not in optional or dice.random() < 0.4]
        if "tiebreak" not in KINDS[self.kind]:
            left_out.append("tiebreak")
        ticket = dice.choice(self.started) if self.started else {}
        return {name: value for name, value in drawn.items() if name not in left_out} | ticket


# How each kind of value is read whole.
_READINGS = {b"zset": (b"ZRANGE", b"0", b"-1", b"WITHSCORES"), b"hash": (b"HGETALL",), b"set": (b"SMEMBERS",)}


async def contents(url: str) -> dict[bytes, Any]:
    """Return what every key of a Redis holds and when it ends; of what ends by the store's own clock, that it does."""
    backend = RedisBackend(url)
    found: dict[bytes, Any] = {}
    [names] = await backend.run([[b"KEYS", b"*"]])
    assert isinstance(names, list)
    for name in names:
        assert isinstance(name, bytes)
        kind, ends = await backend.run([[b"TYPE", name], [b"EXPIRETIME", name]])
        assert isinstance(kind, bytes)
        assert isinstance(ends, int)
        command, *options = _READINGS.get(kind, (b"GET",))
        [held] = await backend.run([[command, name, *options]])
        found[name] = _in_order(kind, held), ends > 0 if b":gate:" in name or b":nonce:" in name else ends
    await backend.close()
    return found


def _in_order(kind: bytes, held: Reply) -> Any:
    """Return what has no order of its own in one."""
    if kind == b"hash":
        assert isinstance(held, list)
        return dict(zip(held[::2], held[1::2], strict=True))
    return set(held) if kind == b"set" and isinstance(held, list) else held


@dataclass
class Pair:
    """One board on two stores, with one clock; `said` has what each store answered since it was last emptied."""

    harnesses: list[Harness] = field(default_factory=list)
    said: list[list[bytes]] = field(default_factory=list)
    token: str = ""
    """What is random elsewhere."""

    async def make(self, call: Call, wait: int) -> list[tuple[int, Any]]:
        """Wait (ms) and make a call on both; return both answers."""
        for here, said in zip(self.harnesses, self.said, strict=True):
            here.now += wait
            said.clear()
        return [await call.make(here) for here in self.harnesses]


@asynccontextmanager
async def pair(kind: str, urls: tuple[str, str], monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Pair]:
    """Open a kind of board on two stores, with nothing random on the way to them."""
    async with AsyncExitStack() as opened:
        made = Pair()
        for url in urls:
            backend = RedisBackend(url)
            opened.push_async_callback(backend.close)
            here = await opened.enter_async_context(harness(f"[board.b]\n{KINDS[kind]}", backend, secrets=SECRETS))
            made.harnesses.append(here)
            made.said.append([])
            _listen(here, made.said[-1])
        for name in _RANDOM:
            monkeypatch.setattr(name, lambda *_: made.token)
        yield made


def _listen(here: Harness, said: list[bytes]) -> None:
    here.way.listeners.append(lambda response: said.append(response.content))
