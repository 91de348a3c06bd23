"""Faults that real leaderboards shipped, in headers, gates and trust: none of them can happen here.

What a browser is trusted with (secrets in a bundle, other people's players) is shown with tickets, in their own tests.
"""

import httpx
import pytest

from tests.support.harness import Harness, harness
from tests.support.playing import beside, expiries, ms, page, play, players, status, stored
from tools.upstash_emulator.backends import Backend

BOARD = "[board.b]\nmeta = { ship = 'str' }\n"
OPEN = f"{BOARD}limits = {{ per_ip = '0' }}\n"
FEW = f"{BOARD}limits = {{ per_ip = '3/1m' }}\n"
DAY = 86_400_000
PAGE = {"Origin": "https://game.example"}
PATHS = ("/submit", "/top", "/rank", "/start", "/health")


async def codes(here: Harness, times: int, client: httpx.AsyncClient | None = None, forwarded: str = "") -> list[int]:
    """Submit some times from one address and return what came of it."""
    found = []
    for score in range(times):
        content = f'{{"board":"b","player":"p","score":{score}}}'
        headers = {"X-Forwarded-For": forwarded, "X-Real-IP": forwarded} if forwarded else {}
        found.append((await (client or here.client).post("/submit", content=content, headers=headers)).status_code)
    return found


async def answers_of_all_kinds(here: Harness, backend: Backend) -> list[httpx.Response]:
    """Return a 200, a 404, a 405, a 415, a 422, a 429 and a 503 as a page of another origin gets them."""
    client, body = here.client, '{"board":"b","player":"p","score":1}'
    answers = [await client.post("/submit", content=body, headers=PAGE)]
    answers.append(await client.get("/nowhere", headers=PAGE))
    answers.append(await client.get("/submit", headers=PAGE))
    answers.append(await client.post("/submit", content=body, headers={**PAGE, "Content-Type": "text/html"}))
    answers.append(await client.get("/top", headers=PAGE))
    await codes(here, 3)
    answers.append(await client.post("/submit", content=body, headers=PAGE))
    await here.command("SET", "laurel:{b}:db-:all:all:", "no standing")
    answers.append(await client.get("/top?board=b", headers=PAGE))
    assert [answer.status_code for answer in answers] == [200, 404, 405, 415, 422, 429, 503]
    return answers


@pytest.mark.parametrize("origins", [("*",), ("https://game.example", "null")])
async def test_cors_headers_come_once_on_every_answer(origins: tuple[str, ...], backend: Backend) -> None:
    """On errors too: without them a page sees a 429 as a network error, and not how long to wait."""
    async with harness(FEW, backend, origins=origins) as here:
        for answer in await answers_of_all_kinds(here, backend):
            allowed = "*" if origins == ("*",) else "https://game.example"
            assert answer.headers.get_list("access-control-allow-origin") == [allowed]
            assert "retry-after" in answer.headers.get_list("access-control-expose-headers")[0].lower()
            assert "access-control-allow-credentials" not in answer.headers
            assert ("retry-after" in answer.headers) == (answer.status_code in (429, 503))


@pytest.mark.parametrize("path", PATHS)
async def test_a_preflight_is_answered_on_every_path(path: str, backend: Backend) -> None:
    asks = {**PAGE, "Access-Control-Request-Method": "POST", "Access-Control-Request-Headers": "content-type"}
    async with harness(BOARD, backend) as here:
        answer = await here.client.options(path, headers=asks)
        assert (answer.status_code, answer.content, here.requests) == (204, b"", 0)
        assert answer.headers.get_list("access-control-allow-origin") == ["*"]
        [allowed] = answer.headers.get_list("access-control-allow-headers")
        assert {name.strip().lower() for name in allowed.split(",")} == {"content-type", "authorization"}
        assert "OPTIONS" in answer.headers["access-control-allow-methods"]
        assert (await here.client.options(path + "/", headers=asks)).status_code == 204


async def test_a_made_up_forwarded_address_is_not_believed(backend: Backend) -> None:
    """Neither does a new one with each request escape the gate, nor does a victim's one block the victim."""
    async with harness(FEW, backend) as here:
        made_up = [await codes(here, 1, forwarded=f"198.51.100.{i}") for i in range(4)]
        assert made_up == [[200], [200], [200], [429]]
        async with here.client_at("198.51.100.1") as victim:
            assert await codes(here, 3, victim) == [200, 200, 200]


async def test_behind_a_proxy_only_its_own_hop_counts(backend: Backend) -> None:
    async with harness(FEW, backend, trust_proxy=1) as here:
        hops = [f"198.51.100.{i}, 192.0.2.1" for i in range(4)]
        assert [await codes(here, 1, forwarded=hop) for hop in hops] == [[200], [200], [200], [429]]
        assert await codes(here, 1, forwarded="192.0.2.1, 192.0.2.2") == [200]


async def test_nobody_is_locked_out_for_ever(backend: Backend) -> None:
    """The gate and its end are one value set by one command; one that lost its timer is taken anew when it is over."""
    async with harness(FEW, backend) as here, beside(here, backend, FEW) as other:
        assert await codes(here, 5) == [200, 200, 200, 429, 429]
        [gate] = [key for key in await expiries(here) if key.startswith("gate:")]
        key = f"laurel:{{b}}:{gate}"
        assert 0 < await here.command("PTTL", key) <= 60_000
        await here.command("PERSIST", key)
        other.now = here.now + 59_999
        assert await codes(other, 1) == [429]
        other.now = here.now + 60_000
        assert await codes(other, 4) == [200, 200, 200, 429]
        assert 0 < await here.command("PTTL", key) <= 60_000


async def test_a_limit_holds_from_the_first_call_of_a_period_to_its_end(backend: Backend) -> None:
    """The period begins with the first call, so no edge of the clock lets twice as many through at a known moment."""
    async with harness(FEW, backend) as here:
        here.now = ms("2033-05-18T11:59:59+00:00")
        assert await codes(here, 3) == [200, 200, 200]
        here.now = ms("2033-05-18T12:00:58+00:00")
        assert await codes(here, 1) == [429]
        here.now = ms("2033-05-18T12:00:59+00:00")
        assert await codes(here, 4) == [200, 200, 200, 429]


async def test_a_classroom_behind_one_address_is_let_in(backend: Backend) -> None:
    """Thirty pupils, two runs a minute each, with the limits that a board has without a word about them."""
    async with harness(BOARD, backend) as here:
        for turn in range(2):
            await play(here, *((f"pupil{number}", turn) for number in range(30)))
        assert (await here.get("/top"))["total"] == 30
        assert await codes(here, 1) == [429]


async def test_a_lower_score_sent_in_anothers_name_takes_nothing_from_them(backend: Backend) -> None:
    """On an open board nobody proves who they are; yet a best cannot be lowered, nor a miss change its name."""
    async with harness(OPEN, backend) as here:
        await play(here, ("alice", 100), name="Alice", meta={"ship": "A"})
        before = await stored(here)
        await play(here, ("alice", 0), ("alice", 100), name="Mallory", meta={"ship": "M"})
        assert await stored(here) == before


async def test_reading_writes_nothing(backend: Backend) -> None:
    """And what writes cannot be asked for by a link."""
    async with harness(OPEN, backend) as here:
        await play(here, ("p", 10), ("q", 5))
        before = await stored(here)
        for path, query in (
            ("/top", {}),
            ("/top", {"player": "p"}),
            ("/top", {"windows": "all"}),
            ("/rank", {"player": "q", "around": 3}),
            ("/rank", {"players": "p,zz"}),
            ("/rank", {"score": 7}),
        ):
            await here.get(path, **query)
        for path in ("/submit", "/start"):
            refused = await here.client.get(path, params={"board": "b", "player": "p", "score": 99})
            assert (refused.status_code, refused.headers["allow"]) == (405, "POST, OPTIONS")
        assert await status(here, "/top", add="p", score=99) == (422, "invalid")
        assert await stored(here) == before


async def test_impossible_scores_are_refused(backend: Backend) -> None:
    async with harness(f"{OPEN}score = {{ min = 0, max = 500, step = 0.1 }}", backend) as here:
        for score in (-0.1, 500.1, 1e9, 0.05, 399.99):
            response = await here.post("/submit", board="b", player="p", score=score)
            assert (response.status_code, response.json()["code"]) == (422, "score_out_of_range")
        assert here.requests == 0
        await play(here, ("a", 0), ("b", 0.3), ("c", 500))
        assert await players(here) == ["c", "b", "a"]


async def test_a_player_sees_their_own_run_at_once_on_a_cached_board(backend: Backend) -> None:
    """The answer to the submission has the new rank, `v` passes every cache on the way, personal reads have none."""
    async with harness(f"{OPEN}cache = '1h'", backend) as here:
        await play(here, ("p", 10), ("q", 20))
        assert await page(here) == [("q", 20, 1), ("p", 10, 2)]
        answer = await here.submit("p", 30, id="run-00000001")
        assert (answer["standings"][0]["rank"], answer["standings"][0]["total"]) == (1, 2)
        assert await page(here) == [("q", 20, 1), ("p", 10, 2)]
        assert await page(here, v="run-00000001") == [("p", 30, 1), ("q", 20, 2)]
        assert (await here.get("/top", player="p"))["me"]["rank"] == 1
        for path, query in (("/top", {"player": "p"}), ("/rank", {"player": "p"}), ("/rank", {"score": 1})):
            response = await here.client.get(path, params={"board": "b", **query})
            assert response.headers["cache-control"] == "no-store"
        here.now += 3_600_000
        assert await page(here) == [("p", 30, 1), ("q", 20, 2)]


@pytest.mark.parametrize("rank", ["ordinal", "competition", "dense"])
async def test_the_rank_is_there_with_the_write(rank: str, backend: Backend) -> None:
    """In its answer and in every read after it: never a 0 for "not yet"."""
    async with harness(f"{OPEN}rank = '{rank}'", backend) as here:
        for number in range(6):
            [answer] = await play(here, (f"p{number}", number // 2))
            told = answer["standings"][0]
            shown = (await here.get("/rank", player=f"p{number}"))["entry"]
            assert (told["rank"], told["total"]) == (shown["rank"], number + 1)


async def test_a_year_of_play_leaves_no_key_without_a_timer(backend: Backend) -> None:
    windows = "windows = ['daily', 'weekly', 'monthly']"
    async with harness(f"{OPEN}{windows}", backend) as here:
        for _ in range(12):
            await play(here, ("p", 1))
            here.now += 30 * DAY
        times = await expiries(here)
        assert len(times) == 12 + 12 + 12 + 1
        assert all(end > 0 for end in times.values())
