"""Linter of the scripts: luacheck, on each part with the names it needs, and on each script with its parts in place."""

import re
import subprocess
from pathlib import Path

from lib.storage.scripts import assemble

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "lib" / "storage" / "lua"
PARTS = FOLDER / "parts"
_GLOBALS = ("KEYS", "ARGV")


def scripts() -> list[Path]:
    """Return the files of all scripts and parts, sorted."""
    return sorted(FOLDER.rglob("*.lua"))


def names(part: Path, directive: str) -> list[str]:
    """Return the names after a directive of a part: what it `needs` of others, or `gives`."""
    return " ".join(re.findall(rf"^--#{directive} (.*)$", part.read_text("utf-8"), re.MULTILINE)).split()


def findings(luacheck: str) -> list[str]:
    """Return what luacheck says of the scripts, a line a finding."""
    found: list[str] = []
    for path in scripts():
        if path.parent == PARTS:
            # What a part gives is used elsewhere; a table that it needs may be written to.
            needs = ["--globals", *names(path, "needs")] if names(path, "needs") else []
            unused = [option for name in names(path, "gives") for option in ("--ignore", f"2../^{name}$")]
            found += _run(luacheck, path, path.read_text("utf-8"), *needs, *unused)
        else:
            # A script that needs one name of a part gets all that it gives.
            found += _run(luacheck, path, assemble(path.read_text("utf-8"))[0], "--ignore", "211", "--ignore", "221")
    return found


def _run(luacheck: str, path: Path, text: str, *options: str) -> list[str]:
    command = [luacheck, "-", "--filename", str(path.relative_to(ROOT)), "--formatter", "plain", "--no-config"]
    given = ["--std", "lua51", "--max-line-length", "120", "--read-globals", "redis", *_GLOBALS]
    done = subprocess.run([*command, *given, *options], input=text, capture_output=True, text=True, check=False)
    return (done.stdout + done.stderr).splitlines()
