"""The peers: the same four systems built the plain way, as the published accounts of them tell.

A peer is a generator. It yields one request, a list of commands, gets the replies of it, and goes on: what it yields
together travels as one pipeline, what it yields after another is waited for. A peer has what its account says it has (a
pipeline, an atomic increment), and nothing that it has not; what its account leaves open is taken at its cheapest.
Where an account saves a run in Postgres too, that is not counted.
"""

from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass
from typing import Any

from bench.stand import Bench

Command = Sequence[object]
Requests = Generator[list[Command], list[Any], None]

MINUTE_MS = 60_000
DAY_MS = 86_400_000
DAY_S = 86_400


@dataclass(frozen=True, slots=True)
class Play:
    """One run of one player: what a game sends at its end, at `now` (ms), by a caller of its own."""

    player: str
    score: int
    name: str
    now: int
    caller: str
    facet: str
    """The burrow, the mode or the region it was played in."""

    @property
    def day(self) -> int:
        """The number of its UTC day."""
        return self.now // DAY_MS


def rabbit_submit(play: Play, *, always: bool = False) -> Requests:
    """Rabbit Hole: a counter a minute, then score, data, expiry and trim of two boards, one request each.

    The account does not say whether a run that changed nothing is spared expiry and trim; `always` spares it nothing.
    """
    gate = f"limit:{play.caller}:{play.now // MINUTE_MS}"
    [hits] = yield [["INCR", gate]]
    if hits == 1:
        yield [["EXPIRE", gate, 60]]
    for board, lasts in ((f"daily:{play.facet}:{play.day}", 7 * DAY_S), (f"all:{play.facet}", 90 * DAY_S)):
        [changed] = yield [["ZADD", board, "GT", "CH", play.score, play.player]]
        if changed:
            yield [["HSET", f"{board}:data", play.player, f'{{"name":"{play.name}","depth":7}}']]
        if changed or always:
            yield [["EXPIRE", board, lasts]]
            yield [["ZREMRANGEBYRANK", board, 0, -101]]


def rabbit_page(play: Play) -> Requests:
    """Ten rows of the day with names and depths, and one's own rank."""
    board = f"daily:{play.facet}:{play.day}"
    [rows] = yield [["ZRANGE", board, 0, 9, "REV", "WITHSCORES"]]
    yield [["HMGET", f"{board}:data", *rows[::2]]]
    yield [["ZREVRANK", board, play.player]]


def _typing_boards(play: Play) -> list[str]:
    return [f"{window}:{selection}" for window in ("all", f"daily:{play.day}") for selection in ("overall", play.facet)]


def typing_submit(play: Play) -> Requests:
    """Typestrix: a cooldown, then the scores of four standings, then the data of those that changed."""
    # Named by the caller, new each play: plays lie minutes apart, which the server's own clock does not see.
    [admitted] = yield [["SET", f"cooldown:{play.player}:{play.caller}", 1, "NX", "EX", 10]]
    if not admitted:
        return
    boards = _typing_boards(play)
    changes = yield [["ZADD", board, "GT", "CH", play.score, play.player] for board in boards]
    midnight = (play.day + 1) * DAY_S
    data: list[Command] = [
        ["HSET", f"{board}:data", play.player, f'{{"name":"{play.name}","wpm":100,"accuracy":98.5}}']
        for board, changed in zip(boards, changes, strict=True)
        if changed
    ]
    yield data + [["EXPIREAT", board, midnight] for board in boards if board.startswith("daily")]


def typing_page(play: Play) -> Requests:
    """Six standings, ten rows each: the rows in one pipeline, their data in another."""
    boards = [f"{window}:{of}" for window in ("all", f"daily:{play.day}") for of in ("overall", "time", "words")]
    pages = yield [["ZRANGE", board, 0, 9, "REV", "WITHSCORES"] for board in boards]
    yield [["HMGET", f"{board}:data", *rows[::2]] for board, rows in zip(boards, pages, strict=True) if rows]


def world_submit(play: Play) -> Requests:
    """Real-time caching: eight increments at once (four windows, overall and by region), and the profile."""
    windows = ("all", f"day:{play.day}", f"week:{play.day // 7}", f"month:{play.day // 30}")
    yield [
        *(["ZINCRBY", f"{window}:{of}", play.score, play.player] for window in windows for of in ("all", play.facet)),
        ["HSET", f"profile:{play.player}", "name", play.name, "avatar", "owl", "level", 7],
    ]


def _profiles(rows: Sequence[Any]) -> list[Command]:
    return [["HGETALL", f"profile:{player}"] for player in rows[::2]]


def world_page(play: Play) -> Requests:
    """Ten rows of the day with their profiles, and the neighbourhood of the player with theirs."""
    board = f"day:{play.day}:all"
    [rows] = yield [["ZRANGE", board, 0, 9, "REV", "WITHSCORES"]]
    yield _profiles(rows)
    [rank] = yield [["ZREVRANK", board, play.player]]
    [near] = yield [["ZRANGE", board, max(0, rank - 2), rank + 2, "REV", "WITHSCORES"]]
    yield _profiles(near)


def chess_submit(play: Play) -> Requests:
    """Chess blitz: three boards and their expiries in one round trip."""
    boards = ("all", f"daily:{play.day}", f"weekly:{play.day // 7}")
    scores: list[Command] = [["ZADD", board, "GT", play.score, play.player] for board in boards]
    yield scores + [["EXPIRE", board, 8 * DAY_S] for board in boards]


def chess_page(play: Play) -> Requests:
    """A page of 25 with the total, the player's rank with score and total, and three neighbours on either side."""
    yield [["ZRANGE", "all", 0, 24, "REV", "WITHSCORES"], ["ZCARD", "all"]]
    rank, _, _ = yield [["ZREVRANK", "all", play.player], ["ZSCORE", "all", play.player], ["ZCARD", "all"]]
    yield [["ZRANGE", "all", max(0, rank - 3), rank + 3, "REV", "WITHSCORES"]]


async def carry_out(bench: Bench, peer: Callable[[Play], Requests], play: Play) -> None:
    """Send the requests of a peer one after the other, through the same client that the functions use."""
    redis = bench.upstash._redis
    requests = peer(play)
    replies: list[Any] | None = None
    while True:
        try:
            commands = requests.send(replies) if replies is not None else next(requests)
        except StopIteration:
            return
        texts = [[str(part) for part in command] for command in commands]
        if len(texts) == 1:
            replies = [await redis.execute(texts[0])]
        else:
            pipeline = redis.pipeline()
            for text in texts:
                pipeline.execute(text)
            replies = list(await pipeline.exec())
