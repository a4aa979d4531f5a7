"""The package as a stranger gets it: a wheel, installed with its ``lab`` extra into an environment of its own.

Versions are those of requirements/lab.txt. What uv has kept of earlier installs is used first, so that a second run
needs no index.
"""

import json
import os
import pwd
import re
import subprocess
import sys
from pathlib import Path

from tests.house.source import ROOT

__all__ = ["built_wheel", "installed_in"]

LIMIT_S = 240


def built_wheel(folder: Path) -> Path:
    """The wheel of this checkout, in ``folder``; nothing is left in the checkout."""
    build = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation"]
    _run([*build, "--wheel-dir", str(folder), str(ROOT)])
    [wheel] = folder.glob("*.whl")
    return wheel


def installed_in(environment: Path, wheel: Path) -> Path:
    """The Python of a new environment that holds ``wheel[lab]`` and what it needs, and nothing else."""
    python = environment / "bin" / "python"
    _run(["uv", "venv", "--quiet", "--python", sys.executable, str(environment)])
    limits = environment / "versions.txt"
    limits.write_text("\n".join(re.findall(r"^[\w.-]+==[^\\\n]+", _lock(), re.MULTILINE)))
    install = ["uv", "pip", "install", "--quiet", "--python", str(python), "--constraint", str(limits)]
    install += [*_index(), f"{wheel}[lab]"]
    if subprocess.run([*_uv(install), "--offline"], env=_environ(), capture_output=True, check=False).returncode:
        _run(install)
    return python


def _lock() -> str:
    return (ROOT / "requirements" / "lab.txt").read_text()  # its hashes cannot hold for a wheel just built


def _index() -> list[str]:
    """The index that pip is told of, if any: ``make setup`` installs with pip, and uv does not read its settings."""
    told = subprocess.check_output([sys.executable, "-m", "pip", "config", "list"], text=True, env=_environ())
    urls = re.findall(r"^[\w:-]+\.index-url='(\S+)'$", told, re.MULTILINE)
    return ["--default-index", urls[-1]] if urls else []


def _uv(command: list[str]) -> list[str]:
    return [sys.executable, "-m", *command] if command[0] == "uv" else command


def _environ() -> dict[str, str]:
    """Whose tests run keeps packages in a cache at home; the home of the tests themselves is another."""
    home = pwd.getpwuid(os.getuid()).pw_dir
    return {**os.environ, "HOME": home, "UV_PYTHON_DOWNLOADS": "never", "PIP_DISABLE_PIP_VERSION_CHECK": "1"}


def _run(command: list[str]) -> None:
    done = subprocess.run(
        _uv(command), env=_environ(), cwd=ROOT, capture_output=True, text=True, timeout=LIMIT_S, check=False
    )
    assert done.returncode == 0, f"{json.dumps(command)} failed:\n{done.stderr[-3_000:]}"
