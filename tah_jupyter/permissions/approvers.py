"""Who answers for a person: nobody, a fixed policy, or a desk where answers from any front end arrive."""

import asyncio
from collections.abc import Awaitable

from tah_jupyter.core.approvals import Allow, Answer, ApprovalRequest, Deny
from tah_jupyter.core.questions import Question, Reply

__all__ = ["Desk", "allow_all", "deny_all", "nobody"]


async def nobody(request: ApprovalRequest) -> Answer | None:
    """Nobody is there: what would ask is denied."""
    return None


async def allow_all(request: ApprovalRequest) -> Answer | None:
    """Allow every request once: for scripts and tests whose author is the person."""
    return Allow()


async def deny_all(request: ApprovalRequest) -> Answer | None:
    """Deny every request."""
    return Deny("denied by policy")


class Desk:
    """Requests and questions wait here until an answer arrives, without a limit of time. Lives on one loop."""

    def __init__(self) -> None:
        self._waiting: dict[str, asyncio.Future[Answer | None]] = {}
        self._asked: dict[str, tuple[Question, asyncio.Future[Reply | None]]] = {}

    @property
    def waiting(self) -> tuple[str, ...]:
        """Ids of the approvals that wait, oldest first."""
        return tuple(self._waiting)

    async def question(self, question: Question) -> Reply | None:
        """Wait for the answer to ``question``."""
        future: asyncio.Future[Reply | None] = asyncio.get_running_loop().create_future()
        self._asked[question.question_id] = question, future
        try:
            return await future
        finally:
            self._asked.pop(question.question_id, None)

    def reply(self, question_id: str, reply: Reply | None) -> bool:
        """Answer a question; None says that nobody can. False when it came too late, or is none of its choices."""
        question, future = self._asked.get(question_id, (None, None))
        if question is None or future is None or future.done():
            return False
        if reply is not None and not question.offers(reply.key):
            return False
        future.set_result(reply)
        return True

    def __call__(self, request: ApprovalRequest) -> Awaitable[Answer | None]:
        """Wait for the answer to ``request``; one that comes before the waiting begins counts."""
        self._open(request)
        return self._wait(request)

    def _open(self, request: ApprovalRequest) -> None:
        """Take answers to ``request`` from now on; until :meth:`_close`."""
        self._waiting[request.approval_id] = asyncio.get_running_loop().create_future()

    async def _wait(self, request: ApprovalRequest) -> Answer | None:
        try:
            return await self._waiting[request.approval_id]
        finally:
            self._close(request)

    def _close(self, request: ApprovalRequest) -> None:
        """Nobody waits any more, so no answer counts."""
        self._waiting.pop(request.approval_id, None)

    def answer(self, approval_id: str, answer: Answer | None) -> bool:
        """Give the answer; None says that nobody can. False when it came too late or the id is not known here."""
        future = self._waiting.get(approval_id)
        if future is None or future.done():
            return False
        future.set_result(answer)
        return True
