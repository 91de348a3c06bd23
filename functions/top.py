"""GET /top: pages of one standing or of several, as JSON or as a picture."""

from lib.calls.top import Shown, show
from lib.http.app import Call, Function, Reply
from lib.http.aws_lambda import lambda_entry
from lib.reading.etags import etag_of, matches
from lib.reading.queries import TopQuery
from lib.reading.svg_card import MEDIA_TYPE, card
from lib.schemas.strict_json import render


async def top(call: Call) -> Reply:
    """Answer with pages, or with 304 to whoever has them already."""
    query = TopQuery.read(call.query)
    shown = await show(call.deployment, query, call.now)
    picture = card(shown.kept.fields, over=shown.is_over, player=query.player) if query.format else None
    etag = shown.kept.etag if picture is None else etag_of(picture)
    headers = {"ETag": etag, **_caching(shown)}
    if matches(etag, call.headers.getlist("if-none-match")):
        return Reply(status=304, media_type=None, headers=headers)
    if picture is not None:
        return Reply(picture, media_type=MEDIA_TYPE, headers=headers)
    return Reply(render(shown.fields()), headers=headers)


def _caching(shown: Shown) -> dict[str, str]:
    """Return what tells shared caches how long a page may be shown; nothing where nobody may keep it."""
    if not shown.lasting:
        return {}
    headers = {"Cache-Control": f"public, max-age=0, s-maxage={shown.lasting // 1000}"}
    # A cache on the way takes this off its own time, so that keeping a page twice does not make it twice as old.
    if age := (shown.now - shown.kept.since) // 1000:
        headers["Age"] = str(age)
    return headers


app = Function(get=top)
lambda_handler = lambda_entry(app)
