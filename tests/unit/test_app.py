"""Sessions in a real folder: the library's example, resume, crash recovery, notices, plugins, what config closes."""

import json
import subprocess
import sys
import time
from collections.abc import AsyncGenerator
from pathlib import Path

import anyio
import psutil
import pytest

from tah_jupyter import (
    ConfigError,
    Deny,
    LogError,
    ModelError,
    ScriptedModel,
    SetMode,
    TahError,
    allow_all,
    calls,
    open_session,
    says,
)
from tah_jupyter.core.events import Event, ModeChanged, Notice, SessionOpened, ToolFailed
from tah_jupyter.core.messages import ModelEvent, ModelRequest, ToolMessage, UserMessage
from tah_jupyter.runtime.config import Capabilities, Config, load

pytestmark = pytest.mark.anyio
EDIT = calls("edit_file", path="a.py", old_string="1", new_string="2")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "a.py").write_text("x = 1\n")
    return tmp_path


async def test_the_example_of_the_readme_changes_the_file(folder: Path) -> None:
    model = ScriptedModel([EDIT, says("done")])
    async with open_session(root=folder, model=model, approver=allow_all) as session:
        result = await session.run("change 1 to 2")
    assert (folder / "a.py").read_text() == "x = 2\n"
    assert (result.text, result.stop_reason, result.changes[0].target) == ("done", "end_turn", "a.py")
    log = folder / ".tah" / "sessions" / result.session_id / "log.jsonl"
    lines = [json.loads(line) for line in log.read_text().splitlines()]
    assert lines[0] == {"format": 1}
    assert [line["type"] for line in lines[-2:]] == ["turn.ended", "run.ended"]


async def test_nobody_answers_by_default_and_the_file_stays(folder: Path) -> None:
    async with open_session(root=folder, model=ScriptedModel([EDIT, says("I could not")])) as session:
        result = await session.run("change it")
    assert (folder / "a.py").read_text() == "x = 1\n"
    assert "nobody can answer" in next(e.text for e in result.events if isinstance(e, ToolFailed))


async def test_the_conversation_goes_on_after_the_session_was_closed(folder: Path) -> None:
    async with open_session(root=folder, model=ScriptedModel([says("hello")]), notebook="n.ipynb") as session:
        first = await session.run("hi")
    model = ScriptedModel([says("again"), says("new")])
    async with open_session(root=folder, model=model, notebook="n.ipynb") as session:
        second = await session.run("remember?")
    assert (second.session_id, second.run) == (first.session_id, 2)
    assert [m.text for m in model.requests[0].messages] == ["hi", "hello", "remember?"]
    async with open_session(root=folder, model=model, notebook="n.ipynb", new=True) as session:
        third = await session.run("fresh")
    assert third.session_id != first.session_id
    assert [m.text for m in model.requests[1].messages] == ["fresh"]


async def test_a_session_in_use_is_refused_by_name(folder: Path) -> None:
    async with open_session(root=folder, model=ScriptedModel([says("x")])) as session:
        with pytest.raises(LogError, match="in use by this process"):
            async with open_session(root=folder, model=ScriptedModel([]), resume=session.session_id):
                pass


KILLED = """
import asyncio, os, signal, sys
from tah_jupyter import ScriptedModel, allow_all, calls, open_session
from tah_jupyter.core.events import ToolProgress
async def main():
    code = "import time; open('tag', 'a').write('x'); print('on', flush=True); time.sleep(600)"
    command = [sys.executable, "-c", code]
    model = ScriptedModel([calls("execute_command", command=command, timeoutMs=600000)])
    async with open_session(root=sys.argv[1], model=model, approver=allow_all, notebook="n.ipynb") as session:
        def kill(event):
            if isinstance(event, ToolProgress):
                os.kill(os.getpid(), signal.SIGKILL)
        session.subscribe(kill)
        await session.run("go")
asyncio.run(main())
"""


async def test_after_a_kill_the_next_open_tells_the_model_and_ends_what_still_runs(folder: Path) -> None:
    subprocess.run([sys.executable, "-c", KILLED, str(folder)], check=False, timeout=60)
    model = ScriptedModel([says("I will check")])
    async with open_session(root=folder, model=model, notebook="n.ipynb") as session:
        result = await session.run("go on")
        earlier = [e for e in session.records if isinstance(e, ToolFailed)]
    assert result.run == 2
    assert earlier[0].error == "unknown_after_crash"
    assert "may or may not have happened" in next(
        m.text for m in model.requests[0].messages if isinstance(m, ToolMessage)
    )
    assert (folder / "tag").read_text() == "x"
    deadline = time.monotonic() + 5
    while alive := [p for p in psutil.process_iter(["cmdline"]) if _is_the_command(p)]:
        assert time.monotonic() < deadline, alive
        psutil.wait_procs(alive, timeout=0.2)


def _is_the_command(process: psutil.Process) -> bool:
    command = process.info["cmdline"] or []
    return any("open('tag', 'a')" in part for part in command) and process.status() != psutil.STATUS_ZOMBIE


async def test_a_key_of_the_environment_reaches_neither_log_nor_records(folder: Path) -> None:
    key = "sk-proj-Zk3hX9qLw82mPvN4tYb7"
    (folder / "b.txt").write_text(f"the key is {key}\n")
    model = ScriptedModel([calls("read_file", path="b.txt"), says(f"It is {key}.")])
    async with open_session(root=folder, model=model, environ={"OPENAI_API_KEY": key, "HOME": str(folder)}) as session:
        result = await session.run(f"is {key} in b.txt?")
    assert any(key in m.text for m in model.requests[-1].messages if isinstance(m, ToolMessage))
    log = folder / ".tah" / "sessions" / result.session_id / "log.jsonl"
    assert key not in log.read_text()
    assert key not in repr(result.events)
    assert "⟨OPENAI_API_KEY⟩" in log.read_text()


@pytest.mark.parametrize("name", ["MISTRAL_API_KEY", "DB_PASSWORD"])
async def test_a_secret_that_a_cell_sets_while_the_session_is_open_is_masked_from_the_next_turn_on(
    folder: Path, name: str
) -> None:
    old, new = "q1w2e3r4t5y6u7i8o9p0aZsX", "Zq7Rm2Xv9Lk4Tb8WnHc6Yd3P"
    environ = {name: old, "HOME": str(folder)}

    class Model(ScriptedModel):
        async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelEvent, None]:
            environ[name] = new  # as if another cell did, while the answer comes
            async for event in super().stream(request):
                yield event

    model = Model([calls("list_files", path="."), says(f"It was {old}, it is {new}.")])
    async with open_session(root=folder, model=model, environ=environ) as session:
        first = await session.run("what is it?")
        second = await session.run(f"is it {new}?")
        log = (folder / ".tah" / "sessions" / session.session_id / "log.jsonl").read_text()
    for secret in (old, new):
        assert secret not in log + repr((first, second))


async def test_a_broken_config_makes_everything_ask_and_is_said(folder: Path) -> None:
    (folder / "tah.config.json").write_text('{"permissions": {"deni": ["edit_file"]}}')
    asked: list[str] = []

    async def approver(request: object) -> Deny:
        asked.append(getattr(request, "tool", ""))
        return Deny()

    model = ScriptedModel([calls("read_file", path="a.py"), says("ok")])
    async with open_session(root=folder, model=model, approver=approver, mode="bypass") as session:
        await session.run("look")
        notices = [e.text for e in session.records if isinstance(e, Notice)]
    assert asked == ["read_file"]
    assert any("deni" in text and "Everything asks" in text for text in notices)


async def test_capabilities_take_tools_away(folder: Path) -> None:
    model = ScriptedModel([says("ok")])
    config = Config(capabilities=Capabilities(coding=False, exec=False))
    async with open_session(root=folder, model=model, config=config) as session:
        await session.run("look")
    names = {schema.name for schema in model.requests[0].tools}
    assert names == {"list_files", "read_file", "grep", "todo_write"}


async def test_instructions_of_the_project_are_in_the_system_prompt(folder: Path) -> None:
    (folder / ".git").mkdir()
    (folder / "AGENTS.md").write_text("Always use tabs.")
    (folder / "sub").mkdir()
    (folder / "sub" / "CLAUDE.md").write_text("Never use tabs.")
    model = ScriptedModel([says("ok")])
    async with open_session(root=folder / "sub", model=model) as session:
        await session.run("look")
    system = model.requests[0].system
    assert system.index("Always use tabs.") < system.index("Never use tabs.")
    assert "todo_write" in system


async def test_no_model_is_an_error_that_names_the_variables(folder: Path) -> None:
    with pytest.raises(ModelError, match="OPENAI_API_KEY"):
        async with open_session(root=folder, model="", environ={"HOME": str(folder)}):
            pass


async def test_the_opening_is_recorded_with_its_root(folder: Path) -> None:
    async with open_session(root=folder, model=ScriptedModel([]), config=load(None, environ={})) as session:
        opened = next(e for e in session.records if isinstance(e, SessionOpened))
    assert (opened.root, opened.resumed) == (str(folder.resolve()), False)


async def test_the_prompt_that_was_stopped_is_told_of_once(folder: Path) -> None:
    model = ScriptedModel([says("a"), says("b")])
    async with open_session(root=folder, model=model) as session:
        await session.run("one")
        await session.run("two")
    assert [m.text for m in model.requests[1].messages if isinstance(m, UserMessage)] == ["one", "two"]


async def test_a_mode_that_does_not_exist_is_refused_at_the_opening(folder: Path) -> None:
    with pytest.raises(ConfigError, match="no mode 'yolo'") as caught:
        async with open_session(root=folder, model=ScriptedModel([]), mode="yolo"):  # type: ignore[arg-type]
            pass
    assert "accept_edits" in caught.value.next_step


@pytest.mark.parametrize("asked", ["Plan only", "PLAN", "bypas", ""])
async def test_a_mode_that_does_not_exist_changes_nothing_and_is_said(folder: Path, asked: str) -> None:
    async with open_session(root=folder, model=ScriptedModel([])) as session:
        seen: list[Event] = []
        both = anyio.Event()

        def watch(event: Event) -> None:
            seen.append(event)
            if len(seen) == 2:
                both.set()

        session.subscribe(watch)
        session.send(SetMode(asked))
        session.send(SetMode("plan"))
        with anyio.fail_after(5):
            await both.wait()
        assert [type(event) for event in seen] == [Notice, ModeChanged]
        assert session.mode == "plan"


@pytest.mark.parametrize("name", ["nowhere", "a.py", "a.py/b", ""])
async def test_a_root_that_is_no_folder_is_an_error_for_the_person(folder: Path, name: str) -> None:
    root = folder / name if name else "\0"
    with pytest.raises(TahError) as caught:
        async with open_session(root=root, model=ScriptedModel([])):
            pass
    assert caught.value.next_step
