"""Folders beside the workspace's own: what holds in the root holds in them, and no more is opened than was added."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tah_jupyter import Allow, Deny, ScriptedModel, calls, open_session, says
from tah_jupyter.core.approvals import Answer, ApprovalRequest
from tah_jupyter.core.calls import ToolCall
from tah_jupyter.core.events import Event, Notice, ToolFailed, ToolFinished
from tah_jupyter.models.scripts.script import Answer as Scripted
from tah_jupyter.runtime.config import Config, Folders, Permissions
from tah_jupyter.runtime.tool_context import Options
from tah_jupyter.toolkit.registry import TOOLS

pytestmark = pytest.mark.anyio


@pytest.fixture
def outside(tmp_path: Path) -> Path:
    """A folder beside the root, with one file, a repository, and a link out of it."""
    (tmp_path / "root").mkdir()
    folder = tmp_path / "data"
    (folder / ".git").mkdir(parents=True)
    (folder / ".git" / "config").write_text("[core]\n")
    (folder / "x.csv").write_text("1\n")
    (tmp_path / "secret").write_text("s3cret")
    (folder / "out").symlink_to(tmp_path / "secret")
    return folder


class Person:
    """Answers each question with what ``answer`` gives, and keeps the questions."""

    def __init__(self, answer: Callable[[], Answer] = Allow) -> None:
        self._answer = answer
        self.asked: list[ApprovalRequest] = []

    async def __call__(self, request: ApprovalRequest) -> Answer | None:
        self.asked.append(request)
        return self._answer()


async def run(
    root: Path, person: Person, folders: Folders, *answers: Scripted, config: Config | None = None
) -> list[Event]:
    async with open_session(
        root=root, model=ScriptedModel([*answers, says("done")]), approver=person, folders=folders, config=config
    ) as session:
        await session.run("go")
        return list(session.records)


def failures(events: list[Event]) -> list[str]:
    return [event.error for event in events if isinstance(event, ToolFailed)]


async def test_an_added_folder_is_read_listed_and_searched_by_either_name(outside: Path) -> None:
    events = await run(
        outside.parent / "root",
        Person(Deny),
        Folders(read=(outside,)),
        [calls("read_file", path="../data/x.csv"), calls("read_file", path=str(outside / "x.csv"))],
        [calls("list_files", path="../data"), calls("grep", pattern="1", path="../data")],
    )
    assert failures(events) == []
    texts = [event.text for event in events if isinstance(event, ToolFinished)]
    read, again, listed, found = texts
    assert "1" in read
    assert f"{outside}/x.csv has not changed" in again, "it is known to be the same file"
    assert "x.csv" in listed
    assert f"{outside}/x.csv:1:1" in found


async def test_a_readable_one_is_never_written_and_it_is_said_how_it_could_be(outside: Path) -> None:
    person = Person()
    edit = calls("edit_file", path="../data/x.csv", old_string="1", new_string="2")
    events = await run(outside.parent / "root", person, Folders(read=(outside,)), edit)
    assert (outside / "x.csv").read_text() == "1\n"
    assert failures(events) == ["OutsideWorkspace"]
    assert person.asked == []
    notices = [event.text for event in events if isinstance(event, Notice)]
    assert notices == ["To let files in ../data be changed: %tah folder add ../data"]


async def test_one_that_may_be_changed_asks_also_where_edits_pass_and_the_grant_for_it_holds(outside: Path) -> None:
    person = Person(lambda: Allow("run"))
    config = Config(permissions=Permissions("accept_edits"))
    edits = [calls("edit_file", path="../data/x.csv", old_string=str(n), new_string=str(n + 1)) for n in range(1, 4)]
    events = await run(outside.parent / "root", person, Folders(change=(outside,)), *edits, config=config)
    assert (outside / "x.csv").read_text() == "4\n"
    assert failures(events) == []
    assert len(person.asked) == 1, "a second identical question after an allow is a bug"
    assert person.asked[0].grant is not None
    assert person.asked[0].grant.label == f"edits in {outside}/"


@pytest.mark.parametrize("path", [".git/config", "tah.config.json", ".env", ".vscode/tasks.json"])
async def test_protected_paths_are_protected_there_too(outside: Path, path: str) -> None:
    person = Person(Deny)
    config = Config(permissions=Permissions("bypass"))
    write = calls("write_file", path=f"../data/{path}", content="x")
    await run(outside.parent / "root", person, Folders(change=(outside,)), write, config=config)
    [question] = person.asked
    assert question.grant is None
    assert "protected" in question.asks_because[-1] or "secrets" in question.asks_because[-1]


@pytest.mark.parametrize("path", ["../data/out", "../data/../secret", "../data/sub/../../secret"])
async def test_links_and_dots_lead_out_of_it_as_little_as_out_of_the_root(outside: Path, path: str) -> None:
    (outside / "sub").mkdir()
    for folders in (Folders(read=(outside,)), Folders(change=(outside,))):
        events = await run(
            outside.parent / "root",
            Person(),
            folders,
            calls("read_file", path=path),
            calls("write_file", path=path, content="x"),
        )
        assert failures(events) == ["OutsideWorkspace", "OutsideWorkspace"]
    assert (outside.parent / "secret").read_text() == "s3cret"


async def test_a_neighbour_with_a_longer_name_is_not_in_it(outside: Path) -> None:
    (outside.parent / "data2").mkdir()
    (outside.parent / "data2" / "x").touch()
    events = await run(
        outside.parent / "root", Person(), Folders(change=(outside,)), calls("read_file", path="../data2/x")
    )
    assert failures(events) == ["OutsideWorkspace"]


async def test_the_persons_own_config_adds_folders_and_one_that_is_gone_is_said(outside: Path, home: Path) -> None:
    own = home / ".config" / "tah" / "config.json"
    own.parent.mkdir(parents=True)
    own.write_text(f'{{"folders": {{"read": ["{outside}", "{outside}-gone"]}}}}')
    events = await run(outside.parent / "root", Person(), Folders(), calls("read_file", path="../data/x.csv"))
    assert failures(events) == []
    assert f"The folder {outside}-gone does not exist, so it was left out." in [
        event.text for event in events if isinstance(event, Notice)
    ]


async def test_the_demo_on_its_copy_sees_no_added_folder(outside: Path) -> None:
    read = ToolCall("c1", "read_file", {"path": str(outside / "x.csv")})
    added = Folders(read=(outside,))
    async with open_session(
        root=outside.parent / "root", model="demo", folders=added, config=Config(folders=added)
    ) as session:
        ctx = session.runtime.tool_context(session_id="s", call_id="c1", options=Options(vision=False))
        settled = await session.runtime.get(TOOLS).execute(read, ctx)
    assert settled.error == "OutsideWorkspace"
