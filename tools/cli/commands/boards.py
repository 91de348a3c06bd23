"""The boards as they are understood, in the form of `boards.toml`: what is printed can be read back."""

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import tomlkit
from tomlkit import TOMLDocument
from tomlkit.items import Item

from lib.boards.board import Board
from lib.boards.durations import UNITS, Rate
from lib.boards.field_types import written
from lib.boards.tables import OpenSplit
from tools.cli.arguments import Commands, Options, add_command
from tools.cli.context import boards_of
from tools.cli.terminal import say, say_json

Tables = dict[str, Any]

_UNITS = ("ms", "s", "m", "h", "d")


def effective(board: Board) -> Tables:
    """Return every key of a board with the value in use, defaults included; what is off or absent is left out."""
    limits = board.limits
    ticket = board.ticket
    return _present(
        {
            "order": board.order,
            "keep": board.keep,
            "windows": list(board.windows),
            "timezone": board.timezone,
            "week_start": board.week_start,
            "cap": board.cap,
            "remember": _duration(board.remember),
            "rank": board.rank,
            "tiebreak": board.tiebreak,
            "names": board.names,
            "score": _present({"min": board.score.min, "max": board.score.max, "step": board.score.step}),
            "name": {"max": board.name_rule.max, "required": board.name_rule.required},
            "meta": dict(board.meta),
            "retain": _retained(board),
            "cache": _duration(board.cache),
            "auth": board.auth,
            "ticket": _present(
                {
                    "shortest": _duration(ticket.shortest),
                    "longest": _duration(ticket.longest),
                    "per_second": ticket.per_second,
                    "period_of": ticket.period_of,
                }
            ),
            "limits": {
                "per_ip": _rate(limits.per_ip),
                "per_player": _rate(limits.per_player),
                "cooldown": _duration(limits.cooldown) if limits.cooldown else "0",
            },
            "splits": _splits(board),
            "season": [{"name": season.name, "starts": season.starts, "ends": season.ends} for season in board.seasons],
        }
    )


def _present(table: Mapping[str, Any]) -> Tables:
    return {key: value for key, value in table.items() if value is not None and value not in ({}, [])}


def _retained(board: Board) -> Tables:
    retained = {window: board.retain(window) for window in board.windows}
    return {window: _duration(kept) for window, kept in retained.items() if kept is not None}


def _splits(board: Board) -> Tables:
    splits: Tables = {
        name: {"pattern": rule.pattern.pattern, "max": rule.max} if isinstance(rule, OpenSplit) else list(rule.values)
        for name, rule in board.splits.items()
    }
    return {**splits, "by": [written(selection) for selection in board.by]} if splits else {}


def _duration(ms: int) -> str:
    """Return a duration in the largest unit up to days that it is a whole number of."""
    unit = max((unit for unit in _UNITS if ms % UNITS[unit] == 0), key=UNITS.__getitem__) if ms else "s"
    return f"{ms // UNITS[unit]}{unit}"


def _rate(rate: Rate | None) -> str:
    return "0" if rate is None else f"{rate.limit}/{_duration(rate.period)}"


def as_toml(boards: Mapping[str, Board]) -> str:
    """Return the effective boards as a file that means the same."""
    return "\n\n".join(tomlkit.dumps(_table(name, effective(board))).strip() for name, board in boards.items())


def as_json(boards: Mapping[str, Board]) -> Tables:
    """Return the effective boards for JSON; numbers stay exact where a double can hold them, instants are text."""
    found = {name: effective(board) for name, board in boards.items()}
    plain: Tables = json.loads(json.dumps(found, default=_plain))
    return plain


def _plain(value: object) -> object:
    if isinstance(value, Decimal):
        return int(value) if value == int(value) else float(value)
    assert isinstance(value, datetime)
    return _instant(value)


def _table(name: str, board: Tables) -> TOMLDocument:
    """Return a board as tables of TOML: one for its own keys, one for its splits and one for each season."""
    own = tomlkit.table()
    for key, value in board.items():
        if key == "splits":
            table = tomlkit.table()
            for split, rule in value.items():
                table.append(split, _item(rule))
            own.append(key, table)
        elif key == "season":
            seasons = tomlkit.aot()
            for season in value:
                table = tomlkit.table()
                for part, one in season.items():
                    table.append(part, _item(one))
                seasons.append(table)
            own.append(key, seasons)
        else:
            own.append(key, _item(value))
    document = tomlkit.document()
    document.append("board", tomlkit.table(is_super_table=True).append(name, own))
    return document


def _item(value: object) -> Item:
    if isinstance(value, dict):
        table = tomlkit.inline_table()
        for key, one in value.items():
            table.append(key, _item(one))
        return table
    if isinstance(value, datetime):
        return tomlkit.value(_instant(value))
    if isinstance(value, Decimal):
        # TOML knows no exponent without digits before it, and Decimal writes 1E-12 and 1E+2.
        return tomlkit.value(format(value, "f"))
    return tomlkit.item(value)


def _instant(moment: datetime) -> str:
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def add_to(commands: Commands) -> None:
    """Add the command."""
    add_command(commands, "boards", run, "print the boards as they are understood, defaults included")


async def run(options: Options, environ: Mapping[str, str]) -> None:
    """Print the effective boards; the store is not asked."""
    found = boards_of(environ)
    if options.json:
        say_json(as_json(found))
    else:
        say(as_toml(found))
