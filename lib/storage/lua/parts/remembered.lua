-- What the record says of this player: slots, earlier ids, the player's gate. Read by one command.
--#needs integer number time_left parse_field held_field request limits standings RECORD
--#gives fields read_record changes change earlier_use remember_id pass_player_gate

local REMEMBERED_IDS = 8

local fields = {}

-- What the record is to hold afterwards: name, value, name, value, …
local changes = {}
local function change(name, value)
  changes[#changes + 1] = name
  changes[#changes + 1] = value
end

-- Find the slot that holds this period, else the one of the earliest. Only a run of a period that is over may come
-- late, behind a later one: whatever else is in the slots, the current period gets one.
local function choose_slot(standing)
  local earliest
  standing.beside, standing.late = {}, false -- beside: what the slots hold of other periods
  for _, slot in ipairs(standing.slots) do
    local field = parse_field(fields[slot])
    if field and field.id == standing.id then
      standing.slot, standing.held = slot, held_field({ field }, standing.id, standing.oldest)
      standing.beside, standing.late = {}, false
      return
    end
    standing.beside[#standing.beside + 1] = field
    local start = field and field.start or -1
    standing.late = standing.late or (standing.over and start > standing.start)
    if not earliest or start < earliest then
      earliest, standing.slot = start, slot
    end
  end
end

-- Read the fields that may matter here, and choose each standing's slot.
local function read_record()
  local wanted = { "seen", "ids", "gate", "ban", "values" }
  for _, standing in ipairs(standings) do
    for _, slot in ipairs(standing.slots) do
      wanted[#wanted + 1] = slot
    end
  end
  for place, value in ipairs(redis.call("HMGET", RECORD, unpack(wanted))) do
    fields[wanted[place]] = value
  end
  for _, standing in ipairs(standings) do
    choose_slot(standing)
  end
end

-- The earlier use of this id, if the record remembers it.
local function earlier_use()
  local ids = " " .. (fields.ids or "")
  -- A plain find, because nearly every id is new, and a pattern would take all earlier ones apart to see that.
  local _, at = string.find(ids, " " .. request.id .. ":", 1, true)
  if at then
    local digest, effective, improved = string.match(ids, "^([^%s:]+):(%d+):(%d+)", at + 1)
    return digest and { digest = digest, effective = number(effective), improved = improved }
  end
end

local function remember_id(improved)
  local ids = { table.concat({ request.token, integer(request.effective), improved }, ":") }
  for use in string.gmatch(fields.ids or "", "%S+") do
    if #ids < REMEMBERED_IDS then
      ids[#ids + 1] = use
    end
  end
  change("ids", table.concat(ids, " "))
end

-- The code and the ms to wait where the player's gate refuses; else its new value is noted.
local function pass_player_gate()
  if limits.player == 0 and limits.cooldown == 0 then
    return nil
  end
  local count, ends, admitted, last = string.match(fields.gate or "", "^(%d+) (%d+) (%d+) (%S+)$")
  if last == request.token then
    return nil -- our own second try of a write whose answer was lost
  end
  count = number(count) or 0
  admitted = number(admitted) or 0
  local pause = time_left(admitted + limits.cooldown, limits.cooldown, request.now)
  if pause > 0 then
    return "cooldown", pause
  end
  local left = time_left(number(ends) or 0, limits.player_period, request.now)
  if left == 0 then
    count, left = 0, limits.player_period
  end
  if limits.player > 0 and count >= limits.player then
    return "rate_limited_player", left
  end
  ends = integer(request.now + left)
  change("gate", table.concat({ integer(count + 1), ends, integer(request.now), request.token }, " "))
end
