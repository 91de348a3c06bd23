"""`python -m tools.openapi`: write `public/openapi.json` (3.1) from the routes and the pydantic models.

What the models cannot say, which errors a route has and what its parameters mean, is in `tools.openapi.texts`.
"""

import ast
import inspect
import json
import textwrap
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pydantic import BaseModel
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue, models_json_schema

from functions.web import app
from lib.errors import LaurelError
from lib.http.function_url import BadEvent
from lib.reading.queries import Selectors
from tools.openapi.texts import DESCRIPTION, OPERATIONS, PARAMETERS, Operation

ROOT = Path(__file__).resolve().parents[2]
TARGET = ROOT / "public" / "openapi.json"

_FAULT = {
    "type": "object",
    "required": ["loc", "msg"],
    "properties": {
        "loc": {"type": "string", "description": "The dotted path of the field that is wrong, such as `meta.depth`."},
        "msg": {"type": "string", "description": "What is allowed."},
    },
}
_HEADERS = {
    "Retry-After": ("integer", "Seconds to wait before the next try."),
    "ETag": ("string", "The version of what is shown, whatever the time until the reset."),
    "Cache-Control": ("string", "For how long shared caches may keep it, by the board's `cache`; else `no-store`."),
}


class _Schema(GenerateJsonSchema):
    """JSON schemas in which an exact number is a number: Python's own type for it may be written as text too."""

    def decimal_schema(self, schema: Any) -> JsonSchemaValue:
        """Return the schema of a number."""
        return {"type": "number"}


def _plain(schema: Any) -> Any:
    """Return a schema without what only pydantic means, and without an integer beside the number that it is."""
    if isinstance(schema, list):
        return [_plain(item) for item in schema if item != {"type": "integer"} or {"type": "number"} not in schema]
    if not isinstance(schema, dict):
        return schema
    named = {{"ge": "minimum", "le": "maximum"}.get(key, key): _plain(value) for key, value in schema.items()}
    [*only] = named.get("anyOf", [])
    return {**{key: value for key, value in named.items() if key != "anyOf"}, **only[0]} if len(only) == 1 else named


def attribute_docs(model: type[BaseModel]) -> dict[str, str]:
    """Return the docstring below each field of a model and of its bases, on one line."""
    docs: dict[str, str] = {}
    for cls in reversed(model.__mro__):
        if not issubclass(cls, BaseModel) or cls is BaseModel:
            continue
        [definition] = ast.parse(textwrap.dedent(inspect.getsource(cls))).body
        assert isinstance(definition, ast.ClassDef)
        for field, text in zip(definition.body, definition.body[1:], strict=False):
            if isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name) and isinstance(text, ast.Expr):
                docs[field.target.id] = " ".join(str(ast.literal_eval(text.value)).split())
    return docs


def _models() -> Iterator[type[BaseModel]]:
    seen: set[type[BaseModel]] = set()
    for operation in OPERATIONS.values():
        for model in (operation.body, *operation.answers):
            if model is not None and model not in seen:
                seen.add(model)
                yield model


def _schemas() -> dict[str, Any]:
    bodies = {operation.body for operation in OPERATIONS.values()}
    models = [(model, "validation" if model in bodies else "serialization") for model in _models()]
    _, definitions = models_json_schema(
        models,  # type: ignore[arg-type]  # the two modes are literals
        ref_template="#/components/schemas/{model}",
        schema_generator=_Schema,
    )
    schemas = {name: _plain(schema) for name, schema in sorted(definitions["$defs"].items())}
    known = {cls.__name__: cls for cls in _subclasses(BaseModel)}
    for name, schema in schemas.items():
        docs = attribute_docs(known[name])
        for field, described in schema.get("properties", {}).items():
            described.pop("title", None)
            if field in docs:
                described["description"] = docs[field]
    return {**schemas, "Problem": _problem()}


def _subclasses(cls: type[Any]) -> Iterator[Any]:
    for sub in cls.__subclasses__():
        yield sub
        yield from _subclasses(sub)


def _problem() -> dict[str, Any]:
    # BadEvent by name, because its module is loaded on Lambda alone.
    errors: list[type[LaurelError]] = [LaurelError, BadEvent, *_subclasses(LaurelError)]
    codes = sorted({error.code for error in errors if "code" in vars(error)} - {"forbidden"})
    return {
        "type": "object",
        "description": "What went wrong (RFC 9457). `code` is for programs, `title` and `detail` are for people.",
        "required": ["type", "title", "status", "detail", "code"],
        "properties": {
            "type": {"type": "string"},
            "title": {"type": "string"},
            "status": {"type": "integer"},
            "detail": {"type": "string"},
            "code": {"type": "string", "enum": codes},
            "errors": {"type": "array", "items": _FAULT, "description": "With 422: each field that is wrong."},
            "request_id": {"type": "string", "description": "With 500: what the log knows the request by."},
        },
    }


def _parameters(query: type[Selectors]) -> list[dict[str, Any]]:
    schema = query.model_json_schema(schema_generator=_Schema)
    parameters = []
    for name, described in schema["properties"].items():
        shape = {key: value for key, value in described.items() if key not in ("title", "anyOf", "default")}
        kinds = [kind for kind in described.get("anyOf", []) if kind != {"type": "null"}]
        for kind in kinds:
            shape |= kind
        if described.get("default") not in (None, ""):
            shape["default"] = described["default"]
        described_as = {"description": PARAMETERS[name], "schema": _plain(shape)}
        parameter: dict[str, Any] = {"name": name, "in": "query", **described_as}
        if name in schema.get("required", []):
            parameter["required"] = True
        if shape.get("type") == "array":
            parameter |= {"style": "form", "explode": False}
        parameters.append(parameter)
    splits = {"type": "object", "additionalProperties": {"type": "string", "pattern": "^[A-Za-z0-9_.-]{1,64}$"}}
    selection = {"name": "selection", "in": "query", "style": "form", "explode": True, "schema": splits}
    return [*parameters, {**selection, "description": PARAMETERS["selection"]}]


def _headers(*names: str) -> dict[str, Any]:
    return {name: {"description": _HEADERS[name][1], "schema": {"type": _HEADERS[name][0]}} for name in names}


def _errors(operation: Operation) -> dict[str, Any]:
    by_status: dict[int, list[type[LaurelError]]] = {}
    for error in operation.errors:
        by_status.setdefault(error.status, []).append(error)
    answers = {}
    for status, errors in sorted(by_status.items()):
        described = "\n".join(f"- `{error.code}`: {error.title}." for error in errors)
        content = {"application/problem+json": {"schema": {"$ref": "#/components/schemas/Problem"}}}
        answers[str(status)] = {"description": described, "content": content}
        if status in (429, 503):
            answers[str(status)]["headers"] = _headers("Retry-After")
    return answers


def _operation(path: str, operation: Operation) -> dict[str, Any]:
    references = [{"$ref": f"#/components/schemas/{model.__name__}"} for model in operation.answers]
    content: dict[str, Any] = {"schema": references[0] if len(references) == 1 else {"anyOf": references}}
    success: dict[str, Any] = {"description": operation.returns, "content": {"application/json": content}}
    described: dict[str, Any] = {
        "operationId": path.strip("/"),
        "summary": operation.summary,
        "description": operation.description,
    }
    answers = {"200": success}
    if operation.query is not None:
        described["parameters"] = _parameters(operation.query)
    if operation.body is not None:
        kind = {
            "schema": {"$ref": f"#/components/schemas/{operation.body.__name__}"},
            "example": operation.example,
        }
        described["requestBody"] = {"required": True, "content": {"application/json": kind, "text/plain": kind}}
        described["security"] = [{}, {"server": []}]
    if operation.cached:
        success["headers"] = _headers("ETag", "Cache-Control")
        success["content"]["image/svg+xml"] = {"schema": {"type": "string"}}
        answers["304"] = {"description": "What the caller has is still right.", "headers": _headers("ETag")}
    return {**described, "responses": answers | _errors(operation)}


def routes() -> dict[str, str]:
    """Return the paths that are served, each with its method."""
    return {path: "post" if function._post else "get" for path, function in app._functions.items()}


def document() -> dict[str, Any]:
    """Return the OpenAPI document; raise KeyError for a route or a parameter that nobody described."""
    version = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["version"]
    paths = {path: {method: _operation(path, OPERATIONS[path])} for path, method in routes().items()}
    bearer = {"type": "http", "scheme": "bearer", "description": 'For boards with `auth = "server"`.'}
    return {
        "openapi": "3.1.0",
        "info": {"title": "Laurel", "version": version, "description": DESCRIPTION, "license": {"name": "MIT"}},
        "servers": [{"url": "/"}],
        "paths": paths,
        "components": {"schemas": _schemas(), "securitySchemes": {"server": bearer}},
    }


def text() -> str:
    """Return the document as it is written."""
    return json.dumps(document(), ensure_ascii=False, indent=2) + "\n"


def main() -> int:
    """Write the document; return an exit status."""
    TARGET.write_text(text(), "utf-8")
    print(f"{TARGET.relative_to(ROOT)} is written.")
    return 0
