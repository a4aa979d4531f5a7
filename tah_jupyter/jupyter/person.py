"""The person of a notebook, as a run knows them: who can be asked, by what, and what they decide."""

import uuid
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Literal

from tah_jupyter.core.approvals import Answer, ApprovalRequest
from tah_jupyter.core.commands import AnswerApproval, AnswerQuestion, Command, Stop
from tah_jupyter.core.errors import ModelError
from tah_jupyter.core.questions import Asker, Choice, Question, Reply
from tah_jupyter.permissions.approvers import Desk
from tah_jupyter.ui.words import Words

if TYPE_CHECKING:
    from tah_jupyter.jupyter.surfaces import Surface

__all__ = ["FrontDesk", "NotebookPerson"]

CANCEL = "cancel"


class FrontDesk(Desk):
    """Where a run's questions go: to the page's buttons, or to whatever else the cell's surface has. Once the cell is
    released nobody sits at its ``input()``, so what would be asked there waits for ``%tah jobs``.
    """

    def __init__(self) -> None:
        super().__init__()
        self.surface: Surface | None = None
        self.released = False

    def __call__(self, request: ApprovalRequest) -> Awaitable[Answer | None]:
        self._open(request)  # from here on an answer from any cell counts
        return self._answered(request)

    async def _answered(self, request: ApprovalRequest) -> Answer | None:
        surface = self.surface
        try:
            voice = await surface.voice() if surface is not None else "nobody"
            if surface is None or voice == "nobody":
                self.answer(request.approval_id, None)
            elif voice == "stdin" and not self.released:
                self.answer(request.approval_id, await surface.ask(request))
            return await self._wait(request)
        finally:
            self._close(request)

    async def question(self, question: Question) -> Reply | None:
        """The answer to ``question``; None when nobody can give one."""
        surface = self.surface
        voice = await surface.voice() if surface is not None else "nobody"
        if surface is None or voice == "nobody":
            return None
        if voice == "stdin" and not self.released:
            return await surface.ask_question(question)
        return await super().question(question)

    def take(self, command: Command) -> None:
        """What the person does before a session is open."""
        match command:
            case AnswerQuestion():
                self.reply(command.question_id, command.reply)
            case AnswerApproval():
                self.answer(command.approval_id, command.answer)
            case Stop():
                self.cancel_questions()
            case _:
                return

    def cancel_questions(self) -> None:
        """Take the harmless choice of each question that waits."""
        for question_id, (question, _) in tuple(self._asked.items()):
            self.reply(question_id, Reply(CANCEL) if question.offers(CANCEL) else None)


class NotebookPerson:
    """Fulfils ``core.ports.Person``. ``ask`` puts a question inside the run, ``desk`` gets its answer, ``rescue`` is
    what to do when the model fails.
    """

    def __init__(
        self,
        desk: FrontDesk,
        ask: Asker,
        rescue: Callable[[ModelError], Awaitable[str | None]],
        words: Callable[[], Words],
    ) -> None:
        self._desk = desk
        self._ask = ask
        self._rescue = rescue
        self._words = words

    async def answer(self, question: Question) -> Reply | None:
        return await self._desk.question(question)

    async def rescue(self, error: ModelError) -> str | None:
        return await self._rescue(error)

    async def go_on(self, turns: int) -> Literal["on", "finish", "stop"] | None:
        say = self._words().say
        choices = (
            Choice("on", say("limit_on", n=2 * turns)),
            Choice("finish", say("limit_finish")),
            Choice("stop", say("stop")),
        )
        question = Question(uuid.uuid4().hex, say("limit_turns_asked", n=turns), choices)
        reply = await self._ask(question)
        match reply.key if reply is not None else "":
            case "on":
                return "on"
            case "finish":
                return "finish"
            case "stop":
                return "stop"
            case _:
                return None
