"""litellm is imported late, quietly, and without a trace in the process of the person who uses the kernel."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.timeout(300)

LOOK = """
import json, logging, os, socket, sys, threading
from pathlib import Path

reached = []
real = socket.getaddrinfo
socket.getaddrinfo = lambda *args, **more: reached.append(args[0]) or real(*args, **more)
before = dict(os.environ)

from tah_jupyter.models.litellm_library import is_loaded, library
from tah_jupyter.models.open import open_litellm
from tah_jupyter.models.choose import choose

model = open_litellm(choose("anthropic", environ={"ANTHROPIC_API_KEY": "k"}))
late = "litellm" not in sys.modules and not is_loaded()
worker = threading.Thread(target=library)
worker.start()
worker.join()
litellm = library()
logging.getLogger("LiteLLM").warning("a warning of litellm")
print(json.dumps({
    "late": late,
    "loaded": is_loaded() and litellm is sys.modules["litellm"],
    "environ": {name for name in before | dict(os.environ) if before.get(name) != os.environ.get(name)} == set(),
    "reached": reached,
    "quiet": litellm.suppress_debug_info,
    "host": model.host,
}))
"""


def test_the_import_leaves_nothing_behind_but_the_module(tmp_path: Path) -> None:
    (tmp_path / ".env").write_text("FROM_DOT_ENV=1\nLITELLM_MODE=DEV\n")
    done = subprocess.run([sys.executable, "-c", LOOK], capture_output=True, text=True, cwd=tmp_path, check=False)
    assert done.stderr == ""
    told = json.loads(done.stdout)  # and nothing else was printed
    assert told == {
        "late": True,
        "loaded": True,
        "environ": True,
        "reached": [],
        "quiet": True,
        "host": "api.anthropic.com",
    }
