"""A question to the person that is no approval: which model, which folder, what now. The same value on every front end.

A page draws it as a card with buttons or a list, a terminal as numbered lines, and where nobody can answer there is no
answer: whoever asks says what that means.
"""

from collections.abc import Awaitable, Callable
from typing import Literal, TypeAlias

import msgspec

__all__ = ["Asker", "Choice", "Question", "Reply"]


class Choice(msgspec.Struct, frozen=True, omit_defaults=True):
    """One way to answer. ``about`` stands beside ``label``, ``group`` is the heading over neighbouring choices. One
    that is not ``enabled`` is shown, so that ``about`` can say why, and cannot be taken.
    """

    key: str
    label: str
    about: str = ""
    group: str = ""
    enabled: bool = True


class Question(msgspec.Struct, frozen=True, omit_defaults=True):
    """What is asked. ``about`` says what led to it, a line each; ``detail`` is raw text for who wants to look, folded.

    ``layout`` is ``list`` (alternatives with one button that takes the marked one, whose words are ``confirm``) or
    ``buttons`` (one each). The choice called ``cancel``, if there is one, is the harmless one. ``remember`` are the
    words of a box to tick, empty for none, and ``remembers`` says whether it is ticked at first.
    """

    question_id: str
    title: str
    choices: tuple[Choice, ...]
    about: tuple[str, ...] = ()
    detail: str = ""
    layout: Literal["list", "buttons"] = "buttons"
    confirm: str = ""
    remember: str = ""
    remembers: bool = False

    def offers(self, key: str) -> bool:
        """Whether ``key`` is a choice that can be taken."""
        return any(choice.key == key and choice.enabled for choice in self.choices)


class Reply(msgspec.Struct, frozen=True, omit_defaults=True):
    """The choice that was taken, and whether the box was ticked."""

    key: str
    remember: bool = False


Asker: TypeAlias = Callable[[Question], Awaitable[Reply | None]]
"""Puts a question to the person; None when nobody can answer."""
