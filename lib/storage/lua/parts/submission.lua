-- The arguments of a submission, in the order of lib/submitting/arguments.py, and under its names.
--#needs number
--#gives take_request take_board take_limits take_standings

local taken = 0
local function take()
  taken = taken + 1
  return ARGV[taken]
end
local function take_number()
  return number(take())
end
local function take_flag()
  return take() == "1"
end

local function take_request()
  local request = {
    gated = take_flag(), -- not for our own second try
    now = take_number(), -- ms
    day = take(), -- the UTC day's number
    effective = take_number(), -- ms: when the run counts, its start or now
    player = take(),
    score = take(),
    tie = take(), -- the tie key of a text made now
    name = take(),
    meta = take(),
    brings_name = take_flag(),
    brings_meta = take_flag(),
    id = take(), -- hashed
    digest = take(), -- of the content
    nonce_seconds = take_number(), -- 0: no ticket
    ranks = take(), -- improved, all or none
  }
  request.token = request.id .. ":" .. request.digest -- what makes two requests the same submission
  return request
end

local function take_board()
  return {
    descending = take_flag(),
    keep = take(), -- best, last or sum
    cap = take_number(), -- 0: none
    numbering = take(), -- ordinal, competition or dense
    profile = take_flag(),
    record_ends = take_number(), -- s; 0: a record does not expire
  }
end

local function take_limits()
  return {
    address = take_number(), -- calls per address_period; 0: no limit
    address_period = take_number(), -- ms
    player = take_number(),
    player_period = take_number(), -- ms
    cooldown = take_number(), -- ms
  }
end

-- The standings, whose fields are from here on
--   key, place, slots, start, over, id, ends, oldest, goes, values   as they are taken below
--   slot, held, beside, late     which field of the record it lies in, what that holds of this period, what the others
--                                hold of other periods, whether this run comes behind a later one (remembered.lua)
--   previous, score, tie, tail   what stood, and what is to stand: score and text as the record's fields have them
--   found, fate, set, count      whether the row was found by looking, what is to be done, the set and its size
--   ranked, cutoff, improved, written, noted   what was done (write.lua)
local function take_standings(first_key)
  local standings = {}
  for at = 1, take_number() do
    local standing = {
      key = KEYS[first_key + at - 1],
      place = take_number(), -- from 1, among all standings that one submission may reach
      slots = { take() }, -- the record's fields it may lie in: one, or two for a season
      start = 0,
      values = {}, -- of open splits: {key, max, value}
    }
    local other = take()
    if other ~= "" then
      standing.slots[2] = other
    end
    standing.start = take_number() -- s
    standing.over = take_flag() -- whether the period has ended, so that this run may come behind a later one
    standing.id = take()
    standing.ends = take_number() -- s, when the set expires; 0: never
    standing.oldest = take_number() -- the oldest day a field may name; 0: any day, and no timer to refresh
    standing.goes = take_number() -- s, when the field of an open split's value may go; 0: never
    for open = 1, take_number() do
      standing.values[open] = { key = KEYS[take_number()], max = take_number(), value = take() }
    end
    standings[at] = standing
  end
  return standings
end
