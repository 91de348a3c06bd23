"""Top: pages of one standing or of several, from what a process kept of them where the board allows that."""

from collections.abc import Sequence
from typing import Any

from lib.deployment import Deployment
from lib.reading.page_cache import KeptPage
from lib.reading.queries import TopQuery
from lib.reading.rows import resets_in
from lib.reading.selection import selected_standing, selected_standings
from lib.reading.top import Page, read_top_with_player, read_tops
from lib.schemas.reads import Top, Tops, TopWithPlayer


class Shown:
    """What was asked for, as it was read just now or is kept, at one moment (ms)."""

    def __init__(self, pages: list[Page], kept: KeptPage, now: int) -> None:
        self.kept, self.now = kept, now
        self._pages = pages

    @property
    def is_over(self) -> bool:
        """Whether the period of the (first) standing is past."""
        return resets_in(self._pages[0].standing.period, self.now) == 0

    @property
    def lasting(self) -> int:
        """How long (ms) others may keep it from now; 0 where nobody may."""
        return _lasting(self._pages, self.now) if self.kept.until > self.now else 0

    def fields(self) -> dict[str, Any]:
        """Return the answer, with the countdown of each standing as it is now."""
        if "tops" not in self.kept.fields:
            return self._with_countdown(self.kept.fields, self._pages[0])
        tops = zip(self.kept.fields["tops"], self._pages, strict=True)
        return {"tops": [self._with_countdown(fields, page) for fields, page in tops]}

    def _with_countdown(self, fields: dict[str, Any], page: Page) -> dict[str, Any]:
        return {**fields, "resets_in": resets_in(page.standing.period, self.now)}


def _identity(page: Page) -> tuple[object, ...]:
    """Return what tells a page from every other of its board, periods that begin included."""
    standing = page.standing
    return (standing.period.window, standing.period.id, *sorted(standing.selection.items()), page.limit, page.offset)


def _without_countdown(answer: Top) -> dict[str, Any]:
    """Return an answer without the one field that changes by itself."""
    return {**answer.model_dump(), "resets_in": None}


def _lasting(pages: Sequence[Page], now: int) -> int:
    """Return how long (ms) pages of one board may be kept: its `cache`, yet not past a reset to come."""
    resets = [resets_in(page.standing.period, now) for page in pages]
    return min([pages[0].standing.board.cache, *(seconds * 1000 for seconds in resets if seconds)])


async def show(here: Deployment, query: TopQuery, now: int) -> Shown:
    """Read pages or find them among those that are kept; raise what is wrong with the query, and StoreUnavailable."""
    query.refuse_mixed()
    board = here.board(query.board)
    if query.is_plural:
        pages = [Page(standing, query.limit) for standing in selected_standings(board, query, now)]
    else:
        pages = [Page(selected_standing(board, query, now), query.limit, query.offset)]
    if query.player is not None:
        with_player = await read_top_with_player(here.store, pages[0], query.player, now)
        return Shown(pages, KeptPage.of(_without_countdown(with_player), query.limit, now, until=now), now)
    key = (board.name, query.is_plural, query.v, *(_identity(page) for page in pages))
    kept = here.pages.get(key, now) if board.cache else None
    if kept is None:
        tops = await read_tops(here.store, pages, now)
        shown = [_without_countdown(one) for one in tops]
        rows = sum(len(one.entries) for one in tops)
        fields = {"tops": shown} if query.is_plural else shown[0]
        kept = KeptPage.of(fields, rows, now, until=now + _lasting(pages, now))
        if kept.until > now:
            here.pages.keep(key, kept)
    return Shown(pages, kept, now)


async def top(here: Deployment, query: TopQuery, now: int) -> Top | TopWithPlayer | Tops:
    """Answer with pages."""
    fields = (await show(here, query, now)).fields()
    if query.is_plural:
        return Tops.model_validate(fields)
    return (Top if query.player is None else TopWithPlayer).model_validate(fields)
