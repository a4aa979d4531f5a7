"""Whole runs on a disk that is full, and sessions whose logs lost or gained lines."""

import resource
from collections.abc import Callable
from pathlib import Path

import pytest

from tah_jupyter import ScriptedModel, allow_all, calls, open_session, says
from tah_jupyter.core.events import Event, Notice, ToolFailed, ToolFinished
from tah_jupyter.core.messages import ToolMessage
from tests.support.brackets import check_brackets

pytestmark = pytest.mark.anyio


@pytest.mark.case("LOG-05")
@pytest.mark.case("LOG-10")
async def test_nothing_is_changed_that_the_log_cannot_tell_of_and_the_next_run_goes_on(tmp_path: Path) -> None:
    """From the first result on no file can grow beyond 20 kB: the log can not, a file of the person can."""
    tag = calls("execute_command", command=["sh", "-c", "echo tag >> effects"])
    model = ScriptedModel([[tag, tag], says("room again"), says("more")])
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)

    def fill(event: Event) -> None:
        if isinstance(event, ToolFinished):
            resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, hard))

    async with open_session(root=tmp_path, model=model, approver=allow_all) as session:
        end = session.subscribe(fill)
        try:
            result = await session.run("go " + "x" * 30_000)
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
            end()
        assert result.stop_reason == "log_error"
        assert "Make room" in result.next_step
        assert (tmp_path / "effects").read_text() == "tag\n"
        assert [e.error for e in result.events if isinstance(e, ToolFailed)] == ["LogError"]
        check_brackets(session.records)
        result = await session.run("again")
        assert (result.stop_reason, result.text) == ("end_turn", "room again")
    model = ScriptedModel([says("resumed")])
    async with open_session(root=tmp_path, model=model, approver=allow_all, resume=result.session_id) as session:
        result = await session.run("and later")
    assert (result.stop_reason, result.text) == ("end_turn", "resumed")
    results = [message.text for message in model.requests[0].messages if isinstance(message, ToolMessage)]
    assert results[0].startswith("[exit 0")
    assert len(results) == 2


async def two_runs(folder: Path) -> str:
    """A session with reads, a change, an unknown tool and a second opening; returns its id."""
    (folder / "a.txt").write_text("x\n")
    first = ScriptedModel(
        [
            [says("a"), calls("read_file", path="a.txt"), calls("list_files")],
            [says("b"), calls("write_file", path="b.txt", content="1"), calls("nowhere")],
            says("done"),
        ]
    )
    async with open_session(root=folder, model=first, approver=allow_all) as session:
        result = await session.run("one")
    second = ScriptedModel([calls("read_file", path="a.txt"), says("done again")])
    async with open_session(root=folder, model=second, approver=allow_all, resume=result.session_id) as session:
        await session.run("two")
    return result.session_id


Damage = Callable[[list[bytes], int], list[bytes]]

DAMAGES: dict[str, Damage] = {
    "lost": lambda lines, at: [*lines[:at], *lines[at + 1 :]],
    "unreadable": lambda lines, at: [*lines[:at], b"\0\xff{", *lines[at + 1 :]],
    "doubled": lambda lines, at: [*lines[: at + 1], *lines[at:]],
    "swapped": lambda lines, at: [*lines[:at], *lines[at + 1 : at + 2], lines[at], *lines[at + 2 :]],
    "foreign": lambda lines, at: [*lines[:at], b'{"type":"elsewhere","seq":3}', b"null", b"[]", *lines[at:]],
    "deep": lambda lines, at: [*lines[:at], _DEEP, *lines[at:]],
    "merged": lambda lines, at: [*lines, *lines[at:]],
    "cut": lambda lines, at: lines[:at],
}
_DEEP = b'{"type":"call.sealed","call":"c","message":"m","tool":"t","args":{"x":%s}}' % (b"[" * 9_000 + b"]" * 9_000)


@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES)
async def test_a_conversation_goes_on_whatever_happened_to_any_line_of_its_log(tmp_path: Path, damage: Damage) -> None:
    id = await two_runs(tmp_path)
    log = tmp_path / ".tah" / "sessions" / id / "log.jsonl"
    lines = log.read_bytes().split(b"\n")[:-1]
    for at in range(1, len(lines)):
        log.write_bytes(b"\n".join(damage(lines, at)) + b"\n")
        model = ScriptedModel([says("three")])
        async with open_session(root=tmp_path, model=model, resume=id) as session:
            result = await session.run("go on")
            assert (result.stop_reason, result.error) == ("end_turn", ""), (at, lines[at])
            numbers = [record.seq for record in session.records if record.seq]  # a foreign line has none
        assert numbers == sorted(set(numbers))
        asked = [message for message in model.requests[0].messages if isinstance(message, ToolMessage)]
        assert len({message.call_id for message in asked}) == len(asked)
        assert model.requests[0].messages[-1].text == "go on"


async def test_an_intact_log_gives_the_very_history_that_was_live(tmp_path: Path) -> None:
    id = await two_runs(tmp_path)
    model = ScriptedModel([says("three")])
    async with open_session(root=tmp_path, model=model, resume=id) as session:
        await session.run("go on")
        assert not [e for e in session.records if isinstance(e, Notice) and e.code == "opening"]
    roles = [type(message).__name__ for message in model.requests[0].messages]
    tool = "ToolMessage"
    assistant, user = "AssistantMessage", "UserMessage"
    first = [user, assistant, tool, tool, assistant, tool, tool, assistant]
    assert roles == [*first, user, assistant, tool, assistant, user]
    assert not any("cannot be read any more" in message.text for message in model.requests[0].messages)
