"""What the README says is what the code does: its examples run as written, its commands and names exist."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tah_jupyter import open_session
from tah_jupyter.jupyter.grammar import COMMANDS, MODES, OPTIONS
from tah_jupyter.models.choose import ModelSpec, choose
from tah_jupyter.models.providers import providers
from tah_jupyter.runtime.config import load
from tests.house.source import ROOT

README = (ROOT / "README.md").read_text("utf-8")
EXAMPLES = re.findall(r"^```python\n(.*?)^```", README, re.DOTALL | re.MULTILINE)


RUN = """
import ast, asyncio, inspect, json, pathlib, sys
names = {"folder": pathlib.Path.cwd()}
for code in json.load(sys.stdin):
    value = eval(compile(code, "README.md", "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT), names)
    if inspect.isawaitable(value):
        asyncio.run(value)
    result = names["result"]
    print(json.dumps([result.text, getattr(result, "failed", False), getattr(result, "stop_reason", "")]))
"""
"""Runs each example as a notebook's cell would, ``await`` at its top included, and tells its result."""


def test_the_examples_run_as_written(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("x = 1\n")
    done = subprocess.run(
        [sys.executable, "-c", RUN],
        input=json.dumps(EXAMPLES),
        capture_output=True,
        text=True,
        cwd=tmp_path,
        check=False,
    )
    assert done.stderr == ""
    session, listing, command = (json.loads(line) for line in done.stdout.splitlines())
    assert session == ["done", False, "end_turn"]
    assert (tmp_path / "a.py").read_text() == "x = 2\n"
    assert "a.py" in listing[0]
    assert "hello" in command[0]
    assert not listing[1]
    assert not command[1]


def test_every_verb_and_option_of_make_exists() -> None:
    makefile = (ROOT / "Makefile").read_text("utf-8")
    verbs = set(re.findall(r"^\$ make (\w+)|`make (\w+)", README, re.MULTILINE))
    for verb in {first or second for first, second in verbs}:
        assert re.search(rf"^{verb}:.*## ", makefile, re.MULTILINE), verb
    assert "$(ARGS)" in makefile


def test_every_command_and_option_exists_and_none_is_left_out() -> None:
    assert set(re.findall(r"%tah (\w+)", README)) == set(COMMANDS)
    row = next(line for line in README.split("\n") if line.startswith("| `%%tah [options]`"))
    assert set(re.findall(r"--[\w-]+", row)) == set(OPTIONS)
    assert re.findall(r"^\| `(\w+)` \| (?:the default|edits|it looks|what|everything)", README, re.MULTILINE) == list(
        MODES
    )


def test_the_keys_it_names_choose_a_model_and_are_all_there_are() -> None:
    with_a_key = README[README.index("- **With a key.**") : README.index("- **Without one.**")]
    assert set(re.findall(r"\b[A-Z]+_API_KEY", with_a_key)) == {provider.key_env for provider in providers()}


def test_the_config_it_shows_names_a_model(home: Path) -> None:
    [config] = re.findall(r'`(\{"models".*\})`', README)
    (home / ".config" / "tah").mkdir(parents=True)
    (home / ".config" / "tah" / "config.json").write_text(config)
    loaded = load(None, environ={"HOME": str(home)})
    assert loaded.problems == ()
    assert isinstance(choose("local", loaded.models, {}), ModelSpec)
    assert json.loads(config)


def test_a_mode_that_has_another_name_in_files_is_shown_with_it() -> None:
    row = re.compile(r"^\| `(\w+)` \| .*in a file (?:it is )?`(\w+)` \|$", re.MULTILINE)
    in_files = {word: name for word, name in MODES.items() if word != name}
    assert dict(row.findall(README)) == in_files


@pytest.mark.anyio
async def test_the_script_it_shows_is_one(tmp_path: Path) -> None:
    [script] = re.findall(r"`(\[\[\{.*\}\]\])`", README)
    (tmp_path / "a.py").write_text("x = 1\n")
    (tmp_path / "script.json").write_text(script)
    async with open_session(root=tmp_path, model=f"scripted:{tmp_path / 'script.json'}") as session:
        result = await session.run("what does a.py do?")
    assert (result.text, result.stop_reason) == ("It sets x.", "end_turn")


def test_lines_can_be_read_in_a_terminal() -> None:
    prose = re.sub(r"^```.*?^```|^\|.*?$", "", README, flags=re.DOTALL | re.MULTILINE)
    assert [line for line in prose.split("\n") if len(line) > 165] == []
