"""What `make vercel` builds runs on Vercel's own runtime: one process, many requests at a time, one log line each."""

import json
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx
import pytest

from lib.errors import Misconfigured
from tests.deploy.builds import VercelBuild, WatchedStore, files, listed, planted, vercel_build
from tests.deploy.fake_vercel import started
from tests.deploy.test_lambda import IDLE_SECONDS, INVOCATIONS, WRONG, misconfigured
from tests.support.project import ROOT
from tools.deploy.archive import OURS
from tools.deploy.vercel import BUILT, RECEIPT, SHIPPED, STATIC, STATICS

BOARDS = '[board.b]\nlimits = { per_ip = "2/1m" }\n[board.free]\nlimits = { per_ip = "0" }\n'
CONFIG = json.loads((ROOT / "vercel.json").read_text("utf-8"))
SLOW = 1.0
PARALLEL = 8


@pytest.fixture(scope="module")
def build() -> VercelBuild:
    """The function that was built."""
    return vercel_build()


def test_the_builder_took_every_setting(build: VercelBuild) -> None:
    """A key that a builder does not know is ignored without a word: what it wrote is what counts."""
    made = json.loads((build.function / ".vc-config.json").read_text("utf-8"))
    [settings] = CONFIG["functions"].values()
    assert made["maxDuration"] == settings["maxDuration"]
    routes = json.loads((BUILT / "config.json").read_text("utf-8"))["routes"]
    assert {"Access-Control-Allow-Origin": "*"} in [route.get("headers") for route in routes]


def test_the_function_holds_what_it_needs_and_no_more(build: VercelBuild) -> None:
    """Code, scripts and boards come along; of what else lay beside them when it was built, secrets and all, nothing."""
    made = {".vc-config.json", "vc__handler__python.py"}
    ours = {name for name in files(build.function) if not name.startswith("_vendor/") and not name.endswith(".pyc")}
    assert ours - made == listed(*OURS)
    assert {"lib/storage/lua/parts/gate.lua", "boards.toml"} <= ours
    assert list((build.function / "lib/http/__pycache__").glob("app.*.pyc"))
    for unwanted in ("psycopg", "fakeredis"):
        assert not (build.function / "_vendor" / unwanted).exists(), unwanted


def test_the_edge_serves_what_is_listed_and_no_more(build: VercelBuild) -> None:
    """A key that somebody left in public/ would be there for everybody."""
    assert files(STATIC) == {name.removeprefix("public/") for name in listed(*STATICS)}


def test_a_deployment_uploads_what_is_listed_and_no_more(build: VercelBuild) -> None:
    """By the word of Vercel's own client, from a folder full of decoys; a push is held to .vercelignore as well."""
    assert set(json.loads(RECEIPT.read_text("utf-8"))["uploads"]) == {*listed(*SHIPPED), ".python-version"}


def test_what_a_deployment_leaves_out_says_the_same_as_the_list() -> None:
    """Every folder by its name, because Vercel's client takes a folder for a file until it has entered it."""
    lines = [line for line in (ROOT / ".vercelignore").read_text("utf-8").splitlines() if line and line[0] != "#"]
    folders = {parent.as_posix() for name in listed(*SHIPPED) for parent in Path(name).parents} - {"."}
    kinds = [f"!/{kind}" for kind in SHIPPED if kind != ".python-version"]
    assert lines == ["*", *(f"!/{folder}" for folder in sorted(folders)), *kinds, ".*", "!/.python-version"]


def test_no_secret_is_a_source(tmp_path: Path) -> None:
    """Not at the root and not in a folder that ships."""
    assert planted(tmp_path, *SHIPPED) == listed(*SHIPPED)


def test_slow_requests_overlap(build: VercelBuild, store: WatchedStore, boards: Path) -> None:
    """Eight callers wait for a slow store together, on one event loop, and those who need no store do not wait."""
    with (
        started(build.python, build.function, store.environ(boards)) as function,
        httpx.Client(base_url=function.address) as client,
        ThreadPoolExecutor(PARALLEL) as pool,
    ):
        assert client.get("/health").status_code == 200
        store.delay = SLOW
        begun = time.perf_counter()
        waiting = [pool.submit(client.get, "/top?board=free") for _ in range(PARALLEL)]
        assert client.get("/top?board=nowhere").status_code == 404
        unhindered = time.perf_counter() - begun
        assert [answer.result().status_code for answer in waiting] == [200] * PARALLEL
        together = time.perf_counter() - begun
    assert unhindered < SLOW / 2
    assert SLOW <= together < 2 * SLOW


def test_the_caller_is_who_the_edge_says(build: VercelBuild, store: WatchedStore, boards: Path) -> None:
    """Gates count by the header that the edge overwrites, whatever else a client claims."""
    with started(build.python, build.function, store.environ(boards)) as function:

        def submit(address: str, claimed: str) -> int:
            body = {"board": "b", "player": "p1", "score": 1}
            headers = {"X-Real-IP": address, "X-Forwarded-For": claimed}
            return httpx.post(f"{function.address}/submit", json=body, headers=headers).status_code

        assert [submit("203.0.113.1", f"198.51.100.{n}") for n in range(3)] == [200, 200, 429]
        assert submit("203.0.113.2", "203.0.113.1") == 200


@pytest.mark.parametrize("name", WRONG)
def test_a_misconfigured_function_says_so_at_its_start(
    build: VercelBuild, store: WatchedStore, boards: Path, name: str
) -> None:
    """One line in the log before any request, then 503 as often as it is asked; no crash loop."""
    environ, said = misconfigured(store, boards, name)
    with started(build.python, build.function, environ) as function:
        answers = [httpx.get(f"{function.address}/top?board=b") for _ in range(2)]
        lines = function.log(len(answers))
    assert [(answer.status_code, answer.json()["code"]) for answer in answers] == [
        (Misconfigured.status, Misconfigured.code)
    ] * 2
    assert said not in answers[0].text
    assert [said in line for line in lines if "misconfigured:" in line] == [True]
    assert lines[0].startswith("misconfigured:")


def test_one_line_is_logged_for_a_request(build: VercelBuild, store: WatchedStore, boards: Path) -> None:
    """Nothing but our own line, although this runtime shows what libraries tell."""
    with started(build.python, build.function, store.environ(boards)) as function:
        httpx.post(f"{function.address}/submit", json={"board": "free", "player": "player-one", "score": 1})
        httpx.get(f"{function.address}/top?board=free&player=player-one")
        lines = [json.loads(line) for line in function.log(2)]
    assert [(line["route"], line["board"], line["status"]) for line in lines] == [
        ("submit", "free", 200),
        ("top", "free", 200),
    ]


@pytest.mark.slow
def test_one_connection_serves_all_requests(build: VercelBuild, store: WatchedStore, boards: Path) -> None:
    """The client outlives a request, and a pause longer than its library's default."""
    with started(build.python, build.function, store.environ(boards)) as function:
        for number in range(INVOCATIONS):
            if number == INVOCATIONS // 2:
                time.sleep(IDLE_SECONDS)
            assert httpx.get(f"{function.address}/top?board=free").status_code == 200
    assert len(store.connections) == 1
