"""The operator's word filter: any callable that takes a cleaned name and answers with something true to refuse it."""

from collections.abc import Callable
from importlib import import_module
from typing import Any

from lib.errors import Misconfigured


def load_filter(spec: str | None) -> Callable[[str], object] | None:
    """Return what `module:callable` names, None for nothing; raise Misconfigured where it cannot be had."""
    if spec is None:
        return None
    module, _, path = spec.partition(":")
    try:
        found: Any = import_module(module)
        for name in path.split("."):
            found = getattr(found, name)
    except Exception as error:  # an import runs whatever the module holds
        reason = f"{type(error).__name__}: {error}".partition("\n")[0]
        raise Misconfigured(f"LAUREL_NAME_FILTER: {spec} cannot be imported ({reason}).") from None
    if not callable(found):
        raise Misconfigured(f"LAUREL_NAME_FILTER: {spec} is not callable.")
    refuses: Callable[[str], object] = found
    return refuses
