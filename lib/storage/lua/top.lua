-- Read pages of standings of one board, with a player's own row.
--
-- KEYS   the player's record (the first standing again where none is asked for), profiles (likewise), the standings
-- ARGV   see parts/reading.lua; the player or "", then the first and the last index of each standing's page
-- reply  {me, pages, profiles}: me {} or {rank, text, score}; a page {total, rank of its first row, {text, score, …}};
--        profiles {name, meta, …} of all rows and then of me, on boards that show profiles
-- billed EVALSHA_RO, and ZRANGE + ZCARD a page; HMGET + ZREVRANK for the player; + ZCOUNT where places are shared;
--        + HMGET of the profiles; + ZRANGE for a search
--#flags no-writes
--#include integer number standing record reading player

local board = take_board()
local period = take_period()
local player = take()
local RECORD, PROFILES, FIRST_STANDING = KEYS[1], KEYS[2], 3

local me, pages, texts, first = {}, {}, {}, nil
for place = FIRST_STANDING, #KEYS do
  local standing = open_standing(KEYS[place], board)
  first = first or standing
  local from = take_number()
  local to = take_number()
  if player ~= "" and from > 0 then
    standing.read_whole() -- for the rank of the page's first row and for the player's
  end
  local rows = standing.slice(from, to)
  local rank = #rows > 0 and from > 0 and standing.rank(from, rows[2]) or 1
  pages[#pages + 1] = { integer(standing.total()), integer(rank), rows }
  for at = 1, #rows, 2 do
    texts[#texts + 1] = rows[at]
  end
end

if player ~= "" then
  local found = find_players(board, first, { RECORD }, { player }, period)[1]
  local rank = found and found.ranked and first.rank_of(found.text, found.score)
  if rank then
    me = { integer(rank), found.text, found.score }
    texts[#texts + 1] = found.text
  end
end

return { me, pages, board.profile and #texts > 0 and profiles_of(PROFILES, texts) or {} }
