-- A whole number as text: how numbers turn into text by themselves differs between engines.
--#gives integer

local function integer(n)
  return string.format("%d", n)
end
