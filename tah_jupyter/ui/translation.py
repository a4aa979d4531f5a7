"""Texts that rooms below say in English (why a call asks, what it does, how it ended), in the language of the person.

They are data in the session log, which one language must be able to read; so they are put into another one where they
are shown, by a table from English templates to templates of that language.
"""

import re
from collections.abc import Mapping
from functools import cached_property, lru_cache
from string import Formatter

__all__ = ["Translation"]

_MAX_CHARS = 400
"""What is longer is no sentence of ours, and matching it would take its time."""

_OF_OURS = ("reason", "mode", "time")
"""Fields that hold a text of the same kind."""

_NUMBERS = ("n", "m", "code")
"""Fields that hold a number. All others are names and code. Neither is changed."""


class Translation:
    """A table of templates, English to another language, both for ``str.format`` with the same fields.

    >>> chinese = Translation({"in mode {mode} it asks": "在 {mode} 模式下询问", "Ask": "询问", "it has {n} names": "有 {n} 个名称"})
    >>> chinese.of("in mode Ask it asks"), chinese.of("it has 3 names"), chinese.of("Asks")
    ('在 询问 模式下询问', '有 3 个名称', 'Asks')
    """  # noqa: E501 - one line of a doc test

    def __init__(self, table: Mapping[str, str]) -> None:
        self._table = table
        self._known = lru_cache(maxsize=512)(self._look_up)

    def of(self, text: str) -> str:
        """``text`` in the other language; as it is where the table does not have it."""
        return self._known(text) if self._table else text

    def _look_up(self, text: str) -> str:
        if text in self._table:
            return self._table[text]
        if len(text) <= _MAX_CHARS:
            for pattern, template in self._patterns:
                if (match := pattern.fullmatch(text)) is not None:
                    fields = {name: self._field(name, value) for name, value in match.groupdict().items()}
                    return template.format(**fields)
        return text

    def _field(self, name: str, value: str) -> str:
        return self._look_up(value) if name in _OF_OURS else value

    @cached_property
    def _patterns(self) -> tuple[tuple[re.Pattern[str], str], ...]:
        """Made at first use: only a language with a table pays for them. What says most by itself comes first."""
        english = sorted((text for text in self._table if "{" in text), key=_fixed_chars, reverse=True)
        return tuple((_pattern(text), self._table[text]) for text in english)


def _fixed_chars(template: str) -> int:
    return sum(len(literal) for literal, *_ in Formatter().parse(template))


def _pattern(template: str) -> re.Pattern[str]:
    pattern = ""
    for literal, field, *_ in Formatter().parse(template):
        pattern += re.escape(literal)
        pattern += f"(?P<{field}>{'[0-9.,]+' if field in _NUMBERS else '.+'})" if field else ""
    return re.compile(pattern, re.DOTALL)
