"""What a person may tell a run. Commands go through the Inbox from any thread; nothing else crosses that way."""

from typing import TypeAlias

import msgspec

from tah_jupyter.core.approvals import Answer
from tah_jupyter.core.questions import Reply

__all__ = [
    "AddNote",
    "AnswerApproval",
    "AnswerQuestion",
    "Command",
    "EndCall",
    "Release",
    "SendNote",
    "SetMode",
    "Stop",
    "WithdrawNote",
]


class AnswerApproval(msgspec.Struct, frozen=True, tag="answer"):
    """Answer a pending approval. The first answer wins; a late one does nothing."""

    approval_id: str
    answer: Answer


class AnswerQuestion(msgspec.Struct, frozen=True, tag="reply"):
    """Answer a pending question. The first answer wins; a late one does nothing."""

    question_id: str
    reply: Reply


class Stop(msgspec.Struct, frozen=True, tag="stop"):
    """End run number ``run`` now (0: whichever is under way); calls that run are cancelled, what was done is kept.

    A late click, for a run that has ended, stops nothing.
    """

    run: int = 0


class EndCall(msgspec.Struct, frozen=True, tag="end_call"):
    """End one running call; the run goes on, and the model is told that the person ended it."""

    call_id: str


class AddNote(msgspec.Struct, frozen=True, tag="note"):
    """Words for the agent, read after the step that is under way. ``note_id`` is new for each."""

    note_id: str
    text: str
    run: int = 0


class WithdrawNote(msgspec.Struct, frozen=True, tag="withdraw"):
    """Take a note back that was not read yet."""

    note_id: str


class SendNote(msgspec.Struct, frozen=True, tag="send"):
    """Have a queued note read now: the step that is under way ends for it."""

    note_id: str


class Release(msgspec.Struct, frozen=True, tag="release"):
    """Give the cell of run number ``run`` back to the person; the run goes on in the background."""

    run: int = 0


class SetMode(msgspec.Struct, frozen=True, tag="mode"):
    """Change the permission mode from the next decision on."""

    mode: str


Command: TypeAlias = (
    AnswerApproval | AnswerQuestion | Stop | EndCall | AddNote | WithdrawNote | SendNote | Release | SetMode
)
