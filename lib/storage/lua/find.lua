-- Find a player's rows by looking through capped standings, for where the record does not say.
--
-- KEYS   the standings
-- ARGV   1 for a descending board, cap, player
-- reply  for each standing {text, score}, or {} where there is no row
-- billed EVALSHA_RO + ZRANGE a standing
--#flags no-writes
--#include integer number standing

local board = { descending = ARGV[1] == "1", cap = number(ARGV[2]), numbering = "ordinal" }
local found = {}
for place, key in ipairs(KEYS) do
  found[place] = open_standing(key, board).search({ ARGV[3] })[ARGV[3]] or {}
end
return found
