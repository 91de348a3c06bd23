"""A word filter to begin with: LAUREL_NAME_FILTER=lib.wordlist:refuses, on the list library of the extra `names`."""

from functools import cache

from glin_profanity import Filter  # type: ignore[import-untyped]  # it has hints, and does not say so


@cache
def _words() -> Filter:
    return Filter({"all_languages": True})


def refuses(name: str) -> bool:
    """Return whether a cleaned name holds a word of the library's lists, in any of its languages, even disguised."""
    return bool(_words().is_profane(name))
