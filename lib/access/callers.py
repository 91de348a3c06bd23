"""Callers: who makes a call, and an address as the keyed hash that the store knows it by."""

import hashlib
import re
from base64 import urlsafe_b64encode
from dataclasses import dataclass, field
from functools import cache
from ipaddress import IPv6Address, IPv6Network, ip_address
from socket import AF_INET, inet_pton

_WITH_PORT = re.compile(r"(?P<v4>[0-9.]+):[0-9]+|\[(?P<v6>[0-9A-Fa-f:.%]+)\](?::[0-9]+)?")


@dataclass(frozen=True, slots=True)
class Caller:
    """Who makes a call."""

    address: str | None = field(default=None, repr=False)
    """Where from, for the address gate; None is counted nowhere."""
    authorization: str | None = field(default=None, repr=False)
    """The header that may hold the server token."""
    backend: bool = False
    """Whether it is the game's own backend without any proof, because it runs in this process."""

    def name(self, key: bytes) -> str | None:
        """Return the caller's name in the store; None for one who is counted nowhere."""
        return None if self.address is None else caller_of(self.address, key)


BACKEND = Caller(backend=True)
"""The game's own backend, in this process."""


def caller_of(address: str, key: bytes) -> str:
    """Return a caller's name in the store: a keyed hash, because an address is personal.

    An IPv6 caller is their /64, which one household has whole. Text that is no address is hashed as it is.
    """
    network = address if _is_ipv4(address) else _network(address)
    digest = hashlib.blake2b(network.encode(), digest_size=12, key=_hash_key(key)).digest()
    return urlsafe_b64encode(digest).decode()


@cache
def _hash_key(key: bytes) -> bytes:
    # blake2b takes at most 64 bytes, and a secret may be longer.
    return hashlib.sha256(key).digest()


def _is_ipv4(address: str) -> bool:
    # The C library reads the usual address in a tenth of the time that Python's own takes.
    try:
        inet_pton(AF_INET, address)
    except (OSError, ValueError):
        return False
    return True


def _network(address: str) -> str:
    if with_port := _WITH_PORT.fullmatch(address):  # some proxies write it, and it changes with each connection
        return _network(with_port["v4"] or with_port["v6"])
    try:
        parsed = ip_address(address.partition("%")[0])
    except ValueError:
        return address
    if isinstance(parsed, IPv6Address):
        mapped = parsed.ipv4_mapped
        return str(mapped or IPv6Network((parsed, 64), strict=False).network_address)
    return str(parsed)
