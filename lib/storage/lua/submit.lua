-- Judge one submission and store it in every standing it belongs to, or refuse it and store nothing.
--
-- KEYS   record, address gate, ticket nonce, profiles (the record again where one is not used),
--        the standings, then the value sets of open splits
-- ARGV   see parts/submission.lua
-- reply  {"refused", code, ms to wait}, or {"refused", code, the standing's number, how much is allowed}, or
--        {"accepted" | "replayed", then seven strings a standing: improved, kept, score, previous, rank, total,
--        cutoff}; "" is nothing
-- billed EVALSHA + HMGET + what changes: the budget table of docs/design.md
--#include integer number standing record order gate submission

local RECORD, GATE, NONCE, PROFILES, FIRST_STANDING = KEYS[1], KEYS[2], KEYS[3], KEYS[4], 5
local request = take_request()
local board = take_board()
local limits = take_limits()
local standings = take_standings(FIRST_STANDING)

local wait = request.gated and pass_gate(GATE, limits.address, limits.address_period, request.now)
if wait then
  return { "refused", "rate_limited_address", integer(wait) }
end

--#include remembered values judge journal write

local function row(standing)
  local rank, total = "", ""
  if standing.ranked and (request.ranks == "all" or (request.ranks == "improved" and standing.improved)) then
    local set = open_standing(standing.key, board)
    if not standing.written then
      set.read_whole() -- how many there are, whether the player is among them, how many are ahead
    end
    total = integer(set.total(standing.count))
    rank = set.rank_of(member_text(standing, request.player), standing.score, standing.written)
    if rank then
      rank = integer(rank)
    else
      standing.ranked, rank, total = false, "", ""
    end
  end
  return {
    standing.improved and "1" or "0",
    standing.ranked and "1" or "0",
    standing.score or "",
    standing.previous or "",
    rank,
    total,
    standing.cutoff or "",
  }
end

local function reply(outcome)
  local answer = { outcome }
  for _, standing in ipairs(standings) do
    for _, value in ipairs(row(standing)) do
      answer[#answer + 1] = value
    end
  end
  return answer
end

-- What stands now, for an id that came before.
local function replay(improved, effective)
  for _, standing in ipairs(standings) do
    local held = standing.held
    standing.previous, standing.score = nil, nil -- it may have been judged
    standing.improved = string.sub(improved, standing.place, standing.place) == "1"
      and effective >= standing.start * 1000
    if held then
      standing.score, standing.tie, standing.tail = held.score, held.tie, held.tail
      standing.ranked = held.tail ~= ""
    end
  end
  return reply("replayed")
end

read_record()
if fields.ban then
  return { "refused", "banned", "0" }
end
read_values()
local use = earlier_use()
if use and use.digest ~= request.digest then
  return { "refused", "id_reused", "0" }
end
if use then
  return replay(use.improved, use.effective)
end
local code, pause = pass_player_gate()
if code then
  return { "refused", code, integer(pause) }
end
for place, standing in ipairs(standings) do
  local refusal, most
  if not standing.late then
    refusal, most = judge(standing)
  end
  if refusal then
    return { "refused", refusal, integer(place), integer(most or 0) }
  end
end
if request.nonce_seconds > 0 then
  local spent = write("SET", NONCE, request.token, "NX", "GET", "EX", integer(request.nonce_seconds))
  if spent and spent ~= request.token then
    return { "refused", "ticket_used", "0" }
  end
  if spent then
    return replay("", 0)
  end
  taken_back_by("DEL", NONCE)
end

-- Nothing refuses any more; what fails is taken back.

local improved = "" -- a digit a place, so that a replay finds its own when a season has begun or ended since
for _, standing in ipairs(standings) do
  if not standing.late then
    store(standing)
  end
  improved = improved .. string.rep("0", standing.place - #improved - 1) .. (standing.improved and "1" or "0")
end
if string.find(improved, "1", 1, true) then
  remember_id(improved)
end
keep_record()
return reply("accepted")
