"""`doctor`: what is wrong with a deployment, by its name."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from starlette.responses import PlainTextResponse

from tests.cli.running_commands import Run
from tests.support.servers import serve


def test_the_doctor_finds_all_well(run: Run, told: Callable[..., Any]) -> None:
    status, out, _ = run("doctor", LAUREL_SECRET="s", LAUREL_SERVER_TOKEN="t")
    assert status == 0
    assert [line[6:].partition(":")[0] for line in out.splitlines()] == [
        "environment", "boards", "secrets", "names", "latency", "read and write", "scripts", "clock",
    ]  # fmt: skip
    assert "shorter than 16" in out
    answer = told("doctor", LAUREL_SECRET="s" * 16, LAUREL_SERVER_TOKEN="t" * 16)
    assert answer["ok"]
    assert {check["status"] for check in answer["checks"]} <= {"ok", "warn"}


@pytest.mark.parametrize(
    ("environ_", "what"),
    [
        ({"UPSTASH_REDIS_REST_URL": "redis://x"}, "environment"),
        ({"LAUREL_BOARDS": "no-such.toml"}, "boards"),
        ({}, "secrets"),
        ({"LAUREL_SECRET": "s", "LAUREL_SERVER_TOKEN": "t", "LAUREL_NAME_FILTER": "no_such:thing"}, "names"),
        ({"UPSTASH_REDIS_REST_URL": "http://127.0.0.1:9", "LAUREL_SECRET": "s", "LAUREL_SERVER_TOKEN": "t"}, "store"),
    ],
    ids=lambda value: str(value),
)
def test_the_doctor_names_what_is_wrong(environ_: dict[str, str], what: str, run: Run) -> None:
    status, out, _ = run("doctor", "--json", **environ_)
    answer = json.loads(out)
    failed = [check["what"] for check in answer["checks"] if check["status"] == "fail"]
    assert (status, answer["ok"], failed) == (1, False, [what])


def test_the_doctor_looks_at_a_deployment(run: Run) -> None:
    """CORS headers that come twice are a deployment no page can use."""
    once, twice, down = (
        serve(PlainTextResponse("ok", headers=headers, status_code=status))
        for headers, status in [
            ({"Access-Control-Allow-Origin": "*"}, 200),
            ({"Access-Control-Allow-Origin": "*, *"}, 200),
            ({}, 503),
        ]
    )
    expected = ("is up", "twice", "answers 503")
    for site, found in zip((once, twice, down), expected, strict=True):
        with site as url:
            _, out, _ = run("doctor", "--url", url)
            assert found in out.splitlines()[-1]
    assert "does not answer" in run("doctor", "--url", "http://127.0.0.1:9")[1]
