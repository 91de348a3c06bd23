"""`public/openapi.json` is fresh, valid, and says what the functions do."""

import json
from typing import Any

import pytest
from openapi_schema_validator import OAS31Validator
from openapi_spec_validator import validate

from lib.errors import LaurelError
from lib.reading.queries import RankQuery, TopQuery
from tests.support.harness import harness
from tests.support.project import ROOT
from tools.openapi.document import TARGET, routes, text
from tools.upstash_emulator.backends import MemoryBackend

DOCUMENT: dict[str, Any] = json.loads(TARGET.read_text("utf-8"))
BOARDS = (ROOT / "boards.toml").read_text("utf-8")


def schema_errors(schema: dict[str, Any], value: Any) -> list[str]:
    """Return what is wrong with a value by a schema of the document."""
    whole = {**schema, "components": DOCUMENT["components"]}
    return [error.message for error in OAS31Validator(whole).iter_errors(value)]


def operation(path: str) -> dict[str, Any]:
    """Return the operation of a path."""
    [described] = DOCUMENT["paths"][path].values()
    result: dict[str, Any] = described
    return result


def answer_errors(path: str, status: int, value: Any) -> list[str]:
    """Return how an answer differs from what the document promises."""
    content = operation(path)["responses"][str(status)]["content"]
    [kind] = [kind for kind in content if "json" in kind]
    return schema_errors(content[kind]["schema"], value)


def test_the_document_is_fresh() -> None:
    """What is in public/ is what the models and routes say now."""
    assert TARGET.read_text("utf-8") == text(), "run: .venv/bin/python -m tools.openapi"


def test_the_document_is_valid() -> None:
    """Other programs can read it, as OpenAPI 3.1."""
    assert DOCUMENT["openapi"].startswith("3.1")
    validate(DOCUMENT)


def test_every_route_and_parameter_is_there() -> None:
    """Nothing is served that is not described."""
    assert {path: next(iter(methods)) for path, methods in DOCUMENT["paths"].items()} == routes()
    for path, query in (("/top", TopQuery), ("/rank", RankQuery)):
        described = {parameter["name"] for parameter in operation(path)["parameters"]}
        names = {field.alias or name for name, field in query.model_fields.items()}
        assert described == names | {"selection"}
        assert all(parameter["description"] for parameter in operation(path)["parameters"])


def test_a_list_of_players_is_described_as_it_is_taken() -> None:
    """Each once, and no more than fifty."""
    [schema] = [it["schema"] for it in operation("/rank")["parameters"] if it["name"] == "players"]
    many = [f"p{number}" for number in range(51)]
    assert schema_errors(schema, many[:50]) == []
    assert all(schema_errors(schema, players) for players in (many, ["p1", "p2", "p1"], []))


def test_every_error_code_is_told_of_where_it_may_come() -> None:
    """Each code stands in the list of codes, and, but for two that come from no route, in an operation."""
    errors: list[type[LaurelError]] = [LaurelError]
    for error in errors:
        errors += error.__subclasses__()
    codes = {error.code for error in errors if "code" in vars(error)} - {"forbidden"}
    assert set(DOCUMENT["components"]["schemas"]["Problem"]["properties"]["code"]["enum"]) == codes
    told = json.dumps(DOCUMENT["paths"])
    assert {code for code in codes if f"`{code}`" not in told} <= {"bad_event", "not_found"}


async def test_the_examples_work_and_the_answers_are_as_promised() -> None:
    """Every example is accepted, and every kind of answer fits its schema."""
    async with harness(BOARDS, MemoryBackend(), secrets=("s",)) as one:
        for path in ("/start", "/submit"):
            [example] = {json.dumps(kind["example"]) for kind in operation(path)["requestBody"]["content"].values()}
            body = json.loads(example)
            [schema] = [*operation(path)["requestBody"]["content"].values()][:1]
            assert schema_errors(schema["schema"], body) == []
            answer = await one.post(path, **body)
            assert answer.status_code == 200, answer.text
            assert answer_errors(path, 200, answer.json()) == []
        for url in (
            "/top?board=burrow",
            "/top?board=burrow&window=daily&at=-1",
            "/top?board=burrow&player=p1",
            "/top?board=burrow&windows=all,daily&splits=overall,mode:words",
            "/rank?board=burrow&player=p1&around=2",
            "/rank?board=burrow&player=nobody",
            "/rank?board=burrow&players=p1,nobody",
            "/rank?board=burrow&score=900",
            "/health",
        ):
            answer = await one.client.get(url)
            assert answer.status_code == 200, answer.text
            assert answer_errors(url.partition("?")[0], 200, answer.json()) == [], url


@pytest.mark.parametrize(
    ("path", "body", "status"),
    [
        ("/submit", {"board": "burrow"}, 422),
        ("/submit", {"board": "nope", "player": "p1", "score": 1}, 404),
        ("/start", {"board": "burrow", "player": "p1"}, 403),
    ],
)
async def test_refusals_are_as_promised(path: str, body: dict[str, Any], status: int) -> None:
    """A problem document fits its schema, and its code is among those told of for its status."""
    async with harness(BOARDS, MemoryBackend(), secrets=("s",)) as one:
        answer = await one.post(path, **body)
        assert answer.status_code == status
        assert answer_errors(path, status, answer.json()) == []
        assert f"`{answer.json()['code']}`" in operation(path)["responses"][str(status)]["description"]
