"""What is said of a run, a call or a decision in one line, the same in the frame, the record and plain text."""

from collections import Counter
from collections.abc import Iterable

from tah_jupyter.core.calls import Change, Headline
from tah_jupyter.core.views import Output
from tah_jupyter.ui.figures import duration, is_this_machine, money, tokens
from tah_jupyter.ui.run_view import Block, Group, Note, RunView, Step
from tah_jupyter.ui.steps import CALL_MARKS, is_step, kind_of, mark, may_have_changed, parts_of, unanswered
from tah_jupyter.ui.visible import visible_line
from tah_jupyter.ui.words import Words

__all__ = [
    "CALL_MARKS",
    "RUN_MARKS",
    "Phrases",
    "is_step",
    "mark",
    "parts_of",
]

RUN_MARKS = {"working": "◐", "waiting": "◆", "done": "✓", "stopped": "■", "limit": "‖", "failed": "✕"}
"""Shapes of the states of a run."""


class Phrases:
    """The phrases of one language. All that came from outside is made visible and stays on its line."""

    def __init__(self, words: Words) -> None:
        self.words = words

    def headline(self, headline: Headline) -> str:
        return visible_line(self.words.headline(headline)).text

    def told(self, text: str) -> str:
        """What a room below said, on one line and in this language where it is known."""
        return visible_line(self.words.told(text)).text

    def state(self, view: RunView) -> str:
        """Shape and words of a state."""
        return f"{RUN_MARKS[view.state]} {self.words_of(view)}"

    def words_of(self, view: RunView) -> str:
        """A state in words, for an end its cause and what to do next."""
        what = self.headline(view.during) if view.during is not None else ""
        if view.reason == "crashed":
            ended = self.words.say("crashed_during", what=what) if what else self.words.say("crashed")
            return f"{ended} · {self.words.say('go_on')}"
        if view.state == "stopped" and what:
            return self.words.say("stopped_during", what=what)
        if view.state in ("failed", "limit") and view.error:
            return self.because(view, self.told(view.error))
        return self.words.say(view.state)

    def because(self, view: RunView, cause: str) -> str:
        """How a run ended that was not done, and by what."""
        return self.words.say("limit_because" if view.state == "limit" else "failed_because", cause=cause)

    def header(self, view: RunView) -> str:
        """The whole of a finished run in one line."""
        return " · ".join(self.header_parts(view))

    def header_parts(self, view: RunView, *, shaped: bool = True) -> list[str]:
        """The parts of :meth:`header`; the first is the run, the second its state, with its shape or in words only."""
        say, count = self.words.say, self.words.count
        parts = [f"tah · {say('run', n=view.run)}", self.state(view) if shaped else self.words_of(view)]
        parts += [say("in_background")] if view.background else []
        states = Counter(step.state for step in view.steps)
        nobody = states["denied"] == len(unanswered(view))
        parts += [count("denied_nobody_count" if nobody else "denied_count", states["denied"])] * (states["denied"] > 0)
        parts += [count("failed_count", states["failed"])] if states["failed"] else []
        files = sum(change.kind == "file" for change in view.changes)
        parts += [count("files_changed", files)] if files else []
        steps = sum(map(is_step, view.blocks)) - bool(view.answer)
        parts += [count("steps_count", steps)] if steps else []
        if view.ended_ts is not None:
            parts.append(duration(view.clock_s(view.ended_ts), self.words))
        if view.cost_usd is not None:
            parts.append(money(view.cost_usd, view.host, self.words))
        return parts

    def aftermath(self, view: RunView) -> str:
        """What is safe and what to do next, after a run that did not end by itself or that nobody could answer."""
        if view.state == "done":
            rules = dict.fromkeys(visible_line(rule).text for rule in map(_rule, unanswered(view)) if rule)
            options = " ".join(f"--allow {rule}" for rule in rules)
            return self.words.say("let_pass", options=options) if options else ""
        if view.state not in ("failed", "limit", "stopped"):
            return ""
        crashed = view.reason == "crashed"  # its header says how to go on
        goes_on = "" if crashed else self.words.say("goes_on")
        return " ".join(part for part in (self._safe(view), self.told(view.next_step) or goes_on) if part)

    def _safe(self, view: RunView) -> str:
        if self.untouched(view):
            return self.words.say("untouched")
        return self.words.say("kept" if view.changes else "may_have_changed")

    @staticmethod
    def untouched(view: RunView) -> bool:
        """Whether it is certain that the run has changed nothing."""
        return not view.changes and not any(map(may_have_changed, view.steps))

    def asked(self, view: RunView) -> list[str]:
        """The questions of the run that are no approvals, and what was answered; one that nobody answered decided
        nothing.
        """
        return [
            self.words.say("asked", title=self.told(ask.question.title), answer=self.told(ask.label or ask.key))
            for ask in view.questions
            if ask.key
        ]

    def note(self, note: Note, *, text: str | None = None) -> str:
        """What was told meanwhile: to the person, to the model, or by the person; ``text`` in place of the whole."""
        shown = self.told(note.text if text is None else text)
        if note.code == "model":
            return self.words.say("model_changed", model=visible_line(note.model).text, because=shown)
        key = {"prompt": "prompt_added", "note": "your_note"}.get(note.code, "notice")
        return self.words.say("labelled", label=self.words.say(key), text=shown)

    def raw_answer(self, view: RunView) -> str:
        """The heading of a provider's own words, with the stable name of what went wrong."""
        title = self.words.say("raw_answer")
        return f"{title} · {visible_line(view.kind).text}" if view.kind else title

    def destination(self, view: RunView) -> str:
        """What answers and where the data goes: ``claude-sonnet → api.anthropic.com``."""
        host = self.words.say("this_machine") if is_this_machine(view.host) else view.host
        return visible_line(f"{view.model} → {host}" if host else view.model).text

    def beginning(self, view: RunView) -> str:
        """The line above a run in a terminal: its number, what answers, how to stop it."""
        parts = [
            f"tah · {self.words.say('run', n=view.run)}",
            self.destination(view),
            self.words.say("interrupt_stops"),
        ]
        return " · ".join(part for part in parts if part)

    def usage(self, view: RunView) -> str:
        """Turns and tokens, and when the run is over its price."""
        usage = view.usage
        figures = {"tokens": tokens(usage.input_tokens), "out": tokens(usage.output_tokens)}
        parts = [self.words.count("turns", view.turns)] if view.turns else []
        if usage.cached_tokens:
            parts.append(self.words.say("tokens_cached", cached=tokens(usage.cached_tokens), **figures))
        elif usage.input_tokens or usage.output_tokens:
            parts.append(self.words.say("tokens", **figures))
        if view.context is not None:
            parts.append(self.words.say("context", percent=f"{max(view.context, 0.01):.0%}".replace("%", " %")))
        if view.ended_ts is not None:
            parts.append(money(view.cost_usd, view.host, self.words))
            parts.append(duration(view.clock_s(view.ended_ts), self.words))
        return " · ".join(parts)

    def footer(self, view: RunView) -> str:
        """Where the data went and what it took."""
        return " · ".join(part for part in (self.destination(view), self.usage(view)) if part)

    def sent(self, view: RunView) -> str:
        """What left this machine, or nothing when nothing did."""
        usage = view.usage
        if not view.host or is_this_machine(view.host) or not usage.input_tokens:
            return ""
        host, sent = visible_line(view.host).text, tokens(usage.input_tokens)
        return self.words.count("sent", max(1, usage.requests), host=host, tokens=sent)

    def change(self, change: Change) -> str:
        """``src/load.py +1 −1``."""
        done = self.words.say(change.action) if change.action != "modified" else ""
        parts = (visible_line(change.target).text, done, _lines(change.added, change.removed))
        return " ".join(part for part in parts if part)

    def lines_changed(self, step: Step) -> str:
        """``+1 −1``, where the line of the call does not say it already."""
        if step.headline.detail:
            return ""
        files = [change for change in step.changes if change.kind == "file"]
        return _lines(sum(each.added for each in files), sum(each.removed for each in files))

    def decisions(self, view: RunView, change: Change) -> list[str]:
        """Who allowed what made this change."""
        decisions = (self.decision(step) for step in view.steps if step.made(change))
        return list(dict.fromkeys(decision for decision in decisions if decision))

    def decision(self, step: Step) -> str:
        """Who let the call run or who refused it; nothing when no question was asked."""
        permission, say = step.permission, self.words.say
        if permission is None or (step.state == "interrupted" and not permission.allowed):
            return ""
        rule, reason = visible_line(permission.rule).text, self.told(permission.reason)
        if not permission.allowed:
            if permission.source == "nobody":
                return say("denied_nobody_allow", rule=rule) if rule else say("denied_nobody")
            if permission.source == "person":
                return say("denied_by_you_why", reason=reason) if reason else say("denied_by_you")
            return say("denied_reason", reason=reason or rule) if reason or rule else say("denied")
        if permission.source == "person" and permission.scope != "run":
            return say("allowed_once")
        if permission.source in ("person", "grant"):
            return f"{say('allowed_run')}: {rule}" if rule else say("allowed_run")
        return say("allowed_rule", rule=rule) if permission.source == "rule" and rule else ""

    def outcome(self, step: Step) -> str:
        """How the call ended or stands, where its shape does not say it all."""
        if step.state in ("not_run", "interrupted", "queued"):
            return self.words.say(step.state)
        if step.state == "waiting":
            return self.words.say("waits")
        output = next((part for part in parts_of(step.view) if isinstance(part, Output)), None)
        return self.told(output.status) if output is not None else ""

    def step(self, step: Step) -> str:
        """A call in one line: shape, what, how it ended, who allowed it."""
        parts = [f"{mark(step)} {self.headline(step.headline)}", self.outcome(step), self.decision(step)]
        return " · ".join(part for part in parts if part)

    def group(self, group: Group) -> str:
        """A plan item in one line: ``Fix it · 1 file changed · 4 s``."""
        targets = {change.target for step in group.steps for change in step.changes if change.kind == "file"}
        steps = sum(map(is_step, group.blocks))
        parts = [visible_line(group.item).text]
        parts.append(
            self.words.count("files_changed", len(targets)) if targets else self.words.count("steps_count", steps)
        )
        parts += [duration(group.duration_s, self.words)] if group.duration_s else []
        return " · ".join(parts)

    def looked_at(self, steps: Iterable[Step]) -> str:
        """Several reads in one line: ``Looked at 4 things · 0.6 s · src/load.py, tests/``."""
        steps = tuple(steps)
        parts = [self.words.count("looked_at_things", len(steps))]
        seconds = sum(step.duration_ms for step in steps) / 1000
        parts += [duration(seconds, self.words)] if seconds >= 0.05 else []
        targets = dict.fromkeys(visible_line(step.headline.target).text for step in steps if step.headline.target)
        parts.append(self.words.listed(self.words.say("this_folder") if each == "." else each for each in targets))
        return " · ".join(part for part in parts if part)

    def kinds(self, blocks: Iterable[Block]) -> str:
        """What kinds of steps there were: ``8 looked at, 1 edit, 1 command, 2 notes``."""
        counted = Counter(kind_of(block) for block in blocks if is_step(block))
        order = ("looked_at", "edits", "commands", "other_calls", "notes")
        return self.words.listed(self.words.count(kind, counted[kind]) for kind in order if counted[kind])

    def plan(self, view: RunView) -> str:
        done = sum(todo.status == "completed" for todo in view.todos)
        return self.words.say("plan_count", done=done, n=len(view.todos))


def _rule(step: Step) -> str:
    """The rule that decided of a call, or that would let it pass."""
    return step.permission.rule if step.permission is not None else ""


def _lines(added: int, removed: int) -> str:
    return f"+{added:,} −{removed:,}" if added or removed else ""
