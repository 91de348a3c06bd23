"""What a submission comes to, by the model."""

from dataclasses import dataclass, replace

from tests.reference_model.board import (
    LARGEST,
    REMEMBERED_IDS,
    Board,
    Gate,
    Held,
    Json,
    Outcome,
    Place,
    Record,
    Row,
    Standing,
    Submission,
    Use,
    Values,
    Verdict,
    limits_of,
)
from tests.reference_model.rules import DAY_S, Refused


@dataclass(frozen=True)
class Attempt:
    """One submission at one moment."""

    board: Board
    submission: Submission
    now: int

    def answer(self) -> Json:
        """Judge and store it, and return the answer; raise Refused, with nothing stored."""
        board, submission, now = self.board, self.submission, self.now
        places = board.places(submission.splits, now)
        if not places:
            raise Refused(422, "invalid")
        board.pass_address_gate(now)
        record = board.records.get(submission.player, Record())
        use = next((use for use in record.uses if submission.id is not None and use.id == submission.id), None)
        if use:
            if use.content != submission.content:
                raise Refused(409, "id_reused")
            outcomes = {place: self._replayed(record, place, use.has_improved(place)) for place in places}
            return self._reply(outcomes, replayed=True)
        gate = self._pass_player_gate(record)
        verdicts = [self._judge(record, place) for place in places]
        # Nothing refuses any more.
        board.records[submission.player] = record
        record.gate, record.expires = gate, board.record_expiry(now)
        outcomes = {verdict.place: self._settle(record, verdict) for verdict in verdicts}
        improved = {(place.period.window, place.selection) for place, outcome in outcomes.items() if outcome.improved}
        if improved:
            use = Use(submission.id, submission.content, now, frozenset(improved))
            record.uses = [use, *record.uses][:REMEMBERED_IDS]
        self._keep_profile()
        return self._reply(outcomes, replayed=False)

    def _pass_player_gate(self, record: Record) -> Gate:
        """Return the gate as it is afterwards; our own second try passes uncounted."""
        rules, gate, now = self.board.rules, record.gate, self.now
        token = (self.submission.id, self.submission.content)
        if not (rules.per_player or rules.cooldown) or (self.submission.id is not None and gate.last == token):
            return gate
        if gate.admitted is not None and now < gate.admitted + rules.cooldown:
            raise Refused(429, "cooldown", gate.admitted + rules.cooldown - now)
        most, length = rules.per_player or (0, 0)
        count, ends = (gate.count, gate.ends) if now < gate.ends else (0, now + length)
        if most and count >= most:
            raise Refused(429, "rate_limited", ends - now)
        return Gate(count + 1, ends, now, token)

    def _judge(self, record: Record, place: Place) -> Verdict:
        board, submission = self.board, self.submission
        held = board.held(record, place, submission.player, self.now)
        row = self._new_row(held)
        verdict = Verdict(place, self._fate(held, row), row, held)
        is_lost = board.rules.keep == "sum" and held is not None and submission.score and row.score == held.row.score
        if is_lost or abs(row.score) > LARGEST:
            raise Refused(422, "sum_overflow")
        if verdict.fate == "enter" and not board.rows(place):
            self._check_room(place)
        return verdict

    def _new_row(self, held: Held | None) -> Row:
        """Return the row that would stand: a sum keeps its place among equals, and what is not given anew."""
        board, submission = self.board, self.submission
        name, meta = submission.name, submission.meta
        row = Row(submission.score, submission.tiebreak, self.now, name, meta or {})
        if held and board.rules.keep == "sum":
            kept_name, kept_meta = (held.row.name, held.row.meta) if held.ranked else (None, {})
            row = Row(
                score=held.row.score + submission.score,
                tiebreak=None,
                at=held.row.at,
                name=kept_name if name is None else name,
                meta=kept_meta if meta is None else meta,
            )
        return replace(row, name=None, meta={}) if board.rules.names == "profile" else row

    def _fate(self, held: Held | None, row: Row) -> str:
        board, keep = self.board, self.board.rules.keep
        if held is None:
            return "enter"
        if keep == "best" and board.worth(row, timed=False) >= board.worth(held.row, timed=False):
            return "miss"
        if keep == "sum" and self.submission.score == 0:
            return "miss"
        if keep == "last" and held.ranked and replace(row, at=held.row.at) == held.row:
            return "same"
        return "replace" if held.ranked else "enter"

    def _check_room(self, place: Place) -> None:
        """Refuse a standing for a new value of an open split that has all the values it may have."""
        for split, value in place.selection:
            known = self.board.values.get((place.period, split), Values()).known
            if split == "level" and value not in known and len(known) >= self.board.rules.most_levels:
                end = place.period.end
                raise Refused(429, "too_many_split_values", DAY_S * 1000 if end is None else end * 1000 - self.now)

    def _settle(self, record: Record, verdict: Verdict) -> Outcome:
        """Store what was decided for one standing."""
        board, place, held = self.board, verdict.place, verdict.held
        player = self.submission.player
        outcome = Outcome(score=verdict.row.score, previous=held.row.score if held else None)
        until = board.refreshed(place, self.now)
        if verdict.fate == "miss":
            assert held
            record.held[place] = replace(held, until=until)
            outcome = replace(outcome, score=held.row.score, kept=held.ranked)
        else:
            # The same again leaves its row alone, and puts it back where others had pushed it out.
            row = held.row if held and verdict.fate == "same" else verdict.row
            cutoff = self._insert(place, row, newcomer=verdict.fate == "enter")
            kept = player in board.rows(place)
            record.held[place] = board.nameless(Held(row, kept, until))
            outcome = replace(outcome, improved=True, kept=kept, cutoff=cutoff)
        if until is not None:
            kept_sets = [board.standings.get(place), *(board.values.get((place.period, s)) for s, _ in place.selection)]
            for kept_set in kept_sets:
                if kept_set:
                    kept_set.expires = until
        return outcome

    def _insert(self, place: Place, row: Row, *, newcomer: bool) -> float | None:
        """Put a row in and trim; return the score to beat where a newcomer is cut."""
        board, cap = self.board, self.board.rules.cap
        if newcomer and cap and len(board.rows(place)) >= cap:
            last = board.ranked(place)[-1][1]
            if board.worth(row) >= board.worth(last):
                return last.score
        if not board.rows(place):
            self._create(place)
        board.rows(place)[self.submission.player] = row
        while cap and len(board.rows(place)) > cap:
            del board.rows(place)[board.ranked(place)[-1][0]]
        return None

    def _create(self, place: Place) -> None:
        board = self.board
        expires = board.rules.expiry(place.period, self.now)
        board.standings[place] = Standing(expires=expires)
        for split, value in place.selection:
            if split == "level":
                board.values.setdefault((place.period, split), Values(expires=expires)).known.add(value)

    def _keep_profile(self) -> None:
        board, submission = self.board, self.submission
        if board.rules.names == "profile" and (submission.name is not None or submission.meta is not None):
            name, meta = board.profiles.get(submission.player, (None, {}))
            name, meta = submission.name or name, meta if submission.meta is None else submission.meta
            board.profiles[submission.player] = name, meta

    def _replayed(self, record: Record, place: Place, improved: bool) -> Outcome:
        """Return what the record remembers; nothing is looked for."""
        held = record.held.get(place)
        if held is None or (held.until is not None and held.until * 1000 <= self.now):
            return Outcome(improved=improved)
        return Outcome(improved=improved, kept=held.ranked, score=held.row.score)

    def _reply(self, outcomes: dict[Place, Outcome], *, replayed: bool) -> Json:
        return {
            "board": "b",
            "player": self.submission.player,
            "improved": any(outcome.improved for outcome in outcomes.values()),
            "replayed": replayed,
            "standings": [self._result(place, outcome) for place, outcome in outcomes.items()],
        }

    def _result(self, place: Place, outcome: Outcome) -> Json:
        asked = self.submission.ranks
        rank = total = None
        kept = outcome.kept
        # Whoever is asked for a rank looks; otherwise a record may believe in a row that others have pushed out.
        if kept and (asked == "all" or (asked == "improved" and outcome.improved)):
            rank = self.board.rank(place, self.submission.player)
            kept, total = rank is not None, len(self.board.rows(place)) if rank else None
        return {
            "window": place.period.window,
            "period": place.period.id,
            **limits_of(place.period),
            "splits": dict(place.selection),
            "improved": outcome.improved,
            "kept": kept,
            "score": outcome.score,
            "previous": outcome.previous,
            "rank": rank,
            "total": total,
            "cutoff": outcome.cutoff,
        }
