"""The Lambda archive: our files and the packages they need, compiled, and the same bytes whenever it is built again."""

import hashlib
import os
import shutil
import sys
import tempfile
import zipfile
from dataclasses import dataclass
from pathlib import Path

from tools.deploy.machine import DIST, ROOT, copy_sources, find_python, run, sources

# What ships; a word filter of one's own may lie in a module beside boards.toml.
OURS = ("functions/**/*.py", "lib/**/*.py", "lib/**/*.lua", "*.py", "boards*.toml")
# Lambda unpacks the archive here, and tracebacks should say so.
HOME = "/var/task"
PLATFORMS = {"arm64": "aarch64-manylinux2014", "x86_64": "x86_64-manylinux2014"}
# Of the packages, what belongs to others' old ways and other loops, and is only imported by those who use them.
NEEDLESS = ("pydantic/v1", "anyio/_backends/_trio.py", "anyio/pytest_plugin.py", "bin")
# What an installer leaves for itself: it tells of this machine. Metadata stays, some packages read their version there.
LEFTOVERS = ("*.dist-info/RECORD", "*.dist-info/INSTALLER", "*.dist-info/REQUESTED", "*.dist-info/*.json", ".lock")
# An archive has no time of its own; this is the first that the format knows.
EPOCH = (1980, 1, 1, 0, 0, 0)


@dataclass(frozen=True)
class Target:
    """What an archive is for: a machine, `arm64` or `x86_64`, and a Python, `3.13`."""

    machine: str
    python: str

    @property
    def path(self) -> Path:
        """The archive that `make lambda` leaves."""
        return DIST / f"laurel-{self.machine}-python{self.python}.zip"


def digest() -> str:
    """Return what the archives are made from, as one hash: one with another is out of date."""
    state = hashlib.sha256()
    for path in [*sources(*OURS), ROOT / "uv.lock"]:
        state.update(f"{path.relative_to(ROOT)}\0".encode() + path.read_bytes())
    return state.hexdigest()


def is_fresh(path: Path) -> bool:
    """Return whether an archive is there and was made from the files as they are now."""
    if not path.exists():
        return False
    with zipfile.ZipFile(path) as archive:
        return archive.comment.decode() == digest()


def build(target: Target, path: Path, *, compiled: bool = True) -> None:
    """Write the archive of a target; without an interpreter of its version, it has no bytecode."""
    with tempfile.TemporaryDirectory() as folder:
        stage = Path(folder) / "stage"
        install_packages(target, stage)
        copy_sources(stage, *OURS)
        if compiled and (python := find_python(target.python)):
            _compile(python, stage)
        _pack(stage, path)


def install_packages(target: Target, stage: Path, *options: str) -> None:
    """Put the locked packages for a target into a folder: those that ship, or those that `uv export` options name."""
    extras = (option for extra in os.environ.get("EXTRAS", "").split() for option in ("--extra", extra))
    chosen = options or ("--no-dev", *extras)
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as requirements:
        requirements.write(run("uv", "export", "--quiet", "--frozen", "--no-emit-project", *chosen))
        requirements.flush()
        run(
            *("uv", "pip", "install", "--quiet", "--target", stage, "--requirements", requirements.name),
            *("--python", sys.executable, "--python-version", target.python, "--only-binary", ":all:"),
            *("--python-platform", PLATFORMS[target.machine]),
        )
    for path in [path for pattern in (*NEEDLESS, *LEFTOVERS) for path in stage.glob(pattern)]:
        shutil.rmtree(path) if path.is_dir() else path.unlink()


def _compile(python: Path, stage: Path) -> None:
    # Unchecked, because Lambda mounts the files with times of its own; a fixed seed, because sets are written in order.
    run(
        *(python, "-m", "compileall", "-q", "--invalidation-mode", "unchecked-hash", "-s", stage, "-p", HOME, stage),
        environ={"PYTHONHASHSEED": "0", "PYTHONDONTWRITEBYTECODE": ""},
    )


def _pack(stage: Path, path: Path) -> None:
    path.parent.mkdir(exist_ok=True)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for file in sorted(stage.rglob("*")):
            if file.is_file():
                info = zipfile.ZipInfo(file.relative_to(stage).as_posix(), EPOCH)
                info.compress_type, info.external_attr = zipfile.ZIP_DEFLATED, 0o100644 << 16
                archive.writestr(info, file.read_bytes())
        archive.comment = digest().encode()
