"""What a reader is shown, by the model."""

from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from tests.reference_model.board import Board, Json, Place, Row, Selection, instant, limits_of
from tests.reference_model.rules import Refused


@dataclass(frozen=True)
class Where:
    """The standing a reader asks for: `back` periods ago, by id where `named`; no window is the board's first."""

    window: str | None = None
    back: int = 0
    named: bool = False
    selection: Selection = ()


@dataclass(frozen=True)
class Reader:
    """One look at a board at one moment (ms)."""

    board: Board
    now: int

    def place(self, where: Where) -> Place:
        """Return the standing asked for; raise Refused where there is none."""
        window = where.window or self.board.rules.windows[0]
        period = self.board.calendar.back(window, self.now, where.back)
        if window == "all" and where.named:
            raise Refused(422, "unknown_window")
        return Place(period, where.selection)

    def at(self, where: Where) -> str:
        """Return the `at` of a query: 0, -1, … or the period's id; where there is none, one that no window has."""
        try:
            return self.place(where).period.id if where.named else str(-where.back)
        except Refused:
            return "no-period"

    def top(self, where: Where, *, limit: int, offset: int = 0) -> Json:
        """Return a page."""
        place = self.place(where)
        rows = self.board.ranked(place)
        after = offset + limit
        return {
            **self._selected(place),
            "cap": self.board.rules.cap,
            "next": after if after < len(rows) else None,
            "entries": [self._row(place, player) for player, _ in rows[offset:after]],
        }

    def top_with_player(self, where: Where, player: str, *, limit: int, offset: int) -> Json:
        """Return a page and the player's own row."""
        self._check_findable(self.place(where))
        page = self.top(where, limit=limit, offset=offset)
        me = self._row(self.place(where), player)
        return {**page, "me": me if me["rank"] else None}

    def rank_of_players(self, where: Where, players: list[str]) -> Json:
        """Return the rows of players, in the order asked."""
        place = self.place(where)
        self._check_findable(place)
        return {**self._selected(place), "entries": [self._row(place, player) for player in players]}

    def rank_of_score(self, where: Where, score: float) -> Json:
        """Return the rank that a newcomer would get, None where they would be cut."""
        place, rules = self.place(where), self.board.rules
        better = self.board.better(place, score)
        not_worse = len(better) + sum(row.score == score for row in self.board.rows(place).values())
        ahead = {"ordinal": not_worse, "competition": len(better), "dense": len(set(better))}[rules.rank]
        cut = rules.cap and not_worse >= rules.cap
        return {**self._selected(place), "rank": None if cut else ahead + 1}

    def rank_of_player(self, where: Where, player: str, around: int) -> Json:
        """Return a player's place with its neighbours, or what is known of an unranked one."""
        place = self.place(where)
        self._check_findable(place)
        rows = self.board.ranked(place)
        players = [name for name, _ in rows]
        if player not in players:
            return {**self._selected(place), **self._unranked(place, player)}
        index = players.index(player)
        first = max(0, min(index - around, len(rows) - 2 * around - 1))
        better = len(self.board.better(place, rows[index][1].score))
        ahead = index if self.board.rules.rank == "ordinal" else better
        return {
            **self._selected(place),
            "entry": self._row(place, player),
            "best": None,
            "cutoff": None,
            "percentile": round(100 * (len(rows) - ahead) / len(rows), 2),
            "ahead": _ahead(rows[index - 1], rows[index]) if index else None,
            "entries": [self._row(place, name) for name in players[first : first + 2 * around + 1]],
        }

    def _unranked(self, place: Place, player: str) -> Json:
        board, cap = self.board, self.board.rules.cap
        held = board.held(board.records.get(player), place, player, self.now)
        full = held and cap and len(board.rows(place)) >= cap
        return {
            "entry": None,
            "best": held.row.score if held else None,
            "cutoff": board.ranked(place)[-1][1].score if full else None,
            "percentile": None,
            "ahead": None,
            "entries": [],
        }

    def _check_findable(self, place: Place) -> None:
        if not self.board.rules.cap and not self.board.calendar.is_recent(place.period, self.now):
            raise Refused(422, "unknown_window")

    def _selected(self, place: Place) -> Json:
        end = place.period.end
        return {
            "board": "b",
            "window": place.period.window,
            "period": place.period.id,
            **limits_of(place.period),
            "resets_in": None if end is None else max(0, -((self.now - end * 1000) // 1000)),
            "splits": dict(place.selection),
            "total": len(self.board.rows(place)),
        }

    def _row(self, place: Place, player: str) -> Json:
        row = self.board.rows(place).get(player)
        shown: dict[str, Any] = dict.fromkeys(("score", "tiebreak", "name", "meta", "at"))
        if row:
            name, meta = row.name, row.meta
            if self.board.rules.names == "profile":
                name, meta = self.board.profiles.get(player, (None, {}))
            shown = {"score": row.score, "tiebreak": row.tiebreak, "name": name, "meta": meta, "at": instant(row.at)}
        return {"rank": self.board.rank(place, player), "player": player, **shown}


def _ahead(above: tuple[str, Row], own: tuple[str, Row]) -> Json:
    player, row = above
    # In decimals, as a player would count: from 0.3 to 0.1 it is 0.2.
    gap = abs(Decimal(repr(row.score)) - Decimal(repr(own[1].score)))
    return {"player": player, "score": row.score, "gap": float(gap)}
