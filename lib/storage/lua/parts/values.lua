-- The record's fields of open splits, listed as "slot start goes slot start goes …" (s) in the order of their making:
-- without the list a record would keep a field for every value that a player ever had.
--#needs integer number parse_field request standings fields change RECORD
--#gives read_values is_behind settle_values

local slots_of_values, listed = {}, {}
local function list(slot, start, goes)
  if not listed[slot] then
    slots_of_values[#slots_of_values + 1] = slot
  end
  listed[slot] = { start = start, goes = goes }
end
local function read_values()
  for slot, start, goes in string.gmatch(fields.values or "", "(%S+) (%d+) (%d+)") do
    list(slot, number(start), number(goes))
  end
end

-- A slot without its number and the values: what the slots of one window and one selection of splits have in common.
local function shape(slot)
  local unnumbered = string.gsub(slot, "#%d+", "#")
  local unvalued = string.gsub(unnumbered, "=[^,]*", "=")
  return unvalued
end

-- Whether the list speaks of a later period: whoever wrote that may have dropped what was there of this one.
local function is_behind(standing)
  if standing.goes > 0 then
    for _, slot in ipairs(slots_of_values) do
      if listed[slot].start > standing.start and shape(slot) == shape(standing.slot) then
        return true
      end
    end
  end
  return false
end

-- List the fields of a record that was made before there was a list, as far as they are like this standing's.
local all_fields
local function list_unlisted(standing)
  all_fields = all_fields or redis.call("HGETALL", RECORD)
  local flat = all_fields
  for at = 1, #flat, 2 do
    local field = string.find(flat[at], "#", 1, true) and parse_field(flat[at + 1])
    if field and shape(flat[at]) == shape(standing.slot) then
      list(flat[at], field.start, field.start + standing.goes - standing.start)
    end
  end
end

-- List the fields of open splits that this submission wrote; return those of their kind whose time is over.
local function settle_values()
  local spent, is_spent, lines, changed = {}, {}, {}, false
  for _, standing in ipairs(standings) do
    if standing.goes > 0 and standing.noted then
      if fields.seen and not fields.values then
        list_unlisted(standing)
      end
      local known = listed[standing.slot]
      if not known or known.start ~= standing.start or known.goes ~= standing.goes then
        list(standing.slot, standing.start, standing.goes)
        changed = true
      end
      for _, slot in ipairs(slots_of_values) do
        local is_over = listed[slot].goes * 1000 <= request.now and not is_spent[slot]
        if is_over and shape(slot) == shape(standing.slot) then
          spent[#spent + 1], is_spent[slot] = slot, true
        end
      end
    end
  end
  for _, slot in ipairs(slots_of_values) do
    if not is_spent[slot] then
      lines[#lines + 1] = table.concat({ slot, integer(listed[slot].start), integer(listed[slot].goes) }, " ")
    end
  end
  if changed or #spent > 0 then
    change("values", table.concat(lines, " "))
  end
  return spent
end
