"""Pages that a process and shared caches may keep for a board's `cache` time."""

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any, Self

from lib.lru_cache import LruCache
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
        self._pages: LruCache[Hashable, KeptPage] = LruCache(most, most_weight=most_rows, weigh=lambda page: page.rows)
        self._newest = 0

    def __len__(self) -> int:
        return len(self._pages)

    def get(self, key: Hashable, now: int) -> KeptPage | None:
        """Return a page that may still be shown."""
        if now < self._newest:
            # The clock has stepped back: these would be shown when their time comes, as old as the step was long.
            self._pages.drop_where(lambda page: page.since > now)
            self._newest = now
        page = self._pages.get(key)
        return None if page is None or page.until <= now else page

    def keep(self, key: Hashable, page: KeptPage) -> None:
        """Keep a page until its time is up."""
        self._pages.put(key, page)
        self._newest = max(self._newest, page.since)
