"""What `at` may say: every way to name a period, seasons by their place, and every way to name one wrongly."""

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from lib.boards.periods import WINDOWS, Calendar, Period, Season
from lib.errors import UnknownWindow

DATED = ("daily", "weekly", "monthly", "yearly")
ZONES = ("UTC", "Asia/Tokyo", "America/Sao_Paulo", "Africa/Cairo", "Pacific/Apia", "Etc/GMT+12")
WEEK_STARTS = ("monday", "sunday", "saturday")


def calendar(*, zone: str = "UTC", week_start: str = "monday", seasons: tuple[Season, ...] = ()) -> Calendar:
    return Calendar(ZoneInfo(zone), week_start, seasons)


def ms(text: str) -> int:
    return int(datetime.fromisoformat(text).timestamp()) * 1000


def utc(seconds: int | None) -> str:
    assert seconds is not None
    return datetime.fromtimestamp(seconds, UTC).isoformat().replace("+00:00", "Z")


def known(period: Period | None) -> Period:
    assert period is not None
    return period


NOW = ms("2026-11-30T12:00:00Z")
SEASONS = tuple(
    Season(name, datetime.fromisoformat(starts), datetime.fromisoformat(ends))
    for name, starts, ends in (
        ("s1", "2026-01-01T00:00:00+02:00", "2026-02-01T00:00:00Z"),
        ("s2", "2026-02-01T00:00:00Z", "2026-03-01T00:00:00Z"),
        ("s3", "2026-06-01T00:00:00Z", "2026-07-01T00:00:00Z"),
    )
)
YEAR = calendar(seasons=SEASONS)
calendars = st.builds(
    lambda zone, start: Calendar(ZoneInfo(zone), start, SEASONS), st.sampled_from(ZONES), st.sampled_from(WEEK_STARTS)
)


@pytest.mark.parametrize(
    ("now", "current", "zero", "earlier"),
    [
        pytest.param("2025-12-31T21:59:59Z", None, "s1", None, id="before the first"),
        pytest.param("2025-12-31T22:00:00Z", "s1", "s1", None, id="first instant of the first"),
        pytest.param("2026-01-31T23:59:59Z", "s1", "s1", None, id="last second of the first"),
        pytest.param("2026-02-01T00:00:00Z", "s2", "s2", "s1", id="the next begins where one ends"),
        pytest.param("2026-03-01T00:00:00Z", None, "s2", "s1", id="an end is exclusive"),
        pytest.param("2026-05-31T23:59:59Z", None, "s2", "s1", id="between"),
        pytest.param("2026-06-01T00:00:00Z", "s3", "s3", "s2", id="first instant of the last"),
        pytest.param("2026-12-01T00:00:00Z", None, "s3", "s2", id="after the last"),
    ],
)
def test_seasons(now: str, current: str | None, zero: str, earlier: str | None) -> None:
    """Submissions count inside a season only; reads fall back to the latest started, or to the first."""
    period = YEAR.current("season", ms(now))
    assert (period.id if period else None) == current
    assert YEAR.select("season", "0", ms(now)).id == zero
    if earlier is None:
        with pytest.raises(UnknownWindow):
            YEAR.select("season", "-1", ms(now))
    else:
        assert YEAR.select("season", "-1", ms(now)).id == earlier


def test_a_season_is_found_by_name_and_knows_its_place() -> None:
    """Names of past and future seasons work alike."""
    third = YEAR.select("season", "s3", ms("2026-01-15T00:00:00Z"))
    assert (third.number, utc(third.start), utc(third.end)) == (2, "2026-06-01T00:00:00Z", "2026-07-01T00:00:00Z")
    assert YEAR.step(third, -2).id == "s1"


def test_a_board_without_seasons_has_none() -> None:
    """Nothing is current and nothing can be named."""
    assert calendar().current("season", NOW) is None
    for at in ("0", "-1", "s1"):
        with pytest.raises(UnknownWindow):
            calendar().select("season", at, NOW)


ODD = ["", " ", "-1 ", " 0", "0\n", "-1\n", "-" + "9" * 9000]
RELATIVE = "+1 -0 -01 1 00 --1 -1.0 0x0 -\u0663 \u0660 -9999999 -99999999999999999999"
MALFORMED = {
    "daily": "2026-11-3 2026-1-30 2026-02-29 2026-13-01 20261130 2026-W49-1 2026-335 2026-W49 2026-11 2026 9999-12-31 "
    "0000-01-01 10000-01-01 -2026-11-30 2026-11-30T00:00 2026-11-30\0 2026-11-30\n "
    "\uff12026-11-30 2026\u201011-30 \ud800",
    "weekly": "2026-W00 2026-W54 2027-W53 2026-W9 2026W49 2026-w49 2026-W49-1 2026-W49-7 2026-11-30 2026-W\u0664\u0669 "
    "9999-W52 0000-W01 26-W49 2026 2026-11",
    "monthly": "2026-00 2026-13 2026-1 202611 2026-11-01 2026 9999-12 0000-01 2026-1\uff11 2026-11\n",
    "yearly": "0000 9999 10000 26 2026-01 -2026 +2026 2026. 2_26 202\uff16 2026\t",
    "season": "s4 S1 s1\t 2026 -3",
    "all": "-1 -2 all ALL 2026",
    "hourly": "0 -1 2026-11-30",
    "Daily": "0 -1 2026-11-30",
}


@pytest.mark.parametrize("window", MALFORMED)
def test_what_names_no_period_is_unknown(window: str) -> None:
    """A malformed `at` and a date off the calendar are refused with the field that is wrong."""
    for at in ODD + f"{RELATIVE} {MALFORMED[window]}".split(" "):
        with pytest.raises(UnknownWindow) as caught:
            pytest.fail(f"{at!r} is {YEAR.select(window, at, NOW)}")
        assert [fault.loc for fault in caught.value.faults] == ["at" if window in WINDOWS else "window"]


def test_weeks_are_named_by_their_first_day_only() -> None:
    """Where weeks start on a Sunday, any other date names no week, and ISO weeks mean nothing."""
    board = calendar(week_start="sunday")
    assert utc(board.select("weekly", "2026-11-29", NOW).end) == "2026-12-06T00:00:00Z"
    for at in ("2026-11-28", "2026-11-30", "2026-W49", "20261129", "2026-W48-7"):
        with pytest.raises(UnknownWindow):
            board.select("weekly", at, NOW)


@pytest.mark.parametrize("zone", ["Asia/Tokyo", "Etc/GMT-14"])
def test_the_first_day_of_the_calendar_is_out_of_range_east_of_greenwich(zone: str) -> None:
    """Its start lies in a year that cannot be written, so it is refused and not half answered."""
    with pytest.raises(UnknownWindow):
        calendar(zone=zone).select("daily", "0001-01-01", NOW)
    assert calendar(zone=zone).select("daily", "0001-01-02", NOW).number == 2
    assert utc(calendar().select("daily", "0001-01-01", NOW).start) == "0001-01-01T00:00:00Z"


@pytest.mark.parametrize("window", DATED)
@pytest.mark.parametrize("n", [-(10**30), -(10**7), 10**7, 10**30])
def test_steps_off_the_calendar_are_unknown(window: str, n: int) -> None:
    """However far, a step ends in a period or in UnknownWindow."""
    board = calendar()
    with pytest.raises(UnknownWindow):
        board.step(known(board.current(window, NOW)), n)


def test_all_cannot_be_stepped() -> None:
    """There is nothing before or after all time."""
    with pytest.raises(UnknownWindow):
        calendar().step(known(calendar().current("all", NOW)), -1)


shaped = st.one_of(
    st.text(max_size=12),
    st.text(alphabet=st.characters(categories=["Nd"]), max_size=12),
    st.from_regex(r"-?\d{1,25}", fullmatch=True),
    st.from_regex(r"\d{1,5}-W?\d{1,2}(-\d{1,2})?", fullmatch=True),
    st.dates().map(str),
    st.builds("{:04d}-W{:02d}".format, st.integers(0, 9999), st.integers(0, 54)),
)


@settings(max_examples=400)
@given(calendars, st.sampled_from(WINDOWS), shaped)
@example(calendar(zone="Asia/Tokyo"), "daily", "9999-12-30")
@example(calendar(zone="America/New_York", week_start="saturday"), "weekly", "0001-01-06")
def test_any_text_is_a_period_or_unknown(board: Calendar, window: str, at: str) -> None:
    """No text makes `select` fail in another way, and a period that comes back can be written as dates."""
    try:
        period = board.select(window, at, NOW)
    except UnknownWindow:
        return
    assert at in ("0", period.id) or at.startswith("-")
    assert len(utc(period.start)) == 20
    assert period.end is None or len(utc(period.end)) == 20
