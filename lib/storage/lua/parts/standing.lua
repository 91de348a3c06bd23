-- One ranked set, read with as few commands as can be. A board is {descending, cap, numbering};
-- rows are counted from 0 in reading order, and rows beyond the cap do not exist for a reader.
--#needs integer number
--#gives open_standing

-- Shared places need the scores of everybody ahead. Up to this cap one read of all rows is the cheapest way to them.
local SCAN_CAP = 1000
-- A set may hold rows beyond its cap for a while (the cap was lowered); a search looks at this many of them too.
local SPARE_ROWS = 100
-- The largest cap there may be, and as many newcomers since it was lifted.
local SCANNED = 20000

local function open_standing(key, board)
  local standing = {}
  local rows, count

  local function read(first, last)
    if board.descending then
      return redis.call("ZRANGE", key, integer(first), integer(last), "REV", "WITHSCORES")
    end
    return redis.call("ZRANGE", key, integer(first), integer(last), "WITHSCORES")
  end

  -- The first cap + 100 rows as {text, score, text, score, …}, read once; only for capped boards.
  function standing.rows()
    if not rows then
      rows = read(0, board.cap + SPARE_ROWS - 1)
    end
    return rows
  end

  -- How many rows there are, beyond the cap too (capped boards may answer cap + 100 for more).
  function standing.count()
    if not count then
      count = rows and #rows / 2 or redis.call("ZCARD", key)
    end
    return count
  end

  -- How many rows readers are shown; `known` is the count where the caller has it.
  function standing.total(known)
    count = count or (not rows and known) or nil
    if board.cap > 0 then
      return math.min(standing.count(), board.cap)
    end
    return standing.count()
  end

  -- Rows first to last as {text, score, …}, from what was read already where that is possible.
  function standing.slice(first, last)
    if board.cap > 0 then
      last = math.min(last, board.cap - 1)
    end
    if first > last then
      return {}
    end
    if not rows then
      return read(first, last)
    end
    local slice = {}
    for at = first * 2 + 1, math.min(last * 2 + 2, #rows) do
      slice[#slice + 1] = rows[at]
    end
    return slice
  end

  -- The place of a text counted from 0, or nil where it is not among the kept rows.
  function standing.index(text)
    local index
    if rows then
      for at = 1, #rows, 2 do
        if rows[at] == text then
          index = (at - 1) / 2
          break
        end
      end
    else
      index = redis.call(board.descending and "ZREVRANK" or "ZRANK", key, text)
    end
    if not index or (board.cap > 0 and index >= board.cap) then
      return nil
    end
    return index
  end

  -- Rows that may hold a player, {text, score, …}, of a set without a cap: what may have been capped before is short
  -- enough to be looked through at once.
  local function scan(player)
    return redis.call("ZSCAN", key, "0", "MATCH", "*\t" .. player .. "\t*", "COUNT", integer(SCANNED))[2]
  end

  -- The rows that hold some players, by player: {text, score}. A text is tie key, tab, player, tab, the rest; one pass
  -- over the rows is enough for any number of players.
  function standing.search(players)
    local wanted, found = {}, {}
    for _, player in ipairs(players) do
      wanted[player] = true
    end
    local all = #players == 0 and {} or board.cap > 0 and standing.rows() or scan(players[1])
    for at = 1, #all, 2 do
      local player = string.match(all[at], "^%w*\t([^\t]*)")
      if wanted[player] then
        found[player] = { all[at], all[at + 1] }
      end
    end
    return found
  end

  -- How many rows are strictly better than a score, and how many different scores they have (only with the rows read).
  local function better(score)
    if not rows then
      if board.descending then
        return redis.call("ZCOUNT", key, "(" .. score, "+inf")
      end
      return redis.call("ZCOUNT", key, "-inf", "(" .. score)
    end
    local value = number(score)
    local ahead, different, last = 0, 0, nil
    for at = 2, math.min(#rows, board.cap * 2), 2 do
      local other = number(rows[at])
      if other == value then
        break
      end
      ahead = ahead + 1
      if other ~= last then
        different, last = different + 1, other
      end
    end
    return ahead, different
  end

  -- The rank, from 1, of a row that is kept, by its index or where places are shared by its score; and how many are
  -- ahead of it.
  function standing.rank(index, score)
    if board.numbering == "ordinal" then
      return index + 1, index
    end
    local ahead, different = better(score)
    if board.numbering == "dense" then
      return different + 1, ahead
    end
    return ahead + 1, ahead
  end

  -- Which of several texts are in the set, for `rank_of`: one command where it would take one each to see.
  function standing.present(texts)
    local present = {}
    if #texts > 1 and board.numbering == "competition" and board.cap > 0 and not rows then
      for at, score in ipairs(redis.call("ZMSCORE", key, unpack(texts))) do
        present[texts[at]] = score and true
      end
    end
    return present
  end

  -- The rank of a text, or nil where it is not among the kept rows. A shared place is one command for a caller that
  -- knows the row is there, and on an uncapped board, where no row is ever pushed out.
  function standing.rank_of(text, score, is_there)
    local all_kept = board.cap == 0 or standing.count() <= board.cap
    local present = standing.count() > 0 and all_kept and (is_there or board.cap == 0)
    if board.numbering == "competition" and not rows and present then
      return standing.rank(nil, score)
    end
    local index = standing.index(text)
    if index then
      return standing.rank(index, score)
    end
  end

  -- Read all rows at once where places are shared: for several questions, one command in place of one or two for each.
  function standing.read_whole()
    if board.numbering ~= "ordinal" and board.cap > 0 then
      standing.rows()
    end
  end

  if board.cap <= SCAN_CAP then
    standing.read_whole()
  end
  return standing
end
