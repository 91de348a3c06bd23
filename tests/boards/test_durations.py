"""Durations and rates: what `boards.toml` may write, and what it becomes."""

import pytest

from lib.boards.durations import LONGEST, Rate, parse_duration, parse_rate


@pytest.mark.parametrize(
    ("text", "milliseconds"),
    [
        ("0s", 0),
        ("250ms", 250),
        ("10s", 10_000),
        ("1m", 60_000),
        ("2h", 7_200_000),
        ("90d", 7_776_000_000),
        ("5w", 3_024_000_000),
        ("365250d", LONGEST),
    ],
)
def test_a_duration_is_read_as_milliseconds(text: str, milliseconds: int) -> None:
    """Every unit has its length, up to the longest duration."""
    assert parse_duration(text) == milliseconds


@pytest.mark.parametrize(
    "text",
    [
        "",
        "0",
        "10",
        "s",
        "10 s",
        " 10s",
        "10s ",
        "10s\n",
        "-1s",
        "+1s",
        "1.5h",
        "1_0s",
        "10S",
        "1h30m",
        "10sec",
        "\uff11\uff10s",
    ],
)
def test_another_form_is_refused_with_the_units_that_are_allowed(text: str) -> None:
    """Whatever int() would forgive is refused: signs, spaces, underscores, digits of other scripts."""
    with pytest.raises(ValueError, match=r'ms, s, m, h, d, w, such as "10s"'):
        parse_duration(text)


@pytest.mark.parametrize("text", ["365251d", "31557600001s", "999999999999999w"])
def test_a_duration_beyond_the_calendar_is_refused(text: str) -> None:
    """A thousand years is the bound, whatever the unit."""
    with pytest.raises(ValueError, match="365250d"):
        parse_duration(text)


@pytest.mark.parametrize(
    ("text", "rate"),
    [
        ("0", None),
        ("60/1m", Rate(60, 60_000)),
        ("1/10s", Rate(1, 10_000)),
        ("9999999/1d", Rate(9_999_999, 86_400_000)),
    ],
)
def test_a_rate_is_a_count_and_a_duration(text: str, rate: Rate | None) -> None:
    """ "0" alone turns a gate off."""
    assert parse_rate(text) == rate


@pytest.mark.parametrize(
    "text", ["", "60", "0/1m", "-1/1m", "60/", "/1m", "60 / 1m", "6.5/1m", "10000000/1m", "60/1m/1m"]
)
def test_a_malformed_rate_is_refused(text: str) -> None:
    """A rate that admits nobody is no rate, and neither is a count alone."""
    with pytest.raises(ValueError, match=r"60/1m|such as"):
        parse_rate(text)


def test_a_rate_over_no_time_is_refused() -> None:
    """A gate with an empty period would never close."""
    with pytest.raises(ValueError, match="longer than nothing"):
        parse_rate("5/0s")
