-- The arguments of a submission, in the order of lib/submitting/arguments.py, and under its names.

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
local board = {
  descending = take_flag(),
  keep = take(), -- best, last or sum
  cap = take_number(), -- 0: none
  numbering = take(), -- ordinal, competition or dense
  profile = take_flag(),
  record_ends = take_number(), -- s; 0: a record does not expire
}
local limits = {
  address = take_number(), -- calls per address_period; 0: no limit
  address_period = take_number(), -- ms
  player = take_number(),
  player_period = take_number(), -- ms
  cooldown = take_number(), -- ms
}
local RECORD, GATE, NONCE, PROFILES, FIRST_STANDING = KEYS[1], KEYS[2], KEYS[3], KEYS[4], 5

local standings = {}
for number = 1, take_number() do
  local standing = {
    key = KEYS[FIRST_STANDING + number - 1],
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
  for value = 1, take_number() do
    standing.values[value] = { key = KEYS[take_number()], max = take_number(), value = take() }
  end
  standings[number] = standing
end
