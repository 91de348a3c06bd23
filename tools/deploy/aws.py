"""`make lambda`: build the archives, have osls make the stack's template, and try an archive on the runtime."""

import platform
import shutil
import sys
import tempfile
from pathlib import Path

from tools.deploy.archive import Target, build, install_packages
from tools.deploy.machine import (
    DIST,
    PACKAGES,
    ROOT,
    FailedError,
    check_node,
    find_python,
    megabytes,
    run,
    step,
    try_out,
)

PYTHON = "3.13"
TARGETS = (Target("arm64", PYTHON), Target("x86_64", PYTHON))
TEMPLATE = DIST / "serverless" / "cloudformation-template-update-stack.json"
# Enough for osls to make a template; a real deployment's own would be left behind in dist/.
STAND_INS = {
    "UPSTASH_REDIS_REST_URL": "https://name.upstash.io",
    "UPSTASH_REDIS_REST_TOKEN": "stand-in",
    "LAUREL_ORIGINS": "*",
    "LAUREL_PREFIX": "laurel",
    "LAUREL_SECRET": "",
    "LAUREL_SERVER_TOKEN": "",
    "LAUREL_TIMEOUT": "",
    "LAUREL_TRUST_PROXY": "",
    "LAUREL_NAME_FILTER": "",
    "DATABASE_URL": "",
}


def runnable() -> Target | None:
    """Return the target whose archive this machine can run: for Lambda's Python where it is here, else for ours."""
    machine = {"x86_64": "x86_64", "aarch64": "arm64"}.get(platform.machine())
    if sys.platform != "linux" or machine is None:
        return None
    ours = f"{sys.version_info.major}.{sys.version_info.minor}"
    return Target(machine, PYTHON if find_python(PYTHON) else ours)


def runtime(target: Target) -> Path:
    """Return the folder that holds Lambda's runtime client for a target."""
    return DIST / f"awslambdaric-{target.machine}-python{target.python}"


def _install_runtime(target: Target) -> None:
    folder = runtime(target)
    shutil.rmtree(folder, ignore_errors=True)
    with tempfile.TemporaryDirectory() as unwanted:
        # The group holds more than the runtime client; its locked versions are what counts.
        everything = Path(unwanted) / "all"
        install_packages(target, everything, "--only-group", "deploy")
        folder.mkdir(parents=True)
        for part in ("awslambdaric", "simplejson", "snapshot_restore_py", "runtime_client"):
            for path in everything.glob(f"{part}*"):
                shutil.move(path, folder / path.name)


def _build(target: Target) -> None:
    build(target, target.path)
    bytecode = "with bytecode" if find_python(target.python) else "WITHOUT bytecode"
    step(f"{target.path.relative_to(ROOT)}: {megabytes(target.path.stat().st_size)}, {bytecode}")


def _make_template() -> None:
    environ = {**STAND_INS, "SLS_TELEMETRY_DISABLED": "1"}
    run(PACKAGES / "osls", "package", "--package", TEMPLATE.parent, environ=environ)
    run(Path(sys.executable).parent / "cfn-lint", TEMPLATE)
    step(f"{TEMPLATE.relative_to(ROOT)}: passes cfn-lint")


def main() -> int:
    """Build, check and try; return an exit status."""
    try:
        check_node()
        target = runnable()
        for wanted in dict.fromkeys((*TARGETS, *([target] if target else []))):
            _build(wanted)
        if not find_python(PYTHON):
            step(f"No Python {PYTHON} here: the archives for Lambda have no bytecode, and start about 0.3 s later.")
        _make_template()
        if target is None:
            step("The archives hold Linux packages: they are not tried on this machine.")
            return 0
        _install_runtime(target)
    except FailedError as error:
        print(error, file=sys.stderr)
        return 1
    return try_out("tests/deploy/test_lambda.py", "tests/deploy/test_parity.py", "-k", "not vercel")


if __name__ == "__main__":
    sys.exit(main())
