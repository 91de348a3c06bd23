"""What a game's page does with laurel.js, and what became of it."""

from typing import Any

from playwright.async_api import Page

from tests.browser.chromium import Stack

CORS = {"Access-Control-Allow-Origin": "*", "Access-Control-Expose-Headers": "Retry-After"}


async def call(page: Page, script: str, **values: Any) -> Any:
    """Run a script with `board(name)` at hand; a LaurelError comes back as its code."""
    return await page.evaluate(
        """async ({ script, values }) => {
          const board = (name) => laurel(url, { board: name });
          const run = new (async () => {}).constructor("board", ...Object.keys(values), script);
          try { return await run(board, ...Object.values(values)); }
          catch (error) { return error instanceof LaurelError ? { code: error.code } : { broken: String(error) }; }
        }""",
        {"script": script, "values": values},
    )


async def kept(page: Page) -> list[str]:
    """Return the keys of what the page keeps to send."""
    keys: list[str] = await page.evaluate("Object.keys(localStorage).filter((key) => key.startsWith('laurel:queue:'))")
    return keys


def sums(local: Stack) -> dict[str, float]:
    """Return the total of each player of the board that adds up."""
    return {row["player"]: row["score"] for row in local.top("sum")}
