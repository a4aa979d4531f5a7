"""What the demo says. It reports what it was told by the tools, in their numbers, and never claims more."""

from collections.abc import Sequence

from tah_jupyter.models.sample.mistakes import Mistake
from tah_jupyter.models.sample.story import Story, Tests
from tah_jupyter.models.sample.unittest_output import Failure, TestReport

__all__ = [
    "NOT_FOR_ME",
    "NOT_THE_SAMPLE",
    "OPENING",
    "WAYS_ON",
    "diagnosis",
    "files",
    "goodbye",
    "opening_on_copy",
    "outcome",
    "read",
]

OPENING = "Scripted demo, no language model."

NOT_FOR_ME = (
    "It cannot answer that request: a script knows one job, to find out why the tests of its sample project fail and "
    "to fix that. Ask: *Find out why the tests fail, and fix it.*"
)

NOT_THE_SAMPLE = (
    "This folder is not the sample project, so the script leaves it alone. `%tah demo` works on a copy of it."
)

WAYS_ON = (
    "For your own requests: free on this machine: install Ollama, `ollama pull qwen3:8b`, `%tah model`"
    " · with a key: `%tah key`"
)

_MAX_SHOWN_CHARS = 60


def opening_on_copy(count: int, seed: int) -> str:
    """What is said first when the demo works on a copy that was made for it."""
    return (
        f"{OPENING} It works on a copy of a sample project in a temporary folder ({count} files), not on your files. "
        f"(`--model demo:{seed}` draws the same one again.)"
    )


def files(count: int) -> str:
    """A number of files in words."""
    return "1 file" if count == 1 else f"{count} files"


def read(texts: Sequence[str]) -> str:
    """After reading."""
    lines = sum(text.count("\n") for text in texts)
    return f"Read {files(len(texts))}, {lines:,} lines. Now the tests, to see what is wrong."


def diagnosis(before: Tests, mistake: Mistake) -> str:
    """What the tests say, and what the code shows."""
    told = _counts(before.report) if before.report is not None else f"The tests were not run: {_why_not(before)}."
    failure = _telling(before.report, mistake)
    shown = f" {failure}" if failure else ""
    return f"{told}{shown}\n\n{_cause(mistake)} The change is small:"


def outcome(story: Story) -> str:
    """The report at the end."""
    before, mistake = story.before or Tests(), story.mistake
    if before.report is not None and before.report.green:
        return f"There is nothing to fix: all {before.report.ran} tests pass. Nothing was changed."
    if mistake is None:
        return f"{_state(before)} None of the mistakes this script knows is in the files, so nothing was changed."
    if not story.edited:
        return f"**Not changed.** {_why_unchanged(story)}\n\n{_cause(mistake)} {_state(before)}"
    changed = f"{_cause(mistake)} {mistake.cure}"
    return f"{changed}\n\n{_after(before, story.after or Tests(refusal=before.refusal, problem=before.problem))}"


def goodbye(*, changed: bool) -> str:
    """The last words: what this was, and the ways on."""
    real = "the tools, approvals and changes were real" if changed else "the tools and approvals were real"
    return f"That was a script; {real}. {WAYS_ON}"


def _why_unchanged(story: Story) -> str:
    if story.edit is None or not story.can_edit:
        return "Editing is not offered here."
    if story.edit.refusal:
        return f"The edit was not made: {story.edit.refusal}."
    return f"The edit failed: {story.edit.result.partition(chr(10))[0]}"


def _after(before: Tests, after: Tests) -> str:
    if after.report is None:
        return f"Whether that was it is not known, because the tests were not run{_again(before)}: {_why_not(after)}."
    if after.report.green:
        red = len(before.report.failures) if before.report is not None else 0
        return f"Before, {red} of {after.report.ran} tests failed; now all {after.report.ran} pass."
    return f"The tests are still red, so this was not all of it. {_counts(after.report)} {_first(after.report)}".strip()


def _again(before: Tests) -> str:
    return "" if before.report is None else " again"


def _state(before: Tests) -> str:
    return _counts(before.report) if before.report is not None else f"The tests were not run: {_why_not(before)}."


def _why_not(tests: Tests) -> str:
    return (tests.refusal or tests.problem).rstrip(".")


def _cause(mistake: Mistake) -> str:
    return f"`{mistake.function}` in `{mistake.path}`, line {mistake.line}: {mistake.why}"


def _counts(report: TestReport | None) -> str:
    if report is None:
        return ""
    if not report.ran:
        return "No test was found."
    red = len(report.failures)
    return f"{red} of {report.ran} tests {'fails' if red == 1 else 'fail'}."


def _telling(report: TestReport | None, mistake: Mistake) -> str:
    """The failure that names the function at fault, else the first."""
    failures = report.failures if report is not None else ()
    named = [failure for failure in failures if mistake.function in failure.test]
    return _said(named[0]) if named else _first(report) if report is not None else ""


def _first(report: TestReport) -> str:
    return _said(report.failures[0]) if report.failures else ""


def _said(failure: Failure) -> str:
    if not failure.got:
        return f"`{failure.test}` is one of them." if failure.test else ""
    return f"`{failure.test}` got `{_short(failure.got)}` where `{_short(failure.wanted)}` was expected."


def _short(text: str) -> str:
    return text if len(text) <= _MAX_SHOWN_CHARS else f"{text[: _MAX_SHOWN_CHARS - 1]}…"
