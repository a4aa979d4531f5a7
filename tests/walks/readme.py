"""What the README tells a stranger to type."""

import re
from typing import NamedTuple

from tests.house.source import ROOT

__all__ = ["Readme", "readme"]


class Readme(NamedTuple):
    """``load`` and ``ask`` are the two cells of "Use it"; ``commands`` are the words after ``%tah`` that it names."""

    load: str
    ask: str
    commands: frozenset[str]

    @property
    def request(self) -> str:
        """What the second cell asks."""
        return self.ask.partition("\n")[2]


def readme() -> Readme:
    """The README of this checkout."""
    text = (ROOT / "README.md").read_text("utf-8")
    use_it = text.partition("\n## Use it\n")[2].partition("\n## ")[0]
    load, ask = [cell.strip() for cell in re.findall(r"^```\n(%.*?)^```", use_it, re.MULTILINE | re.DOTALL)]
    return Readme(load, ask, frozenset(re.findall(r"%tah ([a-z]+)", text)))
