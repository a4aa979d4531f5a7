"""What of the kernel's environment a command may see."""

import os
import sys
from pathlib import Path

import pytest

from tah_jupyter.host.processes.environment import environment

USUAL = {
    "PATH": "/usr/bin:/bin",
    "HOME": "/home/x",
    "LANG": "C.UTF-8",
    "LC_ALL": "C",
    "TZ": "UTC",
    "TMPDIR": "/var/tmp",
    "VIRTUAL_ENV": "/venv",
    "CONDA_PREFIX": "/conda",
    "PYTHONPATH": "src",
    "UV_FIND_LINKS": "https://h/a@b",
    "XDG_CACHE_HOME": "/home/x/.cache",
    "https_proxy": "http://proxy.example:3128",
    "NO_PROXY": "localhost",
}
KEPT_BACK = {
    "OPENAI_API_KEY": "x",
    "TAVILY_API_KEY": "x",
    "AWS_SECRET_ACCESS_KEY": "x",
    "GITHUB_TOKEN": "x",
    "DATABASE_URL": "postgres://u:p@h/d",
    "CONDA_TOKEN": "x",
    "PYTHON_API_KEY": "x",
    "UV_PUBLISH_PASSWORD": "x",
    "UV_INDEX_URL": "https://u:p@h/",
    "UV_DEFAULT_INDEX": "https://u:p@h/simple",
    "UV_INDEX": "mine=https://h/simple other=HTTPS://only-a-token@h/simple",
    "CONDA_CHANNEL_ALIAS": "https://u:p@h:8443",
    "JPY_PARENT_PID": "1",
    "MPLBACKEND": "module://inline",
    "SSH_AUTH_SOCK": "/run/agent",
    "HTTP_PROXY": "http://user:password@proxy.example:3128",
    "BASH_ENV": "/tmp/x",
    "LD_PRELOAD": "/tmp/x.so",
    "ANYTHING_ELSE": "x",
}


def test_the_usual_passes_and_everything_else_does_not() -> None:
    seen = environment(source=USUAL | KEPT_BACK)
    assert {name: seen.get(name) for name in USUAL if name != "PATH"} == {n: v for n, v in USUAL.items() if n != "PATH"}
    assert not set(seen) & set(KEPT_BACK)


def test_a_name_that_is_passed_on_passes() -> None:
    assert environment(["OPENAI_API_KEY", "NOT_SET"], USUAL | KEPT_BACK)["OPENAI_API_KEY"] == "x"
    assert "NOT_SET" not in environment(["NOT_SET"], USUAL)


def test_programs_are_told_that_there_is_no_terminal() -> None:
    seen = environment(source={"TERM": "xterm-256color", "PAGER": "less"})
    assert (seen["TERM"], seen["PAGER"], seen["GIT_TERMINAL_PROMPT"]) == ("dumb", "cat", "0")


def test_a_search_path_keeps_absolute_folders_only() -> None:
    folders = environment(source={"PATH": ".:/usr/bin::bin:/bin"})["PATH"].split(os.pathsep)
    assert [folder for folder in folders if folder in ("/usr/bin", "/bin")] == ["/usr/bin", "/bin"]
    assert all(os.path.isabs(folder) for folder in folders)
    assert environment(source={})["PATH"]


def test_the_folder_of_the_kernels_python_is_on_it_once(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(sys, "executable", str(tmp_path / "bin" / "python"))
    monkeypatch.setattr(sys, "prefix", str(tmp_path))
    own = str(tmp_path / "bin")
    assert environment(source={"PATH": "/usr/bin"})["PATH"] == f"{own}:/usr/bin"
    assert environment(source={"PATH": f"/usr/bin:{own}"})["PATH"] == f"/usr/bin:{own}"
    monkeypatch.setattr(sys, "prefix", sys.base_prefix)
    assert environment(source={"PATH": "/usr/bin"})["PATH"] == "/usr/bin"


def test_the_default_source_is_this_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LC_TEST", "here")
    monkeypatch.setenv("TEST_API_KEY", "here")
    assert environment()["LC_TEST"] == "here"
    assert "TEST_API_KEY" not in environment()
