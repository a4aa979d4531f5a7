"""The words people see, filled with data. A new language is one more set of catalogues with the same keys.

Light: ``%load_ext`` speaks through it.
"""

from collections.abc import Iterable, Mapping
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any

from tah_jupyter.ui.catalogue.entry import Entry
from tah_jupyter.ui.translation import Translation
from tah_jupyter.ui.visible import visible_line

if TYPE_CHECKING:
    from tah_jupyter.core.approvals import Grant
    from tah_jupyter.core.calls import Headline

__all__ = ["LANGUAGES", "Words", "catalogue"]

LANGUAGES = ("en", "zh")

_PARTS = ("", "_choosing", "_commands", "_doctor")
_TOLD = {"en": (), "zh": ("zh_told", "zh_models")}


@cache
def catalogue(language: str) -> Mapping[str, Entry]:
    """All words of one language, read when it is first spoken."""
    entries: dict[str, Entry] = {}
    for part in _PARTS:
        entries |= _module(f"{language}{part}").ENTRIES
    return entries


@cache
def _translation(language: str) -> Translation:
    """From the English of rooms below into ``language``."""
    told: dict[str, str] = {}
    for name in _TOLD[language]:
        told |= _module(name).TOLD
    return Translation(told)


def _module(name: str) -> Any:
    return import_module(f"tah_jupyter.ui.catalogue.{name}")


class Words:
    """The words of one language. ``language`` is ``en``, ``zh`` or longer, as in ``zh-CN``; raises ValueError for one
    there is no catalogue of.

    >>> Words("en").count("files_changed", 1), Words("zh").say("run", n=4)
    ('1 file changed', '运行 4')
    """

    def __init__(self, language: str = "en") -> None:
        self.language = language.replace("_", "-").split("-")[0].lower()
        if self.language not in LANGUAGES:
            raise ValueError(f"There are no words in {language!r}; there are: {', '.join(LANGUAGES)}.")
        self._entries = catalogue(self.language)
        self._translation = _translation(self.language)

    def say(self, key: str, /, **values: object) -> str:
        """The words of ``key``, its template filled with ``values``."""
        entry = self._entries[key]
        return (entry if isinstance(entry, str) else entry[1]).format(**values)

    def count(self, key: str, /, n: int, **values: object) -> str:
        """The words of ``key`` for the number ``n``."""
        entry = self._entries[key]
        form = entry if isinstance(entry, str) else entry[0 if n == 1 else 1]
        return form.format(n=f"{n:,}", **values)

    def told(self, text: str) -> str:
        """What a room that speaks English said, such as why a call asks: in this language where it is known, else as
        it is.

        >>> Words("zh").told("in mode Ask every edit asks"), Words("zh").told("because I said so")
        ('在“每次询问”模式下，每次编辑都需要审批', 'because I said so')
        """
        return self._translation.of(text)

    def headline(self, headline: "Headline") -> str:
        """A call in one line: its verb and detail as :meth:`told`, its target as it is."""
        parts = (self.told(headline.verb), headline.target, self.told(headline.detail))
        return " ".join(part for part in parts if part)

    def listed(self, parts: Iterable[str]) -> str:
        """Things in a row: ``a, b`` or ``a、b``."""
        return self.say("comma").join(parts)

    def reasons(self, reasons: Iterable[str]) -> str:
        """Why, when there is more than one cause; each as :meth:`told` and visible."""
        return self.say("semicolon").join(visible_line(self.told(reason)).text for reason in reasons)

    def templates(self, *keys: str) -> dict[str, list[str]]:
        """Both forms of some entries, for the frame, which counts and tells time by itself."""
        entries = {key: self._entries[key] for key in keys}
        return {key: [entry, entry] if isinstance(entry, str) else list(entry) for key, entry in entries.items()}

    def grant(self, grant: "Grant") -> str:
        """The words of the button that allows more than one call."""
        from tah_jupyter.core.approvals import CommandSubject  # noqa: PLC0415 - brings msgspec, which loading must not

        if self.language == "en" or isinstance(grant.covers, CommandSubject):
            return self.say("allow_this_run", what=visible_line(grant.label).text)
        folder = self.say("this_folder") if grant.covers.path == "." else f"{visible_line(grant.covers.path).text}/"
        return self.say("allow_edits_run" if grant.covers.access == "edit" else "allow_reads_run", folder=folder)
