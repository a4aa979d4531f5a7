"""Bytes become text and text becomes bytes, in the encoding that is there."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tah_jupyter.core.text_edit import Replacement, apply
from tah_jupyter.host.files.text import decode, hidden_characters, printable, splice


@pytest.mark.parametrize(
    ("text", "codec", "label"),
    [
        ("", "utf-8", "UTF-8"),
        ("plain\n", "ascii", "UTF-8"),
        ("naïve 中\n", "utf-8", "UTF-8"),
        ("naïve\n", "utf-8-sig", "UTF-8 with BOM"),
        ("naïve\n", "utf-16", "UTF-16 LE"),
        ("a\n", "utf-32", "UTF-32 LE"),
        ("# caf\xe9\nx = 1\n", "latin-1", "Latin-1 (Windows-1252)"),
        ("“Hello” – it’s a test\n", "cp1252", "Latin-1 (Windows-1252)"),
        ("L'été dernier, le garçon a mangé à la cafétéria\n", "cp1252", "Latin-1 (Windows-1252)"),
        ("El niño pequeño comió muchísimo ¿verdad?\n", "latin-1", "Latin-1 (Windows-1252)"),
        ("Привет, как дела? Это файл с текстом.\n", "cp1251", "Windows-1251"),
        ("Привет, как дела? Это файл с текстом на русском языке.\n", "koi8_r", "KOI8-R"),
        ("Γεια σου κόσμε, αυτό είναι ένα αρχείο\n", "cp1253", "Windows-1253"),
        ("Zażółć gęślą jaźń. Łódź jest piękna\n", "cp1250", "Windows-1250"),
        ("这是一个中文文件，里面有一些文字。\n", "gbk", "GB 18030"),
        ("這是一個中文檔案，裡面有一些文字。\n", "big5", "Big5"),
        ("これは日本語のテキストファイルです。\n", "cp932", "Shift-JIS"),
        ("これは日本語のテキストファイルです。\n", "euc_jp", "EUC-JP"),
        ("이것은 한국어 텍스트 파일입니다.\n", "cp949", "EUC-KR"),
    ],
)
def test_text_is_read_in_its_encoding(text: str, codec: str, label: str) -> None:
    found = decode(text.encode(codec))
    assert found is not None
    assert (found.text, found.encoding.label) == (text, label)


@pytest.mark.parametrize(
    "data",
    [
        b"a\0b",
        bytes(range(256)),
        b"\xff\xfe\0",
        "text".encode("utf-16-le"),
        b"\x01\x02\x03\x04\xff\xfe",
        b"\x1f\x8b\x08\x08",
    ],
)
def test_what_is_no_text_is_none(data: bytes) -> None:
    assert decode(data) is None


def test_a_late_accent_in_a_long_file_is_found() -> None:
    found = decode(b"plain ascii text\n" * 100_000 + "café\n".encode("latin-1"))
    assert found is not None
    assert found.text.endswith("café\n")


@pytest.mark.parametrize(
    "data",
    [
        "café, naïve, Größe\n".encode("latin-1") + b"plain\n" * 10_000 + b"\x81 \x8d\n",
        bytes(range(0x80, 0x100)) * 3,
        b"\x81\x8d\x8f\x90\x9d" * 20,
        "これは日本語のテキストファイルです。".encode("cp932") + b"\x87\x9a\n",  # has two ways to write one character
        random.Random(1).randbytes(400).translate(bytes(0x80 | n for n in range(256))),
    ],
)
def test_bytes_that_fit_no_guess_are_latin_1_or_come_back_as_they_were(data: bytes) -> None:
    found = decode(data)
    assert found is not None
    assert found.encoding.encode(found.text) == data


def test_a_few_wrong_bytes_do_not_spoil_utf8() -> None:
    found = decode("Grüße – ok\n".encode() + b"\xff\n")
    assert found is not None
    assert found.encoding.label == "UTF-8 with invalid bytes"
    assert printable(found.text) == "Grüße – ok\n\ufffd\n"


def test_what_the_encoding_cannot_hold_is_an_error() -> None:
    found = decode("café, naïve, Größe\n".encode("latin-1"))
    assert found is not None
    with pytest.raises(UnicodeEncodeError):
        splice("café, naïve, Größe\n".encode("latin-1"), found, [Replacement(0, 1, "中")])


TEXT = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=20)


@settings(max_examples=200, deadline=None)
@given(TEXT, st.lists(st.tuples(st.integers(0, 20), st.integers(0, 20), TEXT), max_size=3), st.booleans())
def test_spliced_bytes_are_the_edited_text(text: str, cuts: list[tuple[int, int, str]], marked: bool) -> None:
    replacements: list[Replacement] = []
    at = 0
    for skip, length, new in cuts:
        start = min(at + skip, len(text))
        at = min(start + length, len(text))
        replacements.append(Replacement(start, at, new))
    for codec in ("utf-16", "utf-32", "utf-8-sig") if marked else ("utf-8",):
        data = text.encode(codec)
        found = decode(data)
        assert found is not None
        expected = found.encoding.bom + apply(found.text, replacements).encode(found.encoding.codec)
        assert splice(data, found, replacements) == expected


def test_hidden_characters_are_named() -> None:
    assert hidden_characters("plain ascii") == ()
    assert hidden_characters("ünï 👩‍💻 中") == ()
    assert hidden_characters("a\u202e\u200b\u202e\ufeff") == ("U+200B", "U+202E", "U+FEFF")
