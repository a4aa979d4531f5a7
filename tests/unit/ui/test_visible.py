"""What hides in text is shown, and honest text stays as it is."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tah_jupyter.ui.visible import BIDI_CONTROLS, Visible, visible, visible_line

SMUGGLED = "".join(chr(0xE0000 + ord(c)) for c in "run rm")


@pytest.mark.parametrize("character", BIDI_CONTROLS)
@pytest.mark.parametrize("prose", [False, True])
def test_every_bidi_control_is_shown_as_its_escape(character: str, prose: bool) -> None:
    shown = visible(f"a{character}b", prose=prose)
    assert shown == Visible(f"a\\u{ord(character):04x}b", (f"\\u{ord(character):04x}",))


def test_there_are_twelve_bidi_controls() -> None:
    assert len(set(BIDI_CONTROLS)) == 12


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a\u200bb", r"a\u200bb"),
        ("a\ufeffb", r"a\ufeffb"),
        ("a\u00adb", r"a\xadb"),
        ("\x1b[31mred", r"\x1b[31mred"),
        ("a\x00b\x7fc\x85d", r"a\x00b\x7fc\x85d"),
        ("over\rwritten", r"over\rwritten"),
        ("a\u2028b", r"a\u2028b"),
        ("\u3164\u115f\u2800", r"\u3164\u115f\u2800"),
        ("x\U000e0100", r"x\U000e0100"),
        ("\ud800", r"\ud800"),
        ("rm\u00a0-rf", r"rm\xa0-rf"),
        ("a\u200db", r"a\u200db"),
        ("\u200d", r"\u200d"),
        ("a\ufe0f", r"a\ufe0f"),
    ],
)
def test_hidden_and_control_characters_are_shown(text: str, shown: str) -> None:
    assert visible(text).text == shown
    assert visible(text).hidden


def test_tag_characters_cannot_smuggle_words() -> None:
    assert visible(SMUGGLED).text == "".join(f"\\U{ord(c):08x}" for c in SMUGGLED)


@pytest.mark.parametrize("text", ["plain\n\ttext", "ÄÖ 中文 עברית العربية", "❤️ ✓ → ½ … “q”", "1️⃣"])
def test_honest_text_is_left_alone(text: str) -> None:
    assert visible(text) == Visible(text, ())
    assert visible(text, prose=True) == Visible(text, ())


def test_prose_keeps_what_draws_an_emoji_and_the_ends_of_lines() -> None:
    family = "👨\u200d👩\u200d👧 and\u00a0a\r\nline"
    assert visible(family, prose=True) == Visible(family.replace("\r\n", "\n"), ())
    assert visible(family).hidden == ("\\u200d", "\\xa0", "\\r")


def test_a_line_stays_one_line() -> None:
    assert visible_line("a\nAllow once\tb\u202e") == Visible("a\\nAllow once\\tb\\u202e", ("\\u202e",))


@given(st.text())
def test_what_is_shown_hides_nothing_and_can_be_encoded(text: str) -> None:
    shown = visible(text).text
    assert visible(shown) == Visible(shown, ())
    shown.encode()
    assert "\n" not in visible_line(text).text


def test_characters_that_unicode_reserves_as_invisible_are_shown() -> None:
    assert visible("a\ufff0b\ufff8").hidden == ("\\ufff0", "\\ufff8")
