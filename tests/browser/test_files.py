"""What is true of the browser's files without a browser: their sizes, what they need, what is typed."""

import gzip
import re

import pytest

from tests.browser.chromium import PUBLIC

SIZES = {"laurel.js": 3 * 1024, "laurel-board.js": 8 * 1024}


@pytest.mark.parametrize(("name", "most"), SIZES.items())
def test_the_modules_are_small(name: str, most: int) -> None:
    """Compressed as a server would, they are at most 3 KB and 8 KB."""
    assert len(gzip.compress((PUBLIC / name).read_bytes(), 9)) <= most


def test_the_modules_need_nothing_but_each_other() -> None:
    """The client imports nothing, the component only the client, and neither makes markup from texts."""
    for name, wanted in {"laurel.js": [], "laurel-board.js": ["./laurel.js"]}.items():
        text = (PUBLIC / name).read_text("utf-8")
        assert re.findall(r'\bfrom "([^"]+)"|\bimport\("', text) == wanted
        assert not re.search(r"innerHTML|outerHTML|insertAdjacent|document\.write|\beval\b|new Function", text)


@pytest.mark.parametrize("name", SIZES)
def test_the_types_stand_beside_the_modules(name: str) -> None:
    """Whatever a module exports is declared."""
    exported = re.findall(r"^export (?:class|function) (\w+)", (PUBLIC / name).read_text("utf-8"), re.MULTILINE)
    declared = (PUBLIC / name.replace(".js", ".d.ts")).read_text("utf-8")
    assert exported
    for export in exported:
        assert re.search(rf"^export (?:class|function) {export}\b", declared, re.MULTILINE)


def test_every_label_and_attribute_of_the_component_is_told_of() -> None:
    """The declarations name every attribute, label, part and custom property there is."""
    text = (PUBLIC / "laurel-board.js").read_text("utf-8")
    told = (PUBLIC / "laurel-board.d.ts").read_text("utf-8")
    labels = re.search(r"const LABELS = \{(.*?)\n\};", text, re.DOTALL)
    attributes = re.search(r"\.\.\.\[(.*?)\],", text)
    assert labels
    assert attributes
    words = re.findall(r"^  (\w+):", labels[1], re.MULTILINE)
    words += re.findall(r'"(\w+)"', attributes[1])
    words += [word for parts in re.findall(r'\bpart: "([\w ]+)"', text) for word in parts.split()]
    words += re.findall(r"var\((--laurel-\w+)", text)
    assert not [word for word in words if not re.search(rf"(?<![\w-]){word}(?![\w-])", told)]


def test_what_the_pages_load_is_their_own() -> None:
    """The demo, the reference and all they load name no other host, but for what SVG calls itself."""
    for path in [*PUBLIC.rglob("*.html"), *PUBLIC.rglob("*.css"), *PUBLIC.rglob("*.js"), *PUBLIC.rglob("*.svg")]:
        hosts = re.findall(r"(?:https?:)?//([\w.-]+\.\w+)", path.read_text("utf-8"))
        assert set(hosts) <= {"www.w3.org"}, path
