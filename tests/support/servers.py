"""Servers for tests, on free loopback ports, gone when their block ends."""

import shutil
import socket
import subprocess
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress

import redis
import uvicorn
from starlette.types import ASGIApp


def free_port() -> int:
    """Return a loopback port nobody listens on at the moment."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextmanager
def redis_server(port: int | None = None) -> Iterator[str]:
    """Run a Redis server that keeps nothing on disk, on a free port unless one is named; give its `redis://` URL."""
    program = shutil.which("redis-server")
    assert program, "redis-server is not on this machine"
    port = port or free_port()
    with tempfile.TemporaryDirectory() as directory:
        options = ["--port", str(port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no", "--dir", directory]
        process = subprocess.Popen([program, *options], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            _wait_for_redis(port, process)
            yield f"redis://127.0.0.1:{port}"
        finally:
            process.terminate()
            process.wait(10)


def _wait_for_redis(port: int, process: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + 10
    while time.monotonic() < deadline and process.poll() is None:
        with suppress(redis.ConnectionError), redis.Redis(port=port) as client:
            client.ping()
            return
        time.sleep(0.02)
    raise RuntimeError(f"redis-server did not start on port {port}")


@contextmanager
def serve(app: ASGIApp, *, keep_alive: int = 5) -> Iterator[str]:
    """Run an ASGI application in a thread, and give its `http://` address; idle connections last `keep_alive` s."""
    # The protocol is spelt out because asyncio sets TCP_NODELAY only on sockets that name it.
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP) as listener:
        listener.bind(("127.0.0.1", 0))
        config = uvicorn.Config(
            app,
            log_level="warning",
            proxy_headers=False,
            ws="none",
            timeout_keep_alive=keep_alive,
            timeout_graceful_shutdown=2,
        )
        server = uvicorn.Server(config)
        thread = threading.Thread(target=server.run, args=([listener],), daemon=True)
        thread.start()
        try:
            deadline = time.monotonic() + 10
            while not server.started:
                if not thread.is_alive() or time.monotonic() > deadline:
                    raise RuntimeError("the application did not start")
                time.sleep(0.005)
            yield f"http://127.0.0.1:{listener.getsockname()[1]}"
        finally:
            server.should_exit = True
            thread.join(10)
