-- A field of a player's record: "start id day score tiekey", and only while ranked "\tname\tmeta".

-- The field as {start, id, day, score, tie, tail}; tail is "" while unranked. Nil where there is none.
local function parse_field(field)
  if not field then
    return nil
  end
  local start, id, day, score, tie, tail = string.match(field, "^(%S+) (%S+) (%S+) (%S+) (%w*)(.*)$")
  if not start then
    return nil
  end
  return { start = tonumber(start), id = id, day = day, score = score, tie = tie, tail = tail }
end

-- The field that a row found in the set stands for.
local function field_of_row(text, score, player)
  local tab = string.find(text, "\t", 1, true)
  return { day = "-", score = score, tie = string.sub(text, 1, tab - 1), tail = string.sub(text, tab + 1 + #player) }
end

-- What a record holds of a period: the first field with its id, if that is not older than the oldest day that counts.
local function held_field(fields, id, oldest)
  for _, field in ipairs(fields) do
    if field.id == id then
      local counts = oldest == 0 or (tonumber(field.day) or 0) >= oldest
      return counts and field or nil
    end
  end
end

-- Whether a capped standing may hold a row that the record does not know: the record is younger than the period.
local function may_be_lost(cap, seen, start)
  local made = seen and tonumber(string.match(seen, "^%d+"))
  return cap > 0 and (not made or start <= made)
end

local function member_text(field, player)
  return field.tie .. "\t" .. player .. field.tail
end
