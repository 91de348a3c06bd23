"""A browser, a visitor, and a stack to visit."""

from collections.abc import AsyncIterator, Iterator

import pytest
from playwright.async_api import Browser, BrowserContext

from tests.browser.chromium import Stack, chromium, stack, visit


@pytest.fixture(scope="module")
async def browser() -> AsyncIterator[Browser]:
    """Give one browser for the module."""
    async with chromium() as launched:
        yield launched


@pytest.fixture
async def visitor(browser: Browser) -> AsyncIterator[BrowserContext]:
    """Give a visitor who has never been here."""
    async with visit(browser) as context:
        yield context


@pytest.fixture(scope="module")
def running() -> Iterator[Stack]:
    """Give one stack for the module."""
    with stack() as served:
        yield served


@pytest.fixture
def local(running: Stack) -> Stack:
    """Give the stack, empty."""
    running.clear()
    return running
