-- Goes in front of every script, as one line, so that the script's own line numbers stay true. It counts the commands,
-- holds the script to its flags ($LOCKING and $READ_ONLY become true or false), and returns what luaguard.py takes apart:
--   {calls, reply}                  the script returned `reply` ({calls} alone: nil)
--   {calls, false, message, line}   it failed; `line` is "" where the script itself returned the error
local redis, __run = (function(redis)
  local pcall, error, type, tostring, select, tonumber = pcall, error, type, tostring, select, tonumber
  local find, match, gsub, upper, format = string.find, string.match, string.gsub, string.upper, string.format
  local calls, declared, keys, argv = 0, {}, {}, {}
  local refusal, place
  for i = 1, #KEYS do keys[i] = KEYS[i] declared[KEYS[i]] = true end
  for i = 1, #ARGV do argv[i] = ARGV[i] end

  local function undeclared(key)
    if type(key) == 'number' then key = format('%.17g', key) end
    return type(key) == 'string' and not declared[key] and key
  end

  local function stray(command, count, ...)
    local _, at = find($SHAPES, ' ' .. command .. ':', 1, true)
    if not at then return count > 0 and undeclared((...)) end
    local args, first, last, step = {...}, match($SHAPES, '^(%d+):(%-?%d+):(%d+) ', at + 1)
    first, last, step = tonumber(first), tonumber(last), tonumber(step)
    if step == 0 then
      for i = 1, last do if undeclared(args[i]) then return args[i] end end
      last, first, step = first + (tonumber(args[first]) or 0), first + 1, 1
    elseif last < 0 then
      last = count + 1 + last
    end
    if first == 0 then return end
    for i = first, last, step do if undeclared(args[i]) then return undeclared(args[i]) end end
  end

  local function attempt(name, ...)
    calls = calls + 1
    if type(name) == 'string' then
      local command = upper(name)
      if $READ_ONLY and find($WRITES, ' ' .. command .. ' ', 1, true) then
        return {err = 'ERR Write commands are not allowed from read-only scripts.'}
      end
      local key = $LOCKING and stray(command, select('#', ...), ...)
      if key then return {err = $DYNAMIC .. key .. "' is not in KEYS."} end
    elseif name == nil then
      return {err = 'ERR Please specify at least one argument for this redis lib call'}
    end
    local reply = redis.pcall(name, ...)
    if type(reply) == 'table' and reply.err then  -- in the imitation a Python string, and in its own words
      reply.err = gsub(tostring(reply.err), '^ERR unknown command.*', 'ERR Unknown Redis command called from script')
    end
    return reply
  end

  local function call(...)
    local reply = attempt(...)
    if type(reply) == 'table' and reply.err then
      refusal, place = reply.err, select(2, pcall(error, '', 3))
      error({err = reply.err})
    end
    return reply
  end

  -- Upstash's tables cannot be written to. A table that refuses would break #, ipairs and unpack here, so look afterwards.
  local function altered(now, before)
    if #now ~= #before then return true end
    for i = 1, #before do if now[i] ~= before[i] then return true end end
  end

  local function run(body)
    local ok, reply = pcall(body)
    if ok and (altered(KEYS, keys) or altered(ARGV, argv)) then
      ok, reply = false, {err = 'ERR attempt to modify a read-only table: KEYS and ARGV may not be changed'}
    end
    if ok and type(reply) == 'table' and type(reply.err) == 'string' then return {calls, false, reply.err, ''} end
    if ok then return {calls, reply} end
    -- A real server's pcall has turned an error table into its text already; the imitation's leaves it as it was.
    local text = tostring(type(reply) == 'table' and reply.err or reply)
    if text == refusal then return {calls, false, text, match(place, ':(%d+):') or ''} end
    text = gsub(text, '^%[string "<python>"%]:', 'user_script:')
    if not find(text, '^%u+ ') then text = 'ERR ' .. text end
    return {calls, false, text, match(text, '^ERR user_script:(%d+):') or ''}
  end

  return setmetatable({call = call, pcall = attempt}, {__index = redis}), run
end)(redis)
return __run(function(...)
