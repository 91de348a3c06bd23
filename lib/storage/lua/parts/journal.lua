-- Writes that are taken back where one of them fails: half of a submission would be worse than none.
--#gives taken_back_by write

local backwards = {}

-- Say what takes the last write back.
local function taken_back_by(...)
  backwards[#backwards + 1] = { ... }
end

-- Call a command that writes. Where it fails, everything is as before the first of them, and the script fails.
local function write(...)
  local reply = redis.pcall(...)
  local reason = type(reply) == "table" and reply.err
  if reason then
    for at = #backwards, 1, -1 do
      redis.pcall(unpack(backwards[at]))
    end
    error(reason, 0)
  end
  return reply
end
