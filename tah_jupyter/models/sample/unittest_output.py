"""What a run of ``python -m unittest`` says, read from the text that people see."""

import re
from typing import NamedTuple

__all__ = ["Failure", "TestReport", "read_report"]

_RAN = re.compile(r"^Ran (\d+) tests? in ", re.MULTILINE)
_VERDICT = re.compile(r"^(OK|FAILED|NO TESTS RAN)\b(?: \((.*)\))?$", re.MULTILINE)
_HEAD = re.compile(r"^(?:FAIL|ERROR): (\w+)", re.MULTILINE)
_DIFFERS = re.compile(r"^AssertionError: (?:\w+ differ: )?(.+) != (.+?)(?: within .*| : .*)?$", re.MULTILINE)


class Failure(NamedTuple):
    """A test that failed; ``got`` and ``wanted`` are as its message shows them, empty when it shows none."""

    test: str
    got: str = ""
    wanted: str = ""


class TestReport(NamedTuple):
    """How many tests ran, and those that failed. ``complete`` is false when the run did not get to its verdict."""

    ran: int
    failures: tuple[Failure, ...]
    complete: bool

    @property
    def green(self) -> bool:
        """Whether tests ran and all of them passed."""
        return self.complete and self.ran > 0 and not self.failures


def read_report(output: str) -> TestReport:
    """The report in ``output``.

    >>> read_report("FAIL: test_a (t.T)\\nAssertionError: 1 != 2\\nRan 3 tests in 0.01s\\n\\nFAILED (failures=1)")
    TestReport(ran=3, failures=(Failure(test='test_a', got='1', wanted='2'),), complete=True)
    """
    heads = list(_HEAD.finditer(output))
    ends = [*(head.start() for head in heads), len(output)][1:]
    failures = tuple(_failure(head[1], output[head.end() : end]) for head, end in zip(heads, ends, strict=True))
    ran, verdict = _RAN.search(output), _VERDICT.search(output)
    consistent = verdict is not None and (verdict[1] == "FAILED") == bool(failures)
    return TestReport(int(ran[1]) if ran else 0, failures, ran is not None and consistent)


def _failure(test: str, text: str) -> Failure:
    differs = _DIFFERS.search(text)
    return Failure(test, differs[1], differs[2]) if differs else Failure(test)
