-- Where the players that were asked for stand, and what is shown beside their rows. Reads only.
--#needs parse_field field_of_row held_field may_be_lost member_text
--#gives find_players profiles_of

-- What a record holds of this period, and whether there may be a row that it does not know of.
local function read_record(record, period)
  if not period.recorded then
    return nil, true
  end
  local fields = {}
  local got = redis.call("HMGET", record, "seen", unpack(period.slots))
  for at = 2, #got do
    fields[#fields + 1] = parse_field(got[at])
  end
  local held = held_field(fields, period.id, period.oldest)
  return held, not held and may_be_lost(got[1], period.start, fields)
end

-- What the records, or where they do not say one search for all, know of players in this period: for each
-- {score, text, ranked} or false.
local function find_players(board, standing, records, players, period)
  local held, lost = {}, {}
  for place, player in ipairs(players) do
    local field, may_be_there = read_record(records[place], period)
    held[player] = field
    if may_be_there and board.cap > 0 then
      lost[#lost + 1] = player
    end
  end
  for player, row in pairs(standing.search(lost)) do
    held[player] = field_of_row(row[1], row[2], player)
  end
  local known = {}
  for place, player in ipairs(players) do
    local field = held[player]
    known[place] = field and { score = field.score, text = member_text(field, player), ranked = field.tail ~= "" }
      or false
  end
  return known
end

-- The latest name and meta of the players of some rows: name, meta, name, meta, …; false for none.
local NAMES_AT_ONCE = 100
local function profiles_of(key, texts)
  local shown = {}
  for from = 1, #texts, NAMES_AT_ONCE do
    local wanted = {}
    for at = from, math.min(from + NAMES_AT_ONCE - 1, #texts) do
      local player = string.match(texts[at], "^%w*\t([^\t]*)\t")
      wanted[#wanted + 1] = player .. "\tname"
      wanted[#wanted + 1] = player .. "\tmeta"
    end
    for _, value in ipairs(redis.call("HMGET", key, unpack(wanted))) do
      shown[#shown + 1] = value
    end
  end
  return shown
end
