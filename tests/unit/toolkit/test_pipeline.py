"""The gate around every call, through ``ToolService.execute`` as the library offers it."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import anyio
import pytest
from pydantic import Field

from tah_jupyter import (
    TOOLS,
    Allow,
    Deny,
    Runtime,
    TahError,
    Tool,
    ToolCall,
    ToolContext,
    ToolError,
    ToolInput,
    ToolResult,
    permissions_plugin,
    tool,
    tools_plugin,
)
from tah_jupyter.core.approvals import Answer, ApprovalRequest, Grant, PathSubject, Preview, Subject
from tah_jupyter.core.events import (
    ApprovalAnswered,
    ApprovalRequested,
    Event,
    PermissionDenied,
    PermissionGranted,
    PromptAdded,
    ToolFailed,
    ToolFinished,
    ToolStarted,
)
from tah_jupyter.core.views import Text
from tah_jupyter.permissions.rules import Rules
from tah_jupyter.runtime.context import Context
from tah_jupyter.toolkit.prepared import Settled
from tah_jupyter.toolkit.services import CALL_HOOKS, RESULTS, HookVote

pytestmark = pytest.mark.anyio


class WriteInput(ToolInput):
    """What to write where."""

    path: str = Field(description="Where.")
    text: str = "x"


class Write(Tool[WriteInput, str]):
    """Write into a dictionary that stands for the world."""

    name = "write"
    aliases = ("Put",)
    input_model = WriteInput
    max_result_chars = 400

    def __init__(self) -> None:
        self.world: dict[str, str] = {}
        self.previews = 0
        self.by_person: list[bool] = []

    def subject(self, input: WriteInput, ctx: ToolContext) -> Subject:
        return PathSubject("edit", input.path)

    def grant(self, input: WriteInput, ctx: ToolContext) -> Grant:
        return Grant("edits in src/", PathSubject("edit", "src"))

    async def preview(self, input: WriteInput, ctx: ToolContext) -> Preview:
        self.previews += 1
        if input.path == "bad":
            raise ToolError("That cannot be written.", code="Cannot")
        return Preview(Text(f"{input.path}: {input.text}"), fingerprint=self.world.get(input.path, "absent"))

    async def execute(self, input: WriteInput, ctx: ToolContext) -> ToolResult[str]:
        self.by_person.append(ctx.approved_by_person)
        if input.text == "crash":
            raise ValueError("broke inside")
        self.world[input.path] = input.text
        return ToolResult(input.text, input.text)


@tool(read_only=True)
def look(path: str) -> str:
    """Look."""
    return f"saw {path}"


class World:
    """A runtime with a Write and a look tool, what was asked, and what was said."""

    def __init__(
        self, *answers: Answer | None, rules: Rules | None = None, hooks: Any = None, gate: bool = True
    ) -> None:
        self.write = Write()
        self.asked: list[ApprovalRequest] = []
        self.events: list[Event] = []
        self._answers = list(answers)
        self.runtime = Runtime().use(tools_plugin([self.write, look]))
        if gate:
            self.runtime.use(permissions_plugin(approver=self._approve, rules=rules))
        if hooks is not None:
            self.runtime.use(Provide(CALL_HOOKS, hooks))
        self.on_ask = lambda: None

    async def _approve(self, request: ApprovalRequest) -> Answer | None:
        self.asked.append(request)
        self.on_ask()
        return self._answers.pop(0)

    async def call(self, tool: str, id: str = "c1", **args: Any) -> Settled:
        async with self.runtime:
            self.runtime.bus.subscribe(self.events.append)
            ctx = self.runtime.tool_context(session_id="s", call_id=id)
            return await self.runtime.get(TOOLS).execute(ToolCall(id, tool, args), ctx)

    def kinds(self) -> list[str]:
        return [type(event).__name__ for event in self.events]


class Provide:
    """A plugin that provides one service."""

    requires: tuple[str, ...] = ()

    def __init__(self, key: Any, service: Any) -> None:
        self.name = f"provide-{key.name}"
        self._key, self._service = key, service

    def setup(self, ctx: Context) -> None:
        ctx.provide(self._key, self._service)


async def test_without_permissions_there_is_no_gate_and_no_permission_event() -> None:
    world = World(gate=False)
    settled = await world.call("write", path="src/a")
    assert (settled.text, settled.is_error) == ("x", False)
    assert world.kinds() == ["ToolStarted", "ToolFinished"]


async def test_a_read_only_call_passes_without_a_question() -> None:
    world = World()
    assert (await world.call("look", path="a")).text == "saw a"
    assert world.kinds() == ["PermissionGranted", "ToolStarted", "ToolFinished"]
    assert world.asked == []


async def test_an_allowed_call_runs_after_its_approval_and_the_tool_knows_it_was_seen() -> None:
    world = World(Allow())
    await world.call("Put", path="src/a")
    assert world.kinds() == [
        "ApprovalRequested",
        "ApprovalAnswered",
        "PermissionGranted",
        "ToolStarted",
        "ToolFinished",
    ]
    assert world.write.by_person == [True]
    granted = next(e for e in world.events if isinstance(e, PermissionGranted))
    assert (granted.source, granted.scope, granted.digest) == ("person", "once", world.asked[0].digest)


async def test_a_denial_reaches_the_model_with_its_reason_and_nothing_runs() -> None:
    world = World(Deny("use the other file"))
    settled = await world.call("write", path="src/a")
    assert settled.error == "Denied"
    assert "use the other file" in settled.text
    assert world.write.world == {}
    assert world.kinds()[-2:] == ["PermissionDenied", "ToolFailed"]


async def test_nobody_there_is_a_denial_that_is_not_a_persons_no() -> None:
    world = World(None)
    settled = await world.call("write", path="src/a")
    assert "nobody can answer" in settled.text
    answered = next(e for e in world.events if isinstance(e, ApprovalAnswered))
    assert answered.outcome == "unanswered"
    denied = next(e for e in world.events if isinstance(e, PermissionDenied))
    assert denied.rule == "write", "a rule would let it pass"
    protected = World(None)
    await protected.call("write", path=".git/config")
    assert next(e for e in protected.events if isinstance(e, PermissionDenied)).rule == "", "no rule would"


async def test_a_denial_may_end_the_run() -> None:
    assert (await World(Deny("enough", stop=True)).call("write", path="src/a")).stop


async def test_a_call_that_cannot_work_fails_before_anyone_is_asked() -> None:
    world = World()
    settled = await world.call("write", path="bad")
    assert (settled.error, world.asked) == ("Cannot", [])


async def test_what_changed_since_it_was_allowed_is_asked_about_again() -> None:
    world = World(Allow(), Allow())

    def change_once() -> None:
        if len(world.asked) == 1:
            world.write.world["src/a"] = "by another"

    world.on_ask = change_once
    settled = await world.call("write", path="src/a")
    assert not settled.is_error
    assert world.asked[1].asks_because[0] == "changed since you allowed it"


async def test_what_changes_each_time_is_refused_after_three_questions_more() -> None:
    world = World(*([Allow()] * 5))
    world.on_ask = lambda: world.write.world.update({"src/a": f"v{len(world.asked)}"})
    settled = await world.call("write", path="src/a")
    assert settled.error == "KeepsChanging"
    assert len(world.asked) == 4
    assert world.write.by_person == []


async def test_a_grant_answers_other_waiting_calls_it_covers_and_later_ones() -> None:
    write, asked = Write(), []
    first = anyio.Event()

    async def approver(request: ApprovalRequest) -> Answer | None:
        asked.append(request.call_id)
        if request.call_id == "c1":
            await first.wait()
            return Allow("run")
        await anyio.sleep_forever()
        raise AssertionError

    runtime = Runtime().use(tools_plugin([write])).use(permissions_plugin(approver=approver))
    events: list[Event] = []
    async with runtime:
        runtime.bus.subscribe(events.append)
        tools = runtime.get(TOOLS)

        async def call(id: str, path: str) -> None:
            ctx = runtime.tool_context(session_id="s", call_id=id)
            await tools.execute(ToolCall(id, "write", {"path": path}), ctx)

        with anyio.fail_after(5):
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(call, "c1", "src/a")
                tasks.start_soon(call, "c2", "src/b")
                tasks.start_soon(call, "c3", "other/c")
                await anyio.wait_all_tasks_blocked()
                assert asked == ["c1", "c2", "c3"]
                first.set()
                await anyio.wait_all_tasks_blocked()
                assert set(write.world) == {"src/a", "src/b"}
                await call("c4", "src/d")
                assert asked == ["c1", "c2", "c3"]
                tasks.cancel_scope.cancel()
    outcomes = {e.call: (e.outcome, e.scope) for e in events if isinstance(e, ApprovalAnswered)}
    assert outcomes == {"c1": ("allowed", "run"), "c2": ("allowed", "run"), "c3": ("interrupted", None)}
    assert write.by_person == [True, False, False]


async def test_an_approver_that_breaks_refuses_the_call_unseen() -> None:
    async def broken(request: ApprovalRequest) -> Answer | None:
        raise RuntimeError("no view")

    write = Write()
    async with Runtime().use(tools_plugin([write])).use(permissions_plugin(approver=broken)) as runtime:
        ctx = runtime.tool_context(session_id="s", call_id="c1")
        settled = await runtime.get(TOOLS).execute(ToolCall("c1", "write", {"path": "a"}), ctx)
    assert "could not be shown" in settled.text
    assert write.world == {}


@pytest.mark.parametrize(
    ("name", "args", "error", "says"),
    [
        ("wirte", {}, "UnknownTool", "no tool 'wirte'"),
        ("write", {}, "InvalidInput", "the field 'path' is missing"),
        ("write", {"path": "a", "txt": "b"}, "InvalidInput", "no field 'txt' (did you mean 'text'?)"),
        ("write", {"path": ["a"]}, "InvalidInput", "path:"),
    ],
)
async def test_a_wrong_call_gets_a_precise_error(name: str, args: dict[str, Any], error: str, says: str) -> None:
    settled = await World().call(name, **args)
    assert settled.error == error
    assert says in settled.text


async def test_what_a_tool_raises_becomes_a_result_that_says_so() -> None:
    world = World(Allow())
    settled = await world.call("write", path="src/a", text="crash")
    assert settled.error == "Error"
    assert "broke inside" in settled.text
    assert [k for k in world.kinds() if k.startswith("Tool")] == ["ToolStarted", "ToolFailed"]


class Hooks:
    """PreToolUse and PostToolUse of a test."""

    def __init__(self, vote: HookVote, text: str = "") -> None:
        self.vote, self.text = vote, text

    async def before(self, tool: Tool[Any, Any], args: Mapping[str, Any], ctx: ToolContext) -> HookVote:
        return self.vote

    async def after(
        self, tool: Tool[Any, Any], args: Mapping[str, Any], text: str, failed: bool, ctx: ToolContext
    ) -> str:
        return self.text or text


async def test_a_hook_may_deny() -> None:
    settled = await World(hooks=Hooks(HookVote("deny", "not today"))).call("look", path="a")
    assert (settled.error, "not today" in settled.text) == ("Denied", True)


async def test_a_hooks_changed_input_is_validated_judged_and_shown_anew() -> None:
    world = World(Allow(), hooks=Hooks(HookVote("allow", updated_input={"path": ".git/config"})))
    await world.call("write", path="src/a")
    assert world.asked[0].view == Text(".git/config: x")
    assert world.write.world == {".git/config": "x"}
    bad = World(hooks=Hooks(HookVote(updated_input={"nowhere": 1})))
    assert (await bad.call("write", path="src/a")).error == "InvalidInput"


async def test_a_hook_may_rewrite_the_output_within_the_limit() -> None:
    settled = await World(Allow(), hooks=Hooks(HookVote(), "y" * 5000)).call("write", path="src/a")
    assert len(settled.text) <= 400
    assert "characters left out" in settled.text


async def test_a_long_result_is_kept_whole_and_its_place_is_told(tmp_path: Path) -> None:
    class Results:
        def spill(self, call_id: str, text: str) -> Path:
            (tmp_path / call_id).write_text(text)
            return tmp_path / call_id

    world = World(Allow())
    world.runtime.use(Provide(RESULTS, Results()))
    settled = await world.call("write", path="src/a", text="long " * 1000)
    assert (tmp_path / "c1").read_text() == "long " * 1000
    finished = next(e for e in world.events if isinstance(e, ToolFinished))
    assert finished.spilled == str(tmp_path / "c1")
    assert str(tmp_path) in settled.text


async def test_a_cancelled_call_is_settled_before_the_cancellation_goes_on() -> None:
    @tool(read_only=True)
    async def wait() -> str:
        """Wait."""
        await anyio.sleep_forever()
        return ""

    events: list[Event] = []
    async with Runtime().use(tools_plugin([wait])) as runtime:
        runtime.bus.subscribe(events.append)
        ctx = runtime.tool_context(session_id="s", call_id="c1")
        with anyio.move_on_after(0.05) as scope:
            await runtime.get(TOOLS).execute(ToolCall("c1", "wait", {}), ctx)
    assert scope.cancelled_caught
    assert [type(e) for e in events] == [ToolStarted, ToolFailed]
    assert ctx.signal.cancelled


async def test_new_messages_and_the_context_modifier_of_a_result_are_honoured() -> None:
    class Move(Tool[WriteInput, None]):
        name = "move"
        input_model = WriteInput

        async def execute(self, input: WriteInput, ctx: ToolContext) -> ToolResult[None]:
            return ToolResult(
                None, "ok", new_messages=("look there",), context_modifier=lambda s: {**s, "cwd": input.path}
            )

    events: list[Event] = []
    async with Runtime().use(tools_plugin([Move()])) as runtime:
        runtime.bus.subscribe(events.append)
        ctx = runtime.tool_context(session_id="s", call_id="c1")
        await runtime.get(TOOLS).execute(ToolCall("c1", "move", {"path": "sub"}), ctx)
    assert ctx.get_app_state() == {"cwd": "sub"}
    assert [e.text for e in events if isinstance(e, PromptAdded)] == ["look there"]


async def test_a_denied_tool_is_not_offered_and_cannot_be_called() -> None:
    world = World(rules=Rules(deny=frozenset({"Put"})))
    assert (await world.call("write", path="a")).error == "UnknownTool"
    async with world.runtime:
        assert [schema.name for schema in world.runtime.get(TOOLS).list_schemas()] == ["look"]


async def test_two_owners_of_one_name_are_both_named() -> None:
    @tool()
    def Put() -> str:
        """Another."""
        return ""

    with pytest.raises(TahError, match=r"'Put' of .* is taken by 'write'"):
        async with Runtime().use(tools_plugin([Write(), Put])):
            pass


async def test_a_broken_preview_refuses_the_call_unseen() -> None:
    class Broken(Write):
        async def preview(self, input: WriteInput, ctx: ToolContext) -> Preview:
            raise ValueError("cannot draw")

    broken, asked = Broken(), []

    async def approver(request: ApprovalRequest) -> Answer | None:
        asked.append(request)
        return Allow()

    async with Runtime().use(tools_plugin([broken])).use(permissions_plugin(approver=approver)) as runtime:
        ctx = runtime.tool_context(session_id="s", call_id="c1")
        settled = await runtime.get(TOOLS).execute(ToolCall("c1", "write", {"path": "a"}), ctx)
    assert settled.is_error
    assert (asked, broken.world) == ([], {})


async def test_the_denial_of_the_gate_names_its_source() -> None:
    world = World(rules=Rules(ask=frozenset({"look"})), hooks=None)
    world._answers = [Deny("no")]
    await world.call("look", path="a")
    denied = next(e for e in world.events if isinstance(e, PermissionDenied))
    assert denied.source == "person"
    requested = next(e for e in world.events if isinstance(e, ApprovalRequested))
    assert requested.asks_because == ("the rule ask look says so",)
