"""What `make lambda` builds is what Lambda needs and no more, and it runs on Lambda's own runtime client."""

import json
import re
import time
import zipfile
from pathlib import Path

import pytest

from lib.errors import Misconfigured
from tests.deploy.builds import LambdaBuild, WatchedStore, lambda_build, listed, planted
from tests.deploy.fake_lambda import Answer, Sent, started
from tests.http.test_lambda_events import MALFORMED
from tests.support.project import ROOT
from tools.deploy import archive, aws
from tools.deploy.machine import find_python

BOARDS = '[board.b]\nlimits = { per_ip = "0" }\n'
SERVERLESS = (ROOT / "serverless.yml").read_text("utf-8")
MOST_BYTES = 6_000_000
RUN = {"board": "b", "player": "player-one", "score": 10}
# Longer than httpx by itself keeps a connection that nobody uses.
IDLE_SECONDS = 6
INVOCATIONS = 50


@pytest.fixture(scope="module")
def build(tmp_path_factory: pytest.TempPathFactory) -> LambdaBuild:
    """The archive, unpacked."""
    return lambda_build(tmp_path_factory.mktemp("task"))


def names(path: Path) -> list[str]:
    """Return the names of an archive's files."""
    with zipfile.ZipFile(path) as packed:
        return packed.namelist()


def test_each_route_is_a_function_with_a_url_and_without_its_cors() -> None:
    """Whoever adds a function has to deploy it; CORS headers come from one layer alone."""
    routes = {path.stem for path in (ROOT / "functions").glob("*.py") if "lambda_handler" in path.read_text("utf-8")}
    declared = re.findall(r"^  (\w+):\n    handler: functions/(\w+)\.lambda_handler\n    url: true\n", SERVERLESS, re.M)
    assert {name for name, _ in declared} == routes
    assert all(name == module for name, module in declared)
    assert not re.search(r"^\s*cors:", SERVERLESS, re.M)


def test_every_variable_reaches_the_functions() -> None:
    """What the deploying shell has set counts, as docs/operations.md lists it; but the boards come in the archive."""
    source = (ROOT / "lib/settings.py").read_text("utf-8")
    known = set(re.findall('"((?:UPSTASH|LAUREL|DATABASE)_[A-Z_]+)"', source)) - {"LAUREL_BOARDS"}
    assert len(known) >= 10
    for name in known:
        [parameter] = re.findall(rf"^    {name}: \$\{{param:([a-z-]+)\}}$", SERVERLESS, re.M)
        defaults = re.findall(rf"^    {parameter}: (.*)$", SERVERLESS, re.M)
        assert defaults, name
        assert all(f"${{env:{name}" in default for default in defaults), name


def test_the_template_gives_each_function_a_public_url(build: LambdaBuild) -> None:
    """osls makes of serverless.yml what Lambda wants: an address for each function, that anybody may call."""
    resources = json.loads(aws.TEMPLATE.read_text("utf-8"))["Resources"].values()
    functions = [it["Properties"] for it in resources if it["Type"] == "AWS::Lambda::Function"]
    urls = [it["Properties"] for it in resources if it["Type"] == "AWS::Lambda::Url"]
    assert {(it["Runtime"], *it["Architectures"]) for it in functions} == {("python3.13", "arm64")}
    assert len(urls) == len(functions) >= 5
    assert all(it["AuthType"] == "NONE" and "Cors" not in it for it in urls)
    assert all(it["Environment"]["Variables"]["UPSTASH_REDIS_REST_TOKEN"] == "stand-in" for it in functions)


@pytest.mark.parametrize("target", aws.TARGETS, ids=lambda target: target.machine)
def test_an_archive_holds_what_is_needed_and_no_more(build: LambdaBuild, target: archive.Target) -> None:
    """Small enough to start quickly: no Postgres driver, no server, no tests; scripts, boards and zones come along."""
    assert target.path.stat().st_size <= MOST_BYTES
    packed = set(names(target.path))
    tops = {name.split("/")[0] for name in packed}
    assert {
        "boards.toml",
        "functions/submit.py",
        "lib/storage/lua/submit.lua",
        "lib/storage/lua/parts/gate.lua",
    } <= packed
    ours = {name for name in packed if name.startswith(("functions/", "lib/")) or name.endswith(".toml")}
    assert {name for name in ours if "__pycache__" not in name} == listed(*archive.OURS)
    assert "tzdata/zoneinfo/Europe/Berlin" in packed
    unwanted = {"psycopg", "psycopg_binary", "fakeredis", "redis", "uvicorn", "pytest", "pip", "tools", "tests", "bin"}
    assert not tops & {*unwanted, "mypy", "ruff", "docs", "public", "bench", ".env"}
    tag = {"arm64": "aarch64", "x86_64": "x86_64"}[target.machine]
    assert [name for name in packed if re.search(rf"_pydantic_core\.cpython-313-{tag}-linux-gnu\.so$", name)]


def test_no_secret_is_packed(tmp_path: Path) -> None:
    """Not at the root and not in a folder that ships."""
    assert planted(tmp_path, *archive.OURS) == listed(*archive.OURS)


@pytest.mark.parametrize("target", aws.TARGETS, ids=lambda target: target.machine)
def test_an_archive_brings_its_bytecode(build: LambdaBuild, target: archive.Target) -> None:
    """Lambda cannot write any, and would compile everything anew at each cold start."""
    if not find_python(target.python):
        pytest.skip(f"Python {target.python} is not on this machine, and no other writes its bytecode")
    packed = set(names(target.path))
    sources = [Path(name) for name in packed if name.endswith(".py")]
    assert not [it for it in sources if str(it.parent / "__pycache__" / f"{it.stem}.cpython-313.pyc") not in packed]


@pytest.mark.slow
def test_two_builds_are_the_same_to_the_byte(build: LambdaBuild, tmp_path: Path) -> None:
    """An archive that did not change is not uploaded again, and what runs can be checked against the source."""
    target = aws.runnable()
    assert target
    archive.build(target, tmp_path / "again.zip")
    assert (tmp_path / "again.zip").read_bytes() == build.archive.read_bytes()


def test_it_answers_on_the_runtime(build: LambdaBuild, store: WatchedStore, boards: Path) -> None:
    """A submission goes in and comes out again, from an archive that nobody can write to."""
    environ = store.environ(boards)
    with started(build.python, build.task, build.runtime, "submit", environ) as submit:
        sent = Sent(method="POST", path="/", body=json.dumps(RUN).encode())
        assert Answer.of(submit.invoke(sent.event())).status == 200
    with started(build.python, build.task, build.runtime, "top", environ) as top:
        answer = Answer.of(top.invoke(Sent(path="/?board=b").event()))
    assert [row["player"] for row in json.loads(answer.body)["entries"]] == ["player-one"]


def test_malformed_events_end_nothing(build: LambdaBuild, store: WatchedStore, boards: Path) -> None:
    """Each is answered by the same process, which goes on to answer the next."""
    with started(build.python, build.task, build.runtime, "health", store.environ(boards)) as health:
        for name, event in MALFORMED.items():
            assert health.invoke(event)["statusCode"] == 400, name
        assert health.invoke(Sent().event())["statusCode"] == 200


WRONG = {
    "a missing address": ({"UPSTASH_REDIS_REST_URL": ""}, "UPSTASH_REDIS_REST_URL: is missing"),
    "a missing token": ({"UPSTASH_REDIS_REST_TOKEN": ""}, "UPSTASH_REDIS_REST_TOKEN: is missing"),
    "a wrong address": ({"UPSTASH_REDIS_REST_URL": "redis://x:6379"}, "UPSTASH_REDIS_REST_URL: should be"),
    "no such boards": ({"LAUREL_BOARDS": "nowhere.toml"}, "nowhere.toml: cannot be read"),
    "broken boards": ({"LAUREL_BOARDS": "{boards}"}, "board.b.order: should be"),
    "a ticket board without a secret": ({"LAUREL_BOARDS": "{tickets}"}, "LAUREL_SECRET"),
}


def misconfigured(store: WatchedStore, boards: Path, name: str) -> tuple[dict[str, str], str]:
    """Return an environment that is wrong in one way, and what is said about it."""
    changes, said = WRONG[name]
    broken = boards.with_name("broken.toml")
    broken.write_text('[board.b]\norder = "Desc"\n')
    tickets = boards.with_name("tickets.toml")
    tickets.write_text('[board.b]\nauth = "ticket"\n')
    changes = {key: value.format(boards=broken, tickets=tickets) for key, value in changes.items()}
    return store.environ(boards, **changes), said


@pytest.mark.parametrize("name", WRONG)
def test_a_misconfigured_function_says_so_at_its_start(
    build: LambdaBuild, store: WatchedStore, boards: Path, name: str
) -> None:
    """One line in the log of the init phase, before any request, then 503 as often as it is asked; no crash loop."""
    environ, said = misconfigured(store, boards, name)
    with started(build.python, build.task, build.runtime, "submit", environ) as submit:
        at_start = submit.log
        answers = [submit.invoke(Sent(method="POST", path="/", body=b"{}").event()) for _ in range(2)]
        complaints = [line for line in submit.log.splitlines() if "misconfigured:" in line]
    assert [(answer["statusCode"], json.loads(answer["body"])["code"]) for answer in answers] == [
        (Misconfigured.status, Misconfigured.code)
    ] * 2
    assert said not in answers[0]["body"]
    [line] = complaints
    assert said in line
    assert line in at_start
    assert "Traceback" not in at_start


@pytest.mark.slow
def test_one_connection_serves_all_invocations(build: LambdaBuild, store: WatchedStore, boards: Path) -> None:
    """The client outlives an invocation, and a pause longer than its library's default: no handshake is paid twice."""
    with started(build.python, build.task, build.runtime, "submit", store.environ(boards)) as submit:
        for number in range(INVOCATIONS):
            if number == INVOCATIONS // 2:
                time.sleep(IDLE_SECONDS)
            body = json.dumps({**RUN, "score": number + 1}).encode()
            assert submit.invoke(Sent(method="POST", path="/", body=body).event())["statusCode"] == 200
    assert len(store.connections) == 1
