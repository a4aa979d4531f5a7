"""A request that is kept while its person settles what it needs first: a model, a folder.

There is no session yet, so nothing is logged; the picture is made by the same fold as that of a run, from records that
nobody keeps. It has the number 0: no run has begun.
"""

import time

from msgspec.structs import replace

from tah_jupyter.core.events import Event, Notice, QuestionAnswered, QuestionAsked, RunStarted
from tah_jupyter.core.questions import Asker, Question, Reply
from tah_jupyter.jupyter.surfaces import Surface
from tah_jupyter.ui.run_view import RunView
from tah_jupyter.ui.transcript import Transcript

__all__ = ["Held"]


class Held:
    """The picture of one kept request. It belongs to the agent's loop; :meth:`picture` may be asked from any thread."""

    def __init__(self, prompt: str, surface: Surface, answer: Asker) -> None:
        self._surface = surface
        self._answer = answer
        self._transcript = Transcript()
        self._told = 0
        self.said: list[str] = []
        """What was said meanwhile, which the run's own frame says again."""
        self._tell(RunStarted(prompt=prompt))

    def picture(self) -> RunView:
        """The request as it stands."""
        return self._transcript.run(0)

    async def ask(self, question: Question) -> Reply | None:
        """Put ``question`` to the person; None when nobody can answer."""
        self._tell(QuestionAsked(question=question))
        self._surface.changed(checkpoint=False)
        key = ""
        try:
            reply = await self._answer(question)
            key = reply.key if reply is not None else ""
        finally:
            self._tell(QuestionAnswered(question=question.question_id, key=key))
            self._surface.changed(checkpoint=False)
        return reply

    def say(self, text: str) -> None:
        """Show a line about what is being settled."""
        self.said.append(text)
        self._tell(Notice(text=text, code="settling"))
        self._surface.changed(checkpoint=False)

    def _tell(self, record: Event) -> None:
        self._told += 1
        self._transcript.apply(replace(record, seq=self._told, ts=time.time()))
