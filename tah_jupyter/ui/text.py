"""The record as plain text and as Markdown, and the card for who answers with keys."""

from collections.abc import Iterator

from tah_jupyter.core.calls import Change
from tah_jupyter.core.views import Plan, Text
from tah_jupyter.ui import markdown
from tah_jupyter.ui.markdown_text import code_span, escape, to_markdown
from tah_jupyter.ui.paint import MARKS, Painter
from tah_jupyter.ui.phrases import Phrases, is_step
from tah_jupyter.ui.plain_text import to_plain
from tah_jupyter.ui.run_view import Block, Note, RunView, Said, Step
from tah_jupyter.ui.summary import short_summary
from tah_jupyter.ui.visible import visible_line
from tah_jupyter.ui.words import Words

__all__ = ["MAX_LINES", "markdown_record", "plain_record"]

MAX_LINES = 40
"""Lines of a plain record in a saved notebook."""

PROSE_CHARS = 200
"""Characters of a note between steps that a list of steps shows."""

READ_CHARS = 4_000
"""Characters of such a note that are read for it."""


def plain_record(view: RunView, words: Words, *, max_lines: int | None = MAX_LINES, about: str = "") -> str:
    """The record without marks, at most ``max_lines`` lines; what is left out is counted. None shows all of it.
    ``about`` is a line below the first.
    """
    phrases = Phrases(words)
    before = [phrases.header(view), *([about] if about else []), *_before_steps(view, words, phrases)]
    steps = list(_steps(view, phrases))
    after = [line for line in (phrases.sent(view), phrases.footer(view)) if line]
    room = None if max_lines is None else max_lines - len(after)
    if room is not None and len(before) > room:
        kept = before[: room - 1]
        before, steps = [*kept, words.count("lines_more", len(before) - len(kept), run=view.run)], []
    elif room is not None and steps and len(before) + 1 + len(steps) > room:
        kept = steps[: max(0, room - len(before) - 2)]
        steps = [*kept, words.count("steps_more", len(steps) - len(kept), run=view.run)]
    title = [f"{words.say('steps')}"] if steps else []
    return "\n".join([*before, *title, *steps, *after])


def _before_steps(view: RunView, words: Words, phrases: Phrases) -> Iterator[str]:
    if aftermath := phrases.aftermath(view):
        yield aftermath
    if view.detail:
        yield f"{phrases.raw_answer(view)}  {_short(view.detail)}"
    if summary := short_summary(view, words):
        yield words.say("in_short")
        yield from (f"  {line}" for line in summary)
    if view.answer_text:
        yield from to_plain(markdown.render(view.answer_text))
    for change in view.changes:
        told = " · ".join([phrases.change(change), *phrases.decisions(view, change)])
        yield f"{words.say('changed')}  {told}"
    yield from phrases.asked(view)
    if view.todos:
        items = ", ".join(f"{MARKS[todo.status]} {visible_line(todo.content).text}" for todo in view.todos)
        yield f"{phrases.plan(view)}  {items}"


def _steps(view: RunView, phrases: Phrases) -> Iterator[str]:
    number = 0
    for block in view.blocks:
        if block.id == view.answer or not (line := _step_line(block, phrases)):
            continue
        number += 1
        yield f"  {number}. {line}"


def _step_line(block: Block, phrases: Phrases) -> str:
    """A block on one line; empty for what the plan line says already."""
    match block:
        case Said():
            return _short(" ".join(to_plain(markdown.render(block.text[:READ_CHARS]))))
        case Note():
            return phrases.note(block, text=_short(block.text))
        case Step():
            return "" if isinstance(block.view, Plan) else phrases.step(block)


def _short(text: str) -> str:
    """The start of some prose on one line; the HTML of the record has all of it."""
    line = visible_line(" ".join(text.split())).text
    return line if len(line) <= PROSE_CHARS else f"{line[:PROSE_CHARS].rstrip()}…"


def markdown_record(view: RunView, words: Words, *, about: str = "") -> str:
    """The record for GitHub, nbconvert and whoever reads Markdown. ``about`` is a line below the first."""
    phrases = Phrases(words)
    shaped = view.state != "done"  # the heading of a document; a run that is not well still stands out
    first, second, *rest = (escape(part) for part in phrases.header_parts(view, shaped=shaped))
    parts = [" · ".join([f"**{first} · {second}**", *rest]), escape(about), escape(phrases.aftermath(view))]
    if view.detail:
        raw = to_markdown(Painter(words, live=False, run=view.run).paint(Text(view.detail)))
        parts.append(_folded(escape(phrases.raw_answer(view)), raw))
    if summary := short_summary(view, words):
        parts += [f"**{words.say('in_short')}**", "\n".join(f"- {escape(line)}" for line in summary)]
    parts.append(to_markdown(markdown.render(view.answer_text)))
    if view.changes:
        parts.append(f"**{words.say('changed')}**")
        parts.append("\n".join(_markdown_change(view, change, phrases) for change in view.changes))
    parts += [escape(line) for line in phrases.asked(view)]
    if view.todos:
        todos = (f"- {MARKS[todo.status]} {escape(visible_line(todo.content).text)}" for todo in view.todos)
        parts.append("\n".join([f"{phrases.plan(view)}", "", *todos]))
    lines = [line for block in view.blocks if block.id != view.answer and (line := _markdown_step(block, phrases))]
    if lines:
        count = sum(is_step(block) for block in view.blocks if block.id != view.answer)
        listed = "\n".join(f"{number}. {line}" for number, line in enumerate(lines, 1))
        parts.append(_folded(f"{words.say('steps')} ({count})", listed))
    parts += [escape(phrases.sent(view)), escape(phrases.footer(view))]
    return "\n\n".join(part for part in parts if part)


def _folded(title: str, content: str) -> str:
    """The blank lines let Markdown go on inside the element."""
    return f"<details><summary>{title}</summary>\n\n{content}\n\n</details>"


def _markdown_change(view: RunView, change: Change, phrases: Phrases) -> str:
    target = visible_line(change.target).text
    about = escape(phrases.change(change).removeprefix(target).strip())
    named = " ".join(part for part in (code_span(target), about) if part)
    return "- " + phrases.words.listed([named, *(escape(decision) for decision in phrases.decisions(view, change))])


def _markdown_step(block: Block, phrases: Phrases) -> str:
    if not isinstance(block, Step) or isinstance(block.view, Plan):
        return escape(_step_line(block, phrases))
    verb, target = phrases.told(block.headline.verb), visible_line(block.headline.target).text
    failed = [phrases.words.say("call_failed")] if block.state == "failed" else []
    rest = [phrases.told(block.headline.detail), phrases.outcome(block), *failed, phrases.decision(block)]
    named = " ".join(part for part in (escape(verb), code_span(target)) if part)
    return phrases.words.listed([named, *(escape(part) for part in rest if part)])
