"""What a store holds, compared with what the model says it should: every key, every row, every expiry."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from tests.reference_model.board import Board, Place, Row

_LAST_MS = 9_999_999_999_999
_FIELD = re.compile(r"(\d+) (\S+) (\d+|-) (\S+) (\w+)(\t.*)?")

# A client of redis-py or fakeredis; their types cannot say that it answers in bytes.
Client = Any
Contents = dict[str, tuple[Any, int | None]]


def contents(client: Client) -> Contents:
    """Return what every key holds and when it expires (epoch seconds), but for the gates of addresses."""
    found: Contents = {}
    for key in sorted(client.scan_iter(count=1000)):
        name = key.decode()
        if ":gate:" in name:
            continue  # it ends by the store's own clock
        expires = int(client.expiretime(name))
        found[name] = _value(client, name), None if expires < 0 else expires
    return found


def _value(client: Client, key: str) -> Any:
    if ":player:" in key or key.endswith(":profiles"):
        return {name.decode(): value.decode() for name, value in client.hgetall(key).items()}
    if ":values:" in key:
        return {value.decode() for value in client.smembers(key)}
    return {text.decode(): score for text, score in client.zrange(key, 0, -1, withscores=True)}


def expire(client: Client, now: int) -> None:
    """Delete what a store would have dropped by `now` (ms), the test's clock."""
    for key, (_, expires) in contents(client).items():
        if expires is not None and expires * 1000 <= now:
            client.delete(key)


def comparable(found: Contents) -> Contents:
    """Return contents without what differs between two stores: submission ids, which may be random."""
    return {
        key: ({name: text for name, text in value.items() if name not in ("ids", "gate")}, expires)
        if ":player:" in key
        else (value, expires)
        for key, (value, expires) in found.items()
    }


@dataclass(frozen=True)
class Text:
    """An entry text taken apart."""

    player: str
    tie: str
    name: str
    meta: str


@dataclass(frozen=True)
class Inspection:
    """One store at one moment (ms), against the model."""

    board: Board
    found: Contents
    now: int

    @property
    def _prefix(self) -> str:
        return f"laurel:{{b}}:{self.board.rules.code}:"

    def _key(self, place: Place) -> str:
        chosen = ",".join(f"{name}={value}" for name, value in place.selection)
        return f"{self._prefix}{place.period.window}:{place.period.id}:{chosen}"

    def faults(self) -> list[str]:
        """Return what is wrong, in words; nothing where the store is as it should be."""
        return [*self._expiries(), *self._rows(), *self._records(), *self._rest()]

    def _expiries(self) -> Iterator[str]:
        """Compare the keys and when they end."""
        board = self.board
        wanted = {self._key(place): standing.expires for place, standing in board.standings.items()}
        for (period, split), values in board.values.items():
            wanted[f"{self._prefix}{period.window}:{period.id}:values:{split}"] = values.expires
        for player, record in board.records.items():
            wanted[f"{self._prefix}player:{player}"] = record.expires
        if board.profiles:
            wanted["laurel:{b}:profiles"] = None
        actual = {key: expires for key, (_, expires) in self.found.items()}
        for key in sorted(wanted.keys() | actual.keys()):
            if (key in wanted, wanted.get(key)) != (key in actual, actual.get(key)):
                wish = f"expires {wanted[key]}" if key in wanted else "should not exist"
                fact = f"expires {actual[key]}" if key in actual else "does not exist"
                yield f"{key}: {wish}, but {fact}"

    def _rows(self) -> Iterator[str]:
        """Compare the rows: nobody twice, no more than the cap, each as in the model, in the model's order."""
        for place in self.board.standings:
            key = self._key(place)
            rows, _ = self.found.get(key, ({}, None))
            shown = [self._row(place, _text(text), score) for text, score in rows.items()]
            shown = shown[::-1] if self.board.rules.descending else shown
            players = [player for player, _ in shown]
            if len(set(players)) < len(players):
                yield f"{key}: somebody appears twice: {players}"
            if self.board.rules.cap and len(rows) > self.board.rules.cap:
                yield f"{key}: {len(rows)} rows with a cap of {self.board.rules.cap}"
            if shown != self.board.ranked(place):
                yield f"{key}: should hold {self.board.ranked(place)}, but holds {shown}"

    def _row(self, place: Place, text: Text, score: float) -> tuple[str, Row]:
        at = _LAST_MS - int(text.tie[-13:]) if self.board.rules.descending else int(text.tie[-13:])
        # Which number the hexadecimal digits before it are is seen in the answers.
        own = self.board.rows(place).get(text.player)
        tiebreak = own.tiebreak if own and len(text.tie) > 13 else None
        return text.player, Row(score, tiebreak, at, text.name or None, json.loads(text.meta) if text.meta else {})

    def _records(self) -> Iterator[str]:
        """Look for records that contradict a row which is there."""
        for place, standing in self.board.standings.items():
            rows, _ = self.found.get(self._key(place), ({}, None))
            for text, score in rows.items():
                player = _text(text).player
                record, _ = self.found.get(f"{self._prefix}player:{player}", (None, None))
                if record is None:
                    if not self.board.rules.cap and not self.board.was_capped:
                        yield f"{self._key(place)}: {player} has no record"
                elif complaint := self._contradiction(place, record, (score, text.replace(f"\t{player}\t", "\t", 1))):
                    yield f"{self._key(place)}: {player}'s row is {text!r} with {score}, but {complaint}"
            assert standing.rows, "a standing without rows"

    def _contradiction(self, place: Place, record: dict[str, str], row: tuple[float, str]) -> str | None:
        window = place.period.window
        names = [f"{window}#{n}:{','.join(f'{name}={value}' for name, value in place.selection)}" for n in range(4)]
        fields = [found for name in names if (found := _FIELD.fullmatch(record.get(name, "")))]
        field = next((field for field in fields if field[2] == place.period.id), None)
        if field is None:
            made = int(record["seen"].split()[0])
            lost = (self.board.rules.cap or self.board.was_capped) and made >= place.period.start
            forgotten = not self.board.calendar.is_recent(place.period, self.now) or _is_behind(place, record)
            return None if lost or forgotten else f"the record, made {made}, does not know it: {record}"
        until = self.board.refreshed(place, (int(field[3]) * 86_400_000) if field[3] != "-" else 0)
        if until is not None and until * 1000 <= self.now:
            return None  # too old a day: it counts as absent
        held = float(field[4]), field[5] + (field[6] or " (unranked)")
        return None if held == row else f"the record says {held}"

    def _rest(self) -> Iterator[str]:
        """Compare open splits, profiles and how many ids are kept."""
        for (period, split), values in self.board.values.items():
            known, _ = self.found.get(f"{self._prefix}{period.window}:{period.id}:values:{split}", (set(), None))
            if known != values.known:
                yield f"{period.id} {split}: should have the values {values.known}, but has {known}"
        profiles, _ = self.found.get("laurel:{b}:profiles", ({}, None))
        for player, (name, meta) in self.board.profiles.items():
            text = profiles.get(f"{player}\tmeta") or "{}"
            if (profiles.get(f"{player}\tname"), json.loads(text)) != (name, meta):
                yield f"profile of {player}: should be {(name, meta)}, but all are {profiles}"
        for player, record in self.board.records.items():
            held, _ = self.found.get(f"{self._prefix}player:{player}", ({}, None))
            if len(held.get("ids", "").split()) != len(record.uses):
                yield f"record of {player}: should remember {len(record.uses)} ids, but has {held.get('ids')}"


def _is_behind(place: Place, record: dict[str, str]) -> bool:
    """Whether a clock that was ahead wrote of a later period, and let go of this one; the next submission searches."""
    listed = re.findall(r"(\w+)#\d:(\S*) (\d+) \d+", record.get("values", ""))
    shape = [name for name, _ in place.selection]
    return any(
        (window, re.findall(r"(\w+)=", selection)) == (place.period.window, shape) and int(start) > place.period.start
        for window, selection, start in listed
    )


def _text(text: str) -> Text:
    tie, player, name, meta = text.split("\t")
    return Text(player, tie, name, meta)
