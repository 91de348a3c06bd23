"""LRU cache: what goes first, and what everything in it weighs."""

from lib.lru_cache import LruCache


def test_what_was_not_used_for_longest_goes_first() -> None:
    cache: LruCache[str, int] = LruCache(2)
    cache.put("a", 1)
    cache.put("b", 2)
    assert cache.get("a") == 1
    cache.put("c", 3)
    assert [cache.get(key) for key in "abc"] == [1, None, 3]


def test_weights_are_bounded_together_and_a_replaced_value_weighs_nothing() -> None:
    cache: LruCache[str, int] = LruCache(10, most_weight=10, weigh=lambda value: value)
    for key, weight in (("a", 4), ("b", 4), ("a", 6), ("c", 1)):
        cache.put(key, weight)
    assert [cache.get(key) for key in "abc"] == [6, None, 1]
    cache.drop_where(lambda value: value == 6)
    cache.put("d", 9)
    assert [cache.get(key) for key in "acd"] == [None, 1, 9]
    cache.clear()
    cache.put("e", 10)
    assert (len(cache), cache.get("e")) == (1, 10)


def test_what_is_too_heavy_alone_is_not_kept() -> None:
    cache: LruCache[str, int] = LruCache(10, most_weight=10, weigh=lambda value: value)
    cache.put("a", 11)
    assert (len(cache), cache.get("a")) == (0, None)
    cache.drop("a")
    assert len(cache) == 0
