"""Rank: where a player, several players or a score stand."""

from lib.deployment import Deployment
from lib.reading.queries import RankQuery
from lib.reading.rank import rank_of_player, rank_of_players, rank_of_score
from lib.reading.selection import selected_standing
from lib.schemas.reads import RankOfPlayer, RankOfPlayers, RankOfScore


async def rank(here: Deployment, query: RankQuery, now: int) -> RankOfPlayer | RankOfPlayers | RankOfScore:
    """Answer with the places asked for; raise what is wrong with the query, and StoreUnavailable."""
    query.refuse_mixed()
    standing = selected_standing(here.board(query.board), query, now)
    if query.player is not None:
        return await rank_of_player(here.store, standing, query.player, query.around, now)
    if query.players is not None:
        return await rank_of_players(here.store, standing, query.players, now)
    return await rank_of_score(here.store, standing, query.checked_score(), now)
