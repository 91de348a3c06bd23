"""`python -m tools.lua`: put the scripts in order; with `--check` say what is not, and what luacheck finds.

A machine that has not got luacheck or npm does without them, but with CI=true.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

from tools.lua.lint import findings, scripts

FOLDER = Path(__file__).resolve().parent


def main(arguments: list[str]) -> int:
    """Format or check; return an exit status."""
    checks = "--check" in arguments
    status = 0
    if _has("npm", "node"):
        if not (FOLDER / "node_modules" / ".package-lock.json").exists():
            subprocess.run(["npm", "ci", "--prefix", FOLDER, "--no-audit", "--no-fund", "--silent"], check=True)
        command = ["node", *map(str, (FOLDER / "format.mjs", *arguments, *scripts()))]
        status = subprocess.run(command, check=False).returncode
    elif os.environ.get("CI") == "true":
        status = 1
    if checks and _has("luacheck"):
        said = findings("luacheck")
        print("\n".join(said), end="\n" if said else "")
        status = status or bool(said)
    elif checks and os.environ.get("CI") == "true":
        status = 1
    return int(status)


def _has(*programs: str) -> bool:
    missing = [program for program in programs if shutil.which(program) is None]
    if missing:
        print(f"{', '.join(missing)} is not on this machine: the Lua scripts are not looked at by it.", file=sys.stderr)
    return not missing


sys.exit(main(sys.argv[1:]))
