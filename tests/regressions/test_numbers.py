"""Faults that real leaderboards shipped, in how they take, store and show numbers: none of them can happen here."""

import json
import math
import re
from typing import Any

import httpx
import pytest

from tests.support.harness import Harness, harness
from tests.support.playing import page, play
from tools.upstash_emulator.backends import Backend

OPEN = "limits = { per_ip = '0' }"
BOARD = f"[board.b]\n{OPEN}\nmeta = {{ accuracy = 'float', depth = 'int' }}\n"
SUM = f"[board.b]\nkeep = 'sum'\n{OPEN}\n"
LARGEST = 2**53 - 1


async def send(here: Harness, literal: str, field: str = "score") -> httpx.Response:
    """Submit a number as it is spelt, which no JSON writer would do for us."""
    score = "" if field == "score" else ',"score":1'
    return await here.client.post("/submit", content=f'{{"board":"b","player":"p"{score},"{field}":{literal}}}')


def refusal(response: httpx.Response) -> tuple[int, str]:
    return response.status_code, response.json()["code"]


async def raw(here: Harness, path: str, **query: Any) -> str:
    """Return the text of an answer, whose numbers no JSON reader has touched."""
    return (await here.client.get(path, params={"board": "b", **query})).text


@pytest.mark.parametrize("literal", ["9007199254740993", "9007199254740992", "-9007199254740992", "9007199254740991.5"])
async def test_integers_past_2_to_the_53_are_refused_and_do_not_change(literal: str, backend: Backend) -> None:
    async with harness(BOARD, backend) as here:
        here.start_meter()
        assert refusal(await send(here, literal)) == (422, "score_out_of_range")
        assert (await here.client.get("/rank", params={"board": "b", "score": literal})).status_code == 422
        assert here.requests == 0


@pytest.mark.parametrize("order", ["desc", "asc"])
async def test_the_largest_integers_do_not_collide(order: str, backend: Backend) -> None:
    scores = [LARGEST, LARGEST - 1, LARGEST - 2, -LARGEST + 1, -LARGEST]
    async with harness(f"{BOARD}order = '{order}'", backend) as here:
        await play(here, *((f"p{score}", score) for score in scores))
        assert [score for _, score, _ in await page(here)] == sorted(scores, reverse=order == "desc")


@pytest.mark.parametrize("score", [10**15, 123456789012345, LARGEST, -LARGEST, 100000000000000000000 // 10**5])
async def test_whole_scores_are_never_shown_in_scientific_notation(score: int, backend: Backend) -> None:
    """What reads only the first digits of a number (parseInt of 1e+21 is 1) reads all of it, too."""
    async with harness(BOARD, backend) as here:
        answer = await here.post("/submit", board="b", player="p", score=score, ranks="all")
        texts = [answer.text, await raw(here, "/top", player="p"), await raw(here, "/rank", player="p")]
        await here.submit("q", score - 1 if score > 0 else score + 1)
        texts.append(await raw(here, "/rank", players="p"))
    for text in texts:
        assert re.findall(r'"score":([^,}]*)', text)[0] == str(score)


@pytest.mark.parametrize(
    "score", [0.1, 0.30000000000000004, 1 / 3, 12.345678901234567, 1e-7, 15.5, -2.5e-300, 1e15 + 0.125]
)
async def test_a_fraction_comes_back_as_the_number_it_was(score: float, backend: Backend) -> None:
    """Nothing compares the texts of numbers: the same score again is a miss, the next double is an improvement."""
    async with harness(BOARD, backend) as here:
        [first, same, next_] = await play(here, ("p", score), ("p", score), ("p", math.nextafter(score, math.inf)))
        assert (first["standings"][0]["score"], same["improved"], next_["improved"]) == (score, False, True)
        assert next_["standings"][0]["previous"] == score
        assert await page(here) == [("p", math.nextafter(score, math.inf), 1)]


@pytest.mark.parametrize(
    "text",
    ["inf", "-inf", "infinity", "nan", "0x1p4", "1e400", "", " 5", " 5 ", "5", "1_000", "\uff15", "true", "null"],
)
async def test_text_is_no_score(text: str, backend: Backend) -> None:
    """Neither what Redis would take for a number, nor what Python would."""
    async with harness(BOARD, backend) as here:
        assert refusal(await here.post("/submit", board="b", player="p", score=text)) == (422, "invalid")
        asked = await here.client.get("/rank", params={"board": "b", "score": text})
        assert asked.status_code == (200 if text == "5" else 422)
        assert await page(here) == []


@pytest.mark.parametrize("field", ["score", "tiebreak"])
@pytest.mark.parametrize("literal", ["true", "false", "null", "[1]", "{}", '"5"'])
async def test_a_boolean_is_no_number(literal: str, field: str, backend: Backend) -> None:
    async with harness(BOARD + "tiebreak = 'asc'", backend) as here:
        body = {"score": "1", "tiebreak": "1", field: literal}
        content = f'{{"board":"b","player":"p","score":{body["score"]},"tiebreak":{body["tiebreak"]}}}'
        assert refusal(await here.client.post("/submit", content=content)) == (422, "invalid")


def plain(text: str) -> Any:
    """Read JSON as a browser does: NaN and Infinity are no part of it."""

    def refuse(name: str) -> None:
        raise AssertionError(f"{name} in an answer")

    return json.loads(text, parse_constant=refuse)


@pytest.mark.parametrize("literal", ["Infinity", "-Infinity", "NaN", "1e999", "-1e999", "1e400", "1e308"])
async def test_no_poisoned_row_breaks_the_answers_of_everybody(literal: str, backend: Backend) -> None:
    """What JSON.parse refuses, or parseFloat takes for NaN, is stored neither as a score nor inside meta."""
    refused = (400, "bad_json") if literal[-1].isalpha() else (422, "score_out_of_range")
    async with harness(BOARD, backend) as here:
        assert refusal(await send(here, literal)) == refused
        in_meta = refusal(await send(here, f'{{"accuracy":{literal}}}', "meta"))
        assert in_meta == ((400, "bad_json") if literal[-1].isalpha() else (422, "invalid"))
        await here.submit("q", 1, meta={"accuracy": 97.5})
        for path, query in (("/top", {"player": "q"}), ("/rank", {"player": "q"}), ("/rank", {"players": "p,q"})):
            answer = plain(await raw(here, path, **query))
            scores = [row["score"] for row in answer["entries"]]
            assert all(score is None or type(score) in (int, float) for score in scores)


async def test_opposite_infinities_do_not_make_a_sum_unusable(backend: Backend) -> None:
    async with harness(SUM, backend) as here:
        for literal in ("1e308", "-1e308", "1e999", "-1e999"):
            assert refusal(await send(here, literal)) == (422, "score_out_of_range")
        await play(here, ("p", LARGEST), ("p", -LARGEST), ("p", 3))
        assert await page(here) == [("p", 3, 1)]


@pytest.mark.parametrize("added", ["1", "0.25", "1e-9"])
@pytest.mark.parametrize("sign", [1, -1])
async def test_a_sum_never_silently_stays_where_it_is(sign: int, added: str, backend: Backend) -> None:
    """Near 2^53 an addition would be lost: it is refused, nothing is stored, and the way back is open."""
    async with harness(SUM, backend) as here:
        await play(here, ("p", sign * LARGEST))
        response = await send(here, added if sign > 0 else f"-{added}")
        assert refusal(response) == (422, "sum_overflow")
        assert await page(here) == [("p", sign * LARGEST, 1)]
        [back] = await play(here, ("p", -sign))
        assert back["standings"][0]["score"] == sign * (LARGEST - 1)


async def test_no_fraction_is_cut_on_its_way_out_of_a_script(backend: Backend) -> None:
    async with harness(f"[board.b]\ncap = 2\n{OPEN}", backend) as here:
        await play(here, ("a", 15.5), ("b", 14.25))
        [cut, better] = await play(here, ("c", 13.125), ("b", 14.75))
        assert (cut["standings"][0]["cutoff"], cut["standings"][0]["score"]) == (14.25, 13.125)
        assert (better["standings"][0]["previous"], better["standings"][0]["score"]) == (14.25, 14.75)
        unranked, second = await here.get("/rank", player="c"), await here.get("/rank", player="b")
        assert (unranked["best"], unranked["cutoff"]) == (13.125, 14.75)
        assert second["ahead"] == {"player": "a", "score": 15.5, "gap": 0.75}
        assert (await here.get("/top", player="a"))["me"]["score"] == 15.5
        assert [row["score"] for row in (await here.get("/rank", players="a,b"))["entries"]] == [15.5, 14.75]


@pytest.mark.parametrize(
    "parts", [(1234567890123456, 1), (0.1, 0.2), (1e15, 0.125), (LARGEST - 1, 1), (-0.3, 0.1), (1e-7, 1e-9)]
)
async def test_a_sum_keeps_all_its_digits(parts: tuple[float, float], backend: Backend) -> None:
    """A Lua number written with 14 digits would lose the last of them."""
    async with harness(SUM, backend) as here:
        *_, last = await play(here, *(("p", part) for part in parts))
        assert last["standings"][0]["score"] == sum(parts)
        assert await page(here) == [("p", sum(parts), 1)]


async def test_a_value_that_is_missing_does_not_cut_the_answer_short(backend: Backend) -> None:
    """In a script's reply nothing is not the end: rows and standings after it are there."""
    board = f"[board.b]\nwindows = ['all', 'daily', 'weekly']\n{OPEN}"
    async with harness(board, backend) as here:
        await play(here, ("p", 10))
        here.now += 86_400_000
        await play(here, ("q", 5))
        [later] = await play(here, ("p", 7))
        assert [(s["window"], s["improved"], s["rank"]) for s in later["standings"]] == [
            ("all", False, None),
            ("daily", True, 1),
            ("weekly", False, None),
        ]
        rows = (await here.get("/rank", players="zz,q,yy,p,xx"))["entries"]
        assert [row["rank"] for row in rows] == [None, 2, None, 1, None]
        assert [row["name"] for row in (await here.get("/top"))["entries"]] == [None, None]


async def test_nothing_goes_out_that_a_browser_would_round(backend: Backend) -> None:
    """Ids are text, times are text, and every number is one that a double holds exactly."""
    player, found = "106242075399214372653", []
    async with harness(BOARD, backend) as here:
        answer = await here.post(
            "/submit", board="b", player=player, score=LARGEST, meta={"depth": -LARGEST}, ranks="all"
        )
        await here.submit("second", 1)
        texts = [answer.text, await raw(here, "/top", player=player), await raw(here, "/rank", player="second")]
        texts += [await raw(here, "/rank", player=player, around=2), await raw(here, "/rank", players=player)]
        assert refusal(await send(here, f'{{"depth":{LARGEST + 1}}}', "meta")) == (422, "invalid")
    for text in texts:
        assert f'"player":"{player}"' in text
        json.loads(text, parse_int=lambda digits: found.append(abs(int(digits))))
    assert max(found) == LARGEST
