"""Law 9: loading costs nothing heavy. Looked at in a fresh interpreter, with a real shell."""

import json
import subprocess
import sys

from tests.house.source import ROOT

HEAVY = [
    "litellm",
    "openai",
    "mcp",
    "playwright",
    "pydantic",
    "anywidget",
    "ipywidgets",
    "httpx",
    "anyio",
    "jsonschema",
]

PROBE = """
import json, sys
from IPython.core.interactiveshell import InteractiveShell
import ipykernel.ipkernel
shell = InteractiveShell.instance()
deeds, before = [], set(sys.modules)
sys.addaudithook(lambda event, _: deeds.append(event) if event in DEEDS else None)
import tah_jupyter
if LOAD:
    tah_jupyter.load_ipython_extension(shell)
print(json.dumps({"deeds": deeds, "modules": sorted(set(sys.modules) - before)}))
"""
DEEDS = {"socket.__new__", "_thread.start_new_thread", "_thread.start_joinable_thread", "subprocess.Popen", "os.fork"}


def load(*, extension: bool) -> dict[str, list[str]]:
    """What importing the package, or loading it as an extension, did and brought in."""
    code = PROBE.replace("DEEDS", repr(DEEDS)).replace("LOAD", repr(extension))
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, timeout=50, check=True
    )
    found: dict[str, list[str]] = json.loads(done.stdout.splitlines()[-1])
    return found


def test_importing_the_package_brings_in_nothing_heavy() -> None:
    found = load(extension=False)
    assert "tah_jupyter" in found["modules"]
    assert not {name.partition(".")[0] for name in found["modules"]} & {*HEAVY, "msgspec"}
    assert found["deeds"] == []


def test_loading_the_extension_brings_in_nothing_heavy_and_starts_nothing() -> None:
    found = load(extension=True)
    assert "tah_jupyter.runtime.config" in found["modules"]
    assert not {name.partition(".")[0] for name in found["modules"]} & set(HEAVY)
    assert found["deeds"] == []
