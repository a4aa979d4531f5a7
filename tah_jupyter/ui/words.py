"""The words people see, filled with data. A new language is one more catalogue with the same keys."""

from collections.abc import Mapping

from tah_jupyter.core.approvals import CommandSubject, Grant
from tah_jupyter.ui.catalogue import en, zh
from tah_jupyter.ui.catalogue.entry import Entry
from tah_jupyter.ui.visible import visible_line

__all__ = ["CATALOGUES", "Words"]

CATALOGUES: Mapping[str, Mapping[str, Entry]] = {"en": en.ENTRIES, "zh": zh.ENTRIES}


class Words:
    """The words of one language. ``language`` is ``en``, ``zh`` or longer, as in ``zh-CN``; raises ValueError for one
    there is no catalogue of.

    >>> Words("en").count("files_changed", 1), Words("zh").say("run", n=4)
    ('1 file changed', '运行 4')
    """

    def __init__(self, language: str = "en") -> None:
        self.language = language.replace("_", "-").split("-")[0].lower()
        if self.language not in CATALOGUES:
            raise ValueError(f"There are no words in {language!r}; there are: {', '.join(sorted(CATALOGUES))}.")
        self._entries = CATALOGUES[self.language]

    def say(self, key: str, **values: object) -> str:
        """The words of ``key``, its template filled with ``values``."""
        entry = self._entries[key]
        return (entry if isinstance(entry, str) else entry[1]).format(**values)

    def count(self, key: str, n: int, **values: object) -> str:
        """The words of ``key`` for the number ``n``."""
        entry = self._entries[key]
        form = entry if isinstance(entry, str) else entry[0 if n == 1 else 1]
        return form.format(n=f"{n:,}", **values)

    def templates(self, *keys: str) -> dict[str, list[str]]:
        """Both forms of some entries, for the frame, which counts and tells time by itself."""
        entries = {key: self._entries[key] for key in keys}
        return {key: [entry, entry] if isinstance(entry, str) else list(entry) for key, entry in entries.items()}

    def grant(self, grant: Grant) -> str:
        """The words of the button that allows more than one call."""
        if self.language == "en" or isinstance(grant.covers, CommandSubject):
            return self.say("allow_this_run", what=visible_line(grant.label).text)
        folder = self.say("this_folder") if grant.covers.path == "." else f"{visible_line(grant.covers.path).text}/"
        return self.say("allow_edits_run" if grant.covers.access == "edit" else "allow_reads_run", folder=folder)
