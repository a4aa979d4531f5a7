"""A whole run in Chinese, from the real rooms to each renderer: only names and code stay in Latin letters."""

import re
from pathlib import Path

import pytest

from tah_jupyter import Allow, Deny, ScriptedModel, calls, open_session, says
from tah_jupyter.core.approvals import Answer, ApprovalRequest
from tah_jupyter.core.events import ApprovalRequested, Event
from tah_jupyter.runtime.config import Config, Permissions
from tah_jupyter.ui.record import record
from tah_jupyter.ui.run_view import RunView
from tah_jupyter.ui.transcript import Transcript
from tah_jupyter.ui.words import Words
from tests.support.cards import card

pytestmark = pytest.mark.anyio

NAMES = set(re.findall(r"\w+", "tah allow execute_command scripted python c print src a b py env x y A k"))
"""What may stay: commands, the tool that a rule names, the model, programs, files and what is in them, thousands."""

PLAN = {"todos": [{"content": "改", "status": "in_progress"}, {"content": "查", "status": "pending"}]}

SCRIPT = [
    [says("先看看。"), calls("read_file", path="src/a.py"), calls("list_files", path="src")],
    [calls("grep", pattern="x", path="src"), calls("todo_write", **PLAN)],
    calls("edit_file", path="src/a.py", old_string="x = 1", new_string="x = 2"),
    calls("write_file", path="b.py", content="y = 1"),
    calls("execute_command", command=["python", "-c", "print(1)"], cwd="src"),
    calls("edit_file", path=".env", old_string="A=1", new_string="A=2"),
    calls("execute_command", command=["python", "-c", "print(2)"]),
    says("改好了。"),
]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "a.py").write_text("x = 1\n")
    (tmp_path / ".env").write_text("A=1\n")
    return tmp_path


async def person(request: ApprovalRequest) -> Answer | None:
    """Allows what is harmless, denies what holds secrets, and is gone for the last command."""
    if "print(2)" in str(request.headline):
        return None
    return Deny("不要改") if request.headline.target == ".env" else Allow()


@pytest.fixture
async def told(folder: Path) -> tuple[RunView, list[str]]:
    """The picture of the run, and the card of each question as it was asked."""
    transcript, cards = Transcript(), list[str]()

    def hear(event: Event) -> None:
        transcript.apply(event)
        if isinstance(event, ApprovalRequested):
            cards.extend(card(approval, Words("zh")) for approval in transcript.run(1).pending)

    async with open_session(root=folder, model=ScriptedModel(SCRIPT, label="a"), approver=person) as session:
        session.subscribe(hear)
        await session.run("把 x 改成 2")
    return transcript.run(1), cards


def english_in(text: str) -> set[str]:
    return set(re.findall(r"[A-Za-z_]+", text)) - NAMES


async def test_the_record_is_chinese_in_every_form(told: tuple[RunView, list[str]]) -> None:
    bundle = record(told[0], language="zh")
    text = re.sub(r"<[^>]+>", " ", bundle["text/html"])
    for form in (text, bundle["text/plain"], re.sub(r"</?\w+>", "", bundle["text/markdown"])):
        assert "已完成" in form
        assert english_in(form) == set(), form


async def test_the_questions_are_chinese(told: tuple[RunView, list[str]]) -> None:
    cards = told[1]
    assert len(cards) == 5
    for text in cards:
        assert "需要审批的原因" in text
        assert english_in(text) == set(), text
    assert "编辑 src/a.py" in cards[0]
    assert "在“每次询问”模式下，每次编辑都需要审批" in cards[0]
    assert "其中可能有机密（.env）" in cards[3]


@pytest.mark.parametrize(
    ("mode", "says_what"),
    [("plan", "当前为“仅计划”模式：暂时不能更改任何内容"), ("dont_ask", "每次编辑都需要审批")],
)
async def test_a_mode_that_denies_says_so_in_chinese(folder: Path, mode: str, says_what: str) -> None:
    config = Config(permissions=Permissions(mode))  # type: ignore[arg-type]  # one of its modes
    async with open_session(root=folder, model=ScriptedModel([SCRIPT[2], says("好")]), config=config) as session:
        result = await session.run("改")
    view = Transcript.of(result.events).run(1)
    assert says_what in record(view, language="zh")["text/plain"]


async def test_a_call_outside_tells_the_person_how_to_let_it_in(folder: Path) -> None:
    (folder.parent / "data").mkdir(exist_ok=True)
    (folder.parent / "data" / "x.csv").write_text("1\n")
    read = calls("read_file", path="../data/x.csv")
    async with open_session(root=folder, model=ScriptedModel([[read, read], read, says("好")])) as session:
        result = await session.run("读")
    view = Transcript.of(result.events).run(1)
    for language, words in (("en", "To let files in ../data be read: "), ("zh", "如需允许读取 ../data 中的文件：")):
        text = record(view, language=language)["text/plain"]
        assert text.count(f"{words}%tah folder add ../data --read-only") == 1
