"""GET /rank: where a player, several players or a score stand."""

from pydantic import BaseModel

from lib.http.app import Call, Function, Reply
from lib.http.aws_lambda import lambda_entry
from lib.reading.queries import RankQuery
from lib.reading.rank import rank_of_player, rank_of_players, rank_of_score
from lib.reading.selection import selected_standing


async def rank(call: Call) -> Reply:
    """Answer with the places asked for."""
    here, now = call.deployment, call.now
    query = RankQuery.read(call.query)
    standing = selected_standing(here.board(query.board), query, now)
    store = here.store
    answer: BaseModel
    if query.player is not None:
        answer = await rank_of_player(store, standing, query.player, query.around, now)
    elif query.players is not None:
        answer = await rank_of_players(store, standing, query.players, now)
    else:
        answer = await rank_of_score(store, standing, query.checked_score(), now)
    return Reply.of(answer)


app = Function(get=rank)
lambda_handler = lambda_entry(app)
