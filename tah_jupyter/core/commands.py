"""What a person may tell a run. Commands go through the Inbox from any thread; nothing else crosses that way."""

from typing import TypeAlias

import msgspec

from tah_jupyter.core.approvals import Answer

__all__ = ["AnswerApproval", "Command", "SetMode", "Stop"]


class AnswerApproval(msgspec.Struct, frozen=True, tag="answer"):
    """Answer a pending approval. The first answer wins; a late one does nothing."""

    approval_id: str
    answer: Answer


class Stop(msgspec.Struct, frozen=True, tag="stop"):
    """End run number ``run`` now (0: whichever is under way); calls that run are cancelled, what was done is kept.

    A late click, for a run that has ended, stops nothing.
    """

    run: int = 0


class SetMode(msgspec.Struct, frozen=True, tag="mode"):
    """Change the permission mode from the next decision on."""

    mode: str


Command: TypeAlias = AnswerApproval | Stop | SetMode
