"""The environment of one deployment, read once and checked by name.

No message holds a value: addresses, tokens and secrets are easily pasted into the wrong variable.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from lib.errors import Misconfigured

_HOST = r"(?:\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]+)*)(?::(?P<port>[0-9]{1,5}))?"
# No user part: the usual mistake is to paste the redis:// address, password and all.
_URL = re.compile(rf"https?://{_HOST}(?:/[!-~]*)?", re.IGNORECASE)
# A browser may send any scheme: capacitor://localhost, tauri://localhost, chrome-extension://…
_ORIGIN = re.compile(rf"[a-z][a-z0-9+.-]*://{_HOST}")
_PREFIX = re.compile("[A-Za-z0-9_.-]{1,32}")
_TOKEN = re.compile("[!-~]+")
_NUMBER = re.compile(r"[0-9]{1,9}(?:\.[0-9]{1,9})?")
_HOPS = re.compile("[0-9]{1,2}")
_CALLABLE = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*:[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*", re.ASCII)
_DATABASE = re.compile(r"postgres(?:ql)?://\S+")
_DEFAULT_PORTS = {"http": ":80", "https": ":443"}


@dataclass(frozen=True, slots=True)
class Settings:
    """What the environment says; what must stay secret is left out of the repr."""

    url: str
    """The address of the Upstash REST endpoint, without a trailing slash."""
    token: str = field(repr=False)
    """The REST token."""
    boards_path: Path = Path("boards.toml")
    """Where the boards are declared; a relative path starts at the working directory."""
    prefix: str = "laurel"
    """The first part of every key."""
    origins: tuple[str, ...] = ("*",)
    """The origins whose pages may call; ("*",) is everybody, "null" a sandboxed frame."""
    secrets: tuple[str, ...] = field(default=(), repr=False)
    """The signing keys, newest first; empty where none is set."""
    server_token: str | None = field(default=None, repr=False)
    """What a game's own backend proves itself with."""
    timeout: float = 2.5
    """The deadline of one call to the store, in seconds."""
    trust_proxy: int = 0
    """How many hops from the right of `X-Forwarded-For` the caller's address stands; 0 ignores the header."""
    address_header: str | None = None
    """The header in which the platform itself puts the caller's address."""
    name_filter: str | None = None
    """The word filter, as module:callable."""
    database_url: str | None = field(default=None, repr=False)
    """The Postgres of a ledger, which nothing uses yet."""

    @property
    def address_key(self) -> bytes:
        """Return the key that callers' addresses are hashed with: the newest secret, else the REST token."""
        return (self.secrets[0] if self.secrets else self.token).encode()

    @classmethod
    def read(cls, environ: Mapping[str, str]) -> "Settings":
        """Return the settings of an environment; raise Misconfigured that names the variable at fault.

        A variable that is set to nothing counts as not set, because deployment templates cannot leave one out.
        """
        url, token = _endpoint(environ)
        return cls(
            url=url,
            token=token,
            boards_path=Path(_matching(environ, "LAUREL_BOARDS", re.compile("[^\0]+"), "a path") or "boards.toml"),
            prefix=_matching(environ, "LAUREL_PREFIX", _PREFIX, "1 to 32 of A-Z a-z 0-9 _ . -") or "laurel",
            origins=_origins(environ),
            secrets=_secrets(environ),
            server_token=_matching(environ, "LAUREL_SERVER_TOKEN", _TOKEN, "visible ASCII without spaces"),
            timeout=_timeout(environ),
            trust_proxy=int(_matching(environ, "LAUREL_TRUST_PROXY", _HOPS, "a number of hops, 0 to 99") or 0),
            # Vercel's edge overwrites this header, so there no client can choose it.
            address_header="x-real-ip" if _value(environ, "VERCEL") else None,
            name_filter=_matching(environ, "LAUREL_NAME_FILTER", _CALLABLE, "module:callable"),
            database_url=_matching(environ, "DATABASE_URL", _DATABASE, "a postgres:// or postgresql:// address"),
        )


def _value(environ: Mapping[str, str], name: str) -> str:
    return environ.get(name, "").strip()


def _refusal(name: str, allowed: str) -> Misconfigured:
    return Misconfigured(f"{name}: should be {allowed}.")


def _matching(environ: Mapping[str, str], name: str, form: re.Pattern[str], allowed: str) -> str | None:
    value = _value(environ, name)
    if not value:
        return None
    match = form.fullmatch(value)
    if match is None or not _port_exists(match):
        raise _refusal(name, allowed)
    return value


def _port_exists(match: re.Match[str]) -> bool:
    port = match.groupdict().get("port")
    return port is None or 1 <= int(port) <= 65535


def _endpoint(environ: Mapping[str, str]) -> tuple[str, str]:
    """Return the REST address and token: a pair of one origin, never one's address with the other's token."""
    names = ("UPSTASH_REDIS_REST_URL", "UPSTASH_REDIS_REST_TOKEN")
    fallback = ("KV_REST_API_URL", "KV_REST_API_TOKEN")
    if any(_value(environ, n) for n in fallback) and not any(_value(environ, n) for n in names):
        names = fallback
    url = _matching(environ, names[0], _URL, "the REST address of the database, such as https://name.upstash.io")
    token = _matching(environ, names[1], _TOKEN, "the REST token of the database, without spaces")
    if url is None or token is None:
        missing = names[0] if url is None else names[1]
        raise Misconfigured(f"{missing}: is missing; set {' and '.join(names)}.")
    return url.rstrip("/"), token


def _origins(environ: Mapping[str, str]) -> tuple[str, ...]:
    name, allowed = "LAUREL_ORIGINS", 'a comma list of origins such as https://example.com, or "null", or "*" alone'
    # Set to nothing is refused here: a substitution that failed would otherwise open the boards to every page.
    if name in environ and not _value(environ, name):
        raise _refusal(name, allowed)
    listed = [part.strip() for part in environ.get(name, "*").split(",")]
    if listed == ["*"]:
        return ("*",)
    if any(part.endswith("/") for part in listed):
        raise _refusal(name, allowed + "; an origin has no trailing slash")
    return tuple(dict.fromkeys(_origin(part, name, allowed) for part in listed))


def _origin(text: str, name: str, allowed: str) -> str:
    """Return an origin as browsers send it: lower case, without the port that its scheme implies."""
    if text == "null":
        return text
    origin = text.lower()
    match = _ORIGIN.fullmatch(origin)
    if match is None or not _port_exists(match):
        raise _refusal(name, allowed)
    return origin.removesuffix(_DEFAULT_PORTS.get(origin.partition(":")[0], "\0"))


def _secrets(environ: Mapping[str, str]) -> tuple[str, ...]:
    text = _value(environ, "LAUREL_SECRET")
    secrets = tuple(part.strip() for part in text.split(",")) if text else ()
    if not all(secret and secret.isprintable() for secret in secrets):
        raise _refusal("LAUREL_SECRET", "printable secrets, comma-separated, newest first, none of them empty")
    return secrets


def _timeout(environ: Mapping[str, str]) -> float:
    name, allowed = "LAUREL_TIMEOUT", "seconds, more than 0 and at most 60, such as 2.5"
    seconds = float(_matching(environ, name, _NUMBER, allowed) or 2.5)
    if not 0 < seconds <= 60:
        raise _refusal(name, allowed)
    return seconds
