-- Carry out what was judged for one standing; only here are sets written.
--#needs integer number parse_field member_text beats write taken_back_by counted settle_values
--#needs request board fields changes change RECORD PROFILES
--#gives store keep_record

local TRIMMED_AT_ONCE = 100

local function trim(standing, count)
  local over = math.min(count - board.cap, TRIMMED_AT_ONCE)
  local mine = member_text(standing, request.player)
  local popped = write(board.descending and "ZPOPMIN" or "ZPOPMAX", standing.key, integer(over))
  for at = 1, #popped, 2 do
    taken_back_by("ZADD", standing.key, popped[at + 1], popped[at])
    if popped[at] == mine then
      standing.ranked = false
    end
  end
  standing.count = count - over
end

local added = {}

-- Set the timers of a set: at its creation, and once a player and day where the set ends when it idles; or take them
-- away, where sets do so no more. Return whether the record's field has to say so.
local function keep_alive(standing, created)
  local timed, day = standing.oldest > 0, standing.held and standing.held.day
  local refreshed = timed and day ~= request.day
  local freed = not timed and day and day ~= "-"
  if standing.ends > 0 and (created or refreshed) then
    write("EXPIREAT", standing.key, integer(standing.ends))
  elseif freed then
    write("PERSIST", standing.key)
  end
  for _, open in ipairs(standing.values) do
    local new = created and not added[open.key]
    if new and write("SADD", open.key, open.value) == 1 then
      taken_back_by("SREM", open.key, open.value)
    end
    added[open.key] = added[open.key] or new
    if standing.ends > 0 and (refreshed or (new and (counted[open.key] or 0) == 0)) then
      write("EXPIREAT", open.key, integer(standing.ends))
    elseif freed then
      write("PERSIST", open.key)
    end
  end
  return refreshed or freed
end

-- Put a text into a set; return by how many rows it grew.
local function put(standing, text)
  local grown = write("ZADD", standing.key, standing.score, text)
  if grown == 1 then
    taken_back_by("ZREM", standing.key, text)
  elseif standing.held then
    taken_back_by("ZADD", standing.key, standing.held.score, text)
  end
  return grown
end

-- Put a ranked player's new text in place of the old: the new one first, an emptied set would lose its expiry.
local function replace(standing)
  local old = member_text(standing.held, request.player)
  local new = member_text(standing, request.player)
  local grown = put(standing, new)
  if new ~= old and write("ZREM", standing.key, old) == 1 then
    taken_back_by("ZADD", standing.key, standing.held.score, old)
    grown = grown - 1
  end
  standing.ranked = true
  if grown <= 0 then
    return false
  end
  -- The old row had been pushed out by others.
  standing.count = redis.call("ZCARD", standing.key)
  local created = standing.count == 1
  if board.cap > 0 and standing.count > board.cap then
    trim(standing, standing.count)
  end
  return created
end

-- Let a newcomer in, or leave them unranked below the cut; the last kept row is the one to beat.
local function enter(standing)
  if board.cap > 0 and standing.count >= board.cap then
    local text, score = unpack(standing.set.slice(board.cap - 1, board.cap - 1))
    local tie = string.match(text, "^%w+")
    if not beats(standing.score, standing.tie, score, tie, board.descending) then
      standing.ranked, standing.cutoff = false, score
      return false
    end
  end
  put(standing, member_text(standing, request.player))
  standing.ranked = true
  if not standing.count then
    return false
  end
  standing.count = standing.count + 1
  local created = standing.count == 1
  if board.cap > 0 and standing.count > board.cap then
    trim(standing, standing.count)
  end
  return created
end

-- When the latest period began that this submission takes out of the record although it is to come (s).
local displaced = 0

-- Store one standing and note its field of the record.
local function store(standing)
  local held, created = standing.held, false
  if standing.fate == "replace" then
    created = replace(standing)
  elseif standing.fate == "enter" then
    created = enter(standing)
  elseif standing.fate == "same" then
    -- The old row again: nothing changes while it is there, and where others had pushed it out it may be back.
    standing.tie = held.tie
    created = replace(standing)
  else
    standing.score, standing.tie, standing.tail = held.score, held.tie, held.tail
    standing.ranked = held.tail ~= ""
  end
  standing.improved = standing.fate ~= "miss"
  standing.written = standing.improved
  local refreshed = keep_alive(standing, created)
  if standing.written or standing.found or refreshed then
    local day = standing.oldest > 0 and request.day or "-"
    local tail = standing.ranked and standing.tail or ""
    local head = table.concat({ integer(standing.start), standing.id, day, standing.score, standing.tie }, " ")
    local other = parse_field(fields[standing.slot])
    if other and other.id ~= standing.id and other.start > standing.start then
      displaced = math.max(displaced, other.start)
    end
    change(standing.slot, head .. tail)
    standing.noted = true
  end
end

-- Keep the name and meta that came with any submission, where a board shows each player's latest.
local function keep_profile()
  if not board.profile then
    return
  end
  local brought = {}
  if request.brings_name then
    brought = { request.player .. "\tname", request.name }
  end
  if request.brings_meta then
    brought[#brought + 1] = request.player .. "\tmeta"
    brought[#brought + 1] = request.meta
  end
  if #brought > 0 then
    write("HSET", PROFILES, unpack(brought))
  end
end

-- Write what changed of the record's fields, so that it can be taken back.
local function write_changes()
  local old, new = {}, {}
  for at = 1, #changes, 2 do
    local name = changes[at]
    if fields[name] then
      old[#old + 1] = name
      old[#old + 1] = fields[name]
    else
      new[#new + 1] = name
    end
  end
  write("HSET", RECORD, unpack(changes))
  if #old > 0 then
    taken_back_by("HSET", RECORD, unpack(old))
  end
  if #new > 0 then
    taken_back_by("HDEL", RECORD, unpack(new))
  end
end

-- Write what changed of the record, and once a day its timer; one that has none says day 0. The profile, whose old
-- texts nobody has read, comes after all that can fail.
local function keep_record()
  local made, day = string.match(fields.seen or "", "^(%d+) (%d+)$")
  local today = board.record_ends > 0 and request.day or "0"
  local since = math.max(number(made) or math.floor(request.now / 1000), displaced)
  if day ~= today or since ~= number(made) then
    change("seen", integer(since) .. " " .. today)
  end
  local spent = #changes > 0 and settle_values() or {}
  if #changes > 0 then
    write_changes()
  end
  keep_profile()
  -- What is left takes less room in a hash that was just written: it cannot fail.
  if #spent > 0 then
    redis.call("HDEL", RECORD, unpack(spent))
  end
  if day ~= today and board.record_ends > 0 then
    redis.call("EXPIREAT", RECORD, integer(board.record_ends))
  elseif day ~= today and made then
    redis.call("PERSIST", RECORD)
  end
end
