"""ETags of what is read, and whether a caller has it already."""

import hashlib
from collections.abc import Sequence


def etag_of(content: bytes) -> str:
    """Return the ETag of what is shown."""
    return f'"{hashlib.blake2b(content, digest_size=12).hexdigest()}"'


def matches(etag: str, if_none_match: Sequence[str]) -> bool:
    """Return whether a caller has this version already, by all its If-None-Match headers.

    The comparison is the weak one of RFC 9110 §13.1.2, because caches on the way weaken tags when they compress.
    """
    known = [tag.strip().removeprefix("W/") for header in if_none_match for tag in header.split(",")]
    return "*" in known or etag in known
