"""What a long run did, in three lines from the log: the model's own words may say otherwise."""

from tah_jupyter.core.views import Output
from tah_jupyter.ui.phrases import Phrases, is_step, parts_of
from tah_jupyter.ui.run_view import RunView
from tah_jupyter.ui.words import Words

__all__ = ["IN_SHORT_S", "IN_SHORT_STEPS", "short_summary"]

IN_SHORT_STEPS = 30
IN_SHORT_S = 300.0
IN_SHORT_ITEMS = 10
"""Beyond so many steps or seconds an answer is preceded by the three lines (experience, section B8)."""


def short_summary(view: RunView, words: Words) -> list[str]:
    """What a long run changed, ran and could not do; empty for a short one."""
    steps = [block for block in view.blocks if is_step(block)]
    seconds = view.clock_s(view.ended_ts) if view.ended_ts is not None else 0.0
    if len(steps) <= IN_SHORT_STEPS and seconds <= IN_SHORT_S:
        return []
    phrases = Phrases(words)
    ran = [step for step in view.steps if any(isinstance(part, Output) for part in parts_of(step.view))]
    trouble = [step for step in view.steps if step.state in ("denied", "failed")]
    lines = {
        "short_changed": [phrases.change(change) for change in view.changes],
        "short_commands": [f"{phrases.headline(step.headline)} ({phrases.outcome(step)})" for step in ran],
        "short_trouble": [phrases.headline(step.headline) for step in trouble],
    }
    return [words.say(key, what=_some(what, words) or words.say("nothing")) for key, what in lines.items()]


def _some(what: list[str], words: Words) -> str:
    """The first of them, each once, and how many more there are: a line stays a line."""
    each = list(dict.fromkeys(what))
    more = [words.count("more_items", len(each) - IN_SHORT_ITEMS)] if len(each) > IN_SHORT_ITEMS else []
    return words.listed([*each[:IN_SHORT_ITEMS], *more])
