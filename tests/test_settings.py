"""The environment: every variable, its default, and what is refused by name without showing a value."""

from pathlib import Path
from typing import Any

import pytest

from lib.errors import Misconfigured
from lib.settings import Settings

REST = {"UPSTASH_REDIS_REST_URL": "https://eu1-x.upstash.io", "UPSTASH_REDIS_REST_TOKEN": "AXrest-token=="}


def test_url_and_token_are_enough() -> None:
    """Everything else has a default."""
    settings = Settings.read(REST)
    assert settings == Settings(
        url="https://eu1-x.upstash.io",
        token="AXrest-token==",
        boards_path=Path("boards.toml"),
        prefix="laurel",
        origins=("*",),
        secrets=(),
        server_token=None,
        timeout=2.5,
        trust_proxy=0,
        address_header=None,
        name_filter=None,
        database_url=None,
    )


def test_every_variable_is_read() -> None:
    """All of them together, with the spaces that people leave around values."""
    settings = Settings.read(
        {
            "UPSTASH_REDIS_REST_URL": " http://127.0.0.1:8079/ \n",
            "UPSTASH_REDIS_REST_TOKEN": "t\n",
            "LAUREL_BOARDS": "games/mine.toml",
            "LAUREL_PREFIX": "preview-7",
            "LAUREL_ORIGINS": "https://a.itch.zone, null,http://localhost:5173",
            "LAUREL_SECRET": "new, old",
            "LAUREL_SERVER_TOKEN": "backend",
            "LAUREL_TIMEOUT": "0.75",
            "LAUREL_TRUST_PROXY": "2",
            "LAUREL_NAME_FILTER": "words.lists:is_clean",
            "DATABASE_URL": "postgres://u:p@db/laurel",
            "VERCEL": "1",
        }
    )
    assert settings == Settings(
        url="http://127.0.0.1:8079",
        token="t",
        boards_path=Path("games/mine.toml"),
        prefix="preview-7",
        origins=("https://a.itch.zone", "null", "http://localhost:5173"),
        secrets=("new", "old"),
        server_token="backend",
        timeout=0.75,
        trust_proxy=2,
        address_header="x-real-ip",
        name_filter="words.lists:is_clean",
        database_url="postgres://u:p@db/laurel",
    )


@pytest.mark.parametrize(
    ("environ", "url", "token"),
    [
        ({"KV_REST_API_URL": "https://kv", "KV_REST_API_TOKEN": "kv"}, "https://kv", "kv"),
        (
            {"KV_REST_API_URL": "https://kv", "KV_REST_API_TOKEN": "kv", **REST},
            "https://eu1-x.upstash.io",
            "AXrest-token==",
        ),
        (
            {"KV_REST_API_URL": "https://kv", "KV_REST_API_TOKEN": "kv", "UPSTASH_REDIS_REST_URL": ""},
            "https://kv",
            "kv",
        ),
    ],
)
def test_vercels_own_names_serve_where_the_others_are_not_set(environ: dict[str, str], url: str, token: str) -> None:
    """The pair of names that Vercel's integration sets is the second choice."""
    settings = Settings.read(environ)
    assert (settings.url, settings.token) == (url, token)


@pytest.mark.parametrize(
    ("environ", "name"),
    [
        ({}, "UPSTASH_REDIS_REST_URL"),
        ({"UPSTASH_REDIS_REST_URL": "https://x.io"}, "UPSTASH_REDIS_REST_TOKEN"),
        ({"UPSTASH_REDIS_REST_TOKEN": "t"}, "UPSTASH_REDIS_REST_URL"),
        ({"UPSTASH_REDIS_REST_URL": " ", "UPSTASH_REDIS_REST_TOKEN": "t"}, "UPSTASH_REDIS_REST_URL"),
        ({"KV_REST_API_URL": "https://kv"}, "KV_REST_API_TOKEN"),
        # One database's address with another's token would only ever be refused, later and less clearly.
        ({"UPSTASH_REDIS_REST_URL": "https://x.io", "KV_REST_API_TOKEN": "kv"}, "UPSTASH_REDIS_REST_TOKEN"),
    ],
)
def test_a_missing_variable_is_named(environ: dict[str, str], name: str) -> None:
    """Address and token of the store are the two that must be there."""
    with pytest.raises(Misconfigured, match=f"^{name}: is missing"):
        Settings.read(environ)


WRONG = [
    (
        "UPSTASH_REDIS_REST_URL",
        ["x.upstash.io", "redis://default:s3cret@x.io:6379", "ftp://x.io", "https://", "http:///p"],
    ),
    (
        "UPSTASH_REDIS_REST_URL",
        ["https://u:s3cret@x.io", "https://x.io:0", "https://x.io:65536", "https://x.io:", '"https://x.io"'],
    ),
    ("UPSTASH_REDIS_REST_URL", ["https://x .io", "https://é.io", "https://...", "https://x.io?a=1", "https://x.io#f"]),
    ("UPSTASH_REDIS_REST_TOKEN", ["s3cret s3cret", "s3cret\nx", "s3crét"]),
    ("LAUREL_BOARDS", ["a\0b"]),
    ("LAUREL_PREFIX", ["a:b", "a b", "{a}", "x" * 33, "é"]),
    (
        "LAUREL_ORIGINS",
        ["", " ", ",", "https://x.io/", "https://x.io/game", "x.io", "https://x.io,,null", "*,https://x.io"],
    ),
    (
        "LAUREL_ORIGINS",
        ["https://*.itch.zone", "https://x.io https://y.io", "https://x.io:99999", "NULL", "https://u@x.io"],
    ),
    ("LAUREL_SECRET", [",", "s3cret,", ",s3cret", "s3cret, ,x", "s3cret\udcff"]),
    ("LAUREL_SERVER_TOKEN", ["s3cret s3cret", "s3crét"]),
    ("LAUREL_TIMEOUT", ["0", "0.0", "-1", "60.5", "61", "nan", "inf", "1e1", "1_0", "2,5", "2.5s", "fast", "٣"]),
    ("LAUREL_TRUST_PROXY", ["-1", "1.5", "yes", "true", "100", "1_0", "²"]),
    ("LAUREL_NAME_FILTER", ["words", "words.is_clean", ":f", "m:", "m:f()", "a b:f", "m:f:g", "1m:f", "m..n:f"]),
    ("DATABASE_URL", ["mysql://u:s3cret@db/x", "s3cret", "postgres://"]),
]


@pytest.mark.parametrize(("name", "value"), [(name, value) for name, values in WRONG for value in values])
def test_a_malformed_variable_is_named_and_not_shown(name: str, value: str) -> None:
    """The message has one line, begins with the variable's name and never holds what could be a secret."""
    with pytest.raises(Misconfigured, match=f"^{name}: should be ") as refused:
        Settings.read({**REST, name: value})
    assert "s3cr" not in refused.value.detail
    assert refused.value.detail.isprintable()


def test_a_trailing_slash_of_an_origin_is_refused_by_name() -> None:
    """The commonest slip gets a sentence of its own: no browser sends such an origin."""
    with pytest.raises(Misconfigured, match=r"^LAUREL_ORIGINS: .*no trailing slash"):
        Settings.read({**REST, "LAUREL_ORIGINS": "null,https://example.com/"})


def test_origins_are_kept_as_browsers_send_them() -> None:
    """Lower case, without the port that the scheme implies, each once; app and extension schemes are origins too."""
    origins = "HTTPS://Game.Example:443,http://a:80,http://a:443,capacitor://localhost,https://[::1]:8080,http://a"
    assert Settings.read({**REST, "LAUREL_ORIGINS": origins}).origins == (
        "https://game.example",
        "http://a",
        "http://a:443",
        "capacitor://localhost",
        "https://[::1]:8080",
    )


@pytest.mark.parametrize(
    "name", ["LAUREL_BOARDS", "LAUREL_PREFIX", "LAUREL_SECRET", "LAUREL_SERVER_TOKEN", "LAUREL_TIMEOUT", "DATABASE_URL"]
)
def test_a_variable_set_to_nothing_is_not_set(name: str) -> None:
    """A deployment template sets every variable that it knows."""
    assert Settings.read({**REST, name: ""}) == Settings.read(REST)


@pytest.mark.parametrize(
    ("name", "value", "attribute", "read"),
    [
        ("LAUREL_TIMEOUT", "60", "timeout", 60.0),
        ("LAUREL_TIMEOUT", "0.001", "timeout", 0.001),
        ("LAUREL_TRUST_PROXY", "0", "trust_proxy", 0),
        ("LAUREL_PREFIX", "x" * 32, "prefix", "x" * 32),
        ("LAUREL_ORIGINS", "*", "origins", ("*",)),
        ("LAUREL_ORIGINS", "null", "origins", ("null",)),
        ("UPSTASH_REDIS_REST_URL", "HTTPS://x.io:65535/redis/", "url", "HTTPS://x.io:65535/redis"),
        ("UPSTASH_REDIS_REST_URL", "http://[::1]:8079", "url", "http://[::1]:8079"),
    ],
)
def test_the_edges_of_what_is_allowed(name: str, value: str, attribute: str, read: Any) -> None:
    """What lies just inside a bound is taken."""
    assert getattr(Settings.read({**REST, name: value}), attribute) == read


def test_addresses_are_hashed_with_the_newest_secret_or_the_rest_token() -> None:
    """There is always a key, so no address is ever stored bare."""
    assert Settings.read({**REST, "LAUREL_SECRET": "new,old"}).address_key == b"new"
    assert Settings.read(REST).address_key == b"AXrest-token=="


def test_no_secret_is_in_the_repr() -> None:
    """A settings object may end up in a log or a traceback."""
    secret = {
        "UPSTASH_REDIS_REST_TOKEN": "hush-1",
        "LAUREL_SECRET": "hush-2,hush-3",
        "LAUREL_SERVER_TOKEN": "hush-4",
        "DATABASE_URL": "postgres://u:hush-5@db/x",
    }
    settings = Settings.read({**REST, **secret})
    assert "hush" not in repr(settings)
    assert "hush" not in str(settings)
