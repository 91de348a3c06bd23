-- Carry out what was judged for one standing; only here are sets written.

local function trim(standing, count)
  local over = math.min(count - board.cap, TRIMMED_AT_ONCE)
  local mine = member_text(standing, request.player)
  local popped = redis.call(board.descending and "ZPOPMIN" or "ZPOPMAX", standing.key, integer(over))
  for at = 1, #popped, 2 do
    if popped[at] == mine then
      standing.ranked = false
    end
  end
  standing.count = count - over
end

local added = {}

-- Set the timers of a set: at its creation, and once a player and day where the set ends when it idles.
local function keep_alive(standing, created)
  local refreshed = standing.oldest > 0 and not (standing.held and standing.held.day == request.day)
  if standing.ends > 0 and (created or refreshed) then
    redis.call("EXPIREAT", standing.key, integer(standing.ends))
  end
  for _, open in ipairs(standing.values) do
    local new = created and not added[open.key]
    if new then
      redis.call("SADD", open.key, open.value)
      added[open.key] = true
    end
    if standing.ends > 0 and (refreshed or (new and (counted[open.key] or 0) == 0)) then
      redis.call("EXPIREAT", open.key, integer(standing.ends))
    end
  end
  return refreshed
end

-- Put a ranked player's new text in place of the old: the new one first, an emptied set would lose its expiry.
local function replace(standing)
  local old, new = member_text(standing.held, request.player), member_text(standing, request.player)
  local grown = redis.call("ZADD", standing.key, standing.score, new)
  if new ~= old then
    grown = grown - redis.call("ZREM", standing.key, old)
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
  redis.call("ZADD", standing.key, standing.score, member_text(standing, request.player))
  standing.ranked, standing.count = true, standing.count + 1
  local created = standing.count == 1
  if board.cap > 0 and standing.count > board.cap then
    trim(standing, standing.count)
  end
  return created
end

-- Store one standing and note its field of the record.
local function write(standing)
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
    change(standing.slot, head .. tail)
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
    redis.call("HSET", PROFILES, unpack(brought))
  end
end

-- Write what changed of the record, and once a day its timer; one that has none says day 0.
local function keep_record()
  local made, day = string.match(fields.seen or "", "^(%d+) (%d+)$")
  local today = board.record_ends > 0 and request.day or "0"
  if day ~= today then
    change("seen", (made or integer(math.floor(request.now / 1000))) .. " " .. today)
  end
  if #changes > 0 then
    redis.call("HSET", RECORD, unpack(changes))
  end
  if day ~= today and board.record_ends > 0 then
    redis.call("EXPIREAT", RECORD, integer(board.record_ends))
  elseif day ~= today and made then
    redis.call("PERSIST", RECORD)
  end
end
