"""The engines of grep: ours, and ripgrep where this machine has it."""

import shutil
from pathlib import Path

import pytest

__all__ = ["ENGINES", "use"]

ENGINES = ("own", *(("ripgrep",) if shutil.which("rg") else ()))
"""A bare machine has only ours; then ours alone is tested, against what is known to be right."""


def use(engine: str, patch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Let grep find ``engine``: a PATH with nothing in it hides ripgrep."""
    if engine == "own":
        patch.setenv("PATH", str(tmp_path))
