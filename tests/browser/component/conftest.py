"""A visitor with a phone, and boards that people play on."""

from collections.abc import AsyncIterator, Iterator

import pytest
from playwright.async_api import Browser, BrowserContext

from tests.browser.chromium import Stack, visit
from tests.browser.component.pages import peopled_stack


@pytest.fixture(scope="module")
def local() -> Iterator[Stack]:
    """Give one stack for the module: ten players on `best`, hostile names on `split`."""
    with peopled_stack() as running:
        yield running


@pytest.fixture
async def visitor(browser: Browser) -> AsyncIterator[BrowserContext]:
    """Give a visitor with a phone."""
    async with visit(browser, viewport={"width": 390, "height": 844}, locale="en-GB") as context:
        yield context
