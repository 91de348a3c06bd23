-- Which of two rows is better. A tie key is the tie-break, where the board has one, and 13 digits of time.
--#needs number
--#gives beats tiebreak_of

-- Bytes, because `<` on strings follows the locale; both texts have the same fixed width.
local function before(a, b)
  for at = 1, math.min(#a, #b) do
    local x = string.byte(a, at)
    local y = string.byte(b, at)
    if x ~= y then
      return x < y
    end
  end
  return false
end

-- Whether a score with its tie key is strictly better than another, in the board's direction.
local function beats(score, tie, other_score, other_tie, descending)
  local mine = number(score)
  local theirs = number(other_score)
  if mine ~= theirs then
    return (mine > theirs) == descending
  end
  if descending then
    return before(other_tie, tie)
  end
  return before(tie, other_tie)
end

local function tiebreak_of(tie)
  return string.sub(tie, 1, -14)
end
