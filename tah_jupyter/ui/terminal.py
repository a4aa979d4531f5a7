"""A run as lines that scroll by in a terminal (screens C1, C3, C4): what is settled, told once, and what still changes.

Steps and messages are told in the order of the run, whatever order they end in; only notices are told at once. The
lines that still change are redrawn below them where a terminal can do that, and left out of logs.
"""

from collections.abc import Iterator

from tah_jupyter.core.calls import Change, Headline, Todo
from tah_jupyter.core.views import Command, Plan
from tah_jupyter.ui.figures import clock, duration, is_this_machine
from tah_jupyter.ui.phrases import Phrases, mark, parts_of
from tah_jupyter.ui.run_view import Note, RunView, Said, Step
from tah_jupyter.ui.summary import short_summary
from tah_jupyter.ui.terminal_card import small, titled
from tah_jupyter.ui.terminal_text import Ink, Line, Prose, columns, joined, padded, shortened, wrapped
from tah_jupyter.ui.visible import visible_line
from tah_jupyter.ui.words import Words

__all__ = ["SILENCE_S", "Scroll"]

SILENCE_S = 20.0
"""So long a model may say nothing before the person is told (experience, section B9)."""

TAIL_LINES = 4
"""Lines of a running command's output."""

_MARKS = {"pending": "[ ]", "in_progress": "[>]", "completed": "[x]"}
_STEP_MARKS = {"✓": "step_ok", "✕": "step_failed"}
_UNSETTLED = ("queued", "waiting", "running")
_BUSY = "  ...  "
_INDENT = " " * len(_BUSY)


class Scroll:
    """What of one run has been told so far. ``rewrites`` says that the lines of :meth:`live` are shown, too.

    ``width`` is in columns and may change from call to call; ``now`` is seconds since the epoch.
    """

    def __init__(self, words: Words, *, rewrites: bool) -> None:
        self._words = words
        self._phrases = Phrases(words)
        self._rewrites = rewrites
        self._begun = False
        self._told: set[str] = set()
        self._prose: dict[str, Prose] = {}
        self._looked: list[Step] = []
        self._plan: tuple[Todo, ...] = ()
        self._silence_told: float | None = None

    def news(self, view: RunView, *, now: float, width: int, pause: bool = False) -> list[Line]:
        """The lines that are settled since the last call. A ``pause`` settles what could still grow: something else
        will be printed next.
        """
        lines = list(self._beginning(view, width))
        settled = True  # everything before has ended, so the next block may be told
        for block in view.blocks:
            match block:
                case Note():
                    lines += self._note(block, view, width)
                case Said():
                    lines += self._said(block, width, pause=pause) if settled else []
                    settled = settled and block.finish != ""
                case Step():
                    settled = settled and block.state not in _UNSETTLED
                    lines += self._step(block, width) if settled else []
        lines += self._flushed(width) if pause else []
        if not self._rewrites and _silent(view, now) and view.quiet_since != self._silence_told:
            self._silence_told = view.quiet_since
            lines += [Line(row, "asks") for row in wrapped(self._silence(view, now), width)]
        return lines

    def live(self, view: RunView, *, now: float, width: int) -> list[Line]:
        """The lines that still change, each at most ``width`` columns wide."""
        lines = [Line(self._looked_at(), "faint")] if self._looked else []
        lines += [Line(prose.open) for said, prose in self._prose.items() if prose.open and said not in self._told]
        for step in view.steps:
            lines += self._running(step, now, width) if step.state == "running" else []
        lines += self._waits(view, now)
        return [Line(shortened(line.text, width), line.ink) for line in lines]

    def ending(self, view: RunView, width: int) -> list[Line]:
        """How the run ended, what it changed, and what is safe."""
        run, state, *figures = self._phrases.header_parts(view)
        # what was stopped stands right above, and in IPython's own line below
        word = self._words.say("stopped") if view.state == "stopped" else state.partition(" ")[2]
        header = " · ".join([small(word), run.partition(" · ")[2], *figures])
        lines = [Line(row, "bad" if view.state == "failed" else "strong") for row in wrapped(header, width, hang="  ")]
        for text in (self._phrases.aftermath(view), *short_summary(view, self._words)):
            lines += [Line(row) for row in wrapped(text, width)] if text else []
        return [*lines, *self._changed(view.changes, width)]

    def _beginning(self, view: RunView, width: int) -> Iterator[Line]:
        """Which run, what answers, how to stop: once a model is known."""
        if self._begun or not view.model:
            return
        self._begun = True
        header = self._phrases.beginning(view).replace(" → ", " -> ")
        yield from (Line(row, "strong") for row in wrapped(header, width, hang="  "))

    def _note(self, note: Note, view: RunView, width: int) -> Iterator[Line]:
        """What the person should know; what the model was told is the record's to keep."""
        if note.id in self._told or note.code == "prompt":
            return
        self._told.add(note.id)
        yield from self._flushed(width)
        if note.code == "model":
            model = self._phrases.destination(view).replace(" → ", " -> ")
            text = self._words.say("answers_from_now", model=model, why=visible_line(note.text).text)
        else:
            text = self._phrases.note(note, text=" ".join(note.text.split()))
        ink: Ink = "faint" if note.level == "info" else "bad" if note.level == "error" else "asks"
        yield from (Line(row, ink) for row in wrapped(f"  {text}", width, hang="    "))

    def _said(self, said: Said, width: int, *, pause: bool) -> list[Line]:
        """What is new of a message. One without words, between two looks at files, does not part them."""
        if said.id in self._told:
            return []
        prose = self._prose.setdefault(said.id, Prose())
        rows = prose.feed(said.text, width, ends=pause or said.finish != "")
        lines = [*(self._flushed(width) if rows or prose.open else []), *rows]
        if said.finish:
            self._told.add(said.id)
            self._prose.pop(said.id)
            if said.text.strip() and said.finish not in ("stop", "calls"):
                lines.append(Line(self._words.say("cut_answer"), "faint"))
        return lines

    def _step(self, step: Step, width: int) -> list[Line]:
        """A call that has ended: the plan as a plan, looks gathered, all others on a line."""
        if step.id in self._told:
            return []
        self._told.add(step.id)
        if isinstance(step.view, Plan):
            return [*self._flushed(width), *self._planned(step.view.todos, width)]
        if step.folds and step.state == "done":
            self._looked.append(step)
            return []
        return [*self._flushed(width), *self._ended(step, width)]

    def _ended(self, step: Step, width: int) -> list[Line]:
        denied = step.state == "denied"
        word = "step_denied" if denied else _STEP_MARKS.get(mark(step), "step_not_run")
        why = [self._phrases.outcome(step), self._phrases.decision(step)]
        if step.state == "failed" and step.text:
            why.append(visible_line(step.text.strip().partition("\n")[0]).text)
        said = self._words.say("and_then").join(part for part in why if part)
        what = small(titled(_with_lines(step), self._words))
        text = self._words.say("what_because", what=what, why=said) if said else what
        rows = wrapped(f"  {padded(self._words.say(word), 3)}  {text}", width, hang=_INDENT)
        return [Line(row, "asks" if denied else "faint" if step.state == "failed" else "plain") for row in rows]

    def _flushed(self, width: int) -> list[Line]:
        """What was looked at, as one line; nothing when that is told already."""
        lines = [Line(row, "faint") for row in wrapped(self._looked_at(), width, hang="    ")] if self._looked else []
        self._looked.clear()
        return lines

    def _looked_at(self) -> str:
        what = small(self._words.count("looked_at_things", len(self._looked)))
        seconds = sum(step.duration_ms for step in self._looked) / 1000
        named = dict.fromkeys(step.headline.target or step.headline.verb for step in self._looked)
        targets = (self._words.say("this_folder") if each == "." else visible_line(each).text for each in named)
        if seconds >= 0.05:
            what = self._words.say("what_because", what=what, why=duration(seconds, self._words))
        return f"  {self._words.say('looked_at_line', what=what, targets=', '.join(targets))}"

    def _planned(self, todos: tuple[Todo, ...], width: int) -> list[Line]:
        """The whole plan when it is new, later only the items that changed."""
        before, self._plan = self._plan, todos
        same = [todo.content for todo in before] == [todo.content for todo in todos]
        news = [todo for todo in todos if not same or todo not in before]
        done = sum(todo.status == "completed" for todo in todos)
        title = small(self._words.say("plan_count", done=done, n=len(todos)))
        items = [f"{_MARKS[todo.status]} {visible_line(todo.content).text}" for todo in news]
        hang = " " * (columns(title) + 2)
        rows = [
            part for row in joined([title, *items], "  ", width, hang=hang) for part in wrapped(row, width, hang=hang)
        ]
        return [Line(row) for row in rows] if news else []

    def _running(self, step: Step, now: float, width: int) -> Iterator[Line]:
        """A call under way: its clock, its limit, the end of what it printed."""
        shown = clock(max(0.0, now - step.started_ts)) if step.started_ts else ""
        limit = next((part.timeout_s for part in parts_of(step.asked) if isinstance(part, Command)), 0.0)
        if shown and limit:
            shown = self._words.say("of_time", clock=shown, limit=clock(limit))
        what = shortened(_BUSY + small(titled(step.headline, self._words)), width - columns(shown) - 3)
        yield Line(f"{what}   {shown}".rstrip())
        if step.tail is not None:
            for line in step.tail.text.rstrip("\n").rsplit("\n", TAIL_LINES)[-TAIL_LINES:]:
                yield Line(_INDENT + visible_line(line.expandtabs(4)).text, "faint")

    def _waits(self, view: RunView, now: float) -> Iterator[Line]:
        """Why nothing moves: another try is due, or the model has not been heard of."""
        due = max((note.until for note in view.blocks if isinstance(note, Note)), default=0.0)
        if view.state == "working" and due > now:
            yield Line(_BUSY + self._words.say("trying_again", n=round(due - now)), "asks")
        elif _silent(view, now):
            yield Line(_BUSY + self._silence(view, now), "asks")
        elif view.quiet_since is not None and not any(prose.open for prose in self._prose.values()):
            last = view.blocks[-1] if view.blocks else None
            thinks = isinstance(last, Said) and bool(last.thinking) and not last.text
            what = self._words.say("thinking") if thinks else self._words.say("waits_for_model", host=self._host(view))
            yield Line(f"{_BUSY}{what}   {clock(max(0.0, now - view.quiet_since))}", "faint")

    def _silence(self, view: RunView, now: float) -> str:
        since = view.quiet_since if view.quiet_since is not None else now
        return self._words.say("silence", host=self._host(view), n=int(now - since))

    def _host(self, view: RunView) -> str:
        host = self._words.say("this_machine") if is_this_machine(view.host) else view.host or view.model
        return visible_line(host).text

    def _changed(self, changes: tuple[Change, ...], width: int) -> list[Line]:
        """``changed   src/load.py +1 -1``, one change a line."""
        title = padded(small(self._words.say("changed")), columns(small(self._words.say("changed"))) + 3)
        lines = []
        for number, change in enumerate(changes):
            lead = title if number == 0 else " " * columns(title)
            text = f"{lead}{self._phrases.change(change).replace('−', '-')}"
            lines += [Line(row) for row in wrapped(text, width, hang=" " * (columns(title) + 2))]
        return lines


def _silent(view: RunView, now: float) -> bool:
    return view.quiet_since is not None and now - view.quiet_since >= SILENCE_S


def _with_lines(step: Step) -> Headline:
    """What the call did, with how many lines it changed."""
    headline = step.headline
    if headline.detail or not step.changes:
        return headline
    added, removed = (sum(getattr(change, side) for change in step.changes) for side in ("added", "removed"))
    return Headline(headline.verb, headline.target, f"+{added:,} -{removed:,}" if added or removed else "")
