"""Counts that go on over runs and restarts: a fold over the records, like the history and the transcript."""

from collections.abc import Iterable

from tah_jupyter.core.calls import Todo
from tah_jupyter.core.events import CallSealed, Event, MessageStarted, RunStarted, TodosUpdated

__all__ = ["Tally"]


class Tally:
    """How many runs there were, the highest number of a call or message, and the plan as it stands."""

    def __init__(self) -> None:
        self.runs = 0
        self.ids = 0
        self.todos: tuple[Todo, ...] = ()

    @classmethod
    def of(cls, records: Iterable[Event]) -> "Tally":
        """The counts after ``records``."""
        tally = cls()
        for record in records:
            tally.apply(record)
        return tally

    def apply(self, event: Event) -> None:
        """Take one record in."""
        if isinstance(event, RunStarted):
            self.runs = max(self.runs, event.run)
        elif isinstance(event, CallSealed):
            self.ids = max(self.ids, _number(event.call))
        elif isinstance(event, MessageStarted):
            self.ids = max(self.ids, _number(event.message))
        elif isinstance(event, TodosUpdated):
            self.todos = event.todos

    def next_id(self) -> int:
        """A number that no call or message of the session has had."""
        self.ids += 1
        return self.ids


def _number(id: str) -> int:
    digits = id[1:]
    return int(digits) if digits.isdigit() else 0
