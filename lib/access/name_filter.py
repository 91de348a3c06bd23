"""The operator's word filter: any callable that takes a cleaned name and answers with something true to refuse it."""

import logging
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from traceback import extract_tb
from typing import Any

from lib.errors import LaurelError, Misconfigured

_log = logging.getLogger("laurel")

# What documents and environments call our own filter, whatever room it lies in.
_OURS = {"lib.wordlist": "lib.access.wordlist"}


def load_filter(spec: str | None) -> Callable[[str], object] | None:
    """Return what `module:callable` names, None for nothing; raise Misconfigured where it cannot be had."""
    if spec is None:
        return None
    module, _, path = spec.partition(":")
    try:
        found: Any = import_module(_OURS.get(module, module))
        for name in path.split("."):
            found = getattr(found, name)
    except Exception as error:  # an import runs whatever the module holds, and its words may hold a secret
        missing = f": {error.name}" if isinstance(error, ImportError | AttributeError) else ""
        reason = f"{type(error).__name__}{missing}"
        raise Misconfigured(f"LAUREL_NAME_FILTER: {spec} cannot be imported ({reason}).") from None
    if not callable(found):
        raise Misconfigured(f"LAUREL_NAME_FILTER: {spec} is not callable.")
    return _discreet(spec, found)


def _discreet(spec: str, refuses: Callable[[str], object]) -> Callable[[str], object]:
    """Return the filter so that its failures go to the log without their words, which may hold the name."""

    def judge(name: str) -> object:
        try:
            return refuses(name)
        except Exception as error:
            place = extract_tb(error.__traceback__)[-1]
            where = f"{Path(place.filename).name}:{place.lineno}"
            _log.error("LAUREL_NAME_FILTER: %s failed (%s, %s)", spec, type(error).__name__, where)
            raise LaurelError("The name could not be judged.") from None

    return judge
