"""A deployment to give commands about, and the kind of thing that commands it."""

from collections.abc import Callable

TOKEN = "a-token-for-tests"
BOARDS = """
[board.b]
windows = ["all", "daily"]
limits = { per_ip = "0" }
splits = { mode = ["time", "words"] }

[board.open]
cap = 0
limits = { per_ip = "0" }

[board.ticketed]
auth = "ticket"

[board.backend]
auth = "server"
"""
Run = Callable[..., tuple[int, str, str]]
