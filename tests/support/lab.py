"""A real JupyterLab server for the browser tests: its own folders, a free port, no token, no news from outside."""

import json
import os
import re
import subprocess
import sys
import threading
import urllib.request
from collections.abc import Iterator, Mapping
from concurrent.futures import Future
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal

import psutil

__all__ = ["Lab", "Theme", "running_lab"]

Theme = Literal["light", "dark"]

START_S = 60.0
STOP_S = 10.0

THEMES: dict[Theme, str] = {"light": "JupyterLab Light", "dark": "JupyterLab Dark"}
ADDRESS = re.compile(rb"http://127\.0\.0\.1:\d+/")
QUIET = {"fetchNews": "false", "checkForUpdates": False, "doNotDisturbMode": True}


class Lab:
    """A running server. ``root`` is the folder that it serves, ``log`` the file with what it and its kernels print."""

    def __init__(self, url: str, root: Path, log: Path, settings: Path) -> None:
        self.url = url
        self.root = root
        self.log = log
        self._settings = settings

    def set_theme(self, theme: Theme) -> None:
        """The theme of pages that open from now on."""
        _write_setting(self._settings, "themes", {"theme": THEMES[theme]})

    def address(self, notebook: Path) -> str:
        """Where JupyterLab shows ``notebook`` alone, in a workspace of its own."""
        path = notebook.relative_to(self.root).as_posix()
        return f"{self.url}doc/workspaces/{notebook.parent.name}/tree/{path}?reset"

    def plain_address(self, notebook: Path) -> str:
        """Where Notebook 7 shows it."""
        return f"{self.url}notebooks/{notebook.relative_to(self.root).as_posix()}"

    def end_kernels(self) -> None:
        """End every session, as closing and shutting down each notebook would."""
        for session in self._ask("GET", "api/sessions"):
            self._ask("DELETE", f"api/sessions/{session['id']}")

    def kernel_of(self, notebook: Path) -> str:
        """The id of the kernel that runs for ``notebook``."""
        path = notebook.relative_to(self.root).as_posix()
        [kernel] = [each["kernel"]["id"] for each in self._ask("GET", "api/sessions") if each["path"] == path]
        return str(kernel)

    def _ask(self, method: str, path: str) -> Any:
        request = urllib.request.Request(f"{self.url}{path}", method=method)
        with urllib.request.urlopen(request, timeout=STOP_S) as answer:
            body = answer.read()
        return json.loads(body) if body else None


@contextmanager
def running_lab(
    folder: Path,
    *,
    env: dict[str, str] | None = None,
    python: Path = Path(sys.executable),
    environ: Mapping[str, str] = os.environ,
) -> Iterator[Lab]:
    """JupyterLab of ``python`` with its folders in ``folder``; the server and its kernels have ``environ`` and,
    added to it, ``env``.
    """
    root, settings, log = folder / "root", folder / "settings", folder / "jupyter.log"
    root.mkdir()
    _write_setting(settings, "notification", QUIET)
    folders = {
        "JUPYTER_CONFIG_DIR": "config",
        "JUPYTER_DATA_DIR": "data",
        "JUPYTER_RUNTIME_DIR": "runtime",
        "JUPYTERLAB_SETTINGS_DIR": "settings",
        "JUPYTERLAB_WORKSPACES_DIR": "workspaces",
        "IPYTHONDIR": "ipython",
    }
    environ = {**environ, **{name: str(folder / part) for name, part in folders.items()}, **(env or {})}
    command = [str(python), "-m", "jupyterlab", "--no-browser", "--ip=127.0.0.1", "--port=0", "--allow-root"]
    command += ["--IdentityProvider.token=", f"--ServerApp.root_dir={root}", "--ServerApp.disable_check_xsrf=True"]
    command += ["--LabApp.expose_app_in_browser=True", "--JupyterNotebookApp.expose_app_in_browser=True"]
    server = subprocess.Popen(command, env=environ, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    url: Future[str] = Future()
    reader = threading.Thread(target=_keep_log, args=(server, log, url), name="lab-log", daemon=True)
    reader.start()
    try:
        yield Lab(url.result(START_S), root, log, settings)
    finally:
        _end(server)
        reader.join(STOP_S)


def _write_setting(settings: Path, name: str, values: dict[str, Any]) -> None:
    folder = settings / "@jupyterlab" / "apputils-extension"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{name}.jupyterlab-settings").write_text(json.dumps(values))


def _keep_log(server: "subprocess.Popen[bytes]", log: Path, url: "Future[str]") -> None:
    """Write all that the server prints to ``log``; ``url`` gets its address, which it prints when its port is open."""
    assert server.stdout is not None
    with log.open("wb", buffering=0) as out, server.stdout as printed:
        for line in printed:
            out.write(line)
            if not url.done() and (address := ADDRESS.search(line)):
                url.set_result(address[0].decode())
    if not url.done():
        url.set_exception(RuntimeError(f"JupyterLab did not start:\n{log.read_text(errors='replace')[-3_000:]}"))


def _end(server: "subprocess.Popen[bytes]") -> None:
    """End it as Ctrl-C twice would, and whatever it has left running."""
    family = psutil.Process(server.pid).children(recursive=True) if server.poll() is None else []
    server.terminate()
    try:
        server.wait(STOP_S)
    except subprocess.TimeoutExpired:
        server.kill()
        server.wait(STOP_S)
    _, alive = psutil.wait_procs(family, timeout=3)
    for process in alive:
        process.kill()
    psutil.wait_procs(alive, timeout=3)
