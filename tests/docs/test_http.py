"""`docs/http.md` is checked against the code: its examples are run, its tables hold what the models hold."""

import json
import re
import shlex
from typing import Any

import httpx
import pytest
from pydantic import BaseModel

from lib import errors
from lib.http.body import MOST_BYTES
from lib.reading.queries import MOST_PLAYERS, RankQuery, TopQuery
from lib.schemas import reads, writes
from tests.support.harness import Harness, harness
from tests.support.project import ROOT
from tests.support.responses import CODES, read
from tools.upstash_emulator.backends import MemoryBackend

TEXT = (ROOT / "docs" / "http.md").read_text("utf-8")
BLOCKS = re.findall(r"^```(\w+)\n(.*?)^```$", TEXT, re.DOTALL | re.MULTILINE)
EXAMPLES = [(line, BLOCKS[at + 1][1]) for at, (kind, line) in enumerate(BLOCKS) if kind == "sh"]
ADDRESS = "http://localhost:8787"
# The harness' days are far ahead, where no store expires them; the page's are of a year that its reader knows.
DAYS = {"2026-11-30": "2033-05-18", "2026-12-01": "2033-05-19"}

SELECTED = set(reads.Selected.model_fields)
TABLES: dict[str, set[str]] = {
    "Field sent": set(writes.Submission.model_fields),
    "Field answered": set(writes.SubmitAnswer.model_fields),
    "Field of a standing": set(writes.StandingResult.model_fields),
    "Field of a page": set(reads.TopWithPlayer.model_fields),
    "Field of a row": set(reads.Row.model_fields),
    "Field of several": set(reads.Tops.model_fields),
    "Field with player": set(reads.RankOfPlayer.model_fields) - SELECTED,
    "Field of ahead": set(reads.Ahead.model_fields),
    "Field with players": set(reads.RankOfPlayers.model_fields) - SELECTED,
    "Field with score": set(reads.RankOfScore.model_fields) - SELECTED,
    "Field of a start": set(writes.StartRequest.model_fields),
    "Field of a ticket": set(writes.StartAnswer.model_fields),
    "Field of health": set(reads.Health.model_fields),
    "Parameter of top": {field.alias or name for name, field in TopQuery.model_fields.items()},
    "Parameter of rank": set(RankQuery.model_fields),
}
ASKED: dict[str, type[BaseModel]] = {
    "Field sent": writes.Submission,
    "Field of a start": writes.StartRequest,
    "Parameter of top": TopQuery,
    "Parameter of rank": RankQuery,
}


def rows(first_column: str) -> list[list[str]]:
    """Return the cells of the table whose first column has that heading, as they are in code spans."""
    table = re.search(rf"^\| {re.escape(first_column)} \|.*\n\|[ -|]*\n((?:\|.*\n)+)", TEXT, re.MULTILINE)
    assert table, first_column
    return [[cell.strip().strip("`") for cell in line.strip("|").split(" | ")] for line in table[1].splitlines()]


def request_of(line: str) -> httpx.Request:
    """Return the request that curl would make of a command line; with --json it says so, with -d it claims a form."""
    words = iter(shlex.split(line.replace("\\\n", " ")))
    method, content, headers, url = "GET", None, {}, ""
    assert next(words) == "curl"
    for word in words:
        match word:
            case "-s" | "-i":
                pass
            case "-o":
                next(words)
            case "-X":
                method = next(words)
            case "-H":
                name, _, value = next(words).partition(": ")
                headers[name] = value
            case "--json" | "-d":
                method, content = "POST", next(words)
                form = "application/x-www-form-urlencoded"
                headers.setdefault("Content-Type", "application/json" if word == "--json" else form)
            case _:
                url = word
    assert url.startswith(f"{ADDRESS}/"), line
    return httpx.Request(method, url, content=content, headers=headers)


def same(said: Any, got: Any) -> bool:
    """Return whether an answer is what the page says; text with an ellipsis stands for any, and so does a latency."""
    if isinstance(said, dict) and isinstance(got, dict):
        return list(said) == list(got) and all(same(said[key], got[key]) or key == "latency_ms" for key in said)
    if isinstance(said, list) and isinstance(got, list):
        return len(said) == len(got) and all(same(one, other) for one, other in zip(said, got, strict=True))
    if isinstance(said, str) and "…" in said:
        return isinstance(got, str) and re.fullmatch(re.escape(said).replace("…", ".+"), got) is not None
    return type(said) is type(got) and bool(said == got)


def dated(text: str) -> str:
    """Return text of the page with the harness' days in it."""
    for shown, used in DAYS.items():
        text = text.replace(shown, used)
    return text


async def run(here: Harness) -> list[tuple[str, httpx.Response, str]]:
    """Run every command of the page in order; return each with its answer and the block that follows it."""
    told: list[tuple[str, httpx.Response, str]] = []
    for block, reply in EXAMPLES:
        told += [
            (line, await here.client.send(request_of(dated(line))), dated(reply))
            for line in re.split(r"\n(?=curl )", block.strip())
        ]
    return told


async def test_every_example_is_answered_as_the_page_says() -> None:
    """In the order of the page, on the board it shows."""
    boards = next(block for kind, block in BLOCKS if kind == "toml")
    async with harness(boards, MemoryBackend(), secrets=("s" * 32,)) as here:
        for line, response, reply in await run(here):
            if "-o /dev/null" in line:
                assert response.status_code == 200, line
            elif reply.startswith("HTTP/1.1"):
                head, *headers = reply.strip().split("\n")
                assert head.split()[1] == str(response.status_code), line
                for name, value in (header.split(": ", 1) for header in headers):
                    assert same(value, response.headers[name]), (line, name, response.headers[name])
            else:
                assert same(json.loads(reply), read(response)), (line, response.text)


@pytest.mark.parametrize(("heading", "fields"), TABLES.items(), ids=TABLES)
def test_every_table_has_the_fields_of_its_model(heading: str, fields: set[str]) -> None:
    """Both ways, each once."""
    assert sorted(row[0] for row in rows(heading)) == sorted(fields)


@pytest.mark.parametrize(("heading", "model"), ASKED.items(), ids=ASKED)
def test_every_default_is_the_one_in_use(heading: str, model: type[BaseModel]) -> None:
    """What must be given is said to be required, and what need not has its default."""
    fields = {field.alias or name: field for name, field in model.model_fields.items()}
    at = 2 if heading.startswith("Field") else 1
    for row in rows(heading):
        default = "required" if fields[row[0]].is_required() else fields[row[0]].default
        said = {"none": None, "the board's first": None}.get(row[at], row[at])
        assert str(said or "").strip('"') == str(default if default is not None else "").strip('"'), row


def test_the_table_of_codes_is_that_of_the_errors() -> None:
    """Every class with a code of its own, its status, and nothing else."""
    listed = {code: int(status) for status, code, _ in rows("Status")}
    classes = [
        kind for kind in vars(errors).values() if isinstance(kind, type) and issubclass(kind, errors.LaurelError)
    ]
    # Forbidden is the root of others and never raised itself.
    raised = {kind.code: kind.status for kind in classes if "code" in vars(kind) and kind is not errors.Forbidden}
    assert listed == raised == CODES


def test_the_limits_are_those_in_use() -> None:
    """The numbers that the page names."""
    assert TEXT.count(f"{MOST_BYTES} bytes") == 2
    assert f"1 to {MOST_PLAYERS} players" in TEXT
