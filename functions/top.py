"""GET /top: pages of one standing or of several."""

from collections.abc import Mapping, Sequence
from typing import Any

from lib.boards.board import Board
from lib.http.app import Call, Function, Reply
from lib.http.aws_lambda import lambda_entry
from lib.reading.etags import etag_of, matches
from lib.reading.page_cache import KeptPage
from lib.reading.queries import TopQuery
from lib.reading.rows import resets_in
from lib.reading.selection import selected_standing, selected_standings
from lib.reading.svg_card import MEDIA_TYPE, card
from lib.reading.top import Page, read_top_with_player, read_tops
from lib.schemas.reads import Top
from lib.schemas.strict_json import render


async def top(call: Call) -> Reply:
    """Answer with pages, from what was kept of them where the board allows that."""
    here, now = call.deployment, call.now
    query = TopQuery.read(call.query)
    board = here.board(query.board)
    if query.is_plural:
        pages = [Page(standing, query.limit) for standing in selected_standings(board, query, now)]
    else:
        pages = [Page(selected_standing(board, query, now), query.limit, query.offset)]
    if query.player is not None:
        with_player = await read_top_with_player(here.store, pages[0], query.player, now)
        return _reply(call, query, pages, KeptPage.of(_still(with_player), query.limit, now, until=now))
    key = (board.name, query.is_plural, query.v, *(_identity(page) for page in pages))
    kept = here.pages.get(key, now) if board.cache else None
    if kept is None:
        tops = await read_tops(here.store, pages, now)
        fields = {"tops": [_still(one) for one in tops]} if query.is_plural else _still(tops[0])
        rows = sum(len(one.entries) for one in tops)
        kept = KeptPage.of(fields, rows, now, until=now + _lasting(board, pages, now))
        if kept.until > now:
            here.pages.keep(key, kept)
    return _reply(call, query, pages, kept)


def _identity(page: Page) -> tuple[object, ...]:
    standing = page.standing
    return (standing.period.window, standing.period.id, *sorted(standing.selection.items()), page.limit, page.offset)


def _still(answer: Top) -> dict[str, Any]:
    """Return an answer without what changes by itself."""
    return {**answer.model_dump(), "resets_in": None}


def _lasting(board: Board, pages: Sequence[Page], now: int) -> int:
    """Return how long (ms) pages may be kept: the board's `cache`, yet not past a reset to come."""
    resets = [resets_in(page.standing.period, now) for page in pages]
    return min([board.cache, *(seconds * 1000 for seconds in resets if seconds)])


def _moving(call: Call, fields: Mapping[str, Any], page: Page) -> dict[str, Any]:
    return {**fields, "resets_in": resets_in(page.standing.period, call.now)}


def _reply(call: Call, query: TopQuery, pages: Sequence[Page], kept: KeptPage) -> Reply:
    over = resets_in(pages[0].standing.period, call.now) == 0
    picture = card(kept.fields, over=over, player=query.player) if query.format else None
    etag = kept.etag if picture is None else etag_of(picture)
    headers = {"ETag": etag}
    if kept.until > call.now:
        lasting = _lasting(pages[0].standing.board, pages, call.now)
        headers["Cache-Control"] = f"public, max-age=0, s-maxage={lasting // 1000}"
        # A cache on the way takes this off its own time, so that keeping a page twice does not make it twice as old.
        if age := (call.now - kept.since) // 1000:
            headers["Age"] = str(age)
    if matches(etag, call.headers.getlist("if-none-match")):
        return Reply(status=304, media_type=None, headers=headers)
    if picture is not None:
        return Reply(picture, media_type=MEDIA_TYPE, headers=headers)
    if "tops" in kept.fields:
        tops = zip(kept.fields["tops"], pages, strict=True)
        return Reply(render({"tops": [_moving(call, fields, page) for fields, page in tops]}), headers=headers)
    return Reply(render(_moving(call, kept.fields, pages[0])), headers=headers)


app = Function(get=top)
lambda_handler = lambda_entry(app)
