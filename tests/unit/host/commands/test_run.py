"""How a command's end is put into words."""

import pytest

from tah_jupyter.host.commands.run import Outcome, leftovers_in_words
from tah_jupyter.host.processes.tree import Ending, Relic


@pytest.mark.parametrize(
    ("code", "timed_out", "status", "failed"),
    [
        (0, False, "exit 0 · 6.8 s", False),
        (2, False, "exit 2 · 6.8 s", True),
        (-9, False, "killed by SIGKILL · 6.8 s", True),
        (-99, False, "killed by signal 99 · 6.8 s", True),
        (None, False, "exit code not known · 6.8 s", True),
        (0, True, "timed out · 6.8 s", True),
    ],
)
def test_how_it_ended(code: int | None, timed_out: bool, status: str, failed: bool) -> None:
    outcome = Outcome(code, timed_out, 6.8, Ending())
    assert (outcome.status, outcome.failed) == (status, failed)


def test_what_became_of_the_rest() -> None:
    inside, outside = Relic(1, "a", escaped=False), Relic(2, "b", escaped=True)
    assert leftovers_in_words(Outcome(0, False, 1, Ending())) == []
    assert leftovers_in_words(Outcome(0, False, 1, Ending((inside,), (outside,)))) == [
        "These were left running in its process group and were ended: a (pid 1).",
        "Still running, outside of its process group: b (pid 2).",
    ]
    assert leftovers_in_words(Outcome(0, True, 1, Ending((inside, outside)))) == [
        "These had left its process group and were ended too: b (pid 2)."
    ]


def test_many_are_counted() -> None:
    relics = tuple(Relic(number, "w", escaped=True) for number in range(13))
    (words,) = leftovers_in_words(Outcome(0, False, 1, Ending((), relics)))
    assert words.endswith("w (pid 9) and 3 more.")
