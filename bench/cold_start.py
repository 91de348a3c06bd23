"""What a cold start costs on the platforms' own runtimes, beside a handler that only imports what ours rests on."""

import json
import shutil
import subprocess
import tempfile
import time
import zipfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from statistics import median

import httpx

from bench.results import Result, Target
from bench.stand import TOKEN, Stand
from bench.timing import ratio
from tests.deploy import fake_lambda, fake_vercel
from tools.deploy import archive, aws, vercel
from tools.deploy.machine import find_python

TITLE = "Cold start"
MOST = 1.3
ROUNDS = 15
NOTE = """\
From the start of the process until the runtime takes events (Lambda: its client asks for the first one; Vercel: it says
that it started), and until the first answer, which asks the store. In turns, on what `make lambda` and `make vercel`
leave. The bare handler imports upstash_redis, pydantic (with one model) and starlette, and answers without a store."""
_BARE = """
import pydantic
import starlette.requests
import starlette.responses
import upstash_redis.asyncio

class Model(pydantic.BaseModel):
    field: int

def lambda_handler(event, context):
    return {"statusCode": 200, "body": "{}"}

async def app(scope, receive, send):
    if scope["type"] == "http":
        await starlette.responses.Response("{}")(scope, receive, send)
        return
    while True:
        message = await receive()
        await send({"type": f"{message['type']}.complete"})
"""
_BOARDS = "[board.b]\n"
_ASKED = fake_lambda.Sent(path="/top?board=b")
_COMPILE = ("-m", "compileall", "-q", "--invalidation-mode", "unchecked-hash")

Start = Callable[[], tuple[float, float]]
"""Starts one process; returns the seconds until it is ready and until its first answer."""


@dataclass
class Timed:
    """The starts of one case."""

    start: Start
    ready: list[float] = field(default_factory=list)
    answered: list[float] = field(default_factory=list)

    def once(self) -> None:
        """Start it once more."""
        ready, answered = self.start()
        self.ready.append(ready)
        self.answered.append(answered)


def _on_lambda(target: archive.Target, task: Path, function: str, environ: Mapping[str, str]) -> tuple[float, float]:
    python = find_python(target.python)
    assert python
    with fake_lambda.started(python, task, aws.runtime(target), function, environ) as running:
        begun = time.perf_counter()
        answer = running.invoke(_ASKED.event())
        assert answer["statusCode"] == 200, answer
        return running.seconds, running.seconds + time.perf_counter() - begun


def _on_vercel(python: Path, function: Path, trampoline: str, environ: Mapping[str, str]) -> tuple[float, float]:
    with fake_vercel.started(python, function, environ, trampoline=trampoline) as running:
        begun = time.perf_counter()
        # A client that is there already: making one takes longer than the answer.
        with httpx.Client(base_url=running.address) as client:
            begun = time.perf_counter()
            assert client.get(_ASKED.path).status_code == 200
        return running.seconds, running.seconds + time.perf_counter() - begun


def _without_bytecode(folder: Path) -> Path:
    copy = folder.with_name(f"{folder.name}-source")
    shutil.copytree(folder, copy, ignore=shutil.ignore_patterns("__pycache__"))
    return copy


def _lambda_cases(place: Path, environ: Mapping[str, str]) -> dict[str, Timed]:
    target = aws.runnable()
    if target is None or not archive.is_fresh(target.path):
        return {}
    task = place / "lambda"
    with zipfile.ZipFile(target.path) as packed:
        packed.extractall(task)
    (task / "functions" / "bare.py").write_text(_BARE)
    subprocess.run([str(find_python(target.python)), *_COMPILE, task / "functions"], check=True)
    folders = {"": task, ", no bytecode": _without_bytecode(task)}
    return {
        f"Lambda: {what}{how}": Timed(partial(_on_lambda, target, folder, name, environ))
        for how, folder in folders.items()
        for what, name in (("bare", "bare"), ("top", "top"))
    }


def _vercel_cases(place: Path, environ: Mapping[str, str]) -> dict[str, Timed]:
    python = vercel.built_python()
    if python is None:
        return {}
    function = place / "vercel"
    shutil.copytree(vercel.FUNCTION, function)
    (function / "functions" / "bare.py").write_text(_BARE)
    trampoline = (function / f"{fake_vercel.TRAMPOLINE}.py").read_text("utf-8")
    bare = trampoline.replace("functions.web", "functions.bare").replace("functions/web.py", "functions/bare.py")
    (function / "bare.py").write_text(bare)
    subprocess.run([str(python), *_COMPILE, function / "functions"], check=True)
    folders = {"": function, ", no bytecode": _without_bytecode(function)}
    return {
        f"Vercel: {what}{how}": Timed(partial(_on_vercel, python, folder, name, environ))
        for how, folder in folders.items()
        for what, name in (("bare", "bare"), ("all functions", fake_vercel.TRAMPOLINE))
    }


def _row(name: str, timed: Timed, base: Timed) -> tuple[str, ...]:
    return (
        name,
        f"{median(timed.ready) * 1e3:.0f}",
        f"{median(timed.answered) * 1e3:.0f}",
        str(ratio(timed.ready, base.ready)),
    )


async def measure(stand: Stand) -> Result:
    """Time the starts in turns, of what is built; without a build there is nothing to time."""
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        boards = place / "boards.toml"
        boards.write_text(_BOARDS)
        environ = {"UPSTASH_REDIS_REST_URL": stand.url, "UPSTASH_REDIS_REST_TOKEN": TOKEN, "LAUREL_BOARDS": str(boards)}
        cases = {**_lambda_cases(place, environ), **_vercel_cases(place, environ)}
        names = list(cases)
        for turn in range(ROUNDS):
            for name in names if turn % 2 else reversed(names):
                cases[name].once()
    bases = {name: next(other for other in names if other.startswith(f"{name.split(':')[0]}: bare")) for name in names}
    ours = [name for name in names if "bare" not in name and "no bytecode" not in name]
    return Result(
        name="cold_start",
        title=TITLE,
        note=NOTE if cases else "Not measured: there is no fresh build. First `make lambda vercel`.",
        header=("function", "ready, ms", "first answer, ms", "ready ÷ bare"),
        rows=[_row(name, cases[name], cases[bases[name]]) for name in names],
        targets=[
            Target(f"{name} ÷ bare", ratio(cases[name].ready, cases[bases[name]].ready).value, MOST) for name in ours
        ],
    )


def _main() -> None:
    import asyncio

    from bench.stand import running

    with running() as stand:
        result = asyncio.run(measure(stand))
    print(result.table())
    print(json.dumps({target.what: round(target.value, 3) for target in result.targets}))


if __name__ == "__main__":
    _main()
