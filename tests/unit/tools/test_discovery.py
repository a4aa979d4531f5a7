"""A tool is a module of the package; nothing else lists it."""

import subprocess
import sys
from pathlib import Path

import pytest

import tah_jupyter.tools
from tah_jupyter.host.files.workspace import Workspace
from tah_jupyter.tools import discover, make


def test_every_module_is_a_tool_of_its_name(tmp_path: Path) -> None:
    workspace = Workspace(tmp_path)
    names = discover()
    assert {"edit_file", "read_file", "write_file"} <= set(names)
    assert [make(name, workspace).name for name in names] == names


def test_the_factories_are_attributes_of_the_package() -> None:
    assert set(dir(tah_jupyter.tools)) == {"discover", "make", *(f"{name}_tool" for name in discover())}
    assert tah_jupyter.tools.read_file_tool(".").name == "read_file"


def test_what_is_not_there_is_an_error_with_names() -> None:
    with pytest.raises(LookupError, match="read_file"):
        make("no_such", ".")
    for name in ("no_such_tool", "read_file_tol", "_tool"):
        with pytest.raises(AttributeError, match=name):
            getattr(tah_jupyter.tools, name)


def test_a_factory_imports_its_own_module_alone() -> None:
    code = (
        "import sys; from tah_jupyter.tools import read_file_tool; "
        "print(*sorted(n for n in sys.modules if n.startswith('tah_jupyter.tools.')))"
    )
    root = Path(__file__).parents[3]
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=root)
    assert done.stdout.split() == ["tah_jupyter.tools.read_file"]
