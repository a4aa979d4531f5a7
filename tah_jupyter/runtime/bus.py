"""Events go out here: stamp, redact, log first, then every subscriber in order.

Only the loop thread emits (law 2). :meth:`Bus.publish` never raises: a failing subscriber is noted once and skipped, a
log that cannot be written sets :attr:`Bus.fault`, which the run looks at before its next step.
"""

import time
from collections.abc import Callable
from typing import Protocol

from msgspec.structs import replace

from tah_jupyter.core.events import DELTAS, Event, Notice

__all__ = ["Bus", "Emitter", "Recorder", "Subscriber"]

Subscriber = Callable[[Event], None]


class Recorder(Protocol):
    """Where durable events go first: redacts, appends, and returns what may be shown."""

    def record(self, event: Event, *, durable: bool) -> Event: ...


class Bus:
    """One ordered stream of records. ``recorder`` may be None: then nothing is kept or redacted (a Runtime without a
    session).
    """

    def __init__(self, recorder: Recorder | None = None, *, next_seq: int = 1) -> None:
        self.fault: Exception | None = None
        self._recorder = recorder
        self._seq = next_seq - 1
        self._raw: list[Subscriber] = []
        self._subscribers: list[Subscriber] = []
        self._broken: set[int] = set()

    def subscribe(self, subscriber: Subscriber) -> Callable[[], None]:
        """Call ``subscriber`` with each redacted record; returns a function that ends it."""
        self._subscribers.append(subscriber)
        return lambda: self._subscribers.remove(subscriber) if subscriber in self._subscribers else None

    def subscribe_unredacted(self, subscriber: Subscriber) -> None:
        """For the model's history alone: the same events before redaction, kept in memory only (law 1)."""
        self._raw.append(subscriber)

    def publish(self, event: Event, *, session: str, run: int, turn: int, parent: str) -> Event:
        """Stamp and send ``event``; returns the stamped, unredacted record."""
        self._seq += 1
        stamped = replace(
            event, seq=self._seq, ts=round(time.time(), 3), session=session, run=run, turn=turn, parent=parent
        )
        shown = stamped
        if self._recorder is not None:
            try:
                shown = self._recorder.record(stamped, durable=not isinstance(stamped, DELTAS))
            except Exception as error:  # a full disk must not break what the person is looking at
                self.fault = self.fault or error
                shown = _unrecorded(stamped, self._recorder)
        for subscriber in self._raw:
            self._call(subscriber, stamped)
        for subscriber in tuple(self._subscribers):
            self._call(subscriber, shown)
        return stamped

    def _call(self, subscriber: Subscriber, event: Event) -> None:
        try:
            subscriber(event)
        except Exception as error:
            if id(subscriber) in self._broken:
                return
            self._broken.add(id(subscriber))
            note = Notice(
                text=f"A view stopped updating: {type(error).__name__}: {error}", level="warning", code="subscriber"
            )
            self.publish(note, session=event.session, run=event.run, turn=event.turn, parent=event.parent)


def _unrecorded(event: Event, recorder: Recorder) -> Event:
    """What may be shown of an event that could not be written: still redacted, or nothing but its kind."""
    try:
        return recorder.record(event, durable=False)
    except Exception:
        return replace(
            Notice(text="A record could not be written or shown.", level="error", code="log"),
            seq=event.seq,
            ts=event.ts,
            run=event.run,
            turn=event.turn,
        )


class Emitter:
    """The bus as one run sees it: it knows where on the ladder session ⊃ run ⊃ turn the event stands."""

    __slots__ = ("bus", "parent", "run", "session", "turn")

    def __init__(self, bus: Bus, *, session: str = "", run: int = 0, turn: int = 0, parent: str = "") -> None:
        self.bus = bus
        self.session = session
        self.run = run
        self.turn = turn
        self.parent = parent

    def emit(self, event: Event) -> Event:
        """Publish ``event``; returns it with its stamp."""
        return self.bus.publish(event, session=self.session, run=self.run, turn=self.turn, parent=self.parent)
