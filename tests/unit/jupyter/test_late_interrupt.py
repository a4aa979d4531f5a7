"""An interrupt counts until the cell has ended, and is ignored from there on."""

import signal
from collections.abc import Iterator

import pytest

from tah_jupyter.jupyter.late_interrupt import ignore_after_end


@pytest.fixture(autouse=True)
def sigint() -> Iterator[None]:
    """What ipykernel does around each message."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def test_it_counts_until_the_cell_has_ended() -> None:
    end = ignore_after_end()
    with pytest.raises(KeyboardInterrupt):
        signal.raise_signal(signal.SIGINT)
    end()
    signal.raise_signal(signal.SIGINT)


def test_a_handler_of_someone_else_is_left_alone() -> None:
    heard: list[int] = []

    def theirs(number: int, _: object) -> None:
        heard.append(number)

    signal.signal(signal.SIGINT, theirs)
    ignore_after_end()()
    signal.raise_signal(signal.SIGINT)
    assert heard == [signal.SIGINT]
