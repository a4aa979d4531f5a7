"""May this call run? One pure function, in the order that decides; the first step that has an answer gives it.

Nothing here asks a person, reads a file or knows a tool by name: :mod:`gate` collects the facts, the pipeline acts.
"""

from collections.abc import Iterator
from typing import Literal

import msgspec

from tah_jupyter.core.approvals import CommandSubject, Grant, PathSubject, Subject
from tah_jupyter.permissions.critical import critical
from tah_jupyter.permissions.protected import protected
from tah_jupyter.permissions.rules import Rules
from tah_jupyter.toolkit.services import Decision, HookVote
from tah_jupyter.toolkit.tool import Verdict

__all__ = ["MODES", "Call", "Mode", "covers", "decide"]

Mode = Literal["default", "accept_edits", "plan", "dont_ask", "bypass"]

MODES: dict[Mode, str] = {
    "default": "Ask",
    "accept_edits": "Edits pass",
    "plan": "Plan only",
    "dont_ask": "Deny what would ask",
    "bypass": "Allow everything",
}
"""The modes and the words they are shown as."""


class Call(msgspec.Struct, frozen=True):
    """The facts of a call that a decision may depend on."""

    names: tuple[str, ...]  # the tool's name, then its aliases
    subject: Subject | None = None
    inside: bool = True  # the subject lies inside the root
    read_only: bool = False
    destructive: bool = False
    needs_person: bool = False
    own_word: Verdict = "ask"


def decide(call: Call, rules: Rules, grants: tuple[Grant, ...], mode: Mode, vote: HookVote | None = None) -> Decision:
    """Judge ``call``. Deterministic; adding a deny or ask rule never makes the answer weaker.

    The order: deny rules and the tool's own refusal, plan mode, must ask, destructive, allow rules and grants, hooks'
    votes, the tool's own word and the mode. ``dont_ask`` turns what would ask into a denial at the end.
    """
    trace: list[str] = []
    for step, verdict in _steps(call, rules, grants, mode, vote):
        trace.append(f"{step}: {verdict.behavior if verdict is not None else 'no opinion'}")
        if verdict is not None:
            return msgspec.structs.replace(_in_mode(verdict, mode), trace=tuple(trace))
    raise AssertionError("the last step always answers")


def _steps(
    call: Call, rules: Rules, grants: tuple[Grant, ...], mode: Mode, vote: HookVote | None
) -> Iterator[tuple[str, Decision | None]]:
    yield "deny rules", _rule("deny", rules.deny, call)
    yield (
        "the tool's refusal",
        Decision("deny", "tool", reason="the tool refuses it") if call.own_word == "deny" else None,
    )
    yield "plan mode", _plan(call, mode)
    yield "must ask", _must_ask(call, rules, vote)
    grant = next((grant for grant in grants if covers(grant, call.subject)), None)
    yield "destructive", _destructive(call, grant, mode)
    yield "allow rules and grants", _allow(call, rules, grant)
    yield "hooks", _hooks(vote)
    yield "the tool and the mode", _tool_and_mode(call, mode)


def _rule(behavior: Literal["deny", "ask", "allow"], names: frozenset[str], call: Call) -> Decision | None:
    rule = next((name for name in call.names if name in names), None)
    if rule is None:
        return None
    reason = {"deny": f"the rule deny {rule} forbids it", "ask": f"the rule ask {rule} says so", "allow": ""}[behavior]
    return Decision(behavior, "rule", rule=rule, reason=reason)


def _plan(call: Call, mode: Mode) -> Decision | None:
    if mode != "plan" or call.read_only:
        return None
    return Decision("deny", "mode", rule="plan", reason="the mode is Plan only: nothing may be changed yet")


def _must_ask(call: Call, rules: Rules, vote: HookVote | None) -> Decision | None:
    """What no allow rule, grant, hook or mode gets past."""
    if rules.fail_closed:
        return Decision("ask", "config", reason=rules.fail_closed, once_only=True)
    if (asks := _rule("ask", rules.ask, call)) is not None:
        return asks
    if vote is not None and vote.behavior == "ask":
        return Decision("ask", "hook", reason=vote.reason or "a hook asks for it")
    if call.needs_person:
        return Decision("ask", "tool", reason="it needs you each time", once_only=True)
    subject = call.subject
    if isinstance(subject, PathSubject) and (why := protected(subject)):
        return Decision("ask", "protected", rule=subject.path, reason=why, once_only=True)
    if isinstance(subject, CommandSubject) and (why := critical(subject)):
        return Decision("ask", "critical", reason=why, once_only=True)
    return None


def _destructive(call: Call, grant: Grant | None, mode: Mode) -> Decision | None:
    if not call.destructive or mode == "bypass":
        return None
    exact = grant is not None and grant.covers == call.subject
    return None if exact else Decision("ask", "destructive", reason="it cannot be taken back")


def _allow(call: Call, rules: Rules, grant: Grant | None) -> Decision | None:
    if (allowed := _rule("allow", rules.allow, call)) is not None:
        return allowed
    return None if grant is None else Decision("allow", "grant", rule=grant.label)


def _hooks(vote: HookVote | None) -> Decision | None:
    return Decision("allow", "hook", reason=vote.reason) if vote is not None and vote.behavior == "allow" else None


def _tool_and_mode(call: Call, mode: Mode) -> Decision:
    if call.own_word == "allow":
        return Decision("allow", "tool")
    if mode == "bypass":
        return Decision("allow", "mode", rule="bypass")
    is_edit = isinstance(call.subject, PathSubject) and call.subject.access == "edit"
    if mode == "accept_edits" and is_edit and call.inside:
        return Decision("allow", "mode", rule="accept_edits")
    what = "edit" if is_edit else "command" if isinstance(call.subject, CommandSubject) else "call of this tool"
    return Decision("ask", "mode", rule=mode, reason=f"in mode {MODES[mode]} every {what} asks")


def _in_mode(decision: Decision, mode: Mode) -> Decision:
    if decision.behavior != "ask" or mode != "dont_ask":
        return decision
    return Decision("deny", "mode", rule="dont_ask", reason=f"the mode is Deny what would ask ({decision.reason})")


def covers(grant: Grant, subject: Subject | None) -> bool:
    """Whether a grant covers a subject: the same command in the same folder, or an edit in the granted folder.

    >>> src = Grant("edits in src/", PathSubject("edit", "src"))
    >>> [covers(src, PathSubject("edit", p)) for p in ("src/a.py", "src/b/c.py", "src2/a.py", "a.py", "/src/a.py")]
    [True, True, False, False, False]
    """
    if isinstance(grant.covers, CommandSubject) or not isinstance(subject, PathSubject):
        return grant.covers == subject
    if subject.access != grant.covers.access:
        return False
    folder = grant.covers.path
    if folder == ".":  # the root; the path of an added folder is absolute
        return not subject.path.startswith("/")
    return subject.path == folder or subject.path.startswith(folder + "/")
