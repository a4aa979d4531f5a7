"""The bus: one order, log first, nothing shown that was not redacted, and never an exception for the emitter."""

from collections.abc import Callable

import pytest
from msgspec.structs import replace

from tah_jupyter.core.events import Event, Notice, RunStarted, TextDelta
from tah_jupyter.runtime.bus import Bus, Emitter


class Keeper:
    """A recorder that keeps what is durable, masks "secret", and fails when told to."""

    def __init__(self) -> None:
        self.kept: list[Event] = []
        self.error: Callable[[bool], Exception | None] = lambda durable: None

    def record(self, event: Event, *, durable: bool) -> Event:
        if error := self.error(durable):
            raise error
        shown = replace(event, text=event.text.replace("secret", "⟨KEY⟩")) if hasattr(event, "text") else event
        if durable:
            self.kept.append(shown)
        return shown


@pytest.fixture
def keeper() -> Keeper:
    return Keeper()


@pytest.fixture
def shown() -> list[Event]:
    return []


@pytest.fixture
def bus(keeper: Keeper, shown: list[Event]) -> Bus:
    bus = Bus(keeper)
    bus.subscribe(shown.append)
    return bus


def test_each_event_gets_the_next_number_and_its_place_on_the_ladder(bus: Bus, shown: list[Event]) -> None:
    emitter = Emitter(bus, session="s", run=2, turn=3, parent="c1")
    first, second = emitter.emit(Notice(text="a")), emitter.emit(Notice(text="b"))
    assert [(e.seq, e.session, e.run, e.turn, e.parent) for e in shown] == [(1, "s", 2, 3, "c1"), (2, "s", 2, 3, "c1")]
    assert (first, second) == tuple(shown)
    assert 0 < first.ts <= second.ts


def test_numbers_go_on_where_a_resumed_log_ended() -> None:
    assert Emitter(Bus(next_seq=41)).emit(Notice(text="x")).seq == 41


def test_deltas_are_shown_and_not_logged(bus: Bus, keeper: Keeper, shown: list[Event]) -> None:
    Emitter(bus).emit(TextDelta(message="m", text="hello"))
    Emitter(bus).emit(RunStarted(prompt="p"))
    assert [type(event) for event in shown] == [TextDelta, RunStarted]
    assert [type(event) for event in keeper.kept] == [RunStarted]


def test_only_the_models_history_sees_what_was_redacted(bus: Bus, keeper: Keeper, shown: list[Event]) -> None:
    raw: list[Event] = []
    bus.subscribe_unredacted(raw.append)
    Emitter(bus).emit(Notice(text="a secret"))
    assert [event.text for event in (*shown, *keeper.kept)] == ["a ⟨KEY⟩", "a ⟨KEY⟩"]
    assert raw[0].text == "a secret"


def test_a_log_that_fails_sets_a_fault_and_the_show_goes_on_redacted(
    bus: Bus, keeper: Keeper, shown: list[Event]
) -> None:
    first = OSError(28, "disk full")
    keeper.error = lambda durable: first if durable else None
    Emitter(bus).emit(Notice(text="a secret"))
    keeper.error = lambda durable: OSError(5, "later") if durable else None
    Emitter(bus).emit(Notice(text="b"))
    assert bus.fault is first
    assert [event.text for event in shown] == ["a ⟨KEY⟩", "b"]


def test_what_cannot_even_be_redacted_is_not_shown(bus: Bus, keeper: Keeper, shown: list[Event]) -> None:
    keeper.error = lambda durable: RuntimeError("broken")
    Emitter(bus, run=7).emit(Notice(text="a secret"))
    assert "secret" not in repr(shown)
    assert (shown[0].seq, shown[0].run, shown[0].level) == (1, 7, "error")


def test_a_failing_view_is_told_once_and_skipped(bus: Bus, shown: list[Event]) -> None:
    def broken(event: Event) -> None:
        raise ValueError("no such block")

    later: list[Event] = []
    bus.subscribe(broken)
    bus.subscribe(later.append)
    Emitter(bus).emit(Notice(text="a"))
    Emitter(bus).emit(Notice(text="b"))
    texts = [event.text for event in shown]
    assert texts == ["a", "A view stopped updating: ValueError: no such block", "b"]
    assert sorted(event.seq for event in later) == [1, 2, 3]


def test_a_view_can_leave_more_than_once_and_even_while_it_is_called(bus: Bus, shown: list[Event]) -> None:
    seen: list[Event] = []

    def once(event: Event) -> None:
        seen.append(event)
        leave()
        leave()

    leave = bus.subscribe(once)
    Emitter(bus).emit(Notice(text="a"))
    Emitter(bus).emit(Notice(text="b"))
    assert [event.text for event in seen] == ["a"]
    assert [event.text for event in shown] == ["a", "b"]


def test_without_a_recorder_events_pass_as_they_are() -> None:
    seen: list[Event] = []
    bus = Bus()
    bus.subscribe(seen.append)
    Emitter(bus).emit(Notice(text="a secret"))
    assert seen[0].text == "a secret"
    assert bus.fault is None
