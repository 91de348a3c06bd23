"""A local endpoint that is being served, for the tests of the protocol and those of the scripts."""

from dataclasses import dataclass
from typing import Any

import httpx

from tools.upstash_emulator.endpoint import Endpoint

TOKEN = "a-token"
LOCKING = "#!lua flags=allow-key-locking\n"


@dataclass
class Local:
    """One endpoint that is being served."""

    endpoint: Endpoint
    url: str
    http: httpx.Client

    def send(self, body: Any, path: str = "/", **headers: str) -> httpx.Response:
        """Post a JSON body."""
        return self.http.post(path, json=body, headers=headers)

    def ask(self, *command: object) -> Any:
        """Return the result of one command, or its error text."""
        answer = self.send(command)
        document = answer.json()
        assert answer.status_code == (400 if "error" in document else 200)
        return document.get("error", document.get("result"))

    def forget(self) -> None:
        """Empty its Redis, of scripts too."""
        self.send([["FLUSHALL"], ["SCRIPT", "FLUSH"]], "/pipeline")
