"""A session: a conversation over many runs, one run at a time. It belongs to the loop that opened it."""

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from functools import partial
from typing import Any, Literal

import anyio

from tah_jupyter.agent.history import History
from tah_jupyter.agent.loop import Ended, Limit, run_loop
from tah_jupyter.agent.prompt import notice_for
from tah_jupyter.agent.recovery import Recovery
from tah_jupyter.agent.setup import Result, Setup
from tah_jupyter.agent.steering import Steering
from tah_jupyter.agent.tally import Tally
from tah_jupyter.agent.turn import Kit
from tah_jupyter.core.commands import (
    AddNote,
    AnswerApproval,
    AnswerQuestion,
    Command,
    EndCall,
    Release,
    SendNote,
    SetMode,
    Stop,
    WithdrawNote,
)
from tah_jupyter.core.errors import LogError, ModelError, TahError, classify
from tah_jupyter.core.events import (
    DELTAS,
    Event,
    ModeChanged,
    Notice,
    PromptAdded,
    QuestionAnswered,
    QuestionAsked,
    RunEnded,
    RunReleased,
    RunStarted,
    StopReason,
    ToolFailed,
    ToolFinished,
)
from tah_jupyter.core.questions import Question, Reply
from tah_jupyter.runtime.bus import Subscriber
from tah_jupyter.runtime.context import Runtime
from tah_jupyter.runtime.inbox import Inbox
from tah_jupyter.runtime.tool_context import Options, ToolContext
from tah_jupyter.toolkit.registry import TOOLS

__all__ = ["Result", "Session", "Setup"]


class Session:
    """Runs prompts. Commands come in through :meth:`send` from any thread; records go out through :meth:`subscribe`."""

    def __init__(self, runtime: Runtime, setup: Setup) -> None:
        self.session_id = setup.session_id
        self.model = setup.model
        self.runtime = runtime
        self.records: list[Event] = list(setup.records)
        self.tally = Tally.of(setup.records)
        self._setup = setup
        self._history = History.of(setup.records)
        self._emitter = runtime.emitter
        self._emitter.session = setup.session_id
        self._emitter.run = self.tally.runs
        self._state: dict[str, Any] = {}
        self._scope: anyio.CancelScope | None = None
        self._steering = Steering(self._emitter)
        self._running = False
        self._inbox = Inbox(asyncio.get_running_loop(), self._take)
        runtime.bus.subscribe_unredacted(self._history.apply)
        runtime.bus.subscribe(self._keep)

    @property
    def mode(self) -> str:
        """The permission mode."""
        return self._setup.mode()

    @property
    def running(self) -> bool:
        """Whether a run is under way."""
        return self._running

    def subscribe(self, subscriber: Subscriber) -> Callable[[], None]:
        """Call ``subscriber(record)`` on the loop for each record from now on; returns a function that ends it."""
        return self.runtime.bus.subscribe(subscriber)

    def send(self, command: Command) -> None:
        """Give a command, from any thread. Returns at once."""
        if isinstance(command, Stop) and not command.run:
            command = Stop(self._emitter.run)  # and not the next run, should this one end before it is heard
        self._inbox.send(command)

    async def events(self) -> AsyncIterator[Event]:
        """Records as they happen, until the run that is under way, or the next one, ends."""
        send, receive = anyio.create_memory_object_stream[Event](float("inf"))
        end = self.subscribe(send.send_nowait)
        try:
            async for event in receive:
                yield event
                if isinstance(event, RunEnded) and not event.parent:
                    return
        finally:
            end()
            send.close()
            receive.close()

    async def ask(self, question: Question) -> Reply | None:
        """Put ``question`` to the person, whose clock stands still meanwhile; None when nobody can answer."""
        reply: Reply | None = None
        self._emitter.emit(QuestionAsked(question=question))
        try:
            reply = await self._setup.person.answer(question) if self._setup.person is not None else None
        finally:
            key = reply.key if reply is not None else ""
            label = next((choice.label for choice in question.choices if choice.key == key), "")
            self._emitter.emit(QuestionAnswered(question=question.question_id, key=key, label=label))
        return reply

    async def run(self, prompt: str, *, background: bool = False) -> Result:
        """Run one prompt to its end. What went wrong is in the result; cancelling the caller ends the run and goes on.
        ``background`` is only said: no cell waits for it.

        Raises TahError when a run is under way or the prompt is empty.
        """
        if self._running:
            raise TahError(f"Run {self._emitter.run} is still under way.", next_step="Wait for it or stop it.")
        if not prompt.strip():
            raise TahError("The prompt is empty.", next_step="Write the request below %%tah.")
        first = len(self.records)
        ended = Ended()
        began = self._begin(prompt, background=background)
        try:
            with anyio.CancelScope() as self._scope:
                self._check()
                await self._turns(ended)
        except Exception as error:  # the run failed; what it did until then is kept
            ended.fail(error)
        finally:
            self._end(ended, began)
        return self._result(ended, first)

    async def _turns(self, ended: Ended) -> None:
        setup = self._setup
        recovery = Recovery(self._emitter, iter(setup.fallbacks), setup.open_model, setup.person)
        try:
            await run_loop(self._kit(), ended, self._steering, recovery, Limit(setup.max_turns, self._go_on))
        finally:
            self.model = recovery.settled or self.model

    async def _go_on(self, turns: int) -> Literal["on", "finish", "stop"] | None:
        return await self._setup.person.go_on(turns) if self._setup.person is not None else None

    def _begin(self, prompt: str, *, background: bool) -> float:
        self._running = True
        self._setup.look_again()
        self.runtime.bus.fault = None  # a disk that was full may have room again; if not, the first record says so
        self._emitter.run += 1
        self._emitter.turn = 0
        model = self.model
        self._emitter.emit(
            RunStarted(prompt=prompt, model=model.name, host=model.host, mode=self.mode, background=background)
        )
        return time.monotonic()

    def _end(self, ended: Ended, began: float) -> None:
        self._steering.close()
        error = ended.error
        if words := _for_the_model(ended.reason):
            self._emitter.emit(PromptAdded(text=notice_for(self.session_id)(words), source="end"))
        self._emitter.emit(
            RunEnded(
                reason=ended.reason,
                error=error.message if error is not None else "",
                next_step=error.next_step if error is not None else "",
                kind=classify(error) if error is not None else "",
                detail=error.raw if isinstance(error, ModelError) else "",
                usage=ended.usage,
                cost_usd=ended.cost_usd,
                duration_ms=round((time.monotonic() - began) * 1e3, 1),
            )
        )
        self._setup.end_run()
        self._scope = None
        self._running = False

    def _result(self, ended: Ended, first: int) -> Result:
        events = tuple(self.records[first:])
        changes = [c for e in events if isinstance(e, ToolFinished | ToolFailed) for c in e.changes]
        redact, error = self._setup.redact, ended.error
        return Result(
            text=redact(ended.text),
            stop_reason=ended.reason,
            changes=tuple(changes),
            usage=ended.usage,
            cost=ended.cost_usd,
            todos=self.tally.todos,
            events=events,
            session_id=self.session_id,
            run=self._emitter.run,
            error=redact(error.message) if error is not None else "",
            next_step=redact(error.next_step) if error is not None else "",
        )

    def _kit(self) -> Kit:
        tools = self.runtime.get(TOOLS)
        options = Options(
            tools=tuple(schema.name for schema in tools.list_schemas()),
            model=self.model.name,
            vision=self.model.vision if self._setup.vision is None else self._setup.vision,
            pass_env=self._setup.pass_env,
        )
        return Kit(
            model=self.model,
            pipeline=tools.pipeline,
            schemas=tools.list_schemas,
            contexts=partial(self._context, options),
            history=self._history,
            emitter=self._emitter,
            system=self._setup.system,
            notice=notice_for(self.session_id),
            next_id=self.tally.next_id,
            check=self._check,
        )

    def _context(self, options: Options, call_id: str) -> ToolContext:
        return ToolContext(
            session_id=self.session_id,
            call_id=call_id,
            services=self.runtime.context,
            emitter=self._emitter,
            options=options,
            read_state=self.runtime.read_state,
            messages=self._history.messages,
            state=self._state,
            results_dir=self._setup.results_dir,
        )

    def _check(self) -> None:
        """Before each turn."""
        self._setup.look_again()
        if (fault := self.runtime.bus.fault) is not None:
            raise LogError(
                f"What happens can no longer be recorded ({fault}).", next_step="Make room, then run it again."
            )

    def _keep(self, record: Event) -> None:
        if not isinstance(record, DELTAS):
            self.records.append(record)
            self.tally.apply(record)

    def _take(self, command: Command) -> None:
        match command:
            case AnswerApproval() | AnswerQuestion():
                self._setup.answer(command)
            case Stop(run=run):
                if self._scope is not None and run == self._emitter.run:
                    self._scope.cancel()
            case EndCall(call_id=call_id):
                self._steering.end_call(call_id)
            case AddNote(run=run):
                if self._running and run in (0, self._emitter.run):
                    self._steering.add(command)
            case WithdrawNote(note_id=note_id):
                self._steering.withdraw(note_id)
            case SendNote(note_id=note_id):
                self._steering.send_now(note_id)
            case Release(run=run):
                if self._running and run in (0, self._emitter.run):
                    self._emitter.emit(RunReleased())
            case SetMode(mode=mode):
                self._set_mode(mode)

    def _set_mode(self, mode: str) -> None:
        try:
            self._setup.set_mode(mode)
        except TahError as error:
            self._emitter.emit(Notice(text=str(error), level="warning", code="mode"))
        else:
            self._emitter.emit(ModeChanged(mode=self.mode))


def _for_the_model(reason: StopReason) -> str:
    """What the model is told, in the next run, of how this one ended; nothing when it ended by itself."""
    if reason in ("interrupted", "denied_stop"):
        return "The person stopped the run here."
    if reason == "max_turns":
        return "The run reached its limit of turns here."
    return ""
