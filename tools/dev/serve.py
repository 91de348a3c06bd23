"""The child of `make dev`: serves the functions and the static files on a socket it is handed, until told to stop."""

import importlib
import os
import socket
import sys
import threading
import time
from pathlib import Path

import uvicorn

from lib.boards import toml_file
from lib.errors import Misconfigured
from lib.settings import Settings
from tools.dev.static_files import StaticSite

ROOT = Path(__file__).resolve().parents[2]
MISCONFIGURED = 78
"""The exit status that says a line about the configuration was printed (EX_CONFIG of sysexits.h)."""


def main(descriptor: int) -> int:
    """Serve on the listening socket `descriptor` until standard input ends; return an exit status."""
    try:
        toml_file.load(Settings.read(os.environ).boards_path)
        functions = importlib.import_module("functions.web").app
    except Misconfigured as error:
        print(error.detail, file=sys.stderr)
        return MISCONFIGURED
    config = uvicorn.Config(
        StaticSite(functions, ROOT / "public"),
        # uvicorn by itself believes X-Forwarded-For from loopback, and then any client could choose its address.
        proxy_headers=False,
        log_level="warning",
        ws="none",
        timeout_graceful_shutdown=2,
    )
    server = uvicorn.Server(config)
    threading.Thread(target=_stop_with_the_parent, args=[server], daemon=True).start()
    server.run([socket.socket(fileno=descriptor)])
    return 0


def _stop_with_the_parent(server: uvicorn.Server) -> None:
    """Stop the server when the pipe from the parent closes, whether it asked for that or was killed."""
    sys.stdin.buffer.read()
    server.should_exit = True
    # The parent may be gone, and then nobody else would end an answer that never comes.
    time.sleep(5)
    os._exit(1)


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1])))
