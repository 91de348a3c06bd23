-- What becomes of a submission in each standing, decided by reading only.
--#needs number open_standing may_be_lost field_of_row beats tiebreak_of is_behind request board fields
--#gives counted judge

local LARGEST_TOTAL = 9007199254740991

-- How many values the set of each open split had before this submission, by its key; nil while nobody has asked.
local counted = {}

-- A standing that is created brings its values into the sets of its open splits. Return how many a split may have that
-- has no room left for one, because it is full and the value is not in it yet; nil where all have room.
local function full_split(standing)
  for _, open in ipairs(standing.values) do
    counted[open.key] = counted[open.key] or redis.call("SCARD", open.key)
    if counted[open.key] >= open.max and redis.call("SISMEMBER", open.key, open.value) == 0 then
      return open.max
    end
  end
end

-- What a text holds after the player: the request's name and meta, or for a sum what stands where they are absent.
local function new_tail(held)
  if board.profile then
    return "\t\t"
  end
  local name, meta = request.name, request.meta
  if held and board.keep == "sum" and held.tail ~= "" then
    local old_name, old_meta = string.match(held.tail, "^\t([^\t]*)\t(.*)$")
    name = request.brings_name and name or old_name
    meta = request.brings_meta and meta or old_meta
  end
  return "\t" .. name .. "\t" .. meta
end

-- Whether nothing has to be done: "miss", or "same" where the score counts as stored; nil where something has.
local function unchanged(held, tail)
  local equal = number(held.score) == number(request.score) and tiebreak_of(held.tie) == tiebreak_of(request.tie)
  if board.keep == "best" then
    local better = beats(request.score, tiebreak_of(request.tie), held.score, tiebreak_of(held.tie), board.descending)
    return not better and "miss" or nil
  end
  if board.keep == "sum" then
    return number(request.score) == 0 and "miss" or nil
  end
  return equal and held.tail == tail and "same" or nil
end

-- Set standing.fate to miss, same, replace or enter, and what it would become; return the code of a refusal, and
-- what is allowed.
local function judge(standing)
  local set = open_standing(standing.key, { descending = board.descending, cap = board.cap, numbering = "ordinal" })
  -- Without a cap, a timer and open splits nobody has to know how many rows there are.
  local counts = board.cap > 0 or standing.ends > 0 or #standing.values > 0
  local lost = may_be_lost(fields.seen, standing.start, standing.beside) or is_behind(standing)
  if not standing.held and lost and (board.cap > 0 or not counts or set.count() > 0) then
    local row = set.search({ request.player })[request.player]
    if row then
      standing.held, standing.found = field_of_row(row[1], row[2], request.player), true
    end
  end
  local held = standing.held
  standing.previous = held and held.score
  standing.score, standing.tie, standing.tail = request.score, request.tie, new_tail(held)
  if held and board.keep == "sum" then
    local stood = number(held.score)
    local added = number(request.score)
    local total = stood + added
    local is_lost = added ~= 0 and total == stood -- rounded away, next to a total this large
    if is_lost or total > LARGEST_TOTAL or total < -LARGEST_TOTAL then
      return "sum_overflow"
    end
    standing.score, standing.tie = string.format("%.17g", total), held.tie
  end
  standing.fate = held and unchanged(held, standing.tail) or (held and held.tail ~= "" and "replace") or "enter"
  if standing.fate == "enter" then
    standing.set, standing.count = set, counts and set.count()
    local most = standing.count == 0 and full_split(standing)
    if most then
      return "too_many_split_values", most
    end
  end
end
