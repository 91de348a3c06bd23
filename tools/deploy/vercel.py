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
    copy_sources,
    find_python,
    megabytes,
    run,
    sources,
    step,
    try_out,
)
from tools.deploy.uploads import PROJECT, TEAM, uploads

# Of those that the platform offers, the one it takes by itself first.
PYTHONS = ("3.12", "3.13", "3.14")
BUILT = DIST / "vercel"
FUNCTION = BUILT / "function"
STATIC = BUILT / "static"
RECEIPT = BUILT / "built.json"
# The kinds of file that the edge serves. JSON is named one by one: keys come as JSON too.
STATICS = (*(f"public/**/*.{kind}" for kind in ("html", "css", "js", "d.ts", "svg")), "public/openapi.json")
# All that a deployment is made from; .vercelignore and vercel.json say the same.
SHIPPED = (*OURS, *STATICS, "pyproject.toml", "uv.lock", "vercel.json", ".python-version")
IGNORE = ".vercelignore"
# What somebody who deploys from their own folder may have there, none of which may ship.
DECOYS = tuple(
    f"{folder}{name}"
    for folder in (
        "",
        "functions/",
        "lib/",
        "lib/storage/lua/",
        "lib/.aws/",
        "public/",
        "public/demo/",
        "secrets/",
        ".aws/",
    )
    for name in ("id.pem", "id_rsa", "service-account.json", "keys.toml", ".env", ".env.local", ".npmrc", ".keys.py")
)


def digest() -> str:
    """Return what a deployment is made from, as one hash: a build of another is out of date."""
    state = hashlib.sha256()
    for path in sources(*SHIPPED, IGNORE):
        state.update(f"{path.relative_to(ROOT)}\0".encode() + path.read_bytes())
    return state.hexdigest()


def built_python() -> Path | None:
    """Return the interpreter that the build in dist/ is for; None where there is no build of the files as they are."""
    if not RECEIPT.exists():
        return None
    receipt = json.loads(RECEIPT.read_text("utf-8"))
    return find_python(receipt["python"]) if receipt["digest"] == digest() else None


def plant(folder: Path) -> None:
    """Leave decoys in a copy of the project: tests find that they are left out."""
    for decoy in DECOYS:
        (folder / decoy).parent.mkdir(parents=True, exist_ok=True)
        (folder / decoy).write_text("LAUREL_SECRET=a-decoy\n")


def build(stage: Path) -> str:
    """Build in `stage`, a folder that does not exist yet, and move the result to dist/; return its Python's version."""
    version = next((version for version in PYTHONS if find_python(version)), None)
    python = find_python(version) if version else None
    if version is None or python is None:
        raise FailedError(f"Vercel's builder needs Python {' or '.join(PYTHONS)}; this machine has none of them.")
    copy_sources(stage, *SHIPPED, IGNORE)
    plant(stage)
    (stage / ".python-version").write_text(f"{version}\n")
    (stage / ".vercel").mkdir()
    # What `vercel link` would have written; there is no account behind it.
    project = {"projectId": PROJECT, "orgId": TEAM, "settings": {"framework": None}}
    (stage / ".vercel" / "project.json").write_text(json.dumps(project))
    sent = uploads(stage)
    environ = {"VERCEL_TELEMETRY_DISABLED": "1", "VERCEL_PYTHON_COMPILEALL": "1"}
    # The builder looks for an interpreter in PATH, and takes UV_PYTHON for a place to install into.
    run(PACKAGES / "vercel", "build", "--yes", cwd=stage, path=[python.parent], environ=environ)
    _unpack(stage, stage / ".vercel" / "output")
    RECEIPT.write_text(json.dumps({"python": version, "digest": digest(), "uploads": sent}))
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
    if unlisted := [str(path.relative_to(ROOT)) for path in sources("public/**/*") if path not in sources(*STATICS)]:
        step(f"Left out, as of a kind that is not listed: {', '.join(unlisted)}.")
    return try_out("tests/deploy/test_vercel.py", "tests/deploy/test_parity.py", "-k", "not lambda")


if __name__ == "__main__":
    sys.exit(main())
