"""The local endpoint on a socket it inherits: `python -m bench.endpoint REDIS_URL FILE_DESCRIPTOR`."""

import socket
import sys

import uvicorn

from bench.stand import TOKEN
from tools.upstash_emulator.backends import RedisBackend
from tools.upstash_emulator.endpoint import make_endpoint


def main(redis_url: str, descriptor: int) -> None:
    """Serve until told to stop."""
    config = uvicorn.Config(
        make_endpoint(RedisBackend(redis_url), TOKEN),
        log_level="warning",
        access_log=False,
        proxy_headers=False,
        ws="none",
        timeout_graceful_shutdown=1,
    )
    uvicorn.Server(config).run([socket.socket(fileno=descriptor)])


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
