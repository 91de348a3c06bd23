"""What a benchmark comes to: a table, a plot, and for each target whether it is met."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

FOLDER = Path(__file__).parent.parent / "docs" / "bench"
_HEADING = "\n## "


@dataclass(frozen=True, slots=True)
class Target:
    """One measured number and the most it may be."""

    what: str
    value: float
    most: float
    unit: str = "×"

    @property
    def is_met(self) -> bool:
        """Whether the number is within its bound."""
        return self.value <= self.most

    def __str__(self) -> str:
        size = f"{self.value:.2f}" if self.unit == "×" else f"{self.value:.0f}"
        most = f"{self.most:g}"
        return f"{'pass' if self.is_met else 'OVER'}  {self.what}: {size}{self.unit}, at most {most}{self.unit}"


@dataclass(slots=True)
class Result:
    """One section of the report. `plots` are SVG texts by file name; `note` says how it was measured."""

    name: str
    title: str
    note: str
    header: Sequence[str]
    rows: Sequence[Sequence[str]]
    targets: Sequence[Target] = ()
    plots: dict[str, str] = field(default_factory=dict)

    def table(self) -> str:
        """Return the table in Markdown, aligned so that a terminal shows it well too."""
        cells = [list(self.header), *(list(row) for row in self.rows)]
        widths = [max(len(row[column]) for row in cells) for column in range(len(self.header))]
        lines = [
            f"| {' | '.join(_padded(cell, width, at) for at, (cell, width) in _enumerated(row, widths))} |"
            for row in cells
        ]
        rule = [("-" * width) if at == 0 else "-" * (width - 1) + ":" for at, width in enumerate(widths)]
        return "\n".join([lines[0], f"| {' | '.join(rule)} |", *lines[1:]])

    def section(self) -> str:
        """Return the section as Markdown, from its heading on."""
        plots = [f"![{self.title}]({file})" for file in self.plots]
        verdicts = "\n".join(f"- {target}" for target in self.targets)
        parts = [f"## {self.title}", self.note, self.table(), verdicts, *plots]
        return "\n\n".join(part for part in parts if part) + "\n"

    def save(self, order: Sequence[str], preamble: str) -> None:
        """Write the plots, and put the section in its place among those that the report has already."""
        FOLDER.mkdir(parents=True, exist_ok=True)
        for file, svg in self.plots.items():
            (FOLDER / file).write_text(svg, encoding="utf-8")
        report = FOLDER / "README.md"
        _, *old = report.read_text(encoding="utf-8").split(_HEADING) if report.exists() else [""]
        sections = {text.partition("\n")[0]: f"## {text.strip()}\n" for text in old}
        sections[self.title] = self.section()
        known = [title for title in order if title in sections]
        others = [title for title in sections if title not in order]
        body = "\n".join(sections[title] for title in [*known, *others])
        report.write_text(f"{preamble.strip()}\n\n{body}", encoding="utf-8")


def _enumerated(row: Sequence[str], widths: Sequence[int]) -> list[tuple[int, tuple[str, int]]]:
    return list(enumerate(zip(row, widths, strict=True)))


def _padded(cell: str, width: int, column: int) -> str:
    return cell.ljust(width) if column == 0 else cell.rjust(width)
