"""Globs and ignore rules: which paths they name."""

import pytest

from tah_jupyter.host.search.ignore import BadGlob, Glob, Rules


@pytest.mark.parametrize(
    ("glob", "yes", "no"),
    [
        ("*.py", ["a.py", "x/y/a.py", "d.py/x"], ["a.pyc", "py"]),
        ("**/*.py", ["a.py", "x/a.py"], ["a.js"]),
        ("src/*.py", ["src/a.py"], ["src/b/a.py", "x/src/a.py"]),
        ("src/**", ["src/a", "src/b/c"], ["src", "x/src/a"]),
        ("src/**/*.js", ["src/a.js", "src/x/y.js"], ["a.js"]),
        ("/a", ["a", "a/b"], ["x/a"]),
        ("src", ["src", "src/a", "x/src/b"], ["srcs"]),
        ("src/", ["src/a", "x/src/b"], ["src"]),
        ("*.{a,b{c,d}}", ["x.a", "x.bc", "x.bd"], ["x.b", "x.{a,b{c,d}}"]),
        ("[!a]b", ["cb"], ["ab"]),
        ("a?c", ["abc"], ["ac", "a/c"]),
        ("!*.py", ["a.js"], ["a.py"]),
        ("#x", ["#x"], ["x"]),
        (r"\*", ["*"], ["a"]),
        ("caf*", ["café", "caf\udce9"], ["x"]),
    ],
)
def test_a_glob_names(glob: str, yes: list[str], no: list[str]) -> None:
    compiled = Glob(glob)
    assert [path for path in yes if not compiled.matches(path.encode(errors="surrogateescape"))] == []
    assert [path for path in no if compiled.matches(path.encode(errors="surrogateescape"))] == []


@pytest.mark.parametrize("glob", ["", "/", "!", "a[", "a\\", "{a,b}" * 8])
def test_a_glob_that_cannot_be_read_is_an_error(glob: str) -> None:
    with pytest.raises(BadGlob):
        Glob(glob)


@pytest.mark.parametrize("glob", ["[ab]", "!x", "a\\*", "a**b", "é", "a b"])
def test_a_glob_that_tools_may_read_differently_has_no_plain_form(glob: str) -> None:
    assert Glob(glob).plain() == ()


def test_the_plain_form_covers_what_is_in_a_folder() -> None:
    assert Glob("a.{b,c}").plain() == ("a.b", "**/a.b/**", "a.c", "**/a.c/**")
    assert Glob("x/y/").plain() == ("x/y/**",)


def test_a_pattern_that_would_take_a_backtracking_engine_ages_is_quick() -> None:
    rules = Rules().inside(b"", b"*a*a*a*a*a*a*a*a*a*a*a*a*a*a*b\n")
    assert not rules.ignore(b"a" * 250)


def test_without_rules_nothing_is_ignored() -> None:
    assert not Rules()
    assert not Rules().inside(b"", b"# only words\n")
    assert not Rules().ignore(b"x")
