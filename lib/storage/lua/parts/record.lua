-- A field of a player's record: "start id day score tiekey", and only while ranked "\tname\tmeta".
--#needs number
--#gives parse_field field_of_row held_field may_be_lost member_text

-- The field as {start, id, day, score, tie, tail}; tail is "" while unranked. Nil where there is none.
local function parse_field(field)
  if not field then
    return nil
  end
  local start, id, day, score, tie, tail = string.match(field, "^(%S+) (%S+) (%S+) (%S+) (%w*)(.*)$")
  if not start then
    return nil
  end
  return { start = number(start), id = id, day = day, score = score, tie = tie, tail = tail }
end

-- The field that a row found in the set stands for.
local function field_of_row(text, score, player)
  local tab = string.find(text, "\t", 1, true)
  return { day = "-", score = score, tie = string.sub(text, 1, tab - 1), tail = string.sub(text, tab + 1 + #player) }
end

-- What a record holds of a period: the first field with its id, if that is not older than the oldest day that counts.
-- A field without a day is from before the standing had a timer, and outlives no set.
local function held_field(fields, id, oldest)
  for _, field in ipairs(fields) do
    if field.id == id then
      local day = number(field.day)
      return (not day or day >= oldest) and field or nil
    end
  end
end

-- When a record was made (s), or nil where there is none.
local function made_at(seen)
  return seen and number(string.match(seen, "^%d+"))
end

-- Whether all that lies where a period may lie is of later ones: a clock was ahead, or weeks or seasons began
-- otherwise.
local function is_displaced(fields, start)
  for _, field in ipairs(fields) do
    if field.start <= start then
      return false
    end
  end
  return #fields > 0
end

-- Whether a standing may hold a row that the record does not know of: the record is younger than the period, or later
-- periods took its place.
local function may_be_lost(seen, start, fields)
  local made = made_at(seen)
  return not made or start <= made or is_displaced(fields, start)
end

local function member_text(field, player)
  return field.tie .. "\t" .. player .. field.tail
end
