"""A run in a terminal: each thing is told once, in the order of the run, and what changes stands below."""

from collections.abc import Iterator

from msgspec.structs import replace

from tah_jupyter.core.calls import Headline
from tah_jupyter.core.events import (
    CallSealed,
    Event,
    MessageFinished,
    MessageStarted,
    ModelChanged,
    Notice,
    RunEnded,
    RunStarted,
    TextDelta,
    ThinkingDelta,
    ToolFailed,
    ToolFinished,
    ToolStarted,
)
from tah_jupyter.ui.terminal import SILENCE_S, Scroll
from tah_jupyter.ui.terminal_text import Line, columns
from tah_jupyter.ui.transcript import Transcript
from tah_jupyter.ui.words import Words
from tests.support import runs

START = RunStarted(prompt="x", model="claude", host="api.anthropic.com")


class Watched:
    """A run as a person follows it: one look after each record."""

    def __init__(self, *, language: str = "en", width: int = 79, rewrites: bool = True) -> None:
        self.transcript = Transcript()
        self.scroll = Scroll(Words(language), rewrites=rewrites)
        self.width = width
        self.lines: list[Line] = []
        self.live: list[Line] = []

    def see(self, events: Iterator[Event] | list[Event]) -> "Watched":
        for record in runs.stamped(iter(events), start=1_000.0 + len(self.lines)):
            self.transcript.apply(replace(record, seq=len(self.transcript.runs) * 1000 + record.seq))
            self.look(record.ts)
        return self

    def look(self, now: float) -> None:
        view = self.transcript.run(runs.RUN)
        self.lines += self.scroll.news(view, now=now, width=self.width)
        self.live = self.scroll.live(view, now=now, width=self.width)
        assert all(columns(line.text) <= self.width for line in self.live)

    def ending(self) -> list[str]:
        return [line.text for line in self.scroll.ending(self.transcript.run(runs.RUN), self.width)]

    @property
    def text(self) -> list[str]:
        return [line.text for line in self.lines]

    @property
    def living(self) -> str:
        return "\n".join(line.text for line in self.live)


def test_the_beginning_of_the_reference_screen() -> None:
    watched = Watched().see(runs.streaming())
    assert watched.text[:6] == [
        "tah · run 4 · claude-sonnet -> api.anthropic.com · Ctrl-C stops",
        "plan 0/4  [>] Look at data and loader  [ ] Find the cause  [ ] Fix it",
        "          [ ] Run the tests",
        '  looked at 4 things (0.6 s): src/load.py, tests/test_load.py, "to_datetime",',
        "    df",
        "March is low because 12 rows written day/month, such as `03/04/2026`, are read",
    ]
    assert watched.living == "The fix is one"


def test_a_running_command_shows_its_clock_its_limit_and_its_last_lines() -> None:
    watched = Watched().see(runs.running())
    assert "  ok   edit src/load.py +1 -1 (allowed once by you)" in watched.text
    assert watched.living.split("\n")[0].startswith("  ...  run pytest -q in ~/churn   0:")
    assert watched.living.split("\n")[0].endswith("of 0:30")
    assert watched.living.split("\n")[-1] == "       tests/test_totals.py ...."
    assert "......" not in "\n".join(watched.text), "output that goes by is no part of the log"


def test_the_end_says_what_changed() -> None:
    watched = Watched().see(runs.finished())
    assert watched.text[-3:] == [
        "March was low because 12 rows written day/month were read as month/day.",
        "`read()` now passes `dayfirst=True`: March rises from 31,204 to 38,911, the",
        "year's total is unchanged. 14 tests pass.",
    ]
    assert watched.live == []
    assert [line.partition(" steps")[0] for line in watched.ending()] == [
        "done · run 4 · 1 file changed · 7",
        "changed   src/load.py +1 -1",
    ]


def test_each_thing_is_told_once_whatever_looks_there_were() -> None:
    often, once = Watched().see(runs.finished()), Watched()
    for record in runs.stamped(runs.finished()):
        once.transcript.apply(record)
    once.look(2_000.0)
    assert often.text == once.text


def test_calls_are_told_in_their_order_not_in_that_of_their_ends() -> None:
    done = [ToolFinished(call=call, tool="t", text="") for call in ("c2", "c1")]
    started = [ToolStarted(call=call, tool="t", headline=Headline("Edit", call)) for call in ("c1", "c2")]
    watched = Watched().see([START, *started, *done[:1]])
    assert not any("edit c" in line for line in watched.text)
    assert Watched().see([START, *started, *done]).text[1:] == ["  ok   edit c1", "  ok   edit c2"]


def test_looks_with_no_word_between_them_are_one_line() -> None:
    def looks(call: str) -> Iterator[Event]:
        yield MessageStarted(message=f"m-{call}")
        yield MessageFinished(message=f"m-{call}", finish="calls")
        yield ToolStarted(call=call, tool="t", headline=Headline("Read", f"{call}.py"), folds=True)
        yield ToolFinished(call=call, tool="t", text="")

    watched = Watched().see([START, *looks("a"), *looks("b")])
    assert watched.living == "  looked at 2 things: a.py, b.py"
    watched.see([MessageStarted(message="m"), TextDelta(message="m", text="So ")])
    assert watched.text[1:] == ["  looked at 2 things: a.py, b.py"]


def test_a_call_that_failed_says_why_on_its_line() -> None:
    events: list[Event] = [START, CallSealed(call="c", message="m", tool="read", args={"path": "a.py"})]
    watched = Watched().see(
        [*events, ToolFailed(call="c", tool="read", error="Missing", text="There is no a.py.\nmore")]
    )
    assert watched.text[1:] == ["  err  read a.py (There is no a.py.)"]


def test_silence_is_told_in_its_place_and_in_a_log_once() -> None:
    waiting = [START, MessageStarted(message="m")]
    since = runs.stamped(iter(waiting))[-1].ts
    terminal, log = Watched().see(waiting), Watched(rewrites=False).see(waiting)
    for seconds in (5, SILENCE_S, SILENCE_S + 3):
        terminal.look(since + seconds)
        log.look(since + seconds)
    assert terminal.living == "  ...  No answer from api.anthropic.com for 23 s; still waiting"
    assert len(terminal.text) == 1
    assert log.text[1:] == ["No answer from api.anthropic.com for 20 s; still waiting"]


def test_what_the_model_does_meanwhile_has_a_clock() -> None:
    waiting: list[Event] = [START, MessageStarted(message="m")]
    watched = Watched().see(waiting)
    since = runs.stamped(iter(waiting))[-1].ts
    watched.look(since + 7)
    assert watched.living == "  ...  waiting for api.anthropic.com   0:07"
    watched.see([ThinkingDelta(message="m", text="hmm")])
    assert watched.living.startswith("  ...  thinking   0:0")


def test_notices_are_told_as_they_happen_and_count_down() -> None:
    waiting: list[Event] = [START, MessageStarted(message="m")]
    watched = Watched().see(waiting)
    ts = 1_000.0
    watched.see([Notice(text="Rate limited", level="warning", code="retry", until=ts + 13.4)])
    watched.look(ts + 1.4)
    assert watched.text[1:] == ["  Notice: Rate limited"]
    assert watched.living == "  ...  trying again in 12 s"
    watched.look(ts + 14)
    assert "trying again" not in watched.living


def test_another_model_is_named_with_its_reason() -> None:
    watched = Watched().see(
        [START, ModelChanged(model="qwen3", host="localhost:11434", because="claude is overloaded")]
    )
    assert watched.text[1:] == ["  qwen3 -> this machine answers from now on: claude is overloaded"]


def test_what_was_said_before_an_interrupt_stays() -> None:
    end = RunEnded(reason="interrupted")
    said = [MessageStarted(message="m"), TextDelta(message="m", text="thinking about")]
    cut = MessageFinished(message="m", text="thinking about", finish="interrupted")
    watched = Watched().see([START, *said, cut, end])
    assert watched.text[1:] == ["thinking about", "The answer was cut off here."]
    assert watched.ending()[0].startswith("stopped by you · run 4")


def test_a_window_made_narrower_wraps_what_comes_from_then_on() -> None:
    watched = Watched().see([START, MessageStarted(message="m"), TextDelta(message="m", text="word " * 20)])
    watched.width = 20
    watched.see([TextDelta(message="m", text="word " * 20)])
    assert max(map(columns, watched.text[2:])) <= 20


def test_chinese_and_narrow() -> None:
    watched = Watched(language="zh", width=39).see(runs.finished())
    assert "  完成  编辑 src/load.py +1 -1（由你允" in watched.text
    assert all(columns(line) <= 39 for line in [*watched.text, *watched.ending()])
