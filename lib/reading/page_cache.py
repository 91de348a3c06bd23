"""Pages that a process and shared caches may keep for a board's `cache` time."""

from collections import OrderedDict
from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any, Self

from lib.reading.etags import etag_of
from lib.schemas.strict_json import render

MOST_PAGES = 256
# Plural pages are up to 24 times as long as single ones, and anybody may ask for them under any number of `v`.
MOST_ROWS = 100 * MOST_PAGES


@dataclass(frozen=True, slots=True)
class KeptPage:
    """An answer's JSON without what changes by itself, its ETag, and since when and until when (ms) it may be shown."""

    fields: dict[str, Any]
    rows: int
    etag: str
    since: int
    until: int

    @classmethod
    def of(cls, fields: dict[str, Any], rows: int, since: int, until: int) -> Self:
        """Return a page with the ETag of what is shown, whatever the time until the reset."""
        return cls(fields, rows, etag_of(render(fields)), since, until)


class KeptPages:
    """The pages this process read lately; the least used go first when there are too many, or too many rows in them."""

    def __init__(self, most: int = MOST_PAGES, most_rows: int = MOST_ROWS) -> None:
        self._most, self._most_rows = most, most_rows
        self._pages: OrderedDict[Hashable, KeptPage] = OrderedDict()
        self._rows = 0
        self._newest = 0

    def __len__(self) -> int:
        return len(self._pages)

    def get(self, key: Hashable, now: int) -> KeptPage | None:
        """Return a page that may still be shown."""
        if now < self._newest:
            self._forget_later(now)
        page = self._pages.get(key)
        if page is None or page.until <= now:
            return None
        self._pages.move_to_end(key)
        return page

    def keep(self, key: Hashable, page: KeptPage) -> None:
        """Keep a page until its time is up."""
        replaced = self._pages.pop(key, None)
        self._rows += page.rows - (replaced.rows if replaced else 0)
        self._pages[key] = page
        self._newest = max(self._newest, page.since)
        while len(self._pages) > self._most or self._rows > self._most_rows:
            _, dropped = self._pages.popitem(last=False)
            self._rows -= dropped.rows

    def _forget_later(self, now: int) -> None:
        # The clock has stepped back: these would be shown when their time comes, as old as the step was long.
        for key in [key for key, page in self._pages.items() if page.since > now]:
            self._rows -= self._pages.pop(key).rows
        self._newest = now
