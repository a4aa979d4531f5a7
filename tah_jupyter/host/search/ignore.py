"""Patterns over paths: ``.gitignore`` files, and globs that people and models write. Both speak gitignore's language.

Source of the language: gitignore(5); ``pathspec`` translates a line, RE2 matches it, so that no pattern can take long.
Paths here are bytes relative to a folder, with ``/`` between the parts and, for a folder, at the end. A ``?`` stands
for one byte, as in ripgrep.
"""

import re
from collections.abc import Iterable, Iterator

import re2
from pathspec.patterns.gitignore.spec import GitIgnoreSpecPattern

__all__ = ["BadGlob", "Glob", "Rules"]

_MEMORY_BYTES = 64 << 20
_MAX_ALTERNATIVES = 200
_BRACES = re.compile(r"\{([^{}]*)\}")
_PLAIN_GLOB = re.compile(r"[\w./*?-]+", re.ASCII)


class BadGlob(ValueError):
    """A glob that cannot be read; the message says why."""


class _Patterns:
    """Lines of one ``.gitignore``: which of them is the last to match a path decides."""

    def __init__(self, lines: Iterable[bytes]) -> None:
        options = re2.Options()
        options.encoding = re2.Options.Encoding.LATIN1
        options.dot_nl = True
        options.log_errors = False
        options.max_mem = _MEMORY_BYTES
        self._set = re2.Set.SearchSet(options)
        self._ignores: list[bool] = []
        for line in lines:
            self._add(line)
        if self._ignores:
            self._set.Compile()

    def __len__(self) -> int:
        return len(self._ignores)

    def _add(self, line: bytes) -> None:
        if line.endswith(b"/**"):  # everything in the folder, not the folder: else "!folder/kept" could not speak
            line += b"/*"
        try:
            pattern, ignores = GitIgnoreSpecPattern.pattern_to_regex(line)
            if pattern is None or ignores is None:
                return
            self._set.Add(pattern.replace(b"(?P<ps_d>/)", b"/"))
        except (ValueError, re2.error):  # git passes over a line it cannot read, and so does this
            return
        self._ignores.append(ignores)

    def verdict(self, path: bytes) -> bool | None:
        """True: ignored; False: kept by a ``!`` line; None: not mentioned."""
        if not self._ignores:
            return None
        found = self._set.Match(path)
        return self._ignores[max(found)] if found else None


class Rules:
    """What the ``.gitignore`` files from the top of the repository down to a folder say of the entries in it.

    Nearer files win over farther ones; a repository inside another starts anew. Immutable: :meth:`inside` gives the
    rules of a folder further down.
    """

    __slots__ = ("_layers",)

    def __init__(self, layers: tuple[tuple[int, _Patterns], ...] = ()) -> None:
        self._layers = layers

    def inside(self, folder: bytes, gitignore: bytes | None, *, repository: bool = False) -> "Rules":
        """The rules in ``folder`` (its path, ``b""`` or ending in ``/``), with the text of its ``.gitignore``."""
        layers = () if repository else self._layers
        patterns = _Patterns(gitignore.splitlines()) if gitignore else None
        return Rules(((len(folder), patterns), *layers) if patterns else layers)

    def ignore(self, path: bytes) -> bool:
        """Whether the entry ``path`` is ignored, given that no folder above it is."""
        for start, patterns in self._layers:
            verdict = patterns.verdict(path[start:])
            if verdict is not None:
                return verdict
        return False

    def __bool__(self) -> bool:
        return bool(self._layers)


class Glob:
    """A filter on paths. ``*.py`` names files at every depth, ``src/*.py``, ``/x`` and ``./x`` those at this place,
    ``**`` any folders, ``{a,b}`` alternatives; a leading ``!`` turns it round. A folder's name covers all in it.

    Raises BadGlob.
    """

    def __init__(self, *globs: str) -> None:
        self.negated = len(globs) == 1 and globs[0].startswith("!")
        self.alternatives = tuple(one for glob in globs for one in _alternatives(glob[self.negated :]))
        lines = [_line(one) for one in self.alternatives]
        self._patterns = _Patterns(lines)
        if len(self._patterns) != len(lines):
            raise BadGlob(f"the glob {globs[0]!r} cannot be read: a [ without ], or a \\ at the end")

    def matches(self, path: bytes) -> bool:
        """Whether the file ``path`` passes."""
        return bool(self._patterns.verdict(path)) != self.negated

    def plain(self) -> tuple[str, ...]:
        """The same as globs without any corner that tools read differently, or nothing when it has such."""
        if self.negated or not all(map(_is_plain, self.alternatives)):
            return ()
        return tuple(glob for one in self.alternatives for glob in _spread(one))


def _line(glob: str) -> bytes:
    line = glob.encode(errors="surrogateescape")
    return b"\\" + line if line.startswith((b"#", b"!")) else line


def _is_plain(glob: str) -> bool:
    parts = glob.split("/")
    return _PLAIN_GLOB.fullmatch(glob) is not None and all(part == "**" or "**" not in part for part in parts)


def _spread(glob: str) -> Iterator[str]:
    body = glob.rstrip("/")
    if body == glob:
        yield glob
    yield f"{body}/**" if "/" in body else f"**/{body}/**"


def _checked(glob: str) -> str:
    """One alternative, in gitignore's words: ``./x`` is ``/x`` there. Raises BadGlob."""
    if not glob.strip("/ "):
        raise BadGlob("the glob is empty; leave it out to have all files")
    if ".." in glob.split("/"):
        raise BadGlob(f"the glob {glob!r} leads out of the folder; give that folder as the path")
    return glob[1:] if glob.startswith("./") else glob


def _alternatives(glob: str) -> list[str]:
    """``a.{py,pyi}`` → ``a.py``, ``a.pyi``; innermost braces first."""
    done: list[str] = []
    waiting = [glob]
    while waiting:
        one = waiting.pop(0)
        braces = _BRACES.search(one)
        if braces is None:
            done.append(_checked(one))
            continue
        waiting += [one[: braces.start()] + choice + one[braces.end() :] for choice in braces[1].split(",")]
        if len(waiting) + len(done) > _MAX_ALTERNATIVES:
            raise BadGlob(f"the glob {glob!r} stands for more than {_MAX_ALTERNATIVES} globs")
    return done
