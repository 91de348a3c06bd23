"""Names: what is removed, what survives, and that cleaning is done once and for all."""

import sys
from unicodedata import category, is_normalized

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from lib.errors import Invalid
from lib.submitting.player_names import check_length, clean, has_surrogate

ZWJ, VS15, VS16, ACUTE = "\u200d", "\ufe0e", "\ufe0f", "\u0301"
MAN, WOMAN, GIRL, TONE = "\U0001f468", "\U0001f469", "\U0001f467", "\U0001f3fd"
FAMILY = ZWJ.join((MAN, WOMAN, GIRL))
BURNING_HEART = f"\u2764{VS16}{ZWJ}\U0001f525"
RAINBOW_FLAG = f"\U0001f3f3{VS16}{ZWJ}\U0001f308"

# What the rules look at, much denser than in arbitrary text.
tricky = st.text(
    alphabet=st.one_of(
        st.sampled_from(
            f"aeA 1#\t\n\0{ZWJ}{VS15}{VS16}{ACUTE}\u0323\u200b\u200c\u202e\u00a0\u2028\u3000"
            "\ufeff\u3164\u1160\u1100\u1161\u11a8"
        ),
        st.sampled_from(
            f"{MAN}{WOMAN}{TONE}\u2764\u2194\u0338\u00a9\U0001f1eb\U0001f3f3\U0001f308"
            "\U000e0100\U000e0067\u0344\u0f71\u0f72\u2126"
        ),
        st.characters(exclude_categories=["Cs"]),
    ),
    max_size=14,
)


@pytest.mark.parametrize(
    "name",
    [
        "Mina",
        "x' OR 1=1 --",
        "<img src=x onerror=alert(1)>",
        "Ren\u00e9e",
        "\u041c\u0438\u043d\u0430",
        "\u5c0f\u660e",
        "\ud55c\uae00",
        "\u0645\u0631\u062d\u0628\u0627 \u0628\u0643",
        "\u05e9\u05b8\u05c1\u05dc\u05d5\u05b9\u05dd",
        "\u0939\u093f\u0928\u094d\u0926\u0940",
        FAMILY,
        BURNING_HEART,
        RAINBOW_FLAG,
        f"{WOMAN}{TONE}{ZWJ}\U0001f4bb",
        f"\U0001f575\U0001f3fb{ZWJ}\u2642{VS16}",
        f"\U0001f408{ZWJ}\u2b1b",
        f"\U0001f642{ZWJ}\u2194{VS16}",
        f"1{VS16}\u20e3",
        "\U0001f1eb\U0001f1f7",
        "\u845b\U000e0100",
        "\U0001fae8",
    ],
)
def test_visible_names_survive_unchanged(name: str) -> None:
    """Every script, and every emoji that is one drawing, comes out as it went in."""
    assert clean(name) == name


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        pytest.param("", "", id="empty"),
        pytest.param("   ", "", id="spaces"),
        pytest.param("  Mi   na  ", "Mi na", id="runs and ends"),
        pytest.param("\u00a0Mi\u2003 \u3000na\u2028", "Mi na", id="other spaces"),
        pytest.param("Mi\tna\r\n", "Mina", id="controls"),
        pytest.param("a\u0085b\x7fc\0", "abc", id="more controls"),
        pytest.param("\u200b" * 5, "", id="only zero width"),
        pytest.param("\u202eanim\u202c \u2066x\u2069\u061c", "anim x", id="bidi"),
        pytest.param("a\u200c\u2060\ufeff\u00adb", "ab", id="zero width inside"),
        pytest.param("a \u200b b", "a b", id="a run with something invisible in it"),
        pytest.param("\u3164\u115f\u1160\uffa0\u034f\u17b4\u17b5\u2800\u180b\u180e\u180f", "", id="fillers"),
        pytest.param("a\ufffe\uffff\ufdd0\U0010ffffb", "ab", id="noncharacters"),
        pytest.param("a\U000e0041\U000e0062\U000e007fb", "ab", id="tags"),
        pytest.param(f"e{ACUTE}", "\u00e9", id="composed"),
        pytest.param(f"e\u200b{ACUTE}", "\u00e9", id="composed after removal"),
        pytest.param("\u212b\u2126", "\u00c5\u03a9", id="singletons"),
        pytest.param("\u1100\u1160\u1161", "\uac00", id="composed without the filler"),
        pytest.param(f"{ACUTE}\u0323Mina", "Mina", id="marks without a letter"),
        pytest.param(f" {ACUTE} {ACUTE}", "", id="nothing but marks"),
        pytest.param(f"a{ZWJ}b", "ab", id="joiner between letters"),
        pytest.param(f"\u0915\u094d{ZWJ}\u0937", "\u0915\u094d\u0937", id="joiner in a script"),
        pytest.param(f"{ZWJ}{MAN}{ZWJ}", MAN, id="joiner at the ends"),
        pytest.param(f"{MAN}{ZWJ} {ZWJ}{WOMAN}", f"{MAN} {WOMAN}", id="joiner beside a space"),
        pytest.param(f"{MAN}{ZWJ}{ZWJ}{WOMAN}", f"{MAN}{WOMAN}", id="joiners in a row"),
        pytest.param(f"{MAN}{ZWJ}\u200b{WOMAN}", f"{MAN}{ZWJ}{WOMAN}", id="joiner, once the rest is gone"),
        pytest.param(f"a{VS16}{ZWJ}{MAN}", f"a{VS16}{MAN}", id="joiner after a letter that has a selector"),
        pytest.param(f"{MAN}{ZWJ}{TONE}", f"{MAN}{TONE}", id="joiner before a skin tone"),
        pytest.param(f"{VS16}a {VS16}b", "a b", id="selectors without a character"),
        pytest.param(f"\u2764{VS16 * 9}\U000e0100\U000e0101", f"\u2764{VS16}", id="text hidden in selectors"),
        pytest.param(f"a {VS16} b", "a b", id="selector between spaces"),
    ],
)
def test_what_cannot_be_seen_is_removed(raw: str, expected: str) -> None:
    """Each kind of invisible character goes, and what remains is one plain line."""
    assert clean(raw) == expected


def test_every_control_format_and_space_of_unicode_is_known() -> None:
    """The ranges that are spelt out lack nothing that this Python's Unicode database has."""
    for character in map(chr, range(sys.maxunicode + 1)):
        kind = category(character)
        if kind in ("Cc", "Cf"):
            assert clean(f"\u0436{character}b") == "\u0436b", hex(ord(character))
        elif kind in ("Zs", "Zl", "Zp"):
            assert clean(f"\u0436{character}b") == "\u0436 b", hex(ord(character))


@settings(max_examples=600)
@given(tricky)
@example(f"{MAN}{ZWJ}\u2194{ZWJ}\u0323\u0338")
@example(f"{MAN}{ZWJ}\u2329")
@example(f"{MAN}{VS16}{VS16}{ZWJ}{WOMAN}")
@example(f" {VS16} {ACUTE}a")
def test_clean_is_final(raw: str) -> None:
    """A clean name is clean: idempotent, NFC, trimmed, and without anything that breaks an entry text."""
    name = clean(raw)
    assert clean(name) == name
    assert is_normalized("NFC", name)
    assert name == name.strip()
    assert "  " not in name
    assert not any(category(c) in ("Cc", "Zl", "Zp") or (category(c) == "Cf" and c != ZWJ) for c in name)


@given(st.text(alphabet=st.characters(max_codepoint=127)))
def test_the_short_way_for_ascii_agrees_with_the_long_one(raw: str) -> None:
    """Text without anything beyond ASCII is cleaned by the same rules as beside a letter beyond it."""
    assert clean(f"{raw} \u0436") == f"{clean(raw)} \u0436".strip()


@given(st.text(max_size=3), st.integers(0xD800, 0xDFFF).map(chr), st.text(max_size=3))
def test_half_surrogates_are_refused(before: str, half: str, after: str) -> None:
    """No UTF-8 can hold them, though JSON can spell them: a fault of the name, wherever they are."""
    assert has_surrogate(before + half + after)
    with pytest.raises(Invalid) as caught:
        clean(before + half + after)
    assert [fault.loc for fault in caught.value.faults] == ["name"]


@given(st.text(max_size=12))
def test_any_other_text_has_a_clean_form(raw: str) -> None:
    """Without surrogates nothing raises, and the result can be stored."""
    assert not has_surrogate(raw)
    clean(raw).encode()


@pytest.mark.parametrize("half", [0xD800, 0xDBFF, 0xDC00, 0xDFFF])
def test_both_halves_are_found(half: int) -> None:
    """The bounds of the surrogates are in."""
    assert has_surrogate(f"a{chr(half)}")
    assert not has_surrogate("\ud7ff\ue000\U0001f600")


@pytest.mark.parametrize(
    ("name", "longest"),
    [("a" * 24, 24), ("", 1), ("\u00e9" * 24, 24), ("\U0001f600" * 24, 24), ("a" * 96, 200)],
)
def test_lengths_within_both_bounds_pass(name: str, longest: int) -> None:
    """The bounds themselves are allowed: code points by the board, 96 bytes by the entry."""
    check_length(name, longest)


@pytest.mark.parametrize(
    ("name", "longest", "unit"),
    [
        ("a" * 25, 24, "24 characters"),
        ("ab", 1, "1 characters"),
        ("a" * 97, 200, "96 bytes"),
        ("\U0001f600" * 25, 30, "96 bytes"),
    ],
)
def test_too_long_is_refused_not_cut(name: str, longest: int, unit: str) -> None:
    """One beyond either bound is Invalid on the name."""
    with pytest.raises(Invalid, match=unit) as caught:
        check_length(name, longest)
    assert [fault.loc for fault in caught.value.faults] == ["name"]
