"""The demo on real sample projects, with the real tools, asked by a person who does not always agree."""

import hashlib
import json
import re
import subprocess
import sys
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any

import anyio
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tah_jupyter import Allow, ApprovalRequest, Deny, Result, Session, allow_all, nobody, open_session
from tah_jupyter.core.approvals import Answer
from tah_jupyter.core.calls import ToolSchema
from tah_jupyter.core.events import SessionOpened, TodosUpdated, ToolFinished, ToolStarted
from tah_jupyter.core.messages import AssistantMessage, CallFinished, CallPart, ModelRequest, ToolMessage, UserMessage
from tah_jupyter.jupyter.grammar import COMMANDS, DEMO_REQUEST
from tah_jupyter.jupyter.model_cards import SUGGESTED
from tah_jupyter.models.choose import DEMO_LABEL
from tah_jupyter.models.demo import DemoModel
from tah_jupyter.models.sample.code import FLAWS
from tah_jupyter.models.sample.project import draw_sample, write_sample
from tah_jupyter.models.sample.words import WAYS_ON
from tah_jupyter.runtime.config import Capabilities, Config
from tests.support.brackets import check_brackets
from tests.support.streams import drain

pytestmark = pytest.mark.anyio

SEEDS = {draw_sample(seed).kind: seed for seed in range(300)}
END = "That was a script; the tools, approvals and changes were real."
UNCHANGED_END = "That was a script; the tools and approvals were real."


@pytest.fixture
def project(tmp_path: Path) -> Path:
    write_sample(tmp_path / "project", 5)
    return tmp_path / "project"


@asynccontextmanager
async def demo(project: Path, approver: Any = allow_all, **options: Any) -> AsyncIterator[Session]:
    async with open_session(root=project, model=DemoModel(delay_s=0), approver=approver, **options) as session:
        yield session


async def run(project: Path, approver: Any = allow_all, prompt: str = DEMO_REQUEST, **options: Any) -> Result:
    async with demo(project, approver, **options) as session:
        return await session.run(prompt)


def answers(**by_tool: Answer | Callable[[], Answer] | None) -> Callable[[ApprovalRequest], Any]:
    """A person who answers by the tool that asks, and allows the rest."""

    async def answer(request: ApprovalRequest) -> Answer | None:
        said = by_tool.get(request.tool, Allow())
        return await anyio.to_thread.run_sync(said) if callable(said) else said

    return answer


def digests(project: Path) -> dict[str, str]:
    paths = [path for path in project.rglob("*") if path.is_file() and ".tah" not in path.parts]
    return {path.relative_to(project).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest() for path in paths}


def is_green(project: Path) -> bool:
    command = [sys.executable, "-B", "-m", "unittest"]
    return subprocess.run(command, cwd=project, capture_output=True, check=False).returncode == 0


@pytest.mark.parametrize("seed", SEEDS.values(), ids=SEEDS)
async def test_whatever_the_mistake_it_is_found_mended_and_reported_in_the_numbers_seen(
    seed: int, tmp_path: Path
) -> None:
    sample = await anyio.to_thread.run_sync(write_sample, tmp_path / "project", seed)
    before = digests(tmp_path / "project")
    result = await run(tmp_path / "project")
    after = digests(tmp_path / "project")
    assert [path for path in before if before[path] != after[path]] == [sample.broken_in]
    assert before.keys() == after.keys()
    assert [change.target for change in result.changes] == [sample.broken_in]
    assert is_green(tmp_path / "project")
    assert re.search(r"Before, [12] of 10 tests failed; now all 10 pass\.", result.text)
    assert sample.broken_in in result.text
    assert END in result.text
    assert (result.stop_reason, result.cost) == ("end_turn", 0.0)
    assert {todo.status for todo in result.todos} == {"completed"}
    check_brackets(result.events)


async def test_it_plans_before_it_works_and_ticks_as_it_goes(project: Path) -> None:
    result = await run(project)
    plans = [[todo.status for todo in event.todos] for event in result.events if isinstance(event, TodosUpdated)]
    assert [plan.count("completed") for plan in plans] == [0, 1, 2, 3, 4]
    assert all(plan.count("in_progress") == 1 for plan in plans[:-1])


async def test_files_are_read_side_by_side_and_searched(project: Path) -> None:
    result = await run(project)
    running = most = 0
    for event in result.events:
        if isinstance(event, ToolStarted | ToolFinished) and event.tool == "read_file":
            running += 1 if isinstance(event, ToolStarted) else -1
            most = max(most, running)
    assert most >= 2
    assert any(isinstance(event, ToolFinished) and event.tool == "grep" for event in result.events)


async def test_a_denied_edit_is_honoured_and_its_reason_quoted(project: Path) -> None:
    before = digests(project)
    result = await run(project, answers(edit_file=Deny("use a helper instead")))
    assert digests(project) == before
    assert result.text.startswith("**Not changed.**")
    assert "use a helper instead" in result.text
    assert UNCHANGED_END in result.text
    assert END not in result.text
    assert [todo.status for todo in result.todos] == ["completed", "completed", "pending", "pending"]
    tools = [event.tool for event in result.events if isinstance(event, ToolFinished)]
    assert tools.count("execute_command") == 1, "nothing changed, so nothing to test again"


async def test_where_nobody_can_answer_it_ends_with_what_it_would_have_mended(project: Path) -> None:
    before = digests(project)
    result = await run(project, nobody)
    assert digests(project) == before
    assert "**Not changed.** The edit was not made: nobody can answer here" in result.text
    assert "The tests were not run: nobody can answer here" in result.text


async def test_a_denied_command_is_gone_on_without_and_said(project: Path) -> None:
    asked: list[str] = []

    async def person(request: ApprovalRequest) -> Answer:
        asked.append(request.tool)
        return Deny("no commands today") if request.tool == "execute_command" else Allow()

    result = await run(project, person)
    assert asked == ["execute_command", "edit_file"], "a denied command is not asked for again"
    assert "the tests were not run: denied by the person, who says: no commands today" in result.text
    assert is_green(project), "found by reading alone"
    assert "pass" not in result.text.partition(END)[0].replace("first and last", "")


async def test_an_edit_that_fails_is_reported_as_it_failed(project: Path) -> None:
    target = project / draw_sample(5).broken_in

    def swap() -> Answer:
        target.unlink()
        target.mkdir()
        return Allow()

    result = await run(project, answers(edit_file=swap))
    assert result.text.startswith("**Not changed.** The edit failed: ")
    assert target.name in result.text.partition("\n")[0]
    assert result.changes == ()


async def test_tests_that_stay_red_are_said_to_be_red(project: Path) -> None:
    times = iter((Allow(), None))

    def answer() -> Answer:
        if next(times) is None:  # before the second run somebody breaks the table
            table = next((project / "data").iterdir())
            table.write_text("\n".join(table.read_text().split("\n")[:4]) + "\n")
        return Allow()

    result = await run(project, answers(execute_command=answer))
    assert "The tests are still red" in result.text
    assert "now all" not in result.text
    assert [todo.status for todo in result.todos] == ["completed"] * 4, "the plan was carried out; the outcome is said"


async def test_a_second_run_in_the_session_sees_that_nothing_is_left_to_mend(project: Path) -> None:
    async with demo(project) as session:
        await session.run(DEMO_REQUEST)
        before = digests(project)
        again = await session.run(DEMO_REQUEST)
    assert again.text.startswith("There is nothing to fix: all 10 tests pass. Nothing was changed.")
    assert digests(project) == before
    assert again.changes == ()


async def test_after_a_denial_a_second_run_asks_anew_and_can_succeed(project: Path) -> None:
    given: list[Answer] = [Deny("not yet"), Allow()]
    async with demo(project, answers(edit_file=lambda: given.pop(0))) as session:
        first = await session.run(DEMO_REQUEST)
        second = await session.run("The tests still fail. Please fix it now.")
    assert "not yet" in first.text
    assert "now all 10 pass" in second.text
    assert is_green(project)


async def test_tests_that_fail_for_a_reason_it_does_not_know_are_left_to_others(project: Path) -> None:
    code = project / draw_sample(5).broken_in
    code.write_text(code.read_text().replace("first <=", "last >=").replace("< last", "<= first"))
    before = digests(project)
    result = await run(project)
    assert "None of the mistakes this script knows is in the files, so nothing was changed." in result.text
    assert digests(project) == before


@pytest.mark.parametrize(
    "prompt",
    [
        "clean this csv",
        "What is in this folder, and what would you check first?",
        "Fix my failing tests",
        "Write tests for the parser and fix it",
        "Why do the tests of parser.py fail?",
        "你好",
        "Fix the plot",
    ],
)
async def test_a_request_meant_for_a_model_is_never_answered_by_the_script(project: Path, prompt: str) -> None:
    before = digests(project)
    result = await run(project, prompt=prompt)
    assert "cannot answer that request" in result.text
    assert WAYS_ON in result.text
    assert digests(project) == before
    assert not {"edit_file", "execute_command"} & {e.tool for e in result.events if isinstance(e, ToolStarted)}


async def test_a_folder_that_is_no_sample_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "README.md").write_text("# Mine\n")
    (tmp_path / "test_mine.py").write_text("assert 1 // 2\n")
    before = digests(tmp_path)
    result = await run(tmp_path)
    assert "This folder is not the sample project" in result.text
    assert "%tah demo" in result.text
    assert digests(tmp_path) == before


async def test_what_is_not_offered_is_done_without_and_said(project: Path) -> None:
    before = digests(project)
    result = await run(project, config=Config(capabilities=Capabilities(exec=False)))
    assert "the tests were not run: commands are not offered here" in result.text
    assert digests(project) != before
    unseen = Config(permissions=Config().permissions._replace(deny=("list_files",)))
    nothing = await run(project, config=unseen)
    assert "cannot answer that request" in nothing.text


async def test_without_edits_it_only_reports(project: Path) -> None:
    before = digests(project)
    rules = Config(permissions=Config().permissions._replace(deny=("edit_file", "todo_write", "grep")))
    result = await run(project, config=rules)
    assert result.text.startswith("**Not changed.** Editing is not offered here.")
    assert result.todos == ()
    assert digests(project) == before


async def test_in_plan_mode_nothing_is_changed_and_the_mode_is_named(project: Path) -> None:
    before = digests(project)
    result = await run(project, mode="plan")
    assert "the mode is Plan only" in result.text
    assert digests(project) == before


def _history(*answered: tuple[str, Mapping[str, Any], str]) -> ModelRequest:
    """A request after the calls ``answered``, each in a message of its own."""
    messages: list[Any] = [UserMessage(DEMO_REQUEST)]
    for number, (tool, args, result) in enumerate(answered):
        messages.append(AssistantMessage("", (CallPart(f"c{number}", tool, json.dumps(args)),)))
        messages.append(ToolMessage(f"c{number}", result))
    tools = ("list_files", "read_file", "execute_command", "edit_file")
    return ModelRequest("", messages, [ToolSchema(name, "", {}) for name in tools])


def _looked() -> list[tuple[str, Mapping[str, Any], str]]:
    files = draw_sample(5).files
    numbered = {
        path: "\n".join(f"{number:>6}\t{line}" for number, line in enumerate(text.splitlines(), 1))
        for path, text in files.items()
    }
    reads = [("read_file", {"path": path}, text) for path, text in numbered.items()]
    return [("list_files", {"path": "."}, "\n".join(files)), *reads]


async def _next(*more: tuple[str, Mapping[str, Any], str]) -> tuple[str, list[CallFinished]]:
    got, error = await drain(DemoModel(delay_s=0).stream(_history(*_looked(), *more)))
    assert error is None
    text = "".join(getattr(part, "text", "") for part in got)
    return text, [part for part in got if isinstance(part, CallFinished)]


def _command(name: str) -> dict[str, Any]:
    return {"command": [name, "-B", "-m", "unittest"]}


async def test_where_python3_is_not_found_python_is_tried_and_then_no_more() -> None:
    gone = ("execute_command", _command("python3"), "There is no program 'python3' on the PATH.")
    _, [call] = await _next(gone)
    assert json.loads(call.raw)["command"][0] == "python"
    both = ("execute_command", _command("python"), "There is no program 'python' on the PATH.")
    text, [call] = await _next(gone, both)
    assert call.tool == "edit_file"
    assert "There is no program 'python' on the PATH" in text


async def test_tests_without_a_verdict_are_not_taken_for_red_or_green() -> None:
    text, [call] = await _next(("execute_command", _command("python3"), "[timed out · 60 s]\n(no output)"))
    assert call.tool == "edit_file"
    assert "they came to no verdict (timed out · 60 s)" in text


async def test_a_file_that_can_no_longer_be_read_is_not_mended_from_memory() -> None:
    path = draw_sample(5).broken_in
    text, calls = await _next(
        ("read_file", {"path": path}, f"{path} does not exist."),
        (
            "execute_command",
            _command("python3"),
            "[exit 1 · 1 s]\nERROR: test_a\nRan 1 test in 0s\n\nFAILED (errors=1)",
        ),
    )
    assert calls == []
    assert "nothing was changed" in text


async def test_text_comes_in_pieces() -> None:
    got, _ = await drain(DemoModel(delay_s=0).stream(_history()))
    pieces = [part.text for part in got if hasattr(part, "text")]
    assert len(pieces) > 3
    assert all(len(piece) <= 24 for piece in pieces)


def test_it_is_labelled_wherever_its_name_is_shown() -> None:
    model = DemoModel()
    assert model.name == DEMO_LABEL == "scripted demo, no language model"
    assert (model.host, model.vision) == ("", False)


def test_the_ways_on_are_commands_that_exist_and_the_model_that_the_card_suggests() -> None:
    assert re.findall(r"%tah (\w+)", WAYS_ON) == ["model", "key"]
    assert {"model", "key"} <= COMMANDS.keys()
    assert f"`ollama pull {SUGGESTED}`" in WAYS_ON


async def test_by_its_name_it_works_on_a_copy_that_goes_with_the_session(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text("x = 1\n")
    before = digests(tmp_path)
    kept = Config(session_dir=tmp_path / "sessions")
    async with open_session(root=tmp_path, model="demo", approver=allow_all, config=kept, resume="older") as session:
        result = await session.run(DEMO_REQUEST)
        [opened] = [record for record in session.records if isinstance(record, SessionOpened)]
        copy = Path(opened.root)
        assert is_green(copy)
        assert (copy / ".tah" / "sessions").is_dir()
    assert digests(tmp_path) == before, "nothing is written outside of the temporary folder"
    assert not copy.exists()
    said = "".join(event.text for event in result.events if hasattr(event, "text"))
    assert "on a copy of a sample project in a temporary folder (6 files), not on your files." in said
    assert "now all 10 pass" in result.text


async def test_its_seed_can_be_named_and_is_told() -> None:
    async with open_session(model="demo:12", approver=allow_all) as session:
        result = await session.run(DEMO_REQUEST)
    assert [change.target for change in result.changes] == [draw_sample(12).broken_in]


async def test_in_a_sample_project_it_works_right_there(project: Path) -> None:
    async with open_session(root=project, model="demo", approver=allow_all) as session:
        await session.run(DEMO_REQUEST)
    assert is_green(project)


def _garble(target: Path) -> None:
    if target.exists():
        target.write_text(target.read_text().replace("return", "yield"))


MOODS = ("allow", "deny", "reason", "nobody", "vanish", "garble")


@settings(max_examples=12, deadline=None)
@given(
    seed=st.integers(0, 10_000),
    moods=st.lists(st.sampled_from(MOODS), min_size=4, max_size=4),
    runs=st.integers(1, 2),
)
def test_whatever_a_person_or_a_disk_does_the_run_ends_and_tells_the_truth(
    tmp_path_factory: pytest.TempPathFactory, seed: int, moods: list[str], runs: int
) -> None:
    project = tmp_path_factory.mktemp("any") / "project"
    sample = write_sample(project, seed)
    left = list(moods)

    async def person(request: ApprovalRequest) -> Answer | None:
        mood = left.pop(0) if left else "allow"
        target = project / sample.broken_in
        if mood == "vanish":
            await anyio.to_thread.run_sync(partial(target.unlink, missing_ok=True))
        if mood == "garble":
            await anyio.to_thread.run_sync(_garble, target)
        if mood == "nobody":
            return None
        return Allow() if mood in ("allow", "vanish", "garble") else Deny("so it is" if mood == "reason" else "")

    async def main() -> None:
        async with demo(project, person) as session:
            for _ in range(runs):
                _check(await session.run(DEMO_REQUEST), project)

    anyio.run(main)


def _check(result: Result, project: Path) -> None:
    """What the report claims is what is on the disk."""
    assert result.stop_reason == "end_turn", result.error
    check_brackets(result.events)
    claims_change = "the tools, approvals and changes were real" in result.text
    assert claims_change == bool(result.changes)
    if "**Not changed.**" in result.text or "othing was changed" in result.text:
        assert result.changes == ()
    if "now all" in result.text or "nothing to fix" in result.text:
        assert is_green(project)
    if "still red" in result.text:
        assert not is_green(project)


def test_there_are_many_kinds_of_mistakes() -> None:
    assert set(SEEDS) == {flaw.kind for flaw in FLAWS}
