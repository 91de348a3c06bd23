"""The README does what it says: its request gets its reply, its boards load, its links and targets exist."""

import json
import re

import pytest

from lib.boards.toml_file import parse_boards
from tests.support.harness import harness
from tests.support.project import ROOT
from tools.upstash_emulator.backends import MemoryBackend

README = (ROOT / "README.md").read_text("utf-8")


def blocks(language: str) -> list[str]:
    """Return the README's code blocks of a language."""
    return re.findall(rf"```{language}\n(.*?)```", README, re.DOTALL)


async def test_the_first_request_gets_the_reply_that_is_shown() -> None:
    """A new user copies it from the page, against the boards as shipped."""
    request = json.loads(re.search(r"-d '(\{.*?\})'", README, re.DOTALL)[1])  # type: ignore[index]  # None would fail here, as it should
    shown = blocks("json")[0].replace(", …]}", "]}")
    async with harness((ROOT / "boards.toml").read_text("utf-8"), MemoryBackend()) as here:
        answer = (await here.post("/submit", **request)).json()
        expected = json.loads(shown)
        assert answer["standings"][0] == expected["standings"][0]
        assert {**answer, "standings": None} == {**expected, "standings": None}


def test_the_request_and_its_reply_come_early() -> None:
    """Nobody should have to scroll for them."""
    lines = README.splitlines()
    assert next(n for n, line in enumerate(lines, 1) if "curl" in line) <= 25
    assert next(n for n, line in enumerate(lines, 1) if '"standings"' in line) <= 25


@pytest.mark.parametrize("text", blocks("toml"))
def test_the_boards_load(text: str) -> None:
    """What is shown can be pasted."""
    assert parse_boards(text)


def test_every_link_leads_somewhere() -> None:
    """Relative links name files of the project."""
    missing = [link for link in re.findall(r"\]\((?!http)([^)#]+)", README) if not (ROOT / link).exists()]
    assert not missing


def test_every_make_target_exists() -> None:
    """A command that is written down works."""
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE))
    assert set(re.findall(r"make ([a-z][a-z-]+)", README)) <= targets
