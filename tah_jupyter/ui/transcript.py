"""The fold: records in, the picture of each run out. What a person sees is this and nothing else (law 1).

:meth:`Transcript.apply` runs on the loop thread for every event, so it is cheap: text is joined only when somebody
looks, and an untouched block keeps its frozen snapshot. Deltas change a block only while it is open; the durable record
that ends it says everything again, so replaying a log gives the picture that was live.
"""

import threading
from collections.abc import Iterable

from tah_jupyter.core.events import Event, Notice, RunStarted
from tah_jupyter.ui.run_fold import HEADER, PLAN, RunFold
from tah_jupyter.ui.run_view import RunView

__all__ = ["HEADER", "PLAN", "Transcript"]


class Transcript:
    """Every run of a session. :meth:`apply` belongs to one thread; :meth:`run` may be called from any.

    >>> transcript = Transcript.of([RunStarted(run=1, prompt="hello"), RunEnded(run=1, reason="end_turn")])
    >>> transcript.run(1).state, transcript.run(1).prompt
    ('done', 'hello')
    """

    def __init__(self) -> None:
        self._runs: dict[int, RunFold] = {}
        self._opening: list[Notice] = []
        self._told: set[str] = set()
        self._lock = threading.Lock()

    @classmethod
    def of(cls, records: Iterable[Event]) -> "Transcript":
        """The fold of ``records``, in their order."""
        transcript = cls()
        for record in records:
            transcript.apply(record)
        return transcript

    def apply(self, record: Event) -> frozenset[str]:
        """Take in one record; returns the ids of what it changed in run ``record.run``: calls, messages, approvals,
        :data:`HEADER` and :data:`PLAN`.
        """
        with self._lock:
            if isinstance(record, Notice) and record.code == "opening":
                self._opening.append(record)
                return frozenset()
            run = self._runs.get(record.run)
            if run is None:
                run = self._runs[record.run] = RunFold(record.run)
            touched = run.apply(record)
            return touched | self._told_first(run) if isinstance(record, RunStarted) else touched

    def _told_first(self, run: RunFold) -> frozenset[str]:
        """What was said while the session opened belongs to no run: the next one tells it, each text once."""
        touched: frozenset[str] = frozenset()
        for notice in self._opening:
            if notice.text not in self._told:
                self._told.add(notice.text)
                touched |= run.apply(notice)
        self._opening.clear()
        return touched

    @property
    def runs(self) -> tuple[int, ...]:
        """The numbers of the runs known, in order of their first record; what belongs to no run is not among them."""
        with self._lock:
            return tuple(number for number in self._runs if number)

    def run(self, number: int) -> RunView:
        """The picture of one run now. Raises KeyError when there is no record of it."""
        with self._lock:
            return self._runs[number].view()
