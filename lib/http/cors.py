"""Which origins may call, and the headers that tell their browsers so. Nothing else sets these headers."""

from collections.abc import Mapping

EXPOSED = "Retry-After, RateLimit, RateLimit-Policy"
PREFLIGHT_SECONDS = 86_400


def is_allowed(origins: tuple[str, ...], origin: str | None) -> bool:
    """Return whether a page of this origin may call; a request without an origin comes from no page."""
    return origin is None or "*" in origins or origin in origins


def cors_headers(origins: tuple[str, ...], origin: str | None) -> dict[str, str]:
    """Return the headers of any answer to this origin.

    Where all may call, the answer is the same for everybody, so that a shared cache can keep one for all.
    """
    if "*" in origins:
        return {"Access-Control-Allow-Origin": "*", "Access-Control-Expose-Headers": EXPOSED}
    if origin is None or origin not in origins:
        return {"Vary": "Origin"}
    return {"Access-Control-Allow-Origin": origin, "Access-Control-Expose-Headers": EXPOSED, "Vary": "Origin"}


def preflight_headers(methods: str) -> Mapping[str, str]:
    """Return what an allowed origin's preflight is told beyond the headers of any answer."""
    return {
        "Access-Control-Allow-Methods": methods,
        "Access-Control-Allow-Headers": "Content-Type, Authorization",
        "Access-Control-Max-Age": str(PREFLIGHT_SECONDS),
    }
