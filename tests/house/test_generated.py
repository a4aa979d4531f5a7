"""What is generated says what the code says; and the published config schema means what the loader means."""

import json
import subprocess
import sys
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from tah_jupyter.runtime.config import load
from tests.house.source import PACKAGE, ROOT

SCHEMA = json.loads((PACKAGE / "config.schema.json").read_text("utf-8"))


def test_generated_files_are_up_to_date() -> None:
    done = subprocess.run(
        [sys.executable, ".ci/docs.py", "--check"], capture_output=True, text=True, cwd=ROOT, check=False
    )
    assert done.returncode == 0, done.stderr


def test_the_project_keeps_its_own_config_without_a_problem(monkeypatch: pytest.MonkeyPatch) -> None:
    assert load(ROOT, environ={"HOME": "/nowhere"}).problems == ()
    Draft202012Validator(SCHEMA).validate(json.loads((ROOT / "tah.config.json").read_text("utf-8")))


@pytest.mark.parametrize(
    "config",
    [
        {"model": "m", "models": {"a": {"baseUrl": "http://127.0.0.1:1/v1", "headers": {"X": "y"}}}},
        {"capabilities": {"coding": False}},
        {"capabilities": {"coding": {"exec": False}, "vision": True}},
        {"permissions": {"mode": "plan", "deny": ["edit_file"]}, "budget": {"maxTurns": 1}},
        {"permissions": {"mode": "bypass"}},
        {"permissions": {"deny": ["edit_file(src/**)"]}},
        {"permissions": {"deny": "edit_file"}},
        {"permissions": {"denny": []}},
        {"models": {"a": {}}},
        {"models": {"a": {"baseUrl": "ftp://x"}}},
        {"models": {"a": {"baseUrl": "https://x", "apiKey": "k"}}},
        {"budget": {"maxTurns": 0}},
        {"budget": {"maxTurns": "1"}},
        {"ui": {"height": 5000}},
        {"nonsense": 1},
        [],
    ],
)
def test_the_schema_refuses_exactly_what_the_loader_refuses(
    config: Any, tmp_path_factory: pytest.TempPathFactory
) -> None:
    home = tmp_path_factory.mktemp("home")
    (home / ".config" / "tah").mkdir(parents=True)
    (home / ".config" / "tah" / "config.json").write_text(json.dumps(config))
    assert Draft202012Validator(SCHEMA).is_valid(config) is not load(None, environ={"HOME": str(home)}).fail_closed
