-- The arguments that all reading scripts begin with, in the order of `reading_arguments` in lib/reading/rows.py: the
-- board, and how a record names the period.
--#needs number
--#gives take take_number take_board take_period

local taken = 0
local function take()
  taken = taken + 1
  return ARGV[taken]
end
local function take_number()
  return number(take())
end

local function take_board()
  return {
    descending = take() == "1",
    cap = take_number(), -- 0: none
    numbering = take(), -- ordinal, competition or dense
    profile = take() == "1",
  }
end

local function take_period()
  local period = {
    recorded = take() == "1", -- whether a record can hold this period: the current and the previous one
    slots = { take() }, -- the record's fields it may lie in: one, or two for a season
  }
  local other = take()
  if other ~= "" then
    period.slots[2] = other
  end
  period.id = take()
  period.start = take_number() -- s
  period.oldest = take_number() -- the oldest day a field may name; 0: any
  return period
end
