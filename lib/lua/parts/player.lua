-- Where the players that were asked for stand, and what is shown beside their rows. Reads only.

-- What a record, or where it does not say a search, knows of a player in this period: {score, text, ranked} or nil.
local function find_player(standing, record, player, period)
  local held, seen
  if period.recorded then
    local got = redis.call("HMGET", record, "seen", unpack(period.slots))
    local fields = {}
    for at = 2, #got do
      fields[#fields + 1] = parse_field(got[at])
    end
    seen, held = got[1], held_field(fields, period.id, period.oldest)
  end
  if not held and may_be_lost(board.cap, seen, period.start) then
    local text, score = standing.search(player)
    held = text and field_of_row(text, score, player)
  end
  if held then
    return { score = held.score, text = member_text(held, player), ranked = held.tail ~= "" }
  end
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
