-- The address gate: "count end" under one key per board and caller; the end is in ms, the key expires by itself.

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
  count, ends = tonumber(count), tonumber(ends)
  if ends <= now then
    redis.call("SET", key, first, "PX", integer(period))
    return nil
  end
  if count >= limit then
    return ends - now
  end
  redis.call("SET", key, integer(count + 1) .. " " .. integer(ends), "KEEPTTL")
  return nil
end
