"""What a person reads beside a run, in a real kernel: the line of %load_ext, %tah and its folders, in two languages."""

from pathlib import Path

import pytest

from tests.kernel.conftest import Open
from tests.kernel.front_end import kernel_in
from tests.kernel.project import EDIT, Project, call, says

TRY_IT = (
    "New cell: %%tah on the first line, your request below. "
    "Try: What is in this folder, and what would you check first?"
)
OUTSIDE = call("read_file", path="../data/x.csv")


@pytest.mark.parametrize(
    ("env", "model"),
    [
        ({}, "no model chosen; the first %%tah lets you choose"),
        ({"OPENAI_API_KEY": "k", "MISTRAL_API_KEY": "k"}, "no model chosen; the first %%tah lets you choose"),
        ({"OPENAI_API_KEY": "k", "TAH_MODEL": "openai/gpt-x"}, "gpt-x (OPENAI_API_KEY)"),
    ],
    ids=["none", "two keys", "one"],
)
def test_the_first_line_says_model_folder_and_mode_and_how_to_begin(
    project: Project, env: dict[str, str], model: str
) -> None:
    with kernel_in(project.folder, env={**project.env, **env, "LANG": "C.UTF-8"}) as front_end:
        first, second = front_end.run("%load_ext tah_jupyter").text.strip().split("\n")
    folder = f"{project.folder} (pyproject.toml)"
    assert first == f"tah 0.1 · {model} · folder {folder} · asks before it changes anything"
    assert second == TRY_IT


def test_once_a_run_has_finished_nobody_is_told_how_to_begin(open_kernel: Open, project: Project) -> None:
    open_kernel().run(f"{project.script(says('hello'))}\nhello", allow_stdin=False)
    with kernel_in(project.folder, env=project.env) as front_end:
        assert "\n" not in front_end.run("%load_ext tah_jupyter").text.strip()


def test_a_folder_is_added_as_the_refusal_says_and_then_read_in_the_same_session(
    open_kernel: Open, project: Project
) -> None:
    data = project.folder.parent / "data"
    data.mkdir()
    (data / "x.csv").write_text("forty-two\n")
    front_end = open_kernel()
    ran = front_end.run(f"{project.script(OUTSIDE, says('no'))}\nread it", allow_stdin=False)
    [line] = [line for line in ran.text.splitlines() if "%tah folder add" in line]
    command = line[line.index("%tah folder add") :].strip()
    assert command == "%tah folder add ../data --read-only"
    assert front_end.run(command).status == "ok"
    ran = front_end.run(f"{project.script(OUTSIDE, says('yes'), name='b.json')}\nread it", allow_stdin=False)
    assert "run 2" in ran.text
    assert [record["error"] for record in project.records("tool.failed")] == ["OutsideWorkspace"]
    assert "forty-two" in project.records("tool.finished")[-1]["text"]


def test_another_folder_has_sessions_of_its_own(open_kernel: Open, project: Project) -> None:
    other = project.folder.parent / "other"
    other.mkdir()
    front_end = open_kernel()
    front_end.run(f"{project.script(says('one'))}\nhello", allow_stdin=False)
    assert front_end.run("%tah folder ../other").status == "ok"
    script = project.folder / "script.json"
    ran = front_end.run(f"%%tah --model scripted:{script}\nhello", allow_stdin=False)
    assert "run 1" in ran.text
    assert len(list((other / ".tah" / "sessions").iterdir())) == 1


@pytest.mark.parametrize(("stdin", "says_what"), [(True, "no run has tried yet"), (False, "Nobody")])
def test_the_doctor_knows_who_can_answer_in_this_front_end(
    open_kernel: Open, project: Project, stdin: bool, says_what: str
) -> None:
    front_end = open_kernel()
    ran = front_end.run("%tah doctor", allow_stdin=stdin)
    assert ran.status == "ok", ran.text
    [line] = [line for line in ran.text.splitlines() if "Who can answer" in line]
    assert says_what in line


def test_the_doctor_knows_that_a_page_drew_the_frame(open_kernel: Open, project: Project) -> None:
    front_end = open_kernel()
    ran = front_end.submit(f"{project.edits()}\ngo")
    front_end.click(*front_end.card())
    front_end.until(lambda: ran.done)
    assert "the page has drawn them" in front_end.run("%tah doctor").text


def test_all_of_it_is_chinese_where_the_kernel_is(project: Project, tmp_path: Path) -> None:
    with kernel_in(project.folder, env={**project.env, "LANG": "zh_CN.UTF-8", "LC_ALL": ""}) as front_end:
        loaded = front_end.run("%load_ext tah_jupyter").text
        assert "尚未选择模型；第一个 %%tah 会让你选择" in loaded
        assert "更改任何内容前都会询问" in loaded
        assert "没有命令“clean”。如需提问：%tah ask clean this" in front_end.run("%tah clean this").text
        assert "请求必须独占一个单元格" in front_end.run("%%time\n%%tah\nx").text
        ran = front_end.run(f"{project.script(EDIT, says('好'))}\n改", allow_stdin=False)
        assert "已拒绝：此处无人可审批" in ran.text
        ran = front_end.run(f"{project.script(EDIT, says('好'), name='b.json')} --strict\n改", allow_stdin=False)
        assert "✕ 失败：1 次调用被拒绝：此处无人可审批。用 --allow NAME 允许该工具" in ran.text.replace("。 ", "。")
        assert "包含 text, changes" in front_end.run("tah.last").text
