"""Pages that a process and shared caches may keep for a board's `cache` time, and their ETags."""

import hashlib
from collections import OrderedDict
from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any

from lib.documents import render

MOST_PAGES = 256


@dataclass(frozen=True, slots=True)
class KeptPage:
    """An answer's JSON without what changes by itself, its ETag, and until when (ms) it may be shown."""

    fields: dict[str, Any]
    until: int

    @property
    def etag(self) -> str:
        """The ETag of what is shown, whatever the time until the reset."""
        return f'"{hashlib.blake2b(render(self.fields), digest_size=12).hexdigest()}"'


class KeptPages:
    """The pages this process read lately; the least used goes first when there are too many."""

    def __init__(self, most: int = MOST_PAGES) -> None:
        self._most = most
        self._pages: OrderedDict[Hashable, KeptPage] = OrderedDict()

    def get(self, key: Hashable, now: int) -> KeptPage | None:
        """Return a page that may still be shown."""
        page = self._pages.get(key)
        if page is None or page.until <= now:
            return None
        self._pages.move_to_end(key)
        return page

    def keep(self, key: Hashable, page: KeptPage) -> None:
        """Keep a page until its time is up."""
        self._pages[key] = page
        self._pages.move_to_end(key)
        if len(self._pages) > self._most:
            self._pages.popitem(last=False)


def matches(etag: str, if_none_match: str | None) -> bool:
    """Return whether a caller has this version already (weak comparison, RFC 9110 §13.1.2)."""
    if if_none_match is None:
        return False
    known = [tag.strip().removeprefix("W/") for tag in if_none_match.split(",")]
    return "*" in known or etag in known
