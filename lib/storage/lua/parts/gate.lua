-- The address gate: "count end" under one key per board and caller; the end is in ms, the key expires by itself.
--#needs integer number
--#gives time_left pass_gate

local CLOCKS_APART = 10000 -- ms, as CLOCKS_APART_MS of lib/access/rate_limits.py

-- The ms that are left of a period until its end, never more than it is long; 0 where it is over, or where the end
-- lies so far ahead that a clock was wrong. A little ahead is another process's clock, or a request that was read
-- earlier.
local function time_left(ends, period, now)
  local left = ends - now
  if left <= 0 or left > period + math.min(period, CLOCKS_APART) then
    return 0
  end
  return math.min(left, period)
end

-- Count one call; nil when it is admitted, the ms to wait when it is refused. The first call of a period costs one
-- command, later ones two, a refused one one. A limit of 0 is no gate.
local function pass_gate(key, limit, period, now)
  if limit == 0 then
    return nil
  end
  local first = "1 " .. integer(now + period)
  local found = redis.call("SET", key, first, "NX", "GET", "PX", integer(period))
  if not found then
    return nil
  end
  local count, ends = string.match(found, "^(%d+) (%d+)$")
  count = number(count)
  local left = time_left(number(ends), period, now)
  if left == 0 then
    redis.call("SET", key, first, "PX", integer(period))
    return nil
  end
  if count >= limit then
    return left
  end
  redis.call("SET", key, integer(count + 1) .. " " .. integer(now + left), "KEEPTTL")
  return nil
end
