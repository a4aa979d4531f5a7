"""%tah doctor: each line has a state, a meaning and, where something is wrong, what to copy; nothing ends the whole."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import anyio.to_thread
import pytest
from IPython.core.error import UsageError

from tah_jupyter.jupyter.commands import doctor
from tah_jupyter.jupyter.doctor import machine
from tah_jupyter.jupyter.doctor.finding import Check, Here
from tah_jupyter.jupyter.loaded import Loaded
from tah_jupyter.jupyter.place import Place, find_place
from tah_jupyter.jupyter.settings import Settings
from tests.support.json_service import HANG, Asked, listing, serve_json
from tests.support.shells import quiet_shell

KEY = "sk-proj-9fQ2mZr7vLp40TtWx7Q2aB3c"
Doctor = Callable[..., dict[str, Any]]


@pytest.fixture
def loaded(home: Path, monkeypatch: pytest.MonkeyPatch) -> Loaded:
    """A project in git, in a shell without a kernel, where no server of this machine is looked for in earnest."""
    for name in (
        "HTTPS_PROXY",
        "https_proxy",
        "ALL_PROXY",
        "all_proxy",
        "LC_ALL",
        "LC_MESSAGES",
        *machine.CERTIFICATES,
    ):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("LANG", "C.UTF-8")
    (home / "churn" / ".git").mkdir(parents=True)
    shell = quiet_shell()
    return Loaded(shell, Settings(shell), find_place("", start=home / "churn"))


@pytest.fixture
def examine(loaded: Loaded, capsys: pytest.CaptureFixture[str]) -> Doctor:
    def examine(*options: str) -> dict[str, Any]:
        doctor.run(loaded, " ".join((*options, "--json")))
        report: dict[str, Any] = json.loads(capsys.readouterr().out)
        return {check["check"]: check for check in report["checks"]}

    return examine


def test_each_line_says_what_was_looked_at_and_nothing_is_left_unsaid(examine: Doctor) -> None:
    found = examine()
    assert set(found) >= {
        *("python", "kernel", "front_end", "answers", "model", "local", "folder", "git", "sessions", "state"),
        *("config", "programs", "encoding", "net", "versions"),
    }
    for check in found.values():
        assert check["state"] in ("good", "note", "problem")
        assert check["meaning"]
        assert bool(check["fix"]) == (check["state"] != "good"), check


def test_for_people_it_is_a_line_each_with_mark_and_word_and_the_fix_below(
    loaded: Loaded, capsys: pytest.CaptureFixture[str]
) -> None:
    doctor.run(loaded, "")
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split(" · ")[1] == "1 thing to know"
    at = next(number for number, line in enumerate(lines) if "Model" in line)
    assert lines[at].startswith("◆ To know  Model")
    assert lines[at].endswith("no model chosen; the first %%tah lets you choose")
    assert lines[at + 1] == "    %tah key"


def test_it_speaks_chinese(loaded: Loaded, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LANG", "zh_CN.UTF-8")
    doctor.run(loaded, "")
    text = capsys.readouterr().out
    assert "✓ 正常  文件夹" in text
    assert "◆ 须知  模型" in text


def test_the_key_is_named_with_its_place_and_never_shown(examine: Doctor, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    key = examine()["key"]
    assert key["meaning"].startswith("OPENAI_API_KEY, from the environment of this kernel")
    assert key["fix"] == "%tah doctor --check"


def test_a_key_typed_here_is_said_to_be_that(examine: Doctor, loaded: Loaded) -> None:
    loaded.keys.type_in("OPENAI_API_KEY", KEY)
    assert "typed here, until the kernel restarts" in examine()["key"]["meaning"]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("HTTPS_PROXY", f"http://me:{KEY}@proxy:3128"),
        ("LC_ALL", f"{KEY}"),
        ("LANG", "\x1b[31mred\u202e"),
        ("SSL_CERT_FILE", f"/tmp/{KEY}.pem"),
        ("TAH_MODEL", KEY),
        ("TAH_PERMISSIONS_MODE", f"\x1b]0;{KEY}\x07"),
        ("PATH", f"/nowhere/{KEY}:/usr/bin"),
        ("OLLAMA_HOST", f"http://{KEY}@[::1"),
        ("XDG_STATE_HOME", "/dev/null/x"),
        ("VSCODE_NLS_CONFIG", '{"locale": {}}'),
    ],
)
def test_nothing_in_the_environment_breaks_it_or_comes_out_of_it(
    loaded: Loaded, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, name: str, value: str
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setenv(name, value)
    doctor.run(loaded, "")
    text = capsys.readouterr().out
    assert KEY not in text
    assert text.replace("\n", "").isprintable()
    assert len(text.splitlines()) > 15


def test_what_is_wrong_with_the_model_is_a_problem_with_its_fix(examine: Doctor, loaded: Loaded) -> None:
    loaded.settings.model = "openai/gpt-x"
    model = examine()["model"]
    assert (model["state"], model["fix"]) == ("problem", "%tah key")
    assert "OPENAI_API_KEY" in model["meaning"]


def test_settings_that_are_wrong_are_a_line_each(examine: Doctor, loaded: Loaded) -> None:
    (loaded.place.root / "tah.config.json").write_text('{\n"permissions": {"denny": []}}')
    config = examine()["config"]
    assert config["state"] == "problem"
    assert config["meaning"].startswith("tah.config.json, line 2")


def test_a_folder_that_is_gone_wide_or_not_in_git_is_said_to_be(examine: Doctor, loaded: Loaded, home: Path) -> None:
    loaded.place = Place(home)
    found = examine()
    assert (found["folder"]["state"], found["folder"]["fix"]) == ("note", "%tah folder PATH")
    assert found["git"]["fix"] == f"!git init {home}"
    loaded.place = Place(home / "gone")
    assert examine()["folder"]["state"] == "problem"


def test_an_added_folder_that_is_gone_has_the_line_that_removes_it(examine: Doctor, loaded: Loaded, home: Path) -> None:
    gone = home / "my data"
    loaded.place = loaded.place._replace(folders=loaded.place.folders._replace(read=(gone,)))
    assert examine()["added"] | {"about": "", "meaning": ""} == {
        "check": "added",
        "state": "problem",
        "about": "",
        "meaning": "",
        "fix": f"%tah folder remove '{gone}'",
    }


def test_sessions_that_can_be_kept_nowhere_are_a_problem(
    examine: Doctor, loaded: Loaded, monkeypatch: pytest.MonkeyPatch
) -> None:
    (loaded.place.root / ".tah").write_text("a file where the folder should be")
    assert examine()["sessions"]["state"] == "note"
    monkeypatch.setenv("XDG_STATE_HOME", str(loaded.place.root / ".tah"))
    found = examine()
    assert (found["sessions"]["state"], found["state"]["state"]) == ("problem", "note")


@pytest.mark.parametrize(
    ("stdin", "page", "state", "says"),
    [
        (True, None, "good", "no run has tried yet"),
        (True, True, "good", "the page has drawn them"),
        (True, False, "problem", "the page drew no buttons"),
        (False, None, "note", "Nobody"),
    ],
)
def test_who_can_answer_is_said_with_why(
    examine: Doctor, loaded: Loaded, stdin: bool, page: bool | None, state: str, says: str
) -> None:
    """The kernel's own word for it: whether the cell that asks may ask for input, and whether a page said hello."""
    loaded.shell.kernel = SimpleNamespace(get_parent=lambda: {"content": {"allow_stdin": stdin}})
    loaded.page_drawn = page
    answers = examine()["answers"]
    assert answers["state"] == state
    assert says in answers["meaning"]


def test_cells_that_are_not_awaited_are_a_problem_in_a_kernel(examine: Doctor, loaded: Loaded) -> None:
    loaded.shell.kernel = SimpleNamespace(get_parent=dict)
    loaded.shell.autoawait = False
    assert examine()["autoawait"]["fix"] == "%autoawait asyncio"


def test_a_check_that_breaks_is_one_line_and_the_others_go_on(examine: Doctor, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(here: Here) -> Any:
        raise RuntimeError(f"no\n{KEY}\x1b[0m")

    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    checks: tuple[Check, ...] = (broken, *machine.CHECKS)
    monkeypatch.setattr(machine, "CHECKS", checks)
    found = examine()
    assert found["machine"]["state"] == "unknown"
    assert "RuntimeError: no" in found["machine"]["meaning"]
    assert KEY not in found["machine"]["meaning"]
    assert found["encoding"]["state"] == "good"


def test_a_group_that_cannot_be_imported_is_one_line(examine: Doctor, monkeypatch: pytest.MonkeyPatch) -> None:
    """As when a package it needs is broken: httpx without its certificates, say."""
    monkeypatch.setitem(sys.modules, "tah_jupyter.jupyter.doctor.model", ModelWithoutChecks("model"))
    found = examine()
    assert found["model"]["state"] == "unknown"
    assert found["versions"]["state"] == "good"


class ModelWithoutChecks(ModuleType):
    """A module that was not imported to its end."""


@pytest.mark.parametrize("argument", ["--chek", "--json now", "all"])
def test_words_outside_its_grammar_examine_nothing(loaded: Loaded, argument: str) -> None:
    with pytest.raises(UsageError, match=r"Write %tah doctor \[--check\] \[--json\]"):
        doctor.run(loaded, argument)


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("answer", "state", "says"),
    [
        (listing("gpt-x"), "good", "It works"),
        (lambda asked: (401, {"error": {"message": f"no such key {KEY}"}}), "problem", "It was refused"),
        (lambda asked: (503, {}), "unknown", "It could not be tried"),
        (lambda asked: b"HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\n<p>x", "unknown", "It could not be tried"),
    ],
)
async def test_the_key_is_tried_for_free_when_asked_for(
    examine: Doctor, monkeypatch: pytest.MonkeyPatch, answer: Callable[[Asked], Any], state: str, says: str
) -> None:
    async with serve_json({"/v1/models": answer}) as service:
        monkeypatch.setenv("OPENAI_API_KEY", KEY)
        monkeypatch.setenv("OPENAI_BASE_URL", f"{service.url}/v1")
        monkeypatch.setenv("TAH_MODEL", "openai/gpt-x")
        found = await anyio.to_thread.run_sync(examine, "--check")
    assert found["key"]["state"] == state
    assert says in found["key"]["meaning"]
    assert KEY not in json.dumps(found)
    assert [asked.path for asked in service.asked] == ["/v1/models"]


@pytest.mark.anyio
async def test_models_of_this_machine_are_counted_and_one_that_hangs_is_not_waited_for(
    examine: Doctor, monkeypatch: pytest.MonkeyPatch
) -> None:
    tags = {"models": [{"model": "qwen3:8b"}]}
    async with serve_json({"/api/tags": lambda asked: tags, "/api/ps": lambda asked: HANG}) as service:
        monkeypatch.setenv("OLLAMA_HOST", service.url)
        with anyio.fail_after(20):
            found = await anyio.to_thread.run_sync(examine)
    assert found["local"]["state"] == "good"
    assert "ollama/qwen3:8b" in found["local"]["meaning"]


def test_it_works_in_a_shell_that_has_just_loaded_and_starts_no_thread_that_stays(home: Path) -> None:
    code = (
        "import threading\n"
        "from IPython.core.interactiveshell import InteractiveShell\n"
        "shell = InteractiveShell.instance()\n"
        "shell.run_line_magic('load_ext', 'tah_jupyter')\n"
        "shell.run_line_magic('tah', 'doctor')\n"
        "print([thread.name for thread in threading.enumerate() if 'History' not in thread.name])\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        cwd=home,
        timeout=50,
        env=dict(os.environ),
        check=True,
    )
    assert done.stdout.splitlines()[-1] == "['MainThread']"
