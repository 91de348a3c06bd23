"""Who calls, and who is known to be blocked. What is counted is counted by the scripts, for all processes together."""

import hashlib
from base64 import urlsafe_b64encode
from collections import OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager
from ipaddress import IPv6Address, IPv6Network, ip_address

from lib.boards import Board
from lib.durations import Rate
from lib.errors import AddressBlocked, Quota, Retryable
from lib.scripts import script
from lib.store import Store
from lib.upstash import understood

MOST_BLOCKED = 10_000


def caller_of(address: str, key: bytes) -> str:
    """Return a caller's name in the store: a keyed hash, because an address is personal.

    An IPv6 caller is their /64, which one household has whole. Text that is no address is hashed as it is.
    """
    try:
        parsed = ip_address(address.partition("%")[0])
    except ValueError:
        network = address
    else:
        if isinstance(parsed, IPv6Address):
            mapped = parsed.ipv4_mapped
            network = str(mapped or IPv6Network((parsed, 64), strict=False).network_address)
        else:
            network = str(parsed)
    digest = hashlib.blake2b(network.encode(), digest_size=12, key=hashlib.sha256(key).digest()).digest()
    return urlsafe_b64encode(digest).decode()


class Blocked:
    """The callers this process has seen refused, until their time is up: refusing them again costs no command.

    Bounded, so that a flood from many addresses cannot fill the memory; the longest known are forgotten first.
    """

    def __init__(self, most: int = MOST_BLOCKED) -> None:
        self._most = most
        self._until: OrderedDict[tuple[str, str], tuple[int, Retryable]] = OrderedDict()

    def __len__(self) -> int:
        return len(self._until)

    @contextmanager
    def guard(self, board: str, caller: str, now: int) -> Iterator[None]:
        """Refuse a caller known to be blocked, and remember one whom the address gate refuses inside."""
        self.check(board, caller, now)
        try:
            yield
        except AddressBlocked as refusal:
            self.note(board, caller, refusal, now)
            raise

    def note(self, board: str, caller: str, refusal: Retryable, now: int) -> None:
        """Remember that a board refused a caller at `now` (ms)."""
        self._until[board, caller] = (now + refusal.wait, refusal)
        self._until.move_to_end((board, caller))
        if len(self._until) > self._most:
            self._until.popitem(last=False)

    def check(self, board: str, caller: str, now: int) -> None:
        """Raise the refusal again, with what is left of its wait, while it holds."""
        known = self._until.get((board, caller))
        if known is None:
            return
        until, refusal = known
        if now < until:
            raise refusal.again(until - now)
        del self._until[board, caller]


def quota(rate: Rate | None, wait: int) -> Quota | None:
    """Return what a gate allows, with `wait` ms until it opens again."""
    return None if rate is None else Quota(rate.limit, -(-rate.period // 1000), -(-wait // 1000))


def address_blocked(board: Board, wait: int) -> AddressBlocked:
    """Return the refusal of a board's address gate."""
    return AddressBlocked("Too many requests from this address.", wait=wait, quota=quota(board.limits.per_ip, wait))


async def count_call(store: Store, board: Board, caller: str, now: int) -> None:
    """Count a call at the address gate, for functions that store nothing else; raise AddressBlocked.

    Where the board has no such gate the store is not asked at all.
    """
    rate = board.limits.per_ip
    if rate is None:
        return
    arguments = [str(rate.limit), str(rate.period), str(now)]
    wait = await store.upstash.run(script("start"), [store.keys(board).gate(caller)], arguments)
    with understood():
        waits = int(wait) if wait else 0
    if waits:
        raise address_blocked(board, waits)
