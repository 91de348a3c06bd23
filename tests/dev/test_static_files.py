"""A file of `public/` comes before a function, as on Vercel, and nothing outside of it is served."""

from collections.abc import Iterator

import httpx
import pytest
from starlette.responses import PlainTextResponse
from starlette.types import Receive, Scope, Send

from tests.support.servers import serve
from tools.dev.static_files import StaticSite


async def functions(scope: Scope, receive: Receive, send: Send) -> None:
    """Answer everything alike."""
    if scope["type"] == "http":
        await PlainTextResponse(f"function {scope['path']}")(scope, receive, send)


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[httpx.Client]:
    """Serve a small `public/`, beside a file that is none of it."""
    root = tmp_path_factory.mktemp("root")
    (root / "secret.txt").write_text("secret")
    public = root / "public"
    (public / "demo").mkdir(parents=True)
    for name in ("index.html", "laurel.js", "laurel-board.js", "top", "demo/index.html", "demo/game.css"):
        (public / name).write_text(f"file {name}")
    (public / "link.txt").symlink_to(root / "secret.txt")
    with serve(StaticSite(functions, public)) as url, httpx.Client(base_url=url) as http:
        yield http


@pytest.mark.parametrize(
    ("path", "name", "kind"),
    [
        ("/", "index.html", "text/html; charset=utf-8"),
        ("/laurel.js", "laurel.js", "text/javascript; charset=utf-8"),
        ("/demo/game.css", "demo/game.css", "text/css; charset=utf-8"),
        ("/demo/", "demo/index.html", "text/html; charset=utf-8"),
        ("/top", "top", "application/octet-stream"),
    ],
)
def test_a_file_is_served_with_its_type(client: httpx.Client, path: str, name: str, kind: str) -> None:
    answer = client.get(path)
    assert (answer.status_code, answer.text, answer.headers["content-type"]) == (200, f"file {name}", kind)
    assert client.head(path).headers["content-length"] == str(len(answer.content))
    assert client.get(path, headers={"If-None-Match": answer.headers["etag"]}).status_code == 304


@pytest.mark.parametrize("path", ["/submit", "/nothing.js", "/demo/nothing", "/%00", "/" + "x" * 300])
def test_what_is_no_file_goes_to_the_functions(client: httpx.Client, path: str) -> None:
    assert client.get(path).text.startswith("function /")


def test_a_method_that_files_do_not_have_goes_to_the_functions(client: httpx.Client) -> None:
    assert client.post("/top").text == "function /top"


def test_only_the_client_and_the_component_may_be_loaded_by_other_origins(client: httpx.Client) -> None:
    allowed = {path: client.get(path).headers.get("access-control-allow-origin") for path in ("/laurel.js", "/")}
    assert allowed == {"/laurel.js": "*", "/": None}
    assert client.get("/laurel-board.js").headers["access-control-allow-origin"] == "*"


@pytest.mark.parametrize(
    "path",
    ["/../secret.txt", "/%2e%2e/secret.txt", "/demo/../../secret.txt", "/..%2fsecret.txt", "//etc/passwd", "/link.txt"],
)
def test_nothing_outside_is_served(client: httpx.Client, path: str) -> None:
    # A client would tidy the path up; the raw target goes out as it is.
    target = httpx.URL(client.base_url).copy_with(raw_path=path.encode())
    answer = client.send(httpx.Request("GET", client.base_url, extensions={"target": target.raw_path}))
    assert answer.text.startswith("function ")
