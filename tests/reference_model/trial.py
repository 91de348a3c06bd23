"""One board on one store or several, and the model beside them: what is done is done everywhere, and compared."""

import asyncio
import functools
from collections.abc import Callable, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass
from typing import Any
from unittest.mock import patch

import httpx

from lib.storage import scripts
from tests.reference_model.board import Board, Json, Submission
from tests.reference_model.reads import Reader, Where
from tests.reference_model.rules import START, Refused, Rules
from tests.reference_model.store import Client, Contents, Inspection, comparable, contents, expire
from tests.reference_model.submit import Attempt
from tests.support.failing_scripts import broken
from tests.support.harness import Harness, harness
from tools.upstash_emulator.backends import Backend


@dataclass(frozen=True)
class Store:
    """A kind of store: how an endpoint reaches a new one, and how the test looks into it."""

    name: str
    backend: Callable[[], Backend]
    client: Callable[[Backend], Client]


@dataclass(frozen=True)
class Opened:
    """One store with a deployment on it."""

    name: str
    harness: Harness
    client: Client


def differences(expected: Any, got: Any, path: str = "") -> list[str]:
    """Return where two JSON documents differ; a whole number written with a fraction is a difference too."""
    absent = "(absent)"
    if isinstance(expected, dict) and isinstance(got, dict):
        keys = [*expected, *(key for key in got if key not in expected)]
        pairs = [(f"{path}.{key}", expected.get(key, absent), got.get(key, absent)) for key in keys]
    elif isinstance(expected, list) and isinstance(got, list) and len(expected) == len(got):
        pairs = [(f"{path}[{n}]", *pair) for n, pair in enumerate(zip(expected, got, strict=True))]
    else:
        fraction = isinstance(got, float) and got.is_integer()
        return [] if expected == got and not fraction else [f"{path}: should be {expected!r}, but is {got!r}"]
    return [line for name, one, other in pairs for line in differences(one, other, name)]


class Trial:
    """The board under test; `now` is the clock (ms) of the model and of every store."""

    def __init__(self, rules: Rules, stores: Sequence[Store]) -> None:
        self.rules = rules
        self.board = Board(rules)
        self.now = START
        self._loop = asyncio.new_event_loop()
        self._stack = AsyncExitStack()
        self._opened = [self._open(store) for store in stores]

    def _open(self, store: Store) -> Opened:
        backend = store.backend()
        self._stack.push_async_callback(backend.close)
        opened = self._loop.run_until_complete(self._stack.enter_async_context(harness(self.rules.toml(), backend)))
        opened.now = self.now
        return Opened(store.name, opened, store.client(backend))

    def close(self) -> None:
        """Close what was opened."""
        self._loop.run_until_complete(self._stack.aclose())
        for opened in self._opened:
            opened.client.close()
        self._loop.close()

    def wait_until(self, now: int) -> None:
        """Let time pass, and end what ends by then."""
        self.now = now
        self.board.expire(now)
        for opened in self._opened:
            opened.harness.now = now
            expire(opened.client, now)
        self._inspect("the clock moved")

    def lose(self, player: str) -> None:
        """Delete a player's record, as a store that runs out of memory may."""
        del self.board.records[player]
        for opened in self._opened:
            assert opened.client.delete(f"laurel:{{b}}:{self.rules.code}:player:{player}") == 1
        self._inspect(f"{player}'s record was lost")

    def change(self, rules: Rules) -> None:
        """Deploy other rules on what is stored."""
        self.rules = rules
        self.board.change(rules)
        for opened in self._opened:
            opened.harness.deploy(rules.toml())
        self._inspect("the rules changed")

    def submit_ahead(self, submission: Submission, ahead: int) -> None:
        """Submit by a process whose clock is ahead (ms)."""
        now = self.now
        for moment in (now + ahead, now):
            self.now = moment
            for opened in self._opened:
                opened.harness.now = moment
            if moment > now:
                self.submit(submission)

    def submit_failing(self, submission: Submission, number: int) -> None:
        """Submit while the write of that number fails, if there are so many: nothing is stored then."""
        action = f"POST /submit {submission.body()}, whose write {number} fails"
        before = [contents(opened.client) for opened in self._opened]
        fallible = functools.partial(broken, scripts.script("submit"), number)
        with patch("lib.submitting.submit.script", lambda name: fallible()):
            answers = [
                self._loop.run_until_complete(opened.harness.post("/submit", **submission.body()))
                for opened in self._opened
            ]
        for opened, held, answer in zip(self._opened, before, answers, strict=True):
            if answer.status_code == 503:
                was, now = _values(held), _values(contents(opened.client))
                self._report(action, opened, [] if was == now else [f"there was {was}", f"there is {now}"])
        if answers[0].status_code == 503:
            self.board.pass_address_gate(self.now)
            return
        wanted = self._wanted(lambda: Attempt(self.board, submission, self.now).answer())
        for opened, answer in zip(self._opened, answers, strict=True):
            self._report(action, opened, differences(wanted, _essence(answer)), answer.text)
        self._inspect(action)

    def submit(self, submission: Submission) -> None:
        """Submit, and compare the answer and all that is stored then."""
        body = submission.body()
        self._compare(
            f"POST /submit {body}",
            lambda: Attempt(self.board, submission, self.now).answer(),
            lambda opened: opened.harness.post("/submit", **body),
        )
        self._inspect(f"POST /submit {body}")

    def read(self, path: str, query: Json, expected: Callable[[], Json]) -> None:
        """Read, and compare the answer."""
        query = {"board": "b", **query}
        self._compare(f"GET {path} {query}", expected, lambda opened: opened.harness.client.get(path, params=query))

    def read_place(self, path: str, where: Where, query: Json, expected: Callable[[], Json]) -> None:
        """Read what is asked of one standing."""
        window = {"window": where.window} if where.window else {}
        self.read(path, {**window, "at": self.reader.at(where), **dict(where.selection), **query}, expected)

    @property
    def reader(self) -> Reader:
        """The model as a reader sees it now."""
        return Reader(self.board, self.now)

    def _compare(self, action: str, expected: Callable[[], Json], ask: Callable[[Opened], Any]) -> None:
        wanted = self._wanted(expected)
        for opened in self._opened:
            answer: httpx.Response = self._loop.run_until_complete(ask(opened))
            self._report(action, opened, differences(wanted, _essence(answer)), answer.text)

    def _wanted(self, expected: Callable[[], Json]) -> Json:
        try:
            return {"status": 200, "body": expected()}
        except Refused as refusal:
            return {"status": refusal.status, "code": refusal.code, "retry_after": refusal.retry_after}

    def _inspect(self, action: str) -> None:
        found = [contents(opened.client) for opened in self._opened]
        for opened, held in zip(self._opened, found, strict=True):
            self._report(action, opened, Inspection(self.board, held, self.now).faults())
        for opened, held in zip(self._opened, found, strict=True):
            self._report(f"{action}, against {self._opened[0].name}", opened, _unlike(found[0], held))

    def _report(self, action: str, opened: Opened, faults: list[str], answer: str = "") -> None:
        if faults:
            lines = [f"{opened.name} at {self.now}: {action}", *faults, answer, self.rules.toml()]
            raise AssertionError("\n".join(line for line in lines if line))


def _essence(answer: httpx.Response) -> Json:
    """Return what is compared of an answer: all of a good one, of a problem what a client acts on."""
    if answer.status_code == 200:
        return {"status": 200, "body": answer.json()}
    wait = answer.headers.get("retry-after")
    return {
        "status": answer.status_code,
        "code": answer.json().get("code"),
        "retry_after": None if wait is None else int(wait),
    }


def _values(found: Contents) -> Json:
    """Return contents without expiries: a timer that was refreshed stays so, which the next try would do as well."""
    return {key: value for key, (value, _) in found.items()}


def _unlike(one: Json, other: Json) -> list[str]:
    return differences(comparable(one), comparable(other))
