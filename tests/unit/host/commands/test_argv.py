"""From what a model wrote to an argument list."""

import shlex

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tah_jupyter.host.commands.argv import read_argv, shell_habits

words = st.text(st.characters(exclude_categories=("Cs",), exclude_characters="\0"), max_size=12)


@given(st.lists(words, max_size=5))
def test_a_list_is_taken_as_it_is(rest: list[str]) -> None:
    assert read_argv(["program", *rest]) == ("program", *rest)


@given(st.lists(words, max_size=5))
def test_whatever_is_quoted_comes_through_a_string(rest: list[str]) -> None:
    assert read_argv(shlex.join(["program", *rest])) == ("program", *rest)


@given(words, st.sampled_from("|&;<>()`\n"), words)
def test_an_unquoted_operator_is_never_split_or_run(before: str, operator: str, after: str) -> None:
    line = f"echo {shlex.quote(before)} {operator} {shlex.quote(after)}"
    with pytest.raises(ValueError, match="no shell"):
        read_argv(line)


@pytest.mark.parametrize(
    ("line", "argv"),
    [
        ("ls -l", ("ls", "-l")),
        ("  ls\t-l  \n", ("ls", "-l")),
        ("pytest \\\n  -q", ("pytest", "-q")),
        ("find . -exec grep x {} \\;", ("find", ".", "-exec", "grep", "x", "{}", ";")),
        ('echo "it\'s" \'a "b"\'', ("echo", "it's", 'a "b"')),
        ("echo '' \"\"", ("echo", "", "")),
        ("echo é日本", ("echo", "é日本")),
        ("[ -f x ]", ("[", "-f", "x", "]")),
        ("echo a#b # c", ("echo", "a#b", "#", "c")),
        ("echo 'a\nb'", ("echo", "a\nb")),
    ],
)
def test_a_string_is_split_by_posix_quoting(line: str, argv: tuple[str, ...]) -> None:
    assert read_argv(line) == argv


@pytest.mark.parametrize(
    ("command", "words"),
    [
        ([], "nothing to run"),
        ("", "nothing to run"),
        (" \t ", "nothing to run"),
        (["", "x"], "nothing to run"),
        (["a\0"], "NUL"),
        (["a", "\udcff"], "half a character"),
        ("echo 'x", "quotes do not match"),
        ("echo x\\", "quotes do not match"),
        ('["ls", "-l"]', "came inside a string"),
        ("pytest 2>&1", "captured together"),
        ("a | b", r'\["bash", "-c", "a \| b"\]'),
        ("x" * 400 + " | y", '"…"'),
        ("a\nb", "a new line has no meaning"),
    ],
)
def test_what_cannot_be_run_is_said_with_the_way_out(command: str | list[str], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        read_argv(command)


@pytest.mark.parametrize(
    ("command", "habits"),
    [
        ("ls *.py a?c x[0-9]", ("*.py", "a?c", "x[0-9]")),
        ("ls '*.py' \"a?c\" \\*", ()),
        ("echo $HOME \"$USER\" ${X} '$Y' \\$Z", ("$HOME", "$USER", "${X}")),
        ("cat ~/x a~b '~'", ("~/x",)),
        ('echo "$(date)" "`date`"', ("$(date)", "`date`")),
        ("echo 5$ a$", ()),
        (["ls", "*.py", "$HOME"], ()),
        ("[ -f x ]", ()),
    ],
)
def test_words_a_shell_would_replace_are_known(command: str | list[str], habits: tuple[str, ...]) -> None:
    assert shell_habits(command) == habits
