"""Law 3 over random runs.

Whatever the model answers, whoever denies, whatever breaks, at whatever moment it is stopped: brackets close, each call
has one result in order, the next request is valid, and a replay gives what was live.
"""

import asyncio
import os
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import anyio
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tah_jupyter import Allow, Deny, ScriptedModel, Session, Stop, Tool, ToolContext, ToolError, ToolInput, ToolResult
from tah_jupyter.agent.history import History
from tah_jupyter.core.approvals import Answer, ApprovalRequest, Grant, PathSubject, Preview, Subject
from tah_jupyter.core.commands import AddNote, EndCall, Release, SendNote, WithdrawNote
from tah_jupyter.core.errors import ModelError
from tah_jupyter.core.events import (
    DELTAS,
    Event,
    MessageFinished,
    RunEnded,
    ToolFailed,
    ToolFinished,
    ToolStarted,
    decode,
    encode,
)
from tah_jupyter.core.messages import AssistantMessage, ToolMessage
from tah_jupyter.core.ports import Model
from tah_jupyter.core.questions import Choice, Question, Reply
from tah_jupyter.core.views import Text
from tah_jupyter.models.scripted import calls, calls_raw, cuts, ends, fails, says, thinks
from tah_jupyter.ui.transcript import Transcript
from tests.support.brackets import check_brackets
from tests.support.in_memory import session_of

EXAMPLES = int(os.environ.get("PROPERTY_EXAMPLES", "2000"))
KINDS = ("look", "change", "atomic", "crash", "refuse", "run", "fail", "swap")
STEPS = 4  # await points inside a tool


class Input(ToolInput):
    """What every tool of this test takes."""

    x: int = 0


class Outcome:
    """A result that may report failure, as a command does."""

    def __init__(self, failed: bool) -> None:
        self.failed = failed


class Kind(Tool[Input, Outcome]):
    """A tool of one kind: it reads, changes, changes in one step, crashes, refuses, runs, fails, or its world moves."""

    input_model = Input

    def __init__(self, kind: str) -> None:
        self.name = kind  # type: ignore[misc]
        self.kind = kind
        self.interrupt_behavior = "block" if kind == "atomic" else "cancel"
        self.stops_siblings = kind in ("run", "fail")
        self.previews = 0

    def description(self) -> str:
        return f"Does {self.kind}."

    def is_read_only(self, input: Input) -> bool:
        return self.kind in ("look", "crash")

    def is_concurrency_safe(self, input: Input) -> bool:
        return self.kind in ("look", "crash")

    def subject(self, input: Input, ctx: ToolContext) -> Subject | None:
        return PathSubject("edit", f"src/{input.x}") if self.kind in ("change", "atomic") else None

    def grant(self, input: Input, ctx: ToolContext) -> Grant | None:
        return Grant("edits in src/", PathSubject("edit", "src")) if self.kind in ("change", "atomic") else None

    async def preview(self, input: Input, ctx: ToolContext) -> Preview:
        await anyio.lowlevel.checkpoint()
        self.previews += 1
        changing = self.kind == "swap" and (input.x == 0 or self.previews % 3)
        return Preview(Text(f"x={input.x}"), fingerprint=str(self.previews if changing else 0))

    async def execute(self, input: Input, ctx: ToolContext) -> ToolResult[Outcome]:
        for step in range(STEPS):
            await anyio.lowlevel.checkpoint()
            ctx.progress(f"step {step}\n")
        if self.kind == "crash":
            raise RuntimeError("broke")
        if self.kind == "refuse":
            raise ToolError("cannot", code="Cannot")
        note = ("also this",) if input.x == 3 else ()
        return ToolResult(Outcome(self.kind == "fail"), f"{self.kind} {input.x}", new_messages=note)


call = st.builds(lambda kind, x: calls(kind, x=x), st.sampled_from(KINDS), st.integers(0, 4))
bad_call = st.sampled_from(
    [
        calls("nowhere"),
        calls("look", y=1),
        calls_raw("look", '{"x": '),
        calls_raw("change", "[1]"),
        calls_raw("look", ""),
    ]
)
text = st.sampled_from([says("some words "), thinks("hm ")])
ending = st.sampled_from(
    [
        [],
        [],
        [],
        [],
        [ends("length")],
        [calls_raw("change", '{"x": 1', truncated=True), ends("length")],
        [cuts()],
        [calls_raw("look", '{"x"', truncated=True), cuts()],
        [fails("server")],
        [fails("bad_request")],
        [ends("filter")],
    ]
)
answer = st.builds(
    lambda parts, end: [*parts, *end], st.lists(st.one_of(call, call, call, bad_call, text), max_size=5), ending
)
approvals = st.lists(
    st.sampled_from([Allow(), Allow("run"), Deny(), Deny("use another"), Deny("enough", stop=True), None]),
    min_size=1,
    max_size=6,
)


@dataclass
class Scenario:
    """One random run: what the model answers, what the person says, and when and how somebody stops it."""

    script: list[list[Any]]
    answers: list[Answer | None]
    stop_after: int  # loop iterations; large numbers mean never
    by_command: bool
    max_turns: int
    meanwhile: list[tuple[int, str]]  # loop iterations, and what the person does then
    decisions: list[str]  # what they decide when the model fails or the limit is reached


meanwhile = st.lists(
    st.tuples(st.integers(0, 120), st.sampled_from(["note", "send", "withdraw", "end", "release"])), max_size=4
)
decisions = st.lists(st.sampled_from(["again", "other", "bad", "end", "on", "finish", "stop"]), min_size=1, max_size=4)


class Decider:
    """A person who is asked inside the run and answers as the scenario says, until they have had enough."""

    def __init__(self, decisions: list[str], session: Callable[[], Session]) -> None:
        self._decisions = iter([*decisions, *(["end"] * 50)])
        self._session = session
        self._asked = 0

    async def answer(self, question: Question) -> Reply | None:
        await anyio.lowlevel.checkpoint()
        choice = next(self._decisions)
        return Reply(choice) if question.offers(choice) else None

    async def _ask(self, *keys: str) -> str:
        self._asked += 1
        choices = tuple(Choice(key, key) for key in keys)
        reply = await self._session().ask(Question(f"q{self._asked}", "What now?", choices))
        return reply.key if reply is not None else ""

    async def rescue(self, error: ModelError) -> str | None:
        return {"again": "", "other": "other", "bad": "bad"}.get(await self._ask("again", "other", "bad", "end"))

    async def go_on(self, turns: int) -> Any:
        return await self._ask("on", "finish", "stop") or None


scenarios = st.builds(
    Scenario,
    st.lists(answer, min_size=1, max_size=5),
    approvals,
    st.integers(0, 160),
    st.booleans(),
    st.integers(1, 8),
    meanwhile,
    decisions,
)


def after_iterations(count: int, act: Callable[[], object]) -> None:
    """Call ``act`` after ``count`` iterations of the running loop: every await point is some number of them away."""
    loop = asyncio.get_running_loop()

    def tick(left: int) -> None:
        if left:
            loop.call_soon(tick, left - 1)
        else:
            act()

    loop.call_soon(tick, count)


def meddle(session: Session, number: int, what: str) -> None:
    """Do what a person may do while the first run works; what comes too late counts for nothing."""
    started = [record.call for record in session.records if isinstance(record, ToolStarted)]
    session.send(
        {
            "note": AddNote(f"n{number}", "and this", run=1),
            "send": SendNote(f"n{number - 1}"),
            "withdraw": WithdrawNote(f"n{number - 1}"),
            "end": EndCall(started[-1] if started else "none"),
            "release": Release(1),
        }[what]
    )


async def play(scenario: Scenario) -> tuple[Session, list[Event], Transcript, bool]:
    """Run a scenario, then one more prompt; also returns the live picture, and whether the second run ended well."""
    model = ScriptedModel([*scenario.script, *([says("more")] * 12)], chunk_chars=5)
    said = iter(scenario.answers * 50)
    live = Transcript()

    async def approver(request: ApprovalRequest) -> Answer | None:
        await anyio.lowlevel.checkpoint()
        return next(said)

    async def open_model(name: str) -> Model:
        await anyio.lowlevel.checkpoint()
        if name == "bad":
            raise ModelError("There is no such model.", kind="model_unknown")
        return model

    person = Decider(scenario.decisions, lambda: session)
    async with session_of(
        model,
        [Kind(k) for k in KINDS],
        approver=approver,
        max_turns=scenario.max_turns,
        person=person,
        open_model=open_model,
        fallbacks=("bad", "next"),
    ) as session:
        session.subscribe(live.apply)
        for number, (count, what) in enumerate(scenario.meanwhile):
            after_iterations(count, partial(meddle, session, number, what))
        task = asyncio.get_running_loop().create_task(session.run("go"))
        after_iterations(
            scenario.stop_after, lambda: session.send(Stop(run=1)) if scenario.by_command else task.cancel()
        )
        await asyncio.wait([task], timeout=20)
        assert task.done(), "the run did not end"
        if not task.cancelled():
            task.result()
        assert not session.running
        session.model = ScriptedModel([says("fine")])
        second = await session.run("and now")
        return session, list(session.records), live, second.stop_reason == "end_turn"


@settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=list(HealthCheck), derandomize=False)
@given(scenarios)
@pytest.mark.timeout(600)
def test_whatever_happens_each_call_has_one_result_and_the_next_request_is_valid(scenario: Scenario) -> None:
    session, records, live, second_ended_well = asyncio.run(play(scenario))
    assert second_ended_well
    broken = [record for record in records if isinstance(record, RunEnded) and record.reason == "error"]
    assert not broken, "a request was stopped because no provider could take it, or the loop itself broke"
    check_brackets(records)
    _each_call_of_a_message_has_its_result_in_order(session, records)
    replayed = [decode.decode(encode(record)) for record in records]
    assert not any(isinstance(record, DELTAS) for record in records)
    assert History.of(replayed).messages == session._history.messages
    again = Transcript.of(replayed)
    assert again.runs == live.runs
    for number in live.runs:
        assert again.run(number) == live.run(number)


def _each_call_of_a_message_has_its_result_in_order(session: Session, records: list[Event]) -> None:
    ends = {r.call: r.text for r in records if isinstance(r, ToolFinished | ToolFailed)}
    messages = session._history.messages
    for at, message in enumerate(messages):
        if isinstance(message, AssistantMessage) and message.calls:
            results = messages[at + 1 : at + 1 + len(message.calls)]
            assert results == [ToolMessage(c.call_id, ends[c.call_id]) for c in message.calls]
    ids = [c.call_id for r in records if isinstance(r, MessageFinished) for c in r.calls]
    assert len(ids) == len(set(ids))
