"""LRU cache of bounded size: what was not used for the longest time goes first when there is too much."""

from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")


class LruCache(Generic[Key, Value]):
    """At most `most` values, which together weigh at most `most_weight` where they are weighed."""

    def __init__(
        self, most: int, *, most_weight: int | None = None, weigh: Callable[[Value], int] = lambda _: 0
    ) -> None:
        self._most, self._most_weight, self._weigh = most, most_weight, weigh
        self._values: OrderedDict[Key, Value] = OrderedDict()
        self._weight = 0

    def __len__(self) -> int:
        return len(self._values)

    def get(self, key: Key) -> Value | None:
        """Return a value, which is then the one used last; None where there is none."""
        if key not in self._values:
            return None
        self._values.move_to_end(key)
        return self._values[key]

    def put(self, key: Key, value: Value) -> None:
        """Keep a value in the place of another, as the one used last."""
        self.drop(key)
        self._values[key] = value
        self._weight += self._weigh(value)
        while len(self._values) > self._most or (self._most_weight is not None and self._weight > self._most_weight):
            self.drop(next(iter(self._values)))

    def drop(self, key: Key) -> None:
        """Forget a value, if it is there."""
        if key in self._values:
            self._weight -= self._weigh(self._values.pop(key))

    def drop_where(self, holds: Callable[[Value], bool]) -> None:
        """Forget each value for which something holds."""
        for key in [key for key, value in self._values.items() if holds(value)]:
            self.drop(key)

    def clear(self) -> None:
        """Forget everything."""
        self._values.clear()
        self._weight = 0
