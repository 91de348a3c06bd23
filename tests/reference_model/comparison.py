"""The looks that a reader may take at a board, each compared with what the model shows."""

from dataclasses import dataclass
from typing import Protocol

from hypothesis import strategies as st

from tests.reference_model.choices import PLAYERS, SCORES, places
from tests.reference_model.reads import Where
from tests.reference_model.rules import Rules
from tests.reference_model.trial import Trial


class Look(Protocol):
    """One read of a board."""

    def take(self, trial: Trial) -> None:
        """Read on every store and compare."""
        ...


@dataclass(frozen=True)
class Top:
    """A page, with a player's own row or without."""

    where: Where
    limit: int
    offset: int
    player: str | None

    def take(self, trial: Trial) -> None:
        """Read on every store and compare."""
        reader, where, player = trial.reader, self.where, self.player
        page = {"limit": self.limit, "offset": self.offset}
        if player is None:
            trial.read_place("/top", where, page, lambda: reader.top(where, **page))
        else:
            query = {**page, "player": player}
            trial.read_place("/top", where, query, lambda: reader.top_with_player(where, player, **page))


@dataclass(frozen=True)
class Tops:
    """Several pages at once, windows outermost: those of all the windows and selections of the places."""

    places: list[Where]
    back: int
    limit: int

    def take(self, trial: Trial) -> None:
        """Read on every store and compare."""
        windows = list(dict.fromkeys(where.window or trial.rules.windows[0] for where in self.places))
        selections = list(dict.fromkeys(where.selection for where in self.places))
        splits = [";".join(f"{name}:{value}" for name, value in chosen) or "overall" for chosen in selections]
        query = {"at": str(-self.back), "windows": ",".join(windows), "splits": ",".join(splits), "limit": self.limit}
        asked = [Where(window, self.back, selection=chosen) for window in windows for chosen in selections]
        trial.read("/top", query, lambda: {"tops": [trial.reader.top(where, limit=self.limit) for where in asked]})


@dataclass(frozen=True)
class RankOfPlayer:
    """A player's place and neighbours."""

    where: Where
    player: str
    around: int

    def take(self, trial: Trial) -> None:
        """Read on every store and compare."""
        reader, query = trial.reader, {"player": self.player, "around": self.around}
        trial.read_place(
            "/rank", self.where, query, lambda: reader.rank_of_player(self.where, self.player, self.around)
        )


@dataclass(frozen=True)
class RankOfPlayers:
    """The places of several players."""

    where: Where
    players: list[str]

    def take(self, trial: Trial) -> None:
        """Read on every store and compare."""
        reader, query = trial.reader, {"players": ",".join(self.players)}
        trial.read_place("/rank", self.where, query, lambda: reader.rank_of_players(self.where, self.players))


@dataclass(frozen=True)
class RankOfScore:
    """The rank that a score would get."""

    where: Where
    score: float

    def take(self, trial: Trial) -> None:
        """Read on every store and compare."""
        reader, query = trial.reader, {"score": str(self.score)}
        trial.read_place("/rank", self.where, query, lambda: reader.rank_of_score(self.where, self.score))


def looks(rules: Rules) -> st.SearchStrategy[Look]:
    """Return the looks that a reader may take at a board of these rules."""
    where, player, limits = places(rules), st.sampled_from(PLAYERS), st.integers(1, 4)
    return st.one_of(
        st.builds(Top, where=where, limit=limits, offset=st.integers(0, 4), player=st.none() | player),
        st.builds(RankOfPlayer, where=where, player=player, around=st.integers(0, 3)),
        st.builds(RankOfPlayers, where=where, players=st.lists(player, min_size=1, max_size=4, unique=True)),
        st.builds(RankOfScore, where=where, score=st.sampled_from(SCORES)),
        st.builds(
            Tops, places=st.lists(where, min_size=1, max_size=3), back=st.sampled_from((0, 0, 1, 2)), limit=limits
        ),
    )
