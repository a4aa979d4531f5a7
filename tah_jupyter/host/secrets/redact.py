"""Keeps keys and tokens out of what is stored and shown. What a model edits is never touched.

Two sources say what is secret: values that are known (environment, config), in every form they take on the way into a
log, and the shapes of :mod:`tah_jupyter.host.secrets.patterns`. Each is replaced by its name: ``⟨OPENAI_API_KEY⟩``.
"""

import json
from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import Any

import re2

from tah_jupyter.host.secrets.patterns import PARTIAL, SECRET_PATTERNS, compiled, prefixes_of
from tah_jupyter.host.secrets.values import forms_of, is_maskable

__all__ = ["Redactor", "Span", "masked"]

Span = tuple[int, int, str]
"""Start, end and name of a secret in a text, counted in characters."""


class Redactor:
    """Finds and masks secrets. ``known`` maps names to values; values of fewer than 8 characters and common words
    are left alone, they would be found inside ordinary text.

    >>> redactor = Redactor({"MY_TOKEN": "wxyz-13579-abcd"})
    >>> redactor.redact("curl -H 'X-Auth: wxyz-13579-abcd'")
    "curl -H 'X-Auth: ⟨MY_TOKEN⟩'"
    >>> redactor.redact("pip install sk-learn")
    'pip install sk-learn'
    """

    def __init__(self, known: Mapping[str, str] | None = None) -> None:
        self._forms: dict[str, str] = {}
        self.learn(known or {})

    def learn(self, known: Mapping[str, str]) -> None:
        """Mask these too from now on: a key that a person types while a session is open. Any thread."""
        forms = dict(self._forms)
        for name, value in known.items():
            for form in forms_of(value) if is_maskable(value) else ():
                forms.setdefault(form, name)
        self._forms = forms
        vars(self).pop("_beginnings", None)
        spelled = [text for form in self._forms for text in (form, _json(form))]
        ends = {end for text in spelled for end in (text[:PIECE_CHARS], text[-PIECE_CHARS:])}
        triggers = [re2.escape(end) for end in sorted(ends)]
        self._trigger = compiled("|".join([*triggers, *(pattern.trigger for pattern in SECRET_PATTERNS)]))

    def suspects(self, data: bytes) -> bool:
        """Whether ``data``, plain UTF-8 or JSON, may hold a secret: one scan in linear time, never a false no.

        This is all that most records cost: about 1 µs for 300 bytes.
        """
        return self._trigger.search(data) is not None

    def redact(self, text: str) -> str:
        """``text`` with each secret replaced by its name; the same object when there is none."""
        return masked(text, self.spans(text))

    def redact_bytes(self, data: bytes) -> bytes:
        """As :meth:`redact` for UTF-8; bytes that are not UTF-8 stay as they are."""
        if not self.suspects(data):
            return data
        return self.redact(data.decode("utf-8", "surrogateescape")).encode("utf-8", "surrogateescape")

    def spans(self, text: str) -> list[Span]:
        """Where the secrets are, in order; secrets that overlap are one span."""
        if not self.suspects(text.encode("utf-8", "surrogatepass")):
            return []
        return _merged([*self._known_spans(text), *_pattern_spans(text)])

    def undecided(self, text: str) -> int:
        """How many characters at the end of ``text`` could still become a secret, or a longer one, by what follows."""
        data = text.encode("utf-8", "surrogatepass")
        if self._beginnings.search(data) is None:
            return 0
        known = max((_overlap(text, form) for form in self._forms), default=0)
        match = PARTIAL.search(data)
        if match is None:
            return known
        start = max(match.start(group) for group in range(1, match.re.groups + 1))
        return max(known, len(data[start:].decode("utf-8", "surrogatepass")))

    @cached_property
    def _beginnings(self) -> Any:
        """Matches whatever ends in the beginning of a secret, and a little more: one scan says no for most pieces."""
        heads = sorted({form[:PIECE_CHARS] for form in self._forms})
        known = [f"(?:{prefixes_of(head)})\\z|{re2.escape(head)}" for head in heads]
        return compiled("|".join([*known, PARTIAL.pattern]))

    def scrub_exception(self, error: BaseException) -> BaseException:
        """Mask secrets in the words of ``error``, its notes, causes and members, in place, and return it.

        Where its words come from something that cannot be changed, a RuntimeError with its name and masked words is
        returned instead; so go on with what is returned.
        """
        return self._scrubbed(error, {})

    def _known_spans(self, text: str) -> Iterator[Span]:
        """Known secrets, and what a cut left of them: a beginning or an end of :data:`PIECE_CHARS` or more."""
        for form, name in self._forms.items():
            for start in _places(text, form[:PIECE_CHARS]):
                yield start, start + _shared(form, text[start : start + len(form)]), name
            if len(form) > PIECE_CHARS:
                for start in _places(text, form[-PIECE_CHARS:]):
                    end = start + PIECE_CHARS
                    before = text[max(0, end - len(form)) : end]
                    yield end - _shared(form[::-1], before[::-1]), end, name

    def _scrubbed(self, error: BaseException, done: dict[int, BaseException]) -> BaseException:
        if id(error) in done:
            return done[id(error)]
        done[id(error)] = error
        error.args = tuple(self._inside(value) for value in error.args)
        for name, value in [*vars(error).items(), *((name, getattr(error, name, None)) for name in _BUILT_IN_WORDS)]:
            if (clean := self._inside(value)) is not value:
                setattr(error, name, clean)
        if isinstance(error, BaseExceptionGroup):
            for member in error.exceptions:
                self._scrubbed(member, done)
        result = error
        if self.redact(words := str(error)) != words:
            result = RuntimeError(f"{type(error).__name__}: {self.redact(words)}").with_traceback(error.__traceback__)
            result.__suppress_context__ = error.__suppress_context__
            done[id(error)] = result
        if error.__cause__ is not None:
            suppress = error.__suppress_context__
            result.__cause__ = self._scrubbed(error.__cause__, done)
            result.__suppress_context__ = suppress
        if error.__context__ is not None:
            result.__context__ = self._scrubbed(error.__context__, done)
        return result

    def _inside(self, value: Any) -> Any:
        """``value`` with the text in it masked; the same object when nothing was."""
        if isinstance(value, str):
            return self.redact(value)
        if isinstance(value, bytes):
            return self.redact_bytes(value)
        if type(value) in (list, tuple):
            clean = [self._inside(item) for item in value]
            return value if all(a is b for a, b in zip(clean, value, strict=True)) else type(value)(clean)
        if type(value) is dict:
            pairs = {self._inside(key): self._inside(item) for key, item in value.items()}
            return value if all(pairs.get(key) is item for key, item in value.items()) else pairs
        return value


PIECE_CHARS = 16
"""How much of a known secret's beginning or end is looked for and masked: headlines, errors and long results are cut
somewhere, which may be inside a secret. Enough to be rare, and a long key cannot make the quick scans large.
"""


def _shared(one: str, other: str) -> int:
    """How many characters at the beginning of both are the same."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((count for count, (a, b) in pairs if a != b), min(len(one), len(other)))


def _places(text: str, part: str) -> Iterator[int]:
    start = text.find(part)
    while start >= 0:
        yield start
        start = text.find(part, start + 1)


def _overlap(text: str, form: str) -> int:
    """The length of the longest end of ``text`` that begins ``form`` without being the whole of it."""
    for length in range(min(len(form) - 1, len(text)), 0, -1):
        if text.endswith(form[:length]):
            return length
    return 0


_BUILT_IN_WORDS = ("filename", "filename2", "strerror", "reason", "text", "msg")


def masked(text: str, spans: list[Span]) -> str:
    """``text`` with each span replaced by ``⟨NAME⟩``."""
    if not spans:
        return text
    parts, position = [], 0
    for start, end, name in spans:
        parts += [text[position:start], "⟨", name, "⟩"]
        position = end
    return "".join([*parts, text[position:]])


def _pattern_spans(text: str) -> Iterator[Span]:
    lowered = text.lower()
    for pattern in SECRET_PATTERNS:
        if any(hint in lowered for hint in pattern.hints):
            for match in pattern.match.finditer(text):
                if pattern.accept(match["secret"]):
                    yield *match.span("secret"), pattern.name


def _merged(spans: list[Span]) -> list[Span]:
    merged: list[Span] = []
    for start, end, name in sorted(spans, key=lambda span: span[:2]):
        if merged and start < merged[-1][1]:
            first, last, kept = merged[-1]
            merged[-1] = (first, max(last, end), kept)
        else:
            merged.append((start, end, name))
    return merged


def _json(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)[1:-1]
