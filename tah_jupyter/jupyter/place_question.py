"""Asking once whether so wide a folder is meant: a notebook in the home folder opens all of it to the agent."""

import asyncio
from pathlib import Path

from tah_jupyter.core.errors import TahError
from tah_jupyter.core.questions import Asker, Choice, Question
from tah_jupyter.jupyter.place import CHOSEN, Place, accept_wide, short
from tah_jupyter.jupyter.status import folder_words
from tah_jupyter.ui.words import Words

__all__ = ["folder_question", "settle_folder"]


def folder_question(place: Place, words: Words) -> Question:
    """The question; its choices are ``use`` and ``cancel``."""
    folder = folder_words(place.root, words)
    whole_disk = place.root == Path(place.root.anchor)
    return Question(
        "folder",
        words.say("ask_wide_disk" if whole_disk else "ask_wide_home"),
        (Choice("use", words.say("ask_wide_use", folder=short(place.root))), Choice("cancel", words.say("cancel"))),
        about=(words.say("ask_wide_why", folder=folder), words.say("ask_wide_other")),
        remember=words.say("ask_wide_remember"),
        remembers=True,
    )


async def settle_folder(place: Place, ask: Asker, words: Words) -> Place | None:
    """The folder to work in: ``place`` itself where it need not be asked about or the person means it, None when they
    do not. Raises TahError, with what to do next, when nobody can answer.
    """
    question = await asyncio.to_thread(_question, place, words)  # a folder on a slow disk
    if question is None:
        return place
    reply = await ask(question)
    if reply is None:
        raise TahError(f"{question.title} {words.say('wide_unanswered')}", next_step=words.say("wide_next"))
    if reply.key != "use":
        return None
    if reply.remember:
        await asyncio.to_thread(accept_wide, place.root)
    return place._replace(mark=CHOSEN)


def _question(place: Place, words: Words) -> Question | None:
    return folder_question(place, words) if place.must_ask else None
