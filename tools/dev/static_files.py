"""The static files of `public/` in front of the functions, answered as Vercel answers them."""

import mimetypes
from pathlib import Path

from starlette.exceptions import HTTPException
from starlette.responses import Response
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Receive, Scope, Send

# A page of any origin may load these two, as modules too; vercel.json says the same.
_SHARED = frozenset({"/laurel.js", "/laurel-board.js"})

# The machine's own tables differ between systems, and some call JavaScript plain text.
for _ending, _kind in {
    ".js": "text/javascript",
    ".mjs": "text/javascript",
    ".css": "text/css",
    ".svg": "image/svg+xml",
    ".json": "application/json",
    ".woff2": "font/woff2",
    ".wasm": "application/wasm",
}.items():
    mimetypes.add_type(_kind, _ending)


class StaticSite:
    """An ASGI application: a file where there is one, else whatever `functions` answers."""

    def __init__(self, functions: ASGIApp, directory: Path) -> None:
        self._functions = functions
        self._files = StaticFiles(directory=directory, check_dir=False)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one ASGI connection."""
        answer: ASGIApp = self._functions
        if scope["type"] == "http" and scope["method"] in ("GET", "HEAD"):
            answer = await self._file(scope) or answer
        await answer(scope, receive, send)

    async def _file(self, scope: Scope) -> Response | None:
        path = self._files.get_path(scope)
        for candidate in (path, f"{path}/index.html"):
            try:
                response = await self._files.get_response(candidate, scope)
            except HTTPException:  # not there, not readable, or outside of the directory
                continue
            response.headers["Cache-Control"] = "public, max-age=0, must-revalidate"
            if scope["path"] in _SHARED:
                response.headers["Access-Control-Allow-Origin"] = "*"
            return response
        return None
