"""The word filter: any callable that is named, asked for each cleaned name as it is written, and true refuses it."""

import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from lib.access.name_filter import load_filter
from lib.errors import Misconfigured
from tests.support.harness import harness
from tests.support.ticket_runs import OPEN_GATES, kept
from tools.dev.demo_data import NAMES
from tools.upstash_emulator.backends import Backend, MemoryBackend

BOARD = f"[board.b]\n{OPEN_GATES}\n[board.p]\ncap = 0\nnames = 'profile'\n{OPEN_GATES}\n"
ASKED: list[str] = []


def refuses_duck(name: str) -> object:
    """Refuse what sounds like a duck."""
    ASKED.append(name)
    return "quack" in name.casefold()


def stumbles(name: str) -> object:
    """Fail, and say too much."""
    raise ValueError(f"cannot judge {name}")


class Lists:
    """A filter may be a method of something."""

    words = frozenset({"quack"})
    refuse = words.__contains__


@pytest.fixture
def module(monkeypatch: pytest.MonkeyPatch) -> str:
    """Give the name under which this file can be imported."""
    monkeypatch.setitem(sys.modules, "words_of_mine", sys.modules[__name__])
    ASKED.clear()
    return "words_of_mine"


@pytest.mark.parametrize("board", ["b", "p"])
async def test_a_refused_name_stores_nothing(board: str, module: str, backend: Backend) -> None:
    """It is 422 on `name`, before the store is asked; what the name was is not repeated."""
    async with harness(BOARD, backend, name_filter=f"{module}:refuses_duck") as here:
        answer = await here.post("/submit", board=board, player="p1", score=1, name="Quack")
        assert (answer.status_code, answer.json()["code"]) == (422, "invalid")
        assert [error["loc"] for error in answer.json()["errors"]] == ["name"]
        assert "uack" not in answer.text
        assert (here.requests, await kept(here)) == (0, {})
        await here.submit("p1", 1, board=board, name="Mina")


async def test_the_filter_sees_names_as_they_will_be_shown(module: str) -> None:
    """Cleaned, so that what nobody can see does not hide a word; and only names."""
    async with harness(BOARD, MemoryBackend(), name_filter=f"{module}:refuses_duck") as here:
        answer = await here.post("/submit", board="b", player="p1", score=1, name=" q\u200bua\u00adck ")
        assert answer.status_code == 422
        for more in ({}, {"name": None}, {"name": ""}, {"name": " \u200b "}):
            await here.submit("quack", 1, **more)
    assert ASKED == ["quack"]


def test_a_method_may_be_a_filter(module: str) -> None:
    refuse = load_filter(f"{module}:Lists.refuse")
    assert refuse is not None
    assert (refuse("quack"), refuse("Mina")) == (True, False)


def test_no_filter_is_none() -> None:
    assert load_filter(None) is None


BROKEN: dict[str, str] = {
    "no_such_module_here:refuse": "ModuleNotFoundError: no_such_module_here",
    "lacking_words:refuse": "ModuleNotFoundError: a_package_of_theirs",
    "lib.submitting.player_names:no_such_thing": "no_such_thing",
    "telling_words:refuse": "(RuntimeError)",
    "lib.submitting.player_names:MOST_BYTES": "is not callable",
    "broken_words:refuse": "SyntaxError",
    "failing_words:refuse": "ZeroDivisionError",
}


@pytest.mark.parametrize("spec", BROKEN)
def test_a_filter_that_cannot_be_had_is_refused_at_the_start(
    spec: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever the operator's module does when it is imported, the refusal names the variable, on one line."""
    (tmp_path / "broken_words.py").write_text("def refuse(:\n")
    (tmp_path / "failing_words.py").write_text("1 / 0\n")
    (tmp_path / "lacking_words.py").write_text("import a_package_of_theirs\n")
    (tmp_path / "telling_words.py").write_text("raise RuntimeError('cannot reach https://user:hush@words.test')\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    with pytest.raises(Misconfigured) as refusal:
        load_filter(spec)
    assert refusal.value.detail.startswith(f"LAUREL_NAME_FILTER: {spec} ")
    assert BROKEN[spec] in refusal.value.detail
    assert "\n" not in refusal.value.detail
    assert "hush" not in refusal.value.detail


async def test_a_filter_that_fails_tells_nobody_the_name(module: str, caplog: pytest.LogCaptureFixture) -> None:
    """It is our fault, and the log says where; what the filter says of the name may hold it."""
    async with harness(BOARD, MemoryBackend(), name_filter=f"{module}:stumbles") as here:
        answer = await here.post("/submit", board="b", player="p1", score=1, name="SecretMina")
        assert (answer.status_code, answer.json()["code"], here.requests) == (500, "internal", 0)
    [record] = caplog.records
    assert f"LAUREL_NAME_FILTER: {module}:stumbles failed (ValueError" in record.getMessage()
    assert "test_name_filter.py:" in record.getMessage()
    assert "SecretMina" not in caplog.text + answer.text


@pytest.fixture
def refuses() -> Callable[[str], object]:
    """Give the filter of the extra `names`."""
    found = load_filter("lib.wordlist:refuses")
    assert found is not None
    return found


RUDE = ["fuck", "FUCK you", "f*ck", "sh1t", "Hurensohn", "putain", "\uff46\uff55\uff43\uff4b"]


@pytest.mark.parametrize("name", RUDE)
def test_the_list_refuses_swearing_in_several_languages_and_disguises(
    name: str, refuses: Callable[[str], object]
) -> None:
    assert refuses(name)


@pytest.mark.parametrize(
    "name", [*NAMES, "Scunthorpe", "assassin", "Penistone", "Arsenal", "classic", "p1", "123", "<b>"]
)
def test_the_list_lets_ordinary_names_pass(name: str, refuses: Callable[[str], object]) -> None:
    assert not refuses(name)
