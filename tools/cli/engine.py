"""What is particular about a database's Lua and its spelling of scores: our scripts mind it, operators may know."""

from lib.storage.replies import items, text
from lib.storage.scripts import Script
from lib.storage.store import Store

# Scripts of our own do neither: a part of them reads numbers, and no assignment takes its values from two calls.
_PROBE = Script(
    "engine",
    """\
local function assigned(other, first, second)
first, second = tonumber(first), tonumber(second)
return other
end
redis.call("ZADD", KEYS[1], "1e-07", "small", "1e15", "large")
local rows = redis.call("ZRANGE", KEYS[1], 0, -1, "WITHSCORES")
redis.call("DEL", KEYS[1])
return { 3, { tostring(tonumber("1e-07")), tostring(assigned("kept", "1", "2")), rows[2], rows[4] }, ARGV[#ARGV] }
""",
    reads=False,
)


async def particulars(store: Store, key: str) -> str:
    """Return in words what a script finds out with a key that nobody uses."""
    number, other, small, large = map(text, items(await store.upstash.run(_PROBE, [key], []), 4))
    assigns = "is sound" if other == "kept" else "overwrites another local"
    return f"tonumber('1e-07') is {number}, an assignment from two calls {assigns}, scores read {small} and {large}"
