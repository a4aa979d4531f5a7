"""Any file name has a form that is valid UTF-8, and the way back is unique."""

import os

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tah_jupyter.host.files.names import decode_name, encode_name


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        (b"plain.py", "plain.py"),
        ("schön 中.md".encode(), "schön 中.md"),
        (b"back\\slash\\x.txt", "back\\slash\\x.txt"),
        (b"bad_\xff.md", "bad_\\xff.md"),
        (b"a\\b\xff", "a\\\\b\\xff"),
        (b"looks\\xff", "looks\\\\xff"),
        (b"new\nline\x7f", "new\\x0aline\\x7f"),
        (b"a\\\\b/bad\xff/c\\d", "a\\\\b/bad\\xff/c\\d"),
    ],
)
def test_the_form_of_a_name(name: bytes, shown: str) -> None:
    assert encode_name(os.fsdecode(name)) == shown
    assert os.fsencode(decode_name(shown)) == name


@settings(max_examples=400)
@given(st.lists(st.sampled_from([b"\\", b"x", b"f", b"\xff", b"\xc3", b"\xa9", b"/", b"\n", b"a"])).map(b"".join))
@example(b"\\\\xff")
def test_every_name_makes_the_round_trip(name: bytes) -> None:
    shown = encode_name(os.fsdecode(name))
    shown.encode("utf-8")
    assert os.fsencode(decode_name(shown)) == name


def test_half_a_character_has_no_name() -> None:
    with pytest.raises(UnicodeEncodeError):
        decode_name("\ud800")
    with pytest.raises(UnicodeEncodeError):
        decode_name("\ud800\\xff")
