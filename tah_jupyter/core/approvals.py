"""A question to a person, its answers, and what "allow for this run" covers."""

from collections.abc import Awaitable, Callable
from typing import Literal, TypeAlias

import msgspec

from tah_jupyter.core.calls import Headline
from tah_jupyter.core.views import View

__all__ = [
    "Allow",
    "Answer",
    "ApprovalRequest",
    "Approver",
    "CommandSubject",
    "Deny",
    "Grant",
    "Outcome",
    "PathSubject",
    "Preview",
    "Scope",
    "Subject",
]

Scope = Literal["once", "run"]
Outcome = Literal["allowed", "denied", "interrupted", "unanswered"]


class PathSubject(msgspec.Struct, frozen=True, tag="path"):
    """The call reads or edits this path (relative to the root when inside it, with ``/`` between the parts)."""

    access: Literal["read", "edit"]
    path: str


class CommandSubject(msgspec.Struct, frozen=True, tag="command"):
    """The call runs exactly these arguments in this folder (relative to the root, ``.`` for the root itself)."""

    argv: tuple[str, ...]
    cwd: str = "."


Subject: TypeAlias = PathSubject | CommandSubject


class Grant(msgspec.Struct, frozen=True):
    """What a person allowed beyond one call: every edit under ``folder``, or exactly one command.

    ``label`` names it in English as it stands in "Allow … for this run"; a path in ``covers`` is a folder, and what is
    below it is covered too.
    """

    label: str
    covers: Subject


class Preview(msgspec.Struct, frozen=True, omit_defaults=True):
    """What a person sees before a call runs.

    ``view`` shows everything that will happen; ``fingerprint`` digests what it was shown against (base hash of a file,
    a script among the arguments, the folder); ``concerns`` say what is unusual, worst first; ``notice`` is for the
    result.
    """

    view: View
    fingerprint: str = ""
    headline: Headline | None = None
    concerns: tuple[str, ...] = ()


class ApprovalRequest(msgspec.Struct, frozen=True):
    """One question. ``approval_id`` is unique over the session; ``digest`` is that of the frozen input, so what runs
    is what was shown.
    """

    approval_id: str
    call_id: str
    tool: str
    headline: Headline
    view: View
    asks_because: tuple[str, ...]
    digest: str
    grant: Grant | None = None


class Allow(msgspec.Struct, frozen=True, tag="allow"):
    """Yes: this once, or everything the request's grant covers until the run ends."""

    scope: Scope = "once"


class Deny(msgspec.Struct, frozen=True, omit_defaults=True, tag="deny"):
    """No. ``reason`` is told to the model; ``stop`` ends the run as well."""

    reason: str = ""
    stop: bool = False


Answer: TypeAlias = Allow | Deny
Approver: TypeAlias = Callable[[ApprovalRequest], Awaitable[Answer | None]]
"""Answers a request; ``None`` means that nobody can answer, which denies it. It knows no front end and never times
out.
"""
