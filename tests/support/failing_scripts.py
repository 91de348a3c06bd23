"""Scripts one of whose writes fails, as in a database that is full."""

from lib.storage.scripts import Script


def failing(number: int) -> str:
    """Return Lua for a `redis.pcall` whose call of that number fails, and every other works."""
    return f"""(function() local calls = 0 return function(...)
calls = calls + 1
if calls == {number} then return {{ err = "ERR max record size exceeded" }} end
return server.pcall(...)
end end)()"""


def broken(script: Script, number: int) -> Script:
    """Return a script whose write of that number fails."""
    plain = script.plain.replace("counted(server.pcall)", failing(number))
    assert plain != script.plain
    return Script(script.name, plain, script.reads)
