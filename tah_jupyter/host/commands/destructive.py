"""Which commands do what cannot be taken back: delete, overwrite, publish, push, end processes, become another user.

Read from the argument list alone, and on the careful side: a word that only looks like such a command counts too,
because the price of a mistake is one question. Nothing here allows anything.
"""

import re
import shlex
from collections.abc import Iterator, Sequence
from itertools import groupby
from os.path import basename

from tah_jupyter.host.commands.destructive_words import (
    ALWAYS,
    CARRIERS,
    GIT,
    GIT_WITH_VALUE,
    LOADER,
    SHELLS,
    SUBCOMMANDS,
    WITH_OPTION,
)

__all__ = ["is_destructive"]

_INTERPRETER = re.compile(r"(python|pypy|perl|ruby|node|deno|bun|php|lua|Rscript|julia|osascript|awk|gawk|mawk)[\d.]*")
_DESTRUCTIVE_CODE = re.compile(
    r"\b(rmtree|rmdir|unlink|unlinkSync|rmSync|remove|removedirs|truncate|kill|killpg|system|popen|exec\w*|spawn\w*"
    r"|subprocess|child_process|delete|rename|replace|writeFile\w*|write_text|write_bytes)\b|file\.remove"
)
_SQL_CLIENT = re.compile(r"psql|mysql|mariadb|sqlite3?|duckdb|sqlcmd|clickhouse\S*|mongosh?|cqlsh|bq")
_DESTRUCTIVE_SQL = re.compile(
    r"\b(drop|delete|truncate|update|alter|replace|dropDatabase|deleteMany|deleteOne)\b", re.I
)
_ASSIGNMENT = re.compile(r"\w+\+?=.*", re.DOTALL)
_MAX_DEPTH = 5
_MAX_CARRIED_WORDS = 500
_MAX_SHELL_CHARS = 10_000


def is_destructive(argv: Sequence[str]) -> bool:
    """Whether running ``argv`` may do what cannot be taken back.

    >>> is_destructive(["git", "status"]), is_destructive(["env", "X=1", "git", "push"])
    (False, True)
    >>> is_destructive(["bash", "-c", "cd build && rm -rf *"])
    True
    """
    return _judge(tuple(argv), 0)


def _judge(argv: tuple[str, ...], depth: int) -> bool:
    argv = tuple(_without_assignments(argv))
    if not argv:
        return False
    if depth > _MAX_DEPTH:  # nested deeper than anyone writes by hand
        return True
    name, rest = basename(argv[0]).removesuffix(".exe"), argv[1:]
    if name in ALWAYS or name.startswith(("mkfs", "mke2fs")) or _by_table(name, rest):
        return True
    if name in SHELLS:
        return any(_judge_shell(text, depth) for text in _scripts(rest))
    if _INTERPRETER.fullmatch(name):
        return _judge_interpreter(rest, depth)
    if name in CARRIERS or re.fullmatch(LOADER, name):
        if len(rest) > _MAX_CARRIED_WORDS:
            return True
        return any(_judge(rest[at:], depth + 1) or _carries_code(rest[at], depth) for at in range(len(rest)))
    return False


def _by_table(name: str, rest: tuple[str, ...]) -> bool:
    if name == "git":
        return _judge_git(rest)
    if name == "tee":
        return not any(re.fullmatch(r"-\w*a\w*|--append", word) for word in rest) and set(rest) != {"/dev/null"}
    if name in ("mv", "cp", "install"):  # unless told not to, they overwrite without a word
        kept = any(re.fullmatch(r"-\w*[nb]\w*|--no-clobber|--update=none\S*|--backup\S*", word) for word in rest)
        return not kept and sum(not _is_option(word) for word in rest) > 1  # "uv pip install x" is another install
    if name in SUBCOMMANDS and not set(SUBCOMMANDS[name].split()).isdisjoint(rest):
        return True
    if name in WITH_OPTION and any(re.fullmatch(WITH_OPTION[name], word) for word in rest):
        return True
    return bool(_SQL_CLIENT.fullmatch(name)) and bool(_DESTRUCTIVE_SQL.search(" ".join(rest)))


def _judge_git(rest: tuple[str, ...]) -> bool:
    words = iter(rest)
    for word in words:
        if word in GIT_WITH_VALUE:
            if re.search(r"alias\.|=!", value := next(words, "")) or _DESTRUCTIVE_CODE.search(value):
                return True
        elif not _is_option(word):
            after = tuple(words)
            if word == "clean" and any(re.fullmatch(r"-\w*n\w*|--dry-run", option) for option in after):
                return False
            if word == "restore" and "--staged" in after and "--worktree" not in after:
                return False
            pattern = GIT.get(word, "(?!)")
            return pattern == ".*" or any(re.fullmatch(pattern, argument) for argument in after)
    return False


def _scripts(rest: tuple[str, ...]) -> list[str]:
    """What a shell may run as a script: words that look like code, and after ``-c`` every word."""
    begin = next((at for at, word in enumerate(rest) if re.fullmatch(r"-\w*c\w*", word)), len(rest))
    words = [(at, word) for at, word in enumerate(rest) if not _is_option(word)]
    return [word for at, word in words if at > begin or _looks_like_code(word)]


def _judge_interpreter(rest: tuple[str, ...], depth: int) -> bool:
    if "-m" in rest and _judge(rest[rest.index("-m") + 1 :], depth + 1):
        return True
    return any(_looks_like_code(word) and bool(_DESTRUCTIVE_CODE.search(word)) for word in rest)


def _judge_shell(text: str, depth: int) -> bool:
    """A shell's script: each word could begin a command, and what cannot be read counts as destructive."""
    if depth > _MAX_DEPTH or len(text) > _MAX_SHELL_CHARS:
        return True
    try:
        lexer = shlex.shlex(text.replace("\n", " ; "), posix=True, punctuation_chars="();<>|&")
        lexer.whitespace_split, lexer.commenters = True, ""
        tokens = tuple(lexer)
    except ValueError:
        return True
    if any(_overwrites(tokens, at) or _feeds_a_shell(tokens, at) for at in range(len(tokens))):
        return True
    commands = (tuple(words) for operator, words in groupby(tokens, _is_operator) if not operator)
    return any(_judge_words(words, text, depth) for words in commands)


def _judge_words(words: tuple[str, ...], text: str, depth: int) -> bool:
    for at, word in enumerate(words):
        if _judge(words[at:], depth + 1):
            return True
        if _looks_like_code(word) and any(_judge_shell(part, depth + 1) for part in _parts(word) if part != text):
            return True
    return False


def _is_operator(token: str) -> bool:
    return not token.strip("();<>|&")


def _overwrites(tokens: tuple[str, ...], at: int) -> bool:
    """``> file``, but not ``>> file``, ``2>&1`` or ``> /dev/null``."""
    if tokens[at] not in (">", ">|", "&>"):
        return False
    target = tokens[at + 1] if at + 1 < len(tokens) else ""
    return target not in ("/dev/null", "/dev/stdout", "/dev/stderr")


def _feeds_a_shell(tokens: tuple[str, ...], at: int) -> bool:
    return tokens[at] in ("|", "|&") and at + 1 < len(tokens) and basename(tokens[at + 1]) in SHELLS


def _carries_code(word: str, depth: int) -> bool:
    return _looks_like_code(word) and _judge_shell(word, depth + 1)


def _looks_like_code(word: str) -> bool:
    return bool(re.search(r"[\s;|&()`$]", word)) and not word.startswith("--")


def _parts(word: str) -> list[str]:
    return [part for part in re.split(r"\$\(|`|\)", word) if part.strip()]


def _without_assignments(argv: tuple[str, ...]) -> Iterator[str]:
    words = iter(argv)
    for word in words:
        if not _ASSIGNMENT.fullmatch(word):
            yield word
            yield from words


def _is_option(word: str) -> bool:
    return word.startswith("-")
