-- Read where players stand in one standing, and for a single one the neighbourhood.
--
-- KEYS   the standing, profiles (the standing again where there are none), a record for each player
-- ARGV   see parts/reading.lua; around (-1: no neighbourhood), then the players
-- reply  {total, players, neighbourhood, cutoff, profiles}: a player {} if unknown, {score} if unranked, else
--        {score, text, rank, ahead}; a neighbourhood {} or {index, first index, rank of the first row, how many
--        are ahead (for dense numbering), {text, score, …}};
--        the cutoff "" or the score of the last kept row; profiles as in top.lua, of the neighbourhood or the players
-- billed EVALSHA_RO + ZCARD; a player HMGET + ZREVRANK (or ZCOUNT); the neighbourhood ZRANGE; the cutoff ZRANGE;
--        + ZCOUNT, for several players + ZMSCORE, where places are shared; + HMGET of the profiles;
--        + ZRANGE for a search
--#flags no-writes
--#include integer number standing record reading player

local board = take_board()
local period = take_period()
local around = take_number()
local STANDING, PROFILES, FIRST_RECORD = KEYS[1], KEYS[2], 3

local standing = open_standing(STANDING, board)
local players, neighbourhood, texts, cutoff = {}, {}, {}, ""

-- The rows around an index, filled at the edges; the row just ahead comes along even where it is outside of them.
local function read_around(index, score)
  local size = 2 * around + 1
  local first = math.max(0, math.min(index - around, standing.total() - size))
  local from = math.max(0, math.min(first, index - 1))
  local rows = standing.slice(from, first + size - 1)
  for at = 1, #rows, 2 do
    texts[#texts + 1] = rows[at]
  end
  local ahead = index
  if board.numbering == "dense" then
    ahead = select(2, standing.rank(index, score))
  end
  return { integer(index), integer(from), integer((standing.rank(from, rows[2]))), integer(ahead), rows }
end

local records, asked, ranked = {}, {}, {}
for place = FIRST_RECORD, #KEYS do
  records[#records + 1] = KEYS[place]
  asked[#asked + 1] = take()
end
local found = find_players(board, standing, records, asked, period)
for _, player in ipairs(found) do
  if player and player.ranked then
    ranked[#ranked + 1] = player.text
  end
end
local present = standing.present(ranked)

for place, player in ipairs(found) do
  local answer = {}
  if player then
    answer = { player.score }
    if around >= 0 then
      local index = player.ranked and standing.index(player.text)
      if index then
        neighbourhood = read_around(index, player.score)
      elseif board.cap > 0 and standing.count() >= board.cap then
        cutoff = standing.slice(board.cap - 1, board.cap - 1)[2]
      end
    elseif player.ranked then
      local rank, ahead = standing.rank_of(player.text, player.score, present[player.text])
      if rank then
        answer = { player.score, player.text, integer(rank), integer(ahead) }
        texts[#texts + 1] = player.text
      end
    end
  end
  players[place] = answer
end

local shown = board.profile and #texts > 0 and profiles_of(PROFILES, texts) or {}
return { integer(standing.total()), players, neighbourhood, cutoff, shown }
