-- The number that a text stands for, or nil; some engines take an exponent only after a point: 1.0e-07, not 1e-07.
--#gives number

local function number(text)
  return text and (tonumber(text) or tonumber((string.gsub(text, "e", ".0e", 1))))
end
