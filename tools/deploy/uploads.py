"""What `vercel deploy` would upload, by its own word: its `--dry` needs an account, so this stands in for one."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from tools.deploy.machine import PACKAGES, run

PROJECT, TEAM = "prj_local", "team_local"
_ANSWERS = {
    "/v2/user": {"user": {"id": "usr_local", "username": "local", "email": "local@laurel.test"}},
    f"/teams/{TEAM}": {"id": TEAM, "slug": "local", "name": "local"},
    f"/v9/projects/{PROJECT}": {"id": PROJECT, "accountId": TEAM, "name": "laurel"},
}


class _Account(BaseHTTPRequestHandler):
    """An account with one project: a plain folder, linked."""

    def do_GET(self) -> None:
        """Answer what the client asks before it looks at the folder."""
        known = _ANSWERS.get(self.path.partition("?")[0])
        body = json.dumps(known or {}).encode()
        self.send_response(200 if known else 404)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing: the build has its own words."""


@contextmanager
def _account() -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), _Account) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            thread.join()


def uploads(folder: Path) -> list[str]:
    """Return the files that a deployment of a linked folder would send; raise FailedError where that is not said."""
    environ = {"VERCEL_TELEMETRY_DISABLED": "1", "NO_UPDATE_NOTIFIER": "1"}
    with _account() as address:
        command = ("deploy", "--dry", "--json", "--api", address, "--token", "standin")
        said = run(PACKAGES / "vercel", *command, cwd=folder, environ=environ)
    told, _ = json.JSONDecoder().raw_decode(said[said.index("{") :])
    return sorted(file["path"] for file in told["files"] if "sha" in file)
