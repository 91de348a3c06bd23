"""Periods of every dated window: ids, bounds and neighbours, in zones with odd midnights."""

import time
from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from lib.boards.periods import Calendar, Period

DATED = ("daily", "weekly", "monthly", "yearly")
ZONES = (
    "UTC",
    "Europe/Paris",
    "America/New_York",
    "America/Sao_Paulo",
    "America/St_Johns",
    "Africa/Cairo",
    "Asia/Beirut",
    "Asia/Kathmandu",
    "Australia/Lord_Howe",
    "Pacific/Apia",
    "Pacific/Kiritimati",
    "Etc/GMT+12",
)
WEEK_STARTS = ("monday", "sunday", "saturday")
# Offsets have been whole minutes everywhere since Liberia gave up its own in 1972.
SECONDS = st.integers(
    int(datetime(1973, 1, 1, tzinfo=UTC).timestamp()), int(datetime(2200, 1, 1, tzinfo=UTC).timestamp())
)

calendars = st.builds(
    lambda zone, start: Calendar(ZoneInfo(zone), start), st.sampled_from(ZONES), st.sampled_from(WEEK_STARTS)
)


def calendar(*, zone: str = "UTC", week_start: str = "monday") -> Calendar:
    return Calendar(ZoneInfo(zone), week_start)


def ms(text: str) -> int:
    return int(datetime.fromisoformat(text).timestamp()) * 1000


def utc(seconds: int | None) -> str:
    assert seconds is not None
    return datetime.fromtimestamp(seconds, UTC).isoformat().replace("+00:00", "Z")


def known(period: Period | None) -> Period:
    assert period is not None
    return period


NOW = ms("2026-11-30T12:00:00Z")


@pytest.mark.parametrize(
    ("window", "week_start", "expected"),
    [
        ("daily", "monday", "2026-11-30"),
        ("weekly", "monday", "2026-W49"),
        ("weekly", "sunday", "2026-11-29"),
        ("weekly", "saturday", "2026-11-28"),
        ("monthly", "monday", "2026-11"),
        ("yearly", "monday", "2026"),
        ("all", "monday", "all"),
    ],
)
def test_ids_have_the_form_of_their_window(window: str, week_start: str, expected: str) -> None:
    """Each window names the same instant in its own way."""
    assert known(calendar(week_start=week_start).current(window, NOW)).id == expected


def test_all_has_no_bounds() -> None:
    """The one period of `all` begins with the epoch and never ends."""
    assert calendar().current("all", NOW) == Period("all", "all", 0, None, 0)
    assert calendar().select("all", "0", NOW) == Period("all", "all", 0, None, 0)


@pytest.mark.parametrize(
    ("day", "week"),
    [("2024-12-31", "2025-W01"), ("2027-01-01", "2026-W53"), ("2027-01-03", "2026-W53"), ("2027-01-04", "2027-W01")],
)
def test_weeks_carry_the_iso_year(day: str, week: str) -> None:
    """Around New Year the year of a week is not the year of the date."""
    assert known(calendar().current("weekly", ms(f"{day}T12:00:00Z"))).id == week


@given(st.dates(date(1, 1, 1), date(9999, 12, 26)))
def test_weeks_agree_with_isocalendar(day: date) -> None:
    """A week's id is what the standard library says, and its first day is a Monday."""
    year, week, _ = day.isocalendar()
    period = calendar().select("weekly", f"{year:04d}-W{week:02d}", NOW)
    first = date.fromordinal(period.number * 7 + 1)
    assert first.isoweekday() == 1
    assert 0 <= (day - first).days < 7


@pytest.mark.parametrize(
    ("zone", "day", "start", "end"),
    [
        pytest.param("UTC", "2026-11-30", "2026-11-30T00:00:00Z", "2026-12-01T00:00:00Z", id="plain"),
        pytest.param("Europe/Paris", "2026-03-29", "2026-03-28T23:00:00Z", "2026-03-29T22:00:00Z", id="23 hours"),
        pytest.param("Europe/Paris", "2026-10-25", "2026-10-24T22:00:00Z", "2026-10-25T23:00:00Z", id="25 hours"),
        pytest.param(
            "America/Sao_Paulo", "2018-11-04", "2018-11-04T03:00:00Z", "2018-11-05T02:00:00Z", id="no midnight"
        ),
        pytest.param(
            "Asia/Beirut", "2026-03-29", "2026-03-28T22:00:00Z", "2026-03-29T21:00:00Z", id="no midnight, ahead"
        ),
        pytest.param(
            "Africa/Cairo", "2026-04-24", "2026-04-23T22:00:00Z", "2026-04-24T21:00:00Z", id="no midnight, rule"
        ),
        pytest.param(
            "America/Sao_Paulo", "2018-02-18", "2018-02-18T03:00:00Z", "2018-02-19T03:00:00Z", id="23:00 twice"
        ),
        pytest.param(
            "America/Havana", "2026-11-01", "2026-11-01T04:00:00Z", "2026-11-02T05:00:00Z", id="midnight twice"
        ),
        pytest.param(
            "America/St_Johns", "2010-11-07", "2010-11-07T02:30:00Z", "2010-11-08T03:30:00Z", id="back at 00:01"
        ),
        pytest.param(
            "America/Toronto", "1919-03-31", "1919-03-31T04:30:00Z", "1919-04-01T04:00:00Z", id="gap from 23:30"
        ),
        pytest.param("Pacific/Apia", "2011-12-30", "2011-12-30T10:00:00Z", "2011-12-30T10:00:00Z", id="skipped"),
        pytest.param("Pacific/Apia", "2011-12-31", "2011-12-30T10:00:00Z", "2011-12-31T10:00:00Z", id="after skipped"),
    ],
)
def test_days_start_at_the_first_instant_of_their_date(zone: str, day: str, start: str, end: str) -> None:
    """Odd midnights move the bounds of a day, and nothing falls between two days."""
    period = calendar(zone=zone).select("daily", day, NOW)
    assert (utc(period.start), utc(period.end)) == (start, end)


def test_an_hour_that_repeats_over_midnight_stays_in_the_new_day() -> None:
    """The second 23:30 of a day comes after its successor began, so it belongs to the successor."""
    board = calendar(zone="America/St_Johns")
    assert known(board.current("daily", ms("2010-11-07T02:29:59Z"))).id == "2010-11-06"
    assert datetime.fromisoformat("2010-11-07T03:00:00Z").astimezone(board.zone).date() == date(2010, 11, 6)
    assert known(board.current("daily", ms("2010-11-07T03:00:00Z"))).id == "2010-11-07"


@settings(max_examples=40)
@given(st.sampled_from(ZONES), st.dates(date(1973, 1, 3), date(2100, 1, 1)))
@example("America/St_Johns", date(2010, 11, 7))
@example("Africa/Cairo", date(2023, 4, 28))
@example("Pacific/Apia", date(2011, 12, 30))
def test_day_starts_agree_with_a_search_minute_by_minute(zone: str, day: date) -> None:
    """The start is the first minute, of all there are, whose local date is the day or later."""
    midnight = datetime(day.year, day.month, day.day, tzinfo=UTC)
    minutes = (midnight + timedelta(minutes=minute) for minute in range(-15 * 60, 40 * 60))
    first = next(minute for minute in minutes if minute.astimezone(ZoneInfo(zone)).date() >= day)
    assert calendar(zone=zone).select("daily", day.isoformat(), NOW).start == first.timestamp()


@given(calendars, st.sampled_from(DATED), SECONDS)
def test_periods_meet_and_hold_their_instants(board: Calendar, window: str, seconds: int) -> None:
    """The current period holds now, its first and its last millisecond, and its neighbours touch it."""
    period = known(board.current(window, seconds * 1000 + 999))
    end = period.end or 0
    assert period.start <= seconds < end
    assert board.current(window, period.start * 1000) == period
    assert board.current(window, end * 1000 - 1) == period
    after = board.step(period, 1)
    assert (after.start, after.number) == (end, period.number + 1)
    assert board.step(period, -1).end == period.start


@given(calendars, st.sampled_from(DATED), SECONDS, st.integers(1, 800))
def test_ids_and_steps_lead_back(board: Calendar, window: str, seconds: int, back: int) -> None:
    """An id names its own period again, `-n` is n steps, and as many steps forward return."""
    period = known(board.current(window, seconds * 1000))
    earlier = board.select(window, f"-{back}", seconds * 1000)
    assert board.select(window, period.id, NOW) == period == board.select(window, "0", seconds * 1000)
    assert earlier == board.step(period, -back) == board.select(window, earlier.id, NOW)
    assert board.step(earlier, back) == period


@pytest.mark.parametrize("zone", ["Asia/Tokyo", "America/Los_Angeles"])
def test_the_process_zone_does_not_matter(zone: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Wherever the function runs, the board's zone alone decides."""
    board = calendar(zone="Europe/Paris")
    ids = ["2026-06-15", "2026-W25", "2026-06", "2026"]
    before = [board.select(window, at, NOW) for window, at in zip(DATED, ids, strict=True)]
    monkeypatch.setenv("TZ", zone)
    time.tzset()
    try:
        fresh = Calendar(ZoneInfo.no_cache("Europe/Paris"), "monday")
        assert [fresh.select(window, at, NOW) for window, at in zip(DATED, ids, strict=True)] == before
        assert known(fresh.current("daily", ms("2026-06-15T22:30:00Z"))).id == "2026-06-16"
    finally:
        monkeypatch.undo()
        time.tzset()


def test_numbers_come_from_the_date_alone() -> None:
    """A number is the same in every zone, so that a record's two slots alternate for good."""
    for zone in ZONES:
        board = calendar(zone=zone)
        numbers = [
            board.select(w, at, NOW).number
            for w, at in zip(DATED, ["2026-11-30", "2026-W49", "2026-11", "2026"], strict=True)
        ]
        assert numbers == [739950, 739950 // 7, 2026 * 12 + 10, 2026]
    assert calendar(week_start="sunday").select("weekly", "2026-11-29", NOW).number == 739949 // 7
    assert calendar(week_start="saturday").select("weekly", "2026-11-28", NOW).number == 739948 // 7
