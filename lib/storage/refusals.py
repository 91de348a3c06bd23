"""Refusals of the server: found in its answers, and told without what they quote."""

import logging
import re

import httpx
from upstash_redis.errors import UpstashError

from lib.errors import StoreUnavailable

_log = logging.getLogger("laurel")

# A server may repeat keys and arguments in an error, and with them a player.
_QUOTED = re.compile("'[^']*'?")


def refused(error: UpstashError) -> StoreUnavailable:
    """Return what a caller is told when the store refuses a command; the log has its reason, without what it quotes."""
    reason = str(error).partition(", with args")[0]
    _log.warning("store: %s", _QUOTED.sub(lambda found: found[0] if found[0].isupper() else "'…'", reason)[:200])
    return StoreUnavailable("The store refused.")


def refusal_of_all(answer: httpx.Response) -> str | None:
    """Return the server's words where it has refused a transaction as a whole, which the SDK stumbles over."""
    try:
        document = answer.json()
    except (ValueError, RecursionError):
        return None
    error = document.get("error") if isinstance(document, dict) else None
    return error if isinstance(error, str) else None


def is_about_unknown_flag(error: UpstashError) -> bool:
    """Return whether a server does not know the flag that a script came with."""
    # The refusal of a key outside of KEYS names the flag as well: that server knows it.
    text = str(error).lower()
    return ("flag" in text or "shebang" in text) and "dynamic keys" not in text
