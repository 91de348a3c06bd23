-- Take a player off standings: row and field of the record together. What stays of the record are its earlier ids, so
-- that no late retry brings anything back, and its ban.
--
-- KEYS   record, profiles (the record again where nothing of them is to go), the standings
-- ARGV   player; 1 to drop the whole record but its ban; 1 if the record must be as it was read, then its ids and gate
--        ("" where absent); for each standing its period's id, the record's field, a second one for a season or "",
--        and a text found in the set or ""
-- reply  {"changed"} where the record names standings that are not in KEYS, or is not as it was read: nothing is
--        written; else {"removed", how many standings had a row}
-- billed EVALSHA + HGETALL + ZREM a standing that may have a row + HDEL, or DEL (+ HSET of the ban)
--        (+ HDEL of the profile)
--#include integer number record

local RECORD, PROFILES, FIRST_STANDING = KEYS[1], KEYS[2], 3
local FIRST_ARGUMENT, ARGUMENTS = 6, 4
local player, drops, guarded, ids, gate = ARGV[1], ARGV[2] == "1", ARGV[3] == "1", ARGV[4], ARGV[5]

local fields = {}
local flat = redis.call("HGETALL", RECORD)
for at = 1, #flat, 2 do
  fields[flat[at]] = flat[at + 1]
end
if guarded and ((fields.ids or "") ~= ids or (fields.gate or "") ~= gate) then
  return { "changed" }
end

-- What has to go: the texts of each standing, and the fields that speak of it.
local texts, spent, is_spent = {}, {}, {}
for place = FIRST_STANDING, #KEYS do
  local at = FIRST_ARGUMENT + (place - FIRST_STANDING) * ARGUMENTS
  local id, known = ARGV[at], ARGV[at + 3]
  texts[place] = { known ~= "" and known or nil }
  for _, slot in ipairs({ ARGV[at + 1], ARGV[at + 2] }) do
    local field = parse_field(fields[slot])
    if field and field.id == id and not is_spent[slot] then
      spent[#spent + 1], is_spent[slot] = slot, true
      if field.tail ~= "" then
        table.insert(texts[place], member_text(field, player))
      end
    end
  end
end
for name in pairs(fields) do
  if drops and string.find(name, "#", 1, true) and not is_spent[name] then
    return { "changed" }
  end
end

local removed = 0
for place = FIRST_STANDING, #KEYS do
  if #texts[place] > 0 and redis.call("ZREM", KEYS[place], unpack(texts[place])) > 0 then
    removed = removed + 1
  end
end
if not drops then
  if #spent > 0 then
    redis.call("HDEL", RECORD, unpack(spent))
  end
  return { "removed", integer(removed) }
end
if next(fields) then
  redis.call("DEL", RECORD)
end
if fields.ban then
  redis.call("HSET", RECORD, "ban", fields.ban)
end
if PROFILES ~= RECORD then
  redis.call("HDEL", PROFILES, player .. "\tname", player .. "\tmeta")
end
return { "removed", integer(removed) }
