"""The pattern language: what matches, and the same thing in the form for ripgrep."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tah_jupyter.host.search.regex import BadPattern, Pattern, compile_pattern


def matched(pattern: str, text: str, **more: bool) -> str | None:
    data = text.encode()
    found = compile_pattern(pattern, **more).regex.search(data)
    return None if found is None else data[slice(*found.span())].decode()


@pytest.mark.parametrize(
    ("pattern", "text", "expected"),
    [
        ("a|b", "xb", "b"),
        ("^b", "a\nb", "b"),
        ("a$", "a\r\nb", "a\r"),
        ("[^x]+", "ab\ncd", "ab"),
        (r"\Aa", "a", "a"),
        (r"a\z", "a\nb", "a"),
        (r"(?P<n>a)(?<m>b)", "ab", "ab"),
        (r"(?i:A)b", "ab", "ab"),
        (r"(?i-s:A)b", "ab", "ab"),
        ("(?m)^b", "a\nb", "b"),
        ("(?-m:^b)", "a\nb", "b"),
        ("(?U)a+", "aa", "a"),
        ("a+?", "aa", "a"),
        ("a{2}", "aaa", "aa"),
        ("a{2,}", "aaa", "aaa"),
        ("a{,2}b", "aaab", "aab"),
        ("a{1,2}?", "aa", "a"),
        ("a{", "a{", "a{"),
        ("a{}", "a{}", "a{}"),
        ("{x}", "{x}", "{x}"),
        (r"\Qa.b*\E+", "a.b**", "a.b**"),
        (r"\Qa.b", "a.b", "a.b"),
        (r"\x41\x{42}\0103", "AB\x083", "AB\x083"),
        (r"\t\.\-\/\"\_", '\t.-/"_', '\t.-/"_'),
        (r"[\t\]a-c\-]+", "b]-\tx", "b]-\t"),
        ("[]a]+", "a]", "a]"),
        ("[^]a]", "]ab", "b"),
        ("[a-]+", "-a", "-a"),
        ("[[]+", "[[", "[["),
        ("[a&&b~~-]+", "a&b~-", "a&b~-"),
        ("[[:alpha:]]+", "1ab", "ab"),
        ("[[:^alpha:]]+", "ab1", "1"),
        (r"\p{Greek}+", "aβγ", "βγ"),
        (r"\pN", "a1", "1"),
        (r"[\p{^Greek}]+", "aβ", "a"),
        (r"\P{Greek}", "βa", "a"),
        (r"\w+", "größe1_ ", "größe1_"),
        (r"\W+", "ä -.b", " -."),
        (r"\d+", "a١٢3", "١٢3"),
        (r"\D+", "1ab2", "ab"),
        (r"\s", "a\u2003", "\u2003"),
        (r"\S+", " ab ", "ab"),
        (r"[\w.]+", "é.x y", "é.x"),
        (r"[^\w.]+", "é.x, y", ", "),
        (r"[\W_]+", "a_-b", "_-"),
        (r"[\s\S]", "é", "é"),
        (r"[^\W_]+", "_é1_", "é1"),
        (r"[^\W\d_]+", "_1é1_", "é"),
        (r"[^\W.]+", ".é_", "é_"),
        (r"[^\S\n]+", "a \t\n", " \t"),
        (r"\ba\B", "ba ab", "a"),
        ("é", "É", None),
    ],
)
def test_it_matches(pattern: str, text: str, expected: str | None) -> None:
    assert matched(pattern, text) == expected


def test_case_folds_in_all_of_unicode() -> None:
    assert matched("é", "É", ignore_case=True) == "É"


def test_across_lines_a_line_end_is_either_kind() -> None:
    for text in ("a\nb", "a\r\nb"):
        assert matched(r"a\nb", text, multiline=True) == text
        assert matched("a\nb", text, multiline=True) == text
    assert matched("a.b", "a\nb", multiline=True) is None
    assert matched("(?s)a.b", "a\nb", multiline=True) == "a\nb"
    assert matched(r"\Ab", "a\nb", multiline=True) is None
    assert matched(r"a\z", "a\nb", multiline=True) is None


@pytest.mark.parametrize(
    ("pattern", "literal", "whole"),
    [
        ("foo", b"foo", True),
        (r"foo\.bar", b"foo.bar", True),
        ("foo.*barbaz", b"barbaz", False),
        ("fo+", b"fo", False),
        ("foo?", b"fo", False),
        ("foo*bar", b"bar", False),
        ("fo{0,2}", b"f", False),
        ("fo{2}", b"fo", False),
        ("foo|bar", None, False),
        ("x(foo|bar)yy", b"yy", False),
        ("(foo)", None, False),
        ("(?i)foo", None, False),
        ("(?i)2024", b"2024", False),
        ("^$", None, False),
        ("é+", "é".encode(), False),
    ],
)
def test_the_literal_is_in_every_match(pattern: str, literal: bytes | None, whole: bool) -> None:
    found = compile_pattern(pattern)
    assert (found.literal, found.whole) == (literal, whole)


def test_where_case_does_not_count_only_text_without_case_is_a_literal() -> None:
    assert compile_pattern("foo", ignore_case=True).literal is None
    assert compile_pattern("2024-", ignore_case=True).literal == b"2024-"


PIECES = st.sampled_from(
    ["a", "b", "ab", ".", "a*", "b+", "(a|b)", "a?", "[ab]", "[^a]", "a{2}", "(ab)*", "|", "^", "$", "-"]
)


@given(st.lists(PIECES, min_size=1, max_size=6).map("".join), st.text("ab-\n", max_size=12))
def test_it_agrees_with_pythons_engine_line_by_line(pattern: str, text: str) -> None:
    compiled: Pattern = compile_pattern(pattern)
    for line in text.split("\n"):
        found = compiled.regex.search(line.encode())
        known = re.search(pattern, line)
        assert (found is None) == (known is None)
        if known and compiled.literal:
            assert compiled.literal in known[0].encode()


@given(st.text(min_size=1, max_size=12))
def test_any_text_is_a_pattern_or_an_error_with_a_reason(pattern: str) -> None:
    refused: BadPattern | None = None
    try:
        sieve = compile_pattern(pattern).sieve
    except BadPattern as error:
        refused, sieve = error, ""
    sieve.encode()
    assert refused is None or (str(refused) and 0 <= refused.at <= len(pattern))


def test_half_a_character_is_an_error() -> None:
    with pytest.raises(BadPattern, match="surrogate"):
        compile_pattern("a\ud800")


def test_two_shorthands_that_cannot_be_told_apart_are_an_error() -> None:
    with pytest.raises(BadPattern, match="not supported"):
        compile_pattern(r"[^\W\S]")
    with pytest.raises(BadPattern, match="not supported"):
        compile_pattern(r"[^\D\d]")


def test_a_large_pattern_falls_back_to_ascii_and_says_so() -> None:
    assert not compile_pattern(r"\w{10}").ascii_only
    large = compile_pattern(r"\w{500}")
    assert large.ascii_only
    assert large.regex.search(b"a" * 500)
    assert not large.regex.search("é".encode() * 500)
