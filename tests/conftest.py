"""What every test stands on: the asyncio backend, a loop on which nothing blocks, and no trace of the person's own
settings.
"""

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import hypothesis
import pytest
from blockbuster import BlockBuster

# No deadline: the machine may be busy. On CI the same examples each time, so that what lands has been tried.
hypothesis.settings.register_profile("tah", deadline=None, derandomize=bool(os.environ.get("CI")))
hypothesis.settings.load_profile("tah")

# A worker that runs files side by side ignores Ctrl-C, and the terminals and commands that it starts would too.
signal.signal(signal.SIGINT, signal.default_int_handler)

OWN_FOLDERS = ("HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME", "XDG_DATA_HOME", "IPYTHONDIR")
SECRET_WORDS = ("API_KEY", "TOKEN", "SECRET", "PASSWORD")
SETTINGS = ("TAH_", "OPENAI_", "ANTHROPIC_", "JUPYTER_", "JPY_")


@pytest.fixture(scope="session")
def anyio_backend() -> str:
    """The kernel's loop is asyncio's, so the tests' is too."""
    return "asyncio"


@pytest.fixture(scope="session", autouse=True)
def _own_environment(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """No key, setting or folder of whoever runs the tests is seen by them or by the processes they start."""
    with pytest.MonkeyPatch.context() as patch:
        for name in list(os.environ):
            if name.startswith(SETTINGS) or any(word in name for word in SECRET_WORDS):
                patch.delenv(name)
        _use_home(patch, tmp_path_factory.mktemp("home"))
        yield


@pytest.fixture(scope="session", autouse=True)
def _nothing_blocks_the_loop() -> Iterator[None]:
    """A blocking call of ours on a running loop is an error in every test (law 2 needs a loop that answers)."""
    guard = BlockBuster(scanned_modules=["tah_jupyter"])
    # One write a record, by design: the log comes before what is shown, and a thread hop would reorder the two.
    guard.functions["os.write"].can_block_in("tah_jupyter/sessions/log.py", {"append"})
    # asyncio itself starts a process on the loop: it forks, then waits for the child's "exec worked".
    guard.functions["os.read"].can_block_in("subprocess.py", {"_execute_child"})
    # Where a path leads is asked before a call is judged: it reads links, some microseconds a part, and no file.
    for name in ("os.path.abspath", "os.readlink", "os.stat", "os.getcwd"):
        guard.functions[name].can_block_in(
            "tah_jupyter/host/files/boundary.py", {"_real", "_real_folder", "_folder_of"}
        )
    # litellm is not ours: it reads certificates and modules on the loop (measured: 25 to 55 ms once, not at a request).
    for function in guard.functions.values():
        function.can_block_in("tah_jupyter/models/litellm_route.py", {"_send", "_chunks"})
        function.can_block_in("tah_jupyter/models/litellm_library.py", {"__getattr__"})
    guard.activate()
    yield
    guard.deactivate()


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty home folder of this test alone, with the config and state folders where they are by default."""
    folder = tmp_path / "home"
    folder.mkdir()
    _use_home(monkeypatch, folder)
    return folder


def _use_home(patch: pytest.MonkeyPatch, folder: Path) -> None:
    for name in OWN_FOLDERS:
        patch.delenv(name, raising=False)
    patch.setenv("HOME", str(folder))
