"""`make vercel`: build with Vercel's own builder, without an account, and answer requests on Vercel's own runtime."""

import hashlib
import json
import shutil
import sys
import tempfile
from pathlib import Path

from tools.deploy.archive import OURS
from tools.deploy.machine import (
    DIST,
    PACKAGES,
    ROOT,
    FailedError,
    check_node,
    find_python,
    megabytes,
    run,
    sources,
    step,
    try_out,
)

# Of those that the platform offers, the one it takes by itself first.
PYTHONS = ("3.12", "3.13", "3.14")
BUILT = DIST / "vercel"
FUNCTION = BUILT / "function"
STATIC = BUILT / "static"
RECEIPT = BUILT / "built.json"
SHIPPED = (*OURS, "public/**/*", "pyproject.toml", "uv.lock", "vercel.json")
# What a deployment never sees, and what other builds left: secrets, environments, caches.
IGNORED = (".git", ".env*", ".venv*", ".vercel", ".*_cache", ".hypothesis", "__pycache__", "dist", "node_modules")


def digest() -> str:
    """Return what a deployment is made from, as one hash: a build of another is out of date."""
    state = hashlib.sha256()
    for path in sources(*SHIPPED):
        state.update(f"{path.relative_to(ROOT)}\0".encode() + path.read_bytes())
    return state.hexdigest()


def built_python() -> Path | None:
    """Return the interpreter that the build in dist/ is for; None where there is no build of the files as they are."""
    if not RECEIPT.exists():
        return None
    receipt = json.loads(RECEIPT.read_text("utf-8"))
    return find_python(receipt["python"]) if receipt["digest"] == digest() else None


def build(stage: Path) -> str:
    """Build in `stage`, a folder that does not exist yet, and move the result to dist/; return its Python's version."""
    version = next((version for version in PYTHONS if find_python(version)), None)
    python = find_python(version) if version else None
    if version is None or python is None:
        raise FailedError(f"Vercel's builder needs Python {' or '.join(PYTHONS)}; this machine has none of them.")
    shutil.copytree(ROOT, stage, ignore=shutil.ignore_patterns(*IGNORED))
    # In place of what somebody who builds in their own folder may have there: a test finds that it is left out.
    (stage / ".env.production").write_text("LAUREL_SECRET=a-decoy\n")
    (stage / ".python-version").write_text(f"{version}\n")
    (stage / ".vercel").mkdir()
    # What `vercel link` would have written; there is no account behind it.
    project = {"projectId": "prj_local", "orgId": "team_local", "settings": {"framework": None}}
    (stage / ".vercel" / "project.json").write_text(json.dumps(project))
    environ = {"VERCEL_TELEMETRY_DISABLED": "1", "VERCEL_PYTHON_COMPILEALL": "1"}
    # The builder looks for an interpreter in PATH, and takes UV_PYTHON for a place to install into.
    run(PACKAGES / "vercel", "build", "--yes", cwd=stage, path=[python.parent], environ=environ)
    _unpack(stage, stage / ".vercel" / "output")
    RECEIPT.write_text(json.dumps({"python": version, "digest": digest()}))
    return version


def _unpack(stage: Path, output: Path) -> None:
    shutil.rmtree(BUILT, ignore_errors=True)
    [function] = (output / "functions").glob("*.func")
    shutil.copytree(function, FUNCTION)
    shutil.copytree(output / "static", STATIC)
    shutil.copyfile(output / "config.json", BUILT / "config.json")
    # The platform collects the files of the function by this map: name there → path here.
    files = json.loads((function / ".vc-config.json").read_text("utf-8"))["filePathMap"]
    for name, path in files.items():
        target = FUNCTION / name
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(stage / path, target)


def main() -> int:
    """Build and try; return an exit status."""
    try:
        check_node()
        with tempfile.TemporaryDirectory() as folder:
            version = build(Path(folder).resolve() / "laurel")
    except FailedError as error:
        print(error, file=sys.stderr)
        return 1
    size = sum(path.stat().st_size for path in FUNCTION.rglob("*") if path.is_file())
    step(f"Built for Vercel, Python {version}: {FUNCTION.relative_to(ROOT)}, {megabytes(size)} unpacked.")
    return try_out("tests/test_deploy_vercel.py", "tests/test_deploy_parity.py", "-k", "not lambda")


if __name__ == "__main__":
    sys.exit(main())
