"""`doctor`: is everything there that a deployment needs, and does the store behave as it should?"""

import statistics
import time
from collections.abc import AsyncIterator, Mapping
from secrets import token_hex

import httpx

from lib.access.admission import check_secrets
from lib.access.name_filter import load_filter
from lib.boards.board import Board
from lib.deployment import wall_clock
from lib.errors import LaurelError, Misconfigured
from lib.settings import Settings
from lib.storage.replies import items, whole
from lib.storage.scripts import Script
from lib.storage.store import Store
from tools.cli.arguments import Commands, Options, add_command
from tools.cli.context import Operator, boards_of, explained, operator
from tools.cli.terminal import say, say_json

OK, WARNING, FAILURE = "ok", "warn", "FAIL"
Finding = tuple[str, str, str]
"""What was looked at, how it is, and what there is to say."""

_PROBE = Script("probe", 'return { 0, "ok", ARGV[1] }\n', reads=True)
_PINGS = 5
_SLOW_MS = 100
_SKEW_MS = 2000
_SHORT = 16
_ORIGIN = "https://laurel.invalid"


def add_to(commands: Commands) -> None:
    """Add the command."""
    parser = add_command(commands, "doctor", run, "examine the environment, the boards and the store")
    parser.add_argument("--url", help="the address of a deployment, to be examined too")


async def run(options: Options, environ: Mapping[str, str]) -> int:
    """Print what was found; return 1 where something fails."""
    findings = []
    async for finding in examine(environ, options.url):
        findings.append(finding)
        if not options.json:
            what, how, detail = finding
            say(f"{how:4}  {what}: {detail}")
    healthy = all(how != FAILURE for _, how, _ in findings)
    if options.json:
        told = [{"what": what, "status": how.lower(), "detail": detail} for what, how, detail in findings]
        say_json({"ok": healthy, "checks": told})
    return 0 if healthy else 1


async def examine(environ: Mapping[str, str], url: str | None) -> AsyncIterator[Finding]:
    """Yield one finding after the other; what depends on a failure is left out."""
    try:
        settings = Settings.read(environ)
    except Misconfigured as error:
        yield "environment", FAILURE, error.detail
        return
    yield "environment", OK, f"store {settings.url}, prefix {settings.prefix}"
    try:
        boards = boards_of(environ)
        yield "boards", OK, f"{settings.boards_path}: {', '.join(boards)}"
    except Misconfigured as error:
        yield "boards", FAILURE, error.detail
        return
    yield _secrets(settings, boards)
    yield _names(settings)
    try:
        async with operator(environ) as here:
            yield await _latency(here.store)
            yield await _writes(here)
            yield await _flag(here.store)
            yield await _clock(here.store)
    except LaurelError as error:
        yield "store", FAILURE, explained(error)
    if url is not None:
        yield await _deployment(url)


def _secrets(settings: Settings, boards: Mapping[str, Board]) -> Finding:
    try:
        check_secrets(settings, boards.values())
    except Misconfigured as error:
        return "secrets", FAILURE, error.detail
    if any(len(secret) < _SHORT for secret in (*settings.secrets, settings.server_token or "-" * _SHORT)):
        return "secrets", WARNING, f"one is shorter than {_SHORT} characters: openssl rand -base64 32 makes a good one"
    missing = [] if settings.secrets else ["LAUREL_SECRET, so start answers 503"]
    missing += [] if settings.server_token else ["LAUREL_SERVER_TOKEN, so no backend can act for players"]
    return "secrets", OK, "not set: " + "; ".join(missing) if missing else "set"


def _names(settings: Settings) -> Finding:
    try:
        load_filter(settings.name_filter)
    except Misconfigured as error:
        return "names", FAILURE, error.detail
    return "names", OK, settings.name_filter or "no word filter (LAUREL_NAME_FILTER)"


async def _latency(store: Store) -> Finding:
    times = []
    for _ in range(_PINGS):
        started = time.perf_counter()
        await store.ping()
        times.append((time.perf_counter() - started) * 1000)
    # The first one pays for the connection.
    usual = statistics.median(times[1:])
    told = f"{usual:.1f} ms from here, {times[0]:.1f} ms with the connection"
    return "latency", WARNING if usual > _SLOW_MS else OK, told


async def _writes(here: Operator) -> Finding:
    key, text = f"{here.store.prefix}:doctor:{token_hex(8)}", token_hex(8)
    upstash = here.store.upstash
    await upstash.command("SET", key, text, "EX", "60")
    read = await upstash.command("GET", key)
    await upstash.command("DEL", key)
    return "read and write", OK if read == text else FAILURE, "works" if read == text else "gives back something else"


async def _flag(store: Store) -> Finding:
    await store.upstash.run(_PROBE, [], [])
    if store.upstash.knows_flag:
        return "scripts", OK, "run, and lock no more than their keys"
    return "scripts", WARNING, "run, but this server does not know allow-key-locking: each locks the whole database"


async def _clock(store: Store) -> Finding:
    before = wall_clock()
    reply = await store.upstash.command("TIME")
    after = wall_clock()
    seconds, micros = map(whole, items(reply, 2))
    ahead = seconds * 1000 + micros // 1000 - (before + after) // 2
    told = f"the store is {abs(ahead)} ms {'ahead of' if ahead > 0 else 'behind'} this machine"
    return "clock", WARNING if abs(ahead) > _SKEW_MS else OK, told


async def _deployment(url: str) -> Finding:
    """Ask a deployment how it is, as a page would: CORS headers that come twice hide every answer from a browser."""
    try:
        async with httpx.AsyncClient(timeout=10, follow_redirects=False) as client:
            answer = await client.get(url.rstrip("/") + "/health", headers={"Origin": _ORIGIN})
    except (httpx.HTTPError, httpx.InvalidURL) as error:
        return "deployment", FAILURE, f"{url} does not answer ({type(error).__name__})"
    if answer.status_code != 200:
        return "deployment", FAILURE, f"{url}/health answers {answer.status_code}"
    allowed = answer.headers.get_list("access-control-allow-origin")
    if len(allowed) > 1 or "," in "".join(allowed):
        return "deployment", FAILURE, "CORS headers come twice: turn them off on the platform, the functions send them"
    return "deployment", OK, f"{url} is up"
