"""The installed wheel, once for all walks; a home, a JupyterLab and a page for each of them."""

import os
import re
import shutil
from collections.abc import Callable, Generator, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from tests.support.chromium import browser
from tests.support.lab import running_lab
from tests.support.notebook_page import NotebookPage
from tests.walks.churn import write_churn
from tests.walks.installed import built_wheel, installed_in
from tests.walks.walk import Walk, files_below

RESULTS = Path(__file__).parents[2] / "test-results"
NO_KEYRING = {"PYTHON_KEYRING_BACKEND": "keyring.backends.fail.Keyring"}
NO_OLLAMA = {"OLLAMA_HOST": "127.0.0.1:9"}
"""Where nothing answers, so that one on the machine of whoever runs the tests does not count."""

Begin = Callable[..., Walk]

_failed = pytest.StashKey[bool]()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    item.stash[_failed] = item.stash.get(_failed, False) or report.failed
    return report


@pytest.fixture(scope="session")
def python(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The Python of the environment into which the wheel was installed."""
    folder = tmp_path_factory.mktemp("installed")
    return installed_in(folder / "venv", built_wheel(folder))


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    with browser() as opened:
        yield opened


@pytest.fixture
def walk(python: Path, chromium: Browser, tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Begin]:
    """Begins a walk whose Jupyter is started with these variables beside a neutral environment."""
    with ExitStack() as stack:
        begun: list[Walk] = []

        def begin(**variables: str) -> Walk:
            home, temporary = tmp_path / "root", tmp_path / "tmp"
            temporary.mkdir()
            environ = {"HOME": str(home), "TMPDIR": str(temporary), "LANG": "C.UTF-8", **NO_KEYRING, **NO_OLLAMA}
            environ |= {"PATH": f"{python.parent}{os.pathsep}{os.defpath}", **variables}
            lab = stack.enter_context(running_lab(tmp_path, python=python, environ=environ))
            write_churn(lab.root / "churn")
            page = stack.enter_context(chromium.new_context()).new_page()
            path = lab.root / "churn" / "march.ipynb"
            begun.append(Walk(lab, NotebookPage(page, lab.address(path), path)))
            stack.callback(_keep, request, begun[-1], lab.log)
            return begun[-1]

        packages = files_below(python.parent.parent)
        yield begin
    changed = {path for path, state in files_below(python.parent.parent).items() if packages.get(path) != state}
    assert {path for path in changed if "__pycache__" not in path} == set(), "the environment was changed"
    assert list((tmp_path / "tmp").glob("tah*")) == [], "a temporary folder was left"


def _keep(request: pytest.FixtureRequest, walk: Walk, log: Path) -> None:
    """What was on the page, where the walk failed."""
    if request.node.stash.get(_failed, False):
        folder = RESULTS / re.sub(r"\W+", "-", request.node.name).strip("-")
        folder.mkdir(parents=True, exist_ok=True)
        walk.page.screenshot(path=folder / "page.png")
        shutil.copy(log, folder / "jupyter.log")
