"""Small plots as SVG text, for light and dark pages alike: no background, mid tones, text that follows the theme."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from html import escape
from math import ceil, floor, log10

WIDTH = 720
_LEFT, _RIGHT, _TOP = 190, 70, 74
_BAR, _GAP, _BETWEEN = 16, 4, 18

_STYLE = """
text { font: 13px system-ui, -apple-system, "Segoe UI", sans-serif; fill: #57606a }
.title { font-size: 15px; font-weight: 600 }
.small { font-size: 11px }
.axis { stroke: #8c959f; stroke-opacity: .35; fill: none }
.limit { stroke: #bf8700; stroke-dasharray: 4 4; fill: none }
.a { fill: #2f81b7 } .b { fill: #9aa4ae } .c { fill: #3a9d7c } .d { fill: #b07cc6 } .e { fill: #cf8a4b }
.line { fill: none; stroke-width: 2 }
.line.a { stroke: #2f81b7 } .line.b { stroke: #9aa4ae } .line.c { stroke: #3a9d7c }
.line.d { stroke: #b07cc6 } .line.e { stroke: #cf8a4b }
@media (prefers-color-scheme: dark) { text { fill: #b3bcc6 } .axis { stroke: #8b949e } .limit { stroke: #d4a72c } }
"""
_TONES = "abcde"

Text = Callable[[float], str]


@dataclass(frozen=True, slots=True)
class Limit:
    """A bound to draw: its value and what it is called."""

    value: float
    label: str


def _text(x: float, y: float, text: str, kind: str = "", anchor: str = "start") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" class="{kind}" text-anchor="{anchor}">{escape(text)}</text>'


def _picture(height: float, title: str, parts: Sequence[str]) -> str:
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height:.0f}" role="img" '
        f'aria-label="{escape(title)}">\n<style>{_STYLE}</style>'
    )
    return "\n".join([head, _text(16, 26, title, "title"), *parts, "</svg>"]) + "\n"


def _legend(series: Sequence[str]) -> list[str]:
    parts, x = [], 16.0
    for tone, name in zip(_TONES, series, strict=False):
        parts.append(f'<rect x="{x:.1f}" y="41" width="11" height="11" rx="2" class="{tone}"/>')
        parts.append(_text(x + 16, 51, name, "small"))
        x += 40 + 6.2 * len(name)
    return parts


def bars(
    title: str,
    series: Sequence[str],
    groups: Sequence[tuple[str, Sequence[float]]],
    label: Text,
    limit: Limit | None = None,
) -> str:
    """Draw horizontal bars from zero, one a series in each group, with their values in a column."""
    most = max([value for _, values in groups for value in values] + ([limit.value] if limit else []))
    scale = (WIDTH - _LEFT - _RIGHT) / most
    top = _TOP if len(series) > 1 else _TOP - 24
    parts = _legend(series) if len(series) > 1 else []
    y = float(top)
    for name, values in groups:
        height = len(values) * (_BAR + _GAP) - _GAP
        parts.append(_text(_LEFT - 10, y + height / 2 + 4.5, name, anchor="end"))
        for tone, value in zip(_TONES, values, strict=False):
            parts.append(
                f'<rect x="{_LEFT}" y="{y:.1f}" width="{max(1.0, value * scale):.1f}" height="{_BAR}" rx="2" '
                f'class="{tone}"/>'
            )
            parts.append(_text(WIDTH - 16, y + 12.5, label(value), "small", "end"))
            y += _BAR + _GAP
        y += _BETWEEN - _GAP
    bottom = y - _BETWEEN + 8
    parts.append(f'<path class="axis" d="M{_LEFT} {top - 6}V{bottom:.1f}"/>')
    if limit:
        x = _LEFT + limit.value * scale
        parts.append(f'<path class="limit" d="M{x:.1f} {top - 6}V{bottom:.1f}"/>')
        parts.append(_text(x, bottom + 14, limit.label, "small", "middle"))
    return _picture(bottom + 26, title, parts)


def _step(most: float) -> float:
    """Return a round distance of about five ticks from zero to `most`."""
    power = 10.0 ** floor(log10(most / 5))
    return next(power * factor for factor in (1, 2, 5, 10) if power * factor >= most / 5)


def lines(
    title: str, x_label: str, xs: Sequence[int], series: Sequence[tuple[str, Sequence[float]]], label: Text
) -> str:
    """Draw lines over a logarithmic x from the smallest to the largest, y from zero."""
    left, right, height, top = 64, 44, 220, float(_TOP)
    highest = max(value for _, values in series for value in values)
    step = _step(highest)
    ticks = ceil(highest / step)
    most = step * ticks
    low, span = log10(xs[0]), log10(xs[-1]) - log10(xs[0])

    def place(x: float, y: float) -> tuple[float, float]:
        return left + (log10(x) - low) / span * (WIDTH - left - right), top + height * (1 - y / most)

    parts = _legend([name for name, _ in series])
    for tick in range(ticks + 1):
        y = place(xs[0], step * tick)[1]
        parts.append(f'<path class="axis" d="M{left} {y:.1f}H{WIDTH - right}"/>')
        parts.append(_text(left - 8, y + 4, label(step * tick), "small", "end"))
    for x in xs:
        parts.append(_text(place(x, 0)[0], top + height + 18, f"{x:,}", "small", "middle"))
    parts.append(_text((left + WIDTH - right) / 2, top + height + 36, x_label, "small", "middle"))
    for tone, (_, values) in zip(_TONES, series, strict=False):
        points = [place(x, value) for x, value in zip(xs, values, strict=True)]
        path = "L".join(f"{x:.1f} {y:.1f}" for x, y in points)
        parts.append(f'<path class="line {tone}" d="M{path}"/>')
        parts += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" class="{tone}"/>' for x, y in points]
    return _picture(top + height + 48, title, parts)
