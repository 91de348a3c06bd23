"""Whatever Lambda is handed gets an answer: a wrong event a clear 400, a wrong body what HTTP says of it."""

import asyncio
import base64
import json
from collections.abc import Iterator
from typing import Any

import pytest

from functions import health, rank, start, submit, top
from lib.boards.toml_file import parse_boards
from lib.deployment import Deployment
from lib.http import function_url
from lib.http.aws_lambda import LambdaHandler, lambda_entry
from lib.settings import Settings
from tests.deploy.fake_lambda import Sent
from tests.support.harness import NOON
from tests.support.servers import serve
from tools.upstash_emulator.backends import MemoryBackend
from tools.upstash_emulator.endpoint import make_endpoint

TOKEN = "a-token-for-tests"
FUNCTIONS = {"submit": submit, "start": start, "top": top, "rank": rank, "health": health}
RUN = {"board": "b", "player": "p1", "score": 10}
POST = Sent(method="POST", path="/", headers=(("Content-Type", "application/json"),), body=json.dumps(RUN).encode())
GET = Sent(path="/?board=b")


@pytest.fixture(scope="module")
def handlers() -> Iterator[dict[str, LambdaHandler]]:
    """The Lambda handlers of all functions, on one deployment."""
    with serve(make_endpoint(MemoryBackend(), TOKEN)) as url:
        settings = Settings(url=url, token=TOKEN, secrets=("a-secret-of-thirty-two-characters",))
        deployment = Deployment(settings, parse_boards("[board.b]"), clock=lambda: NOON)
        yield {name: lambda_entry(module.app.on(deployment)) for name, module in FUNCTIONS.items()}
        loop = function_url.loop()
        loop.run_until_complete(deployment.store.upstash.close())
        loop.close()
        function_url.loop.cache_clear()
        asyncio.set_event_loop(None)


@pytest.fixture
def handle(handlers: dict[str, LambdaHandler]) -> LambdaHandler:
    """The handler of submit."""
    return handlers["submit"]


def changed(event: dict[str, Any], *path: str, to: object) -> dict[str, Any]:
    """Return an event with one field changed, or left out where it is changed to Ellipsis."""
    copy: dict[str, Any] = json.loads(json.dumps(event))
    place = copy
    for name in path[:-1]:
        place = place[name]
    place[path[-1]] = to
    if to is ...:
        del place[path[-1]]
    return copy


EVENT = POST.event()
API_GATEWAY_V1 = {
    "version": "1.0",
    "resource": "/submit",
    "path": "/submit",
    "httpMethod": "POST",
    "headers": {"Content-Type": "application/json"},
    "multiValueHeaders": {"Content-Type": ["application/json"]},
    "queryStringParameters": None,
    "requestContext": {"identity": {"sourceIp": "203.0.113.7"}, "httpMethod": "POST", "path": "/submit"},
    "body": json.dumps(RUN),
    "isBase64Encoded": False,
}
ALB = {
    "requestContext": {"elb": {"targetGroupArn": "arn:aws:elasticloadbalancing:eu-central-1:0:targetgroup/x/y"}},
    "httpMethod": "POST",
    "path": "/submit",
    "queryStringParameters": {},
    "headers": {"x-forwarded-for": "203.0.113.7"},
    "body": json.dumps(RUN),
    "isBase64Encoded": False,
}
SQS = {"Records": [{"messageId": "1", "eventSource": "aws:sqs", "body": json.dumps(RUN), "attributes": {}}]}
MALFORMED: dict[str, Any] = {
    "API Gateway v1": API_GATEWAY_V1,
    "API Gateway v1 without its version": changed(API_GATEWAY_V1, "version", to=...),
    "a load balancer": ALB,
    "an SQS record": SQS,
    "EventBridge": {"version": "0", "id": "1", "detail-type": "Scheduled Event", "source": "aws.events", "detail": {}},
    "CloudFront": {"Records": [{"cf": {"request": {"uri": "/submit", "method": "POST", "headers": {}}}}]},
    "nothing": {},
    "null": None,
    "a list": [EVENT],
    "text": "hello",
    "a number": 5,
    "no source address": changed(EVENT, "requestContext", "http", "sourceIp", to=...),
    "a null source address": changed(EVENT, "requestContext", "http", "sourceIp", to=None),
    "an empty source address": changed(EVENT, "requestContext", "http", "sourceIp", to=""),
    "no method": changed(EVENT, "requestContext", "http", "method", to=...),
    "no context": changed(EVENT, "requestContext", to=...),
    "a null context": changed(EVENT, "requestContext", to=None),
    "no headers": changed(EVENT, "headers", to=...),
    "null headers": changed(EVENT, "headers", to=None),
    "a header that is a list": changed(EVENT, "headers", "content-type", to=["application/json"]),
    "a header that is null": changed(EVENT, "headers", "content-type", to=None),
    "a body that is no text": changed(EVENT, "body", to=RUN),
    "half a character": changed(EVENT, "body", to='{"board": "\ud83e"}'),
    "a null query": changed(EVENT, "rawQueryString", to=None),
    "a port that is none": changed(EVENT, "headers", "x-forwarded-port", to="https"),
    "a host with colons": changed(EVENT, "headers", "host", to="[::1]:9000"),
    "cookies that are none": changed(EVENT, "cookies", to=[1, None]),
    "another version": changed(EVENT, "version", to="3.0"),
}


def problem(answer: dict[str, Any]) -> dict[str, Any]:
    """Return the problem document of an answer, in the shape that a Function URL takes."""
    assert answer["headers"]["content-type"] == "application/problem+json"
    document: dict[str, Any] = json.loads(answer["body"])
    assert document["status"] == answer["statusCode"]
    return document


@pytest.mark.parametrize("name", MALFORMED)
@pytest.mark.parametrize("function", FUNCTIONS)
def test_a_malformed_event_is_a_400_and_a_line_in_the_log(
    handlers: dict[str, LambdaHandler], function: str, name: str, caplog: pytest.LogCaptureFixture
) -> None:
    """Nothing is raised, which Lambda would retry or count as a crash, and the log says what is wrong."""
    document = problem(handlers[function](MALFORMED[name], None))
    assert (document["status"], document["code"]) == (400, "bad_event")
    assert "Function URL" in document["detail"]
    [record] = [record for record in caplog.records if record.levelname == "ERROR" and not record.exc_info]
    assert "not a request to a Function URL" in record.getMessage()
    assert "p1" not in caplog.text


def test_a_well_formed_event_is_answered(handle: LambdaHandler) -> None:
    """The event that the malformed ones are made from is fine itself."""
    answer = handle(EVENT, None)
    assert (answer["statusCode"], answer["isBase64Encoded"]) == (200, False)
    assert json.loads(answer["body"])["player"] == "p1"


# The last is a sound body but for one character, which a lenient reader skips.
@pytest.mark.parametrize("body", ["not base64!", "abc", "====", "ä", base64.b64encode(POST.body).decode() + "!"])
def test_a_body_that_is_not_its_base64_is_bad_json(handle: LambdaHandler, body: str) -> None:
    """The whole answer is that of HTTP, with the headers that let a page read it."""
    event = {**EVENT, "body": body, "isBase64Encoded": True}
    answer = handle(event, None)
    assert problem(answer)["code"] == "bad_json"
    assert answer["headers"]["access-control-allow-origin"] == "*"


def test_a_bad_body_does_not_matter_where_none_is_read(handlers: dict[str, LambdaHandler]) -> None:
    """GET answers as it would without."""
    event = {**GET.event(), "body": "not base64!", "isBase64Encoded": True}
    assert handlers["top"](event, None)["statusCode"] == 200


def test_a_bad_body_comes_after_the_media_type(handle: LambdaHandler) -> None:
    """The order of refusal is the same as everywhere."""
    event = changed({**EVENT, "body": "!", "isBase64Encoded": True}, "headers", "content-type", to="image/png")
    assert handle(event, None)["statusCode"] == 415


@pytest.mark.parametrize("in_base64", [True, False])
def test_a_body_of_six_megabytes_is_too_large(handle: LambdaHandler, in_base64: bool) -> None:
    """The most that Lambda lets through is refused as any body over the limit."""
    text = "x" * 6_000_000
    body = base64.b64encode(text.encode()[: 6_000_000 * 3 // 4]).decode() if in_base64 else text
    assert problem(handle({**EVENT, "body": body, "isBase64Encoded": in_base64}, None))["code"] == "body_too_large"


def test_headers_are_found_in_any_case(handle: LambdaHandler) -> None:
    """A Function URL sends them in lower case; a test event of the console often does not."""
    event = changed(EVENT, "headers", to={"Content-TYPE": "image/png", "HOST": "x", "X-Forwarded-Port": "443"})
    assert problem(handle(event, None))["code"] == "unsupported_media_type"


def test_an_event_without_a_body_or_with_null(handle: LambdaHandler) -> None:
    """No body is an empty one."""
    assert problem(handle(changed(EVENT, "body", to=...), None))["code"] == "bad_json"
    assert problem(handle({**EVENT, "body": None, "isBase64Encoded": True}, None))["code"] == "bad_json"


def test_an_answer_without_content_has_no_content_type(handle: LambdaHandler) -> None:
    """Mangum would call nothing at all JSON."""
    answer = handle(Sent(method="OPTIONS").event(), None)
    assert answer["statusCode"] == 204
    assert "content-type" not in answer["headers"]
