"""From what a model wrote for a command to the words of its argument list. There is no shell, and no guessing."""

import json
import re
import shlex
from collections.abc import Iterator, Sequence

__all__ = ["read_argv", "shell_habits"]

_OPERATORS = "|&;<>()`\n"
_MAX_SHOWN_CHARS = 300

Quote = str
"""How a character is quoted: ``""`` not at all, by ``'``, by ``"``, or by a backslash."""


def read_argv(command: str | Sequence[str]) -> tuple[str, ...]:
    """The argument list: a list as it is, a string split as POSIX quoting says (``shlex``).

    Raises ValueError, in words for the model, when there is nothing to run, a NUL or half a character in it, or, in a
    string, an operator of the shell that is not quoted.

    >>> read_argv("git commit -m 'a; b'")
    ('git', 'commit', '-m', 'a; b')
    """
    argv = _split(command) if isinstance(command, str) else tuple(command)
    if not argv or not argv[0].strip():
        raise ValueError('there is nothing to run. Give the program and its arguments, as in ["ls", "-l"]')
    if any("\0" in word for word in argv):
        raise ValueError("an argument holds a NUL character, which no program can be given")
    try:
        "".join(argv).encode()
    except UnicodeEncodeError:
        raise ValueError("an argument holds half a character (a lone surrogate)") from None
    return argv


def shell_habits(command: str | Sequence[str]) -> tuple[str, ...]:
    """The words of a string that a shell would have replaced and that are passed as they are.

    Of a list none: who writes a list expects no shell.

    >>> shell_habits("ls *.py '*.txt' ~/x $HOME"), shell_habits(["ls", "*.py"])
    (('*.py', '~/x', '$HOME'), ())
    """
    if not isinstance(command, str):
        return ()
    return tuple("".join(char for char, _ in word) for word in _words(_join_lines(command)) if _is_habit(word))


def _split(text: str) -> tuple[str, ...]:
    if text.lstrip().startswith("[") and _is_json_list(text):
        raise ValueError("the list came inside a string; give the list itself")
    text = _join_lines(text).strip()
    operator = next((char for _, char, quote in _scan(text) if not quote and char in _OPERATORS), "")
    if operator:
        raise ValueError(_no_shell(operator, text))
    try:
        return tuple(shlex.split(text))
    except ValueError as error:
        raise ValueError(f"the quotes do not match ({error}). A list of arguments needs no quoting") from None


def _no_shell(operator: str, text: str) -> str:
    name = {"\n": "a new line", "(": "( or $("}.get(operator, operator)
    way = json.dumps(["bash", "-c", text if len(text) <= _MAX_SHOWN_CHARS else "…"], ensure_ascii=False)
    also = ". Output and errors are captured together anyway, so 2>&1 is not needed" if "2>&1" in text else ""
    return (
        f"there is no shell, so {name} has no meaning here. Make one call for each command (cwd sets the folder), "
        f"quote what is meant literally, or ask for a shell: {way}{also}"
    )


def _scan(text: str) -> Iterator[tuple[int, str, Quote]]:
    """Each character with its place and its quoting, quotes and backslashes that quote left out."""
    quote, escaped = "", False
    for at, char in enumerate(text):
        if escaped:
            escaped = False
            yield at, char, "\\"
        elif char == "\\" and quote != "'":
            escaped = True
        elif char == quote or (not quote and char in "'\""):
            quote = "" if quote else char
        else:
            yield at, char, quote


def _words(text: str) -> list[list[tuple[str, Quote]]]:
    words: list[list[tuple[str, Quote]]] = [[]]
    for _, char, quote in _scan(text):
        if not quote and char.isspace():
            words.append([])
        else:
            words[-1].append((char, quote))
    return [word for word in words if word]


def _is_habit(word: list[tuple[str, Quote]]) -> bool:
    bare = "".join(char if not quote else "_" for char, quote in word)
    expanding = "".join(char if quote in ("", '"') else "_" for char, quote in word)
    replaced = re.search(r"[*?]|\[[^]]+\]|\{[^{}]*(,|\.\.)[^{}]*\}", bare) or bare.startswith(("~", "#"))
    return bool(replaced or re.search(r"\$[\w{(?$!@#*]|`", expanding))


def _join_lines(text: str) -> str:
    """``text`` without the line ends that a backslash takes away."""
    breaks = {at for at, char, quote in _scan(text) if quote == "\\" and char == "\n"}
    return "".join(char for at, char in enumerate(text) if at not in breaks and at + 1 not in breaks)


def _is_json_list(text: str) -> bool:
    try:
        return isinstance(json.loads(text), list)
    except ValueError:
        return False
