"""The random games: a board is drawn, then players, readers, the clock and losses act on it in any order."""

from collections.abc import Sequence
from dataclasses import replace

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule

from tests.reference_model.board import Submission
from tests.reference_model.choices import (
    PLAYERS,
    SCORES,
    Combination,
    after,
    changed_rules,
    long_steps,
    rules_of,
    short_steps,
    submissions,
)
from tests.reference_model.comparison import Look, RankOfPlayer, RankOfPlayers, Top, looks
from tests.reference_model.reads import Where
from tests.reference_model.trial import Store, Trial

# Drawn by the board that the machine has: a strategy in a decorator cannot know it.
_SUBMISSION: st.SearchStrategy[Submission] = st.runner().flatmap(lambda machine: submissions(machine.trial.rules))
_LOOK: st.SearchStrategy[Look] = st.runner().flatmap(lambda machine: looks(machine.trial.rules))
_WATCHER = st.tuples(st.sampled_from(PLAYERS), st.integers(0, 3), st.integers(0, 11))


class BoardMachine(RuleBasedStateMachine):
    """What may happen to a board, on all stores at once; each step is compared with the model."""

    trial: Trial

    def __init__(self, stores: Sequence[Store], combinations: Sequence[Combination]) -> None:
        super().__init__()
        self._stores, self._combinations = stores, combinations
        self._sent: list[Submission] = []
        self._ahead = self._lost = False

    @initialize(data=st.data())
    def open(self, data: st.DataObject) -> None:
        """Draw a board and open it on every store."""
        combination = data.draw(st.sampled_from(self._combinations), label="combination")
        self.trial = Trial(data.draw(rules_of(combination), label="rules"), self._stores)

    def teardown(self) -> None:
        """Close what was opened."""
        if hasattr(self, "trial"):
            self.trial.close()

    @rule(rounds=st.lists(st.tuples(short_steps(), _SUBMISSION), min_size=1, max_size=6), watcher=_WATCHER)
    def play(self, rounds: list[tuple[str, Submission]], watcher: tuple[str, int, int]) -> None:
        """Submit one after the other, with a moment in between or none, and see what became of it."""
        for clock_step, submission in rounds:
            self._wait(clock_step)
            self._submit(submission)
        self._watch(submission, *watcher)

    @rule(clock_step=long_steps(), submission=_SUBMISSION)
    def play_later(self, clock_step: str, submission: Submission) -> None:
        """Let time pass, perhaps into another period, and submit."""
        self._wait(clock_step)
        self._submit(submission)

    @precondition(lambda self: self._sent)
    @rule(which=st.integers(0, 30), ranks=st.sampled_from(["improved", "all", "none"]))
    def send_again(self, which: int, ranks: str) -> None:
        """Send an earlier submission again, as a client does whose answer was lost."""
        self._submit(replace(self._sent[-1 - which % len(self._sent)], ranks=ranks))

    @precondition(lambda self: self._sent)
    @rule(which=st.integers(0, 10), score=st.sampled_from(SCORES), name=st.sampled_from(["Mina", None]))
    def send_changed(self, which: int, score: float, name: str | None) -> None:
        """Use an earlier id once more, with another score or only another name."""
        self._submit(replace(self._sent[-1 - which % len(self._sent)], score=score, name=name))

    @rule(submission=_SUBMISSION, number=st.integers(1, 12))
    def fail(self, submission: Submission, number: int) -> None:
        """Submit while one of the writes fails, and again as a client does who got no answer."""
        self.trial.submit_failing(submission, number)
        self._submit(submission)

    @precondition(lambda self: self._bears_wrong_clocks() and not self._lost)
    @rule(submission=_SUBMISSION)
    def be_ahead(self, submission: Submission) -> None:
        """Submit through a process whose clock is two days ahead; a replay could not tell what it improved when."""
        self._ahead = True
        self.trial.submit_ahead(replace(submission, id=None), 2 * 86_400_000)

    # Nor may a board be capped whose records have let go of an open split's day.
    @precondition(lambda self: not (self._ahead and self.trial.rules.most_levels))
    @rule(data=st.data())
    def change(self, data: st.DataObject) -> None:
        """Change what may be changed on a live board."""
        self.trial.change(data.draw(changed_rules(self.trial.rules), label="rules"))

    # A record that was lost after a clock was ahead cannot know what is stored of days to come.
    @precondition(lambda self: self._recorded() and not self._ahead)
    @rule(which=st.integers(0, len(PLAYERS)))
    def lose(self, which: int) -> None:
        """Lose a record, which a store may do on a capped board."""
        players = self._recorded()
        self._lost = True
        self.trial.lose(players[which % len(players)])

    @precondition(lambda self: self._sent and not self.trial.board.was_uncapped)
    @rule(taken=st.lists(_LOOK, min_size=1, max_size=3))
    def look(self, taken: list[Look]) -> None:
        """Read."""
        for look in taken:
            look.take(self.trial)

    def _bears_wrong_clocks(self) -> bool:
        """A record lets go of an open split's day then, and no search finds a row that a cap has cut."""
        rules = self.trial.rules
        is_cut = rules.most_levels and (rules.cap or self.trial.board.was_capped)
        return rules.bears_wrong_clocks and not is_cut

    def _wait(self, clock_step: str) -> None:
        now = after(clock_step, self.trial.now, self.trial.rules)
        if now > self.trial.now:
            self.trial.wait_until(now)

    def _submit(self, submission: Submission) -> None:
        self._sent.append(submission)
        self.trial.submit(submission)

    def _watch(self, submission: Submission, player: str, around: int, which: int) -> None:
        """Look at one of the standings that a submission belongs to."""
        belonging = self.trial.board.places(submission.splits, self.trial.now)
        if belonging and not self.trial.board.was_uncapped:
            place = belonging[which % len(belonging)]
            where = Where(place.period.window, selection=place.selection)
            Top(where, limit=len(PLAYERS), offset=around, player=player).take(self.trial)
            RankOfPlayer(where, player, around).take(self.trial)
            RankOfPlayers(where, list(PLAYERS)).take(self.trial)

    def _recorded(self) -> list[str]:
        board = self.trial.board
        return sorted(board.records) if board.rules.cap else []
