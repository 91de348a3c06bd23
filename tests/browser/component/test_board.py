"""`<laurel-board>` in Chromium, on a game's page of another origin: what stands in it, and how one moves about."""

import pytest
from playwright.async_api import BrowserContext, expect

from tests.browser.chromium import Stack, pass_time
from tests.browser.component.pages import embed, own, shown, texts

pytestmark = pytest.mark.needs("chromium")


async def test_one_real_table_in_an_open_shadow_root(local: Stack, visitor: BrowserContext) -> None:
    """Ranks, names and scores stand in the cells of a table with heads."""
    page = await shown(visitor, local, 'board="best" limit="3"')
    assert (
        await page.evaluate("document.querySelector('laurel-board').shadowRoot.querySelectorAll('table').length") == 1
    )
    assert await texts(page, "th") == ["Rank", "Player", "Score"]
    assert await texts(page, "tbody td:nth-child(1)") == ["1", "2", "3"]
    assert await texts(page, "tbody td:nth-child(2)") == ["Player 1", "Player 2", "Player 3"]
    assert await texts(page, "tbody td:nth-child(3)") == ["10,000", "9,000", "8,000"]
    assert await own(page).count() == 0
    assert await texts(page, "[part=total]") == ["10 ranked"]


@pytest.mark.parametrize(
    ("player", "ranks", "mine"),
    [
        ("p2", ["1", "2", "3"], "Player 2"),
        ("p4", ["1", "2", "3", "4", "5"], "Player 4"),
        ("p8", ["1", "2", "3", "7", "8", "9"], "Player 8"),
        ("p10", ["1", "2", "3", "9", "10"], "Player 10"),
    ],
)
async def test_the_own_row_is_always_there(
    local: Stack, visitor: BrowserContext, player: str, ranks: list[str], mine: str
) -> None:
    """On the page it is marked; off the page it follows with its neighbours, nobody shown twice."""
    page = await shown(visitor, local, f'board="best" limit="3" player="{player}"')
    assert await texts(page, "tbody td:nth-child(1)") == ranks
    assert await own(page).locator("td").nth(1).inner_text() == mine


async def test_an_unknown_player_changes_nothing(local: Stack, visitor: BrowserContext) -> None:
    """Whoever is not ranked has no row, and that is no error."""
    page = await shown(visitor, local, 'board="best" limit="3" player="nobody"')
    assert await texts(page, "tbody td:nth-child(1)") == ["1", "2", "3"]
    assert await own(page).count() == 0


async def test_tabs_by_mouse_and_by_keyboard(local: Stack, visitor: BrowserContext) -> None:
    """One tab is selected, arrows, Home and End move, and the countdown is of the period that is shown."""
    page = await shown(visitor, local, 'board="best" windows="all,daily" limit="2"')
    tabs = page.locator("laurel-board").get_by_role("tab")
    assert await tabs.all_inner_texts() == ["All time", "Today"]
    selected = page.locator("laurel-board").locator('[role=tab][aria-selected="true"]')
    await expect(selected).to_have_text("All time")
    await expect(page.locator("laurel-board").locator("[part=reset]")).to_be_empty()
    await tabs.nth(1).click()
    await expect(selected).to_have_text("Today")
    await expect(page.locator("laurel-board").locator("[part=reset]")).to_contain_text("Resets in")
    for key, wanted in (
        ("ArrowRight", "All time"),
        ("ArrowLeft", "Today"),
        ("Home", "All time"),
        ("End", "Today"),
        ("ArrowLeft", "All time"),
    ):
        await page.keyboard.press(key)
        await expect(selected).to_have_text(wanted)
        await expect(selected).to_be_focused()
    assert await page.locator("laurel-board").get_attribute("window") == "all"
    await expect(page.locator("laurel-board").locator("[part=reset]")).to_be_empty()
    panel = page.locator("laurel-board").get_by_role("tabpanel")
    assert await panel.get_attribute("aria-labelledby") == await selected.get_attribute("id")


async def test_an_empty_board_and_an_error_say_so(local: Stack, visitor: BrowserContext) -> None:
    """Neither leaves a blank: a text, or an alert; when the board can be read again the alert goes away."""
    page = await shown(visitor, local, 'board="sum"')
    assert await texts(page, "[part=empty]") == ["No scores yet. The first place is free."]
    assert await page.locator("laurel-board").locator("[role=alert]").count() == 0
    page = await shown(visitor, local, 'board="nope"')
    assert await texts(page, "[role=alert]") == ["This leaderboard cannot be shown."]
    local.store.down = True
    page = await visitor.new_page()
    await page.clock.install()
    await embed(page, local, 'board="best" label-error="Gerade nicht"')
    await page.clock.run_for(100)
    await expect(page.locator("laurel-board").locator("[role=alert]")).to_have_text("Gerade nicht")
    local.store.down = False
    await pass_time(page, 30)
    await expect(page.locator("laurel-board").locator("tbody tr")).to_have_count(10)
    assert await page.locator("laurel-board").locator("[role=alert]").count() == 0


async def test_an_error_leaves_what_is_shown(local: Stack, visitor: BrowserContext) -> None:
    """A refresh that fails adds an alert, and takes nothing away."""
    page = await shown(visitor, local, 'board="best" limit="3"')
    local.store.down = True
    await page.evaluate("document.querySelector('laurel-board').refresh()")
    local.store.down = False
    assert await page.locator("laurel-board").locator("[role=alert]").count() == 1
    assert len(await texts(page, "tbody tr")) == 3


@pytest.mark.parametrize(
    "change", ["setAttribute('window', 'daily')", "setAttribute('board', 'nope')", "setAttribute('splits', 'mode:a')"]
)
async def test_an_error_leaves_nothing_of_another_standing(local: Stack, visitor: BrowserContext, change: str) -> None:
    """Rows of all time are not today's: what was asked for cannot be shown, and nothing else is in its place."""
    page = await shown(visitor, local, 'board="best" windows="all,daily" limit="3"')
    assert len(await texts(page, "tbody tr")) == 3
    local.store.down = True
    try:
        await page.evaluate(f"document.querySelector('laurel-board').{change}")
        await expect(page.locator("laurel-board").locator("[role=alert]")).to_have_count(1)
        assert await texts(page, "table, [part=empty]") == []
        assert "".join(await texts(page, "[part=total], [part=reset]")) == ""
    finally:
        local.store.down = False


async def test_scores_are_written_as_asked(local: Stack, visitor: BrowserContext) -> None:
    """Numbers in the page's language, points with their word, times with as many decimals as any of the page."""
    page = await shown(visitor, local, 'board="best" limit="1" format="points" label-points="{n} Punkte"', lang="de")
    assert await texts(page, "tbody td:nth-child(3)") == ["10.000 Punkte"]
    page = await shown(visitor, local, 'board="split" limit="2" format="time"')
    assert await texts(page, "tbody td:nth-child(3)") == ["20:34.5", "20:33.5"]
    page = await shown(visitor, local, 'board="best" limit="2" format="time"')
    assert await texts(page, "tbody td:nth-child(3)") == ["2:46:40", "2:30:00"]
    page = await shown(visitor, local, 'board="best" limit="2" format="time" unit="ms"')
    assert await texts(page, "tbody td:nth-child(3)") == ["0:10", "0:09"]


async def test_labels_are_translated_by_attributes(local: Stack, visitor: BrowserContext) -> None:
    """Every word comes from an attribute where there is one, also when it changes."""
    page = await shown(
        visitor,
        local,
        'board="best" limit="2" windows="daily,all" player="p1" label-rank="Platz" label-player="Name" '
        'label-score="Punkte" label-daily="Heute" label-all="Ewig" label-title="Bestenliste" '
        'label-total="{n} dabei" label-resets="Neu in {time}" label-you="Du"',
        lang="de",
    )
    assert await texts(page, "th") == ["Platz", "Name", "Punkte"]
    assert await texts(page, "[role=tab]") == ["Heute", "Ewig"]
    assert await texts(page, "caption") == ["Bestenliste"]
    assert await texts(page, "[part=total]") == ["10 dabei"]
    assert (await texts(page, "[part=reset]"))[0].startswith("Neu in ")
    await page.evaluate("document.querySelector('laurel-board').setAttribute('label-rank', 'Rang')")
    await expect(page.locator("laurel-board").locator("th").first).to_have_text("Rang")
