"""What has happened in one run of the demo, worked out from the calls that were made: tests, mistake, edit, tests."""

from collections.abc import Sequence
from typing import NamedTuple

from tah_jupyter.models.sample.memory import Called, Memory
from tah_jupyter.models.sample.mistakes import Mistake, find_mistakes
from tah_jupyter.models.sample.unittest_output import TestReport, read_report

__all__ = ["Story", "Tests", "python_name", "tell"]

_PYTHONS = ("python3", "python")
"""By which names Python is looked for, in order: a virtual environment has both, Debian only the first."""

_NO_PROGRAM = "There is no program"


class Tests(NamedTuple):
    """An attempt to run the tests: a ``report``, or who or what kept it from being one."""

    report: TestReport | None = None
    refusal: str = ""
    problem: str = ""


class Story(NamedTuple):
    """``before`` and ``after`` are the tests before and after the ``edit``, None while they have not been tried.

    ``mistake`` is what the script would mend: None when tests pass or nothing it knows is in the files.
    """

    before: Tests | None
    edit: Called | None
    after: Tests | None
    mistake: Mistake | None
    can_edit: bool

    @property
    def edited(self) -> bool:
        """Whether the file was changed."""
        return self.edit is not None and self.edit.result.startswith("Edited ")

    @property
    def progress(self) -> tuple[int, ...]:
        """Which items of the plan are done: look, test, mend, test again."""
        tested, again = (tests is not None and tests.report is not None for tests in (self.before, self.after))
        return tuple(number for number, done in enumerate((True, tested, self.edited, again)) if done)


def tell(memory: Memory) -> Story:
    """The story so far."""
    edit = next(iter(memory.of("edit_file")), None)
    cut = memory.calls.index(edit) if edit is not None else len(memory.calls)
    before, after = (_tests(_attempts(part), memory) for part in (memory.calls[:cut], memory.calls[cut:]))
    green = before is not None and before.report is not None and before.report.green
    mistakes = [] if green else find_mistakes(memory.files, hints="\n".join(call.result for call in memory.calls[:cut]))
    return Story(before, edit, after, next(iter(mistakes), None), "edit_file" in memory.tools)


def python_name(memory: Memory) -> str:
    """The first name of Python that was not yet answered with "no such program"."""
    missing = [call.args["command"][0] for call in _attempts(memory.calls) if call.result.startswith(_NO_PROGRAM)]
    return next((name for name in _PYTHONS if name not in missing), _PYTHONS[-1])


def _attempts(calls: Sequence[Called]) -> list[Called]:
    return [call for call in calls if call.tool == "execute_command"]


def _tests(attempts: list[Called], memory: Memory) -> Tests | None:
    if "execute_command" not in memory.tools:
        return Tests(refusal="commands are not offered here")
    if not attempts:
        return None
    last = attempts[-1]
    if last.refusal:
        return Tests(refusal=last.refusal)
    if not last.result.startswith("["):  # no status line: it never ran
        untried = last.result.startswith(_NO_PROGRAM) and len(attempts) < len(_PYTHONS)
        return None if untried else Tests(problem=last.result.partition("\n")[0])
    report = read_report(last.result)
    if not report.complete:
        return Tests(problem=f"they came to no verdict ({last.result[1:].partition(']')[0]})")
    return Tests(report)
