"""The engines that scripts can run on: Redis' own C Lua, or gopher-lua in front of a Redis."""

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.support.servers import free_port

_SOURCES = Path(__file__).parent / "gopher_lua"


def build_gopher_lua(directory: Path) -> Path:
    """Build the server into a directory, from the machine's own packages alone; return its path."""
    program = directory / "gopher-lua"
    # Debian keeps the sources of Go libraries in a GOPATH of its own.
    environ = {**os.environ, "GO111MODULE": "off", "GOPATH": "/usr/share/gocode", "GOFLAGS": ""}
    subprocess.run(["go", "build", "-o", program, "."], cwd=_SOURCES, env=environ, check=True)
    return program


@contextmanager
def gopher_lua(program: Path, url: str, *, exponents: bool = False) -> Iterator[str]:
    """Run the server before a Redis; give its `redis://` URL. `exponents` makes it spell scores as `1e-07`, `1e+15`."""
    options = [f"-listen=127.0.0.1:{free_port()}", f"-redis={url.removeprefix('redis://')}", f"-exponents={exponents}"]
    # It ends when its standard input does, so also where this process is killed.
    process = subprocess.Popen([program, *options], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    with process:
        assert process.stdin
        assert process.stdout
        address = process.stdout.readline().strip()
        assert address, "gopher-lua did not start"
        try:
            yield f"redis://{address}"
        finally:
            process.stdin.close()
            assert process.wait(10) == 0
