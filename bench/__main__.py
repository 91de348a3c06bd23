"""Run the benchmarks: `python -m bench [NAME …]`, all of them by default, and write docs/bench/."""

import asyncio
import os
import platform
import shutil
import sys
import time
from collections.abc import Awaitable, Callable
from contextlib import redirect_stdout
from typing import TextIO

from bench import cold_start, cost, growth, imports, latency, memory, throughput
from bench.results import FOLDER, Result
from bench.stand import Stand, running

BENCHMARKS: dict[str, tuple[str, Callable[[Stand], Awaitable[Result]]]] = {
    "latency": (latency.TITLE, latency.measure),
    "growth": (growth.TITLE, growth.measure),
    "imports": (imports.TITLE, imports.measure),
    "memory": (memory.TITLE, memory.measure),
    "cost": (cost.TITLE, cost.measure),
    "throughput": (throughput.TITLE, throughput.measure),
    "cold_start": (cold_start.TITLE, cold_start.measure),
}


def _preamble(redis_version: str) -> str:
    return f"""\
# Benchmarks

What `make bench` measured; `make bench ARGS="latency memory"` repeats some parts. What is held to a target is a ratio
within one run, or a count, because times are the machine's: here {os.cpu_count()} cores ({platform.machine()}), Python
{platform.python_version()}, Redis {redis_version} behind the local Upstash endpoint.
"""


async def _run(names: list[str], console: TextIO) -> list[Result]:
    results = []
    with running() as stand:
        version = str(stand.redis.info("server")["redis_version"])
        for name in names:
            started = time.perf_counter()
            stand.empty()
            result = await BENCHMARKS[name][1](stand)
            # Without a line nothing was measured (the note says why): what was measured before stays.
            if result.rows:
                result.save([title for title, _ in BENCHMARKS.values()], _preamble(version))
            results.append(result)
            took, shown = time.perf_counter() - started, result.table() if result.rows else result.note
            print(f"\n{result.title} ({name}, {took:.0f} s)\n\n{shown}", file=console, flush=True)
    return results


def main(names: list[str]) -> int:
    """Run some benchmarks and print their verdicts; 1 when a target is missed, 2 when nothing can be run."""
    unknown = [name for name in names if name not in BENCHMARKS]
    if unknown:
        print(f"There is no benchmark {', '.join(unknown)}; there are {', '.join(BENCHMARKS)}.", file=sys.stderr)
        return 2
    if shutil.which("redis-server") is None:
        print("The benchmarks need redis-server, which is not on this machine.", file=sys.stderr)
        return 2
    # The functions log each request on standard output: that is timed too, and read by nobody.
    with open(os.devnull, "w") as nowhere, redirect_stdout(nowhere):
        results = asyncio.run(_run(names or list(BENCHMARKS), sys.__stdout__ or sys.stderr))
    targets = [target for result in results for target in result.targets]
    print("\n" + "\n".join(map(str, targets)))
    print(f"\nThe report is in {FOLDER.relative_to(FOLDER.parent.parent)}/README.md.")
    return 0 if all(target.is_met for target in targets) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
