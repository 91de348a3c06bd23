"""A store for functions to talk to, and the file of the boards that a module of tests declares."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.deploy.builds import WatchedStore, watched_store


@pytest.fixture
def store() -> Iterator[WatchedStore]:
    """Give a store that counts its connections, and can be slow."""
    with watched_store() as watched:
        yield watched


@pytest.fixture
def boards(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """Give a file with the `BOARDS` of the module."""
    path = tmp_path / "boards.toml"
    path.write_text(request.module.BOARDS)
    return path
