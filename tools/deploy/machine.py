"""The programs of this machine that a build needs, and how they are run."""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
DIST = ROOT / "dist"
PACKAGES = Path(__file__).parent / "node_modules" / ".bin"
OLDEST_NODE = (20, 19)
# They name an environment of this project, and a builder would install into it.
ENVIRONMENTS = {"PYTHONHOME", "PYTHONPATH", "UV_PROJECT_ENVIRONMENT", "UV_PYTHON", "VIRTUAL_ENV"}


class FailedError(Exception):
    """A build cannot go on; the text says why, and what to do."""


def find_python(*versions: str) -> Path | None:
    """Return the first interpreter of this machine that is one of `versions` ("3.13"), in their order."""
    return next((path for version in versions for path in _pythons(version) if _is_python(path, version)), None)


def _pythons(version: str) -> Iterator[Path]:
    if found := shutil.which(f"python{version}"):
        yield Path(found)
    # Version managers put shims into PATH for versions that are not chosen; the real ones lie here.
    home = Path(os.environ.get("PYENV_ROOT") or Path.home() / ".pyenv")
    yield from sorted(home.glob(f"versions/{version}.*/bin/python3"), reverse=True)
    yield Path(sys.executable)


def _is_python(path: Path, version: str) -> bool:
    code = "import sys; print('%d.%d' % sys.version_info[:2])"
    try:
        done = subprocess.run([path, "-c", code], capture_output=True, text=True, timeout=20, check=False)
    except OSError:
        return False
    return done.stdout.strip() == version


def check_node() -> None:
    """Raise FailedError unless Node is here, and young enough for the builders."""
    wanted = ".".join(map(str, OLDEST_NODE))
    try:
        done = subprocess.run(["node", "--version"], capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        raise FailedError(f"Node {wanted} or later is needed, and there is none.") from None
    version = done.stdout.strip()
    if tuple(int(part) for part in version.lstrip("v").split(".")[:2]) < OLDEST_NODE:
        raise FailedError(f"Node {wanted} or later is needed; this one is {version}.")


def run(
    *command: str | Path, cwd: Path = ROOT, path: Sequence[Path] = (), environ: Mapping[str, str] | None = None
) -> str:
    """Run a program, `path` in front of PATH, and return what it printed; raise FailedError with that if it fails."""
    kept = {name: value for name, value in os.environ.items() if name not in ENVIRONMENTS}
    uv_beside_us = Path(sys.executable).parent
    places = [*map(str, path), str(uv_beside_us), os.environ.get("PATH", os.defpath)]
    given = {**kept, "PATH": os.pathsep.join(places), "UV_PYTHON_DOWNLOADS": "never", **(environ or {})}
    done = subprocess.run(command, cwd=cwd, env=given, capture_output=True, text=True, check=False)
    if done.returncode:
        name = Path(command[0]).name
        raise FailedError(f"{name} ended with status {done.returncode}:\n{done.stdout}{done.stderr}".rstrip())
    return done.stdout + done.stderr


def try_out(*tests: str) -> int:
    """Run tests of what was just built, in the open, and return their status."""
    return subprocess.run([sys.executable, "-m", "pytest", *tests], cwd=ROOT, check=False).returncode


def step(text: str) -> None:
    """Say what was done."""
    print(text, flush=True)


def megabytes(size: int) -> str:
    """Return a size in bytes for people."""
    return f"{size / 1_000_000:.1f} MB"


def sources(*patterns: str, root: Path = ROOT) -> Sequence[Path]:
    """Return the files that match, sorted, without what Python left there; hidden ones have to be named in full."""
    found = {path for pattern in patterns for path in root.glob(pattern) if path.is_file()}
    return sorted(path for path in found if _is_source(path.relative_to(root), patterns))


def _is_source(path: Path, patterns: Sequence[str]) -> bool:
    hidden = any(part.startswith(".") for part in path.parts)
    return "__pycache__" not in path.parts and (not hidden or path.as_posix() in patterns)


def copy_sources(stage: Path, *patterns: str, root: Path = ROOT) -> None:
    """Copy the files of the project that match, and nothing else, into a folder."""
    for source in sources(*patterns, root=root):
        copy = stage / source.relative_to(root)
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source, copy)
