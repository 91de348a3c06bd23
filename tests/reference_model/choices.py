"""What a random game may draw: the board's rules, who submits what, how time passes, what a reader asks for.

There are few players, scores and instants, so that ties and full boards are the rule and not the exception.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import product
from typing import Any

from hypothesis import strategies as st

from tests.reference_model.board import LARGEST, Selection, Submission
from tests.reference_model.reads import Where
from tests.reference_model.rules import DAY_S, Calendar, Rules, end_of_day

# One that begins like another, capitals, a point that a pattern would take for anything.
PLAYERS = ("p1", "p10", "P1", "p.1", "zoe-2", "@:_")
SCORES = (0, 1, 2, 2.5, -1, 3, 0.1)
_TIEBREAKS = (0, 1, -1.5)
_NAMES = (None, "Mina", "Zoë")
# The last looks like another player's place in a text, were it stored as it is.
_METAS: tuple[Mapping[str, Any] | None, ...] = (None, {}, {"depth": 7}, {"depth": 0, "ship": "\tp1\t"})
_LEVELS = ("a", "a", "a", "b", "b", "c")
_WINDOWS = (
    ("all",),
    ("daily",),
    ("all", "daily"),
    ("weekly", "daily", "all"),
    ("season", "all"),
    ("all", "season", "daily"),
    ("monthly", "season"),
    ("yearly", "monthly", "weekly"),
    ("season",),
)
_SHORT_STEPS = ("none", "none", "1ms", "1ms", "1s")
_LONG_STEPS = ("10s", "1m", "1h", "day", "before day", "local day", "1d", "2d", "7d", "31d", "92d", "400d")
_MILLISECONDS = {"none": 0, "1ms": 1, "1s": 1000, "10s": 10_000, "1m": 60_000, "1h": 3_600_000}


@dataclass(frozen=True)
class Combination:
    """What decides how scores are kept and numbered."""

    keep: str
    order: str
    tiebreak: str | None
    rank: str
    capped: bool

    def __str__(self) -> str:
        return "-".join((self.keep, self.order, self.tiebreak or "none", self.rank, "cap" if self.capped else "nocap"))

    @property
    def is_allowed(self) -> bool:
        """Whether a board may be like this."""
        tiebreak_fits = self.tiebreak is None or (self.keep != "sum" and self.rank == "ordinal")
        return tiebreak_fits and (self.rank != "dense" or self.capped)


COMBINATIONS = [
    combination
    for values in product(
        ("best", "last", "sum"),
        ("desc", "asc"),
        (None, "asc", "desc"),
        ("ordinal", "competition", "dense"),
        (False, True),
    )
    if (combination := Combination(*values)).is_allowed
]


@st.composite
def rules_of(draw: st.DrawFn, combination: Combination) -> Rules:
    """Draw the rest of a board."""
    windows = draw(st.sampled_from(_WINDOWS))
    capped = combination.capped
    remember = draw(st.sampled_from((1, 2, 90)))
    # Idle time is for capped boards; a board may not forget a player's row before the player.
    retainable = [window for window in windows if window != "all" or (capped and remember < 90)]
    retained = sorted(draw(st.sets(st.sampled_from(retainable)))) if retainable else []
    modes, levels, by = draw(
        st.sampled_from(
            (
                ((), 0, ("overall",)),
                (("x", "y"), 0, ("overall", "mode")),
                (("x", "y"), 0, ("mode",)),
                ((), 2, ("overall", "level")),
                ((), 1, ("level", "overall")),
                (("x", "y"), 2, ("mode+level", "overall", "level", "mode")),
                (("x", "y"), 1, ("mode", "level+mode")),
            )
        )
    )
    return Rules(
        keep=combination.keep,
        order=combination.order,
        tiebreak=combination.tiebreak,
        rank=combination.rank,
        cap=draw(st.sampled_from((1, 2, 3, 5))) if capped else 0,
        windows=windows,
        retain={window: draw(st.sampled_from((2, 3) if window == "all" else (0, 1, 40))) for window in retained},
        remember=remember,
        names="entry" if capped else draw(st.sampled_from(("entry", "profile"))),
        modes=modes,
        most_levels=levels,
        by=by,
        timezone=draw(st.sampled_from(("UTC", "Europe/Berlin", "Pacific/Auckland"))),
        week_start=draw(st.sampled_from(("monday", "sunday", "saturday"))),
        per_ip=draw(st.sampled_from((*[None] * 5, (12, 3_600_000)))),
        per_player=draw(st.sampled_from((*[None] * 5, (3, 60_000)))),
        cooldown=draw(st.sampled_from((*[0] * 6, 1, 10_000))),
    )


def changed_rules(rules: Rules) -> st.SearchStrategy[Rules]:
    """Return rules that a board may be changed to while it is used, one or two at a time."""
    # No fewer rows than players: what lies beyond a lowered cap is seen elsewhere.
    caps = (rules.cap, 0, 6, 7) if "all" not in rules.retain and rules.rank != "dense" else (rules.cap, 7)
    numberings = ("ordinal", "competition") if rules.tiebreak is None and rules.rank != "dense" else (rules.rank,)
    return st.builds(
        replace,
        st.just(rules),
        cap=st.sampled_from(caps if rules.names == "entry" else (0,)),
        rank=st.sampled_from(numberings),
        week_start=st.sampled_from(("monday", "sunday", "saturday")),
        most_levels=st.sampled_from((rules.most_levels, 3)) if rules.most_levels else st.just(0),
    )


def _split(kept: bool, values: tuple[str, ...]) -> st.SearchStrategy[str | None]:
    return st.sampled_from((*values, *values, None)) if kept else st.none()


def submissions(rules: Rules) -> st.SearchStrategy[Submission]:
    """Return what players of a board may send."""
    large = (LARGEST, -LARGEST) if rules.keep == "sum" else ()
    return st.builds(
        Submission,
        player=st.sampled_from(PLAYERS),
        score=st.sampled_from((*SCORES, *SCORES, *large)),
        tiebreak=st.sampled_from(_TIEBREAKS) if rules.tiebreak else st.none(),
        name=st.sampled_from(_NAMES),
        meta=st.sampled_from(_METAS),
        mode=_split(bool(rules.modes), rules.modes),
        level=_split(rules.most_levels > 0, _LEVELS),
        id=st.none() | st.integers(0, 9).map("submission-{}".format),
        ranks=st.sampled_from(("improved", "all", "none")),
    )


def short_steps() -> st.SearchStrategy[str]:
    """Return the steps of the clock within a round, most of them none."""
    return st.sampled_from(_SHORT_STEPS)


def long_steps() -> st.SearchStrategy[str]:
    """Return the steps of the clock that end periods, timers and gates."""
    return st.sampled_from(_LONG_STEPS)


def after(clock_step: str, now: int, rules: Rules) -> int:
    """Return the clock (ms) after a step, exactly on a midnight or a millisecond before it too."""
    if clock_step in _MILLISECONDS:
        return now + _MILLISECONDS[clock_step]
    if clock_step == "day":
        return end_of_day(now) * 1000
    if clock_step == "before day":
        return max(now, end_of_day(now) * 1000 - 1)
    if clock_step == "local day":
        today = Calendar(rules).current("daily", now)
        assert today
        assert today.end
        return today.end * 1000
    return now + int(clock_step.removesuffix("d")) * DAY_S * 1000


def places(rules: Rules) -> st.SearchStrategy[Where]:
    """Return the standings that a reader of a board may ask for."""
    return st.builds(
        Where,
        window=st.sampled_from((None, *rules.windows)),
        back=st.sampled_from((0, 0, 0, 0, 0, 1, 1, 2)),
        named=st.sampled_from((False, False, False, True)),
        selection=st.sampled_from(rules.selections).flatmap(lambda names: _selections(rules, names)),
    )


def _selections(rules: Rules, names: tuple[str, ...]) -> st.SearchStrategy[Selection]:
    values = {"mode": rules.modes, "level": _LEVELS}
    return st.tuples(*(st.tuples(st.just(name), st.sampled_from(values[name])) for name in sorted(names)))
