"""What importing one function costs in a fresh process, beside the import of the two packages it cannot do without."""

import os
import subprocess
import sys
import tempfile
from statistics import median

from bench.plots import Limit, bars
from bench.results import Result, Target
from bench.stand import ROOT, Stand
from bench.timing import ratio

TITLE = "Import"
MOST = 1.25
ROUNDS = 31
NOTE = """\
Processor time from the first line of a fresh process to the end of its imports, with compiled files at hand, in turns.
The base is `upstash_redis` and `pydantic` with one model of one field. Judged is the processor's time, which other work
on the machine stretches less than the clock's; medians of both."""
_BASE = """
import pydantic
import upstash_redis.asyncio
class Model(pydantic.BaseModel):
    field: int
"""
_CASES = {
    "upstash_redis + pydantic": _BASE,
    "functions.submit": "import functions.submit",
    "functions.top": "import functions.top",
    "functions.web (all)": "import functions.web",
}
_BOUND = "functions.submit"


def _seconds(code: str, compiled: str) -> tuple[float, float]:
    """Return the processor's and the clock's time for some code in a fresh process, after the interpreter's start."""
    timed = f"""
import time
cpu, clock = time.process_time(), time.perf_counter()
{code}
print(time.process_time() - cpu, time.perf_counter() - clock)
"""
    # A folder of compiled files of its own, because those beside the sources may be stale, or not to be written.
    environ = {**os.environ, "PYTHONPYCACHEPREFIX": compiled}
    environ.pop("PYTHONDONTWRITEBYTECODE", None)
    done = subprocess.run(
        [sys.executable, "-c", timed], cwd=ROOT, env=environ, check=True, capture_output=True, text=True
    )
    processor, clock = map(float, done.stdout.split())
    return processor, clock


async def measure(_: Stand) -> Result:
    """Time the imports in turns."""
    names = list(_CASES)
    seconds: dict[str, list[float]] = {name: [] for name in names}
    clocks: dict[str, list[float]] = {name: [] for name in names}
    with tempfile.TemporaryDirectory() as compiled:
        for turn in range(-1, ROUNDS):
            for name in names if turn % 2 else reversed(names):
                processor, clock = _seconds(_CASES[name], compiled)
                if turn >= 0:  # the first turn is there to compile
                    seconds[name].append(processor)
                    clocks[name].append(clock)
    base = seconds[names[0]]
    ratios = {name: ratio(taken, base) for name, taken in seconds.items()}
    return Result(
        name="imports",
        title=TITLE,
        note=NOTE,
        header=("import of", "processor, ms", "÷ base", "clock, ms", "÷ base"),
        rows=[
            (
                name,
                f"{median(taken) * 1e3:.0f}",
                str(ratios[name]),
                f"{median(clocks[name]) * 1e3:.0f}",
                str(ratio(clocks[name], clocks[names[0]])),
            )
            for name, taken in seconds.items()
        ],
        targets=[Target(f"import of {_BOUND} ÷ {names[0]}", ratios[_BOUND].value, MOST)],
        plots={
            "imports.svg": bars(
                "Import in a fresh process, as a multiple of the two packages it rests on",
                ["median"],
                [(name, [ratios[name].value]) for name in names],
                lambda value: f"{value:.2f}×",
                Limit(MOST, f"target {MOST:g}×"),
            )
        },
    )
