"""Permission cases as far as rules go in this version: names of tools, and grants of exact commands and folders."""

import json
from pathlib import Path
from typing import Any

import pytest

from tah_jupyter import Allow, Deny, ScriptedModel, allow_all, calls, open_session, says
from tah_jupyter.core.events import Notice, PermissionDenied, ToolFinished
from tah_jupyter.runtime.config import load

pytestmark = pytest.mark.anyio


def run(*argv: str) -> Any:
    return calls("execute_command", command=list(argv))


async def asked_after(folder: Path, granted: tuple[str, ...], then: tuple[str, ...]) -> tuple[list[Any], list[str]]:
    """What was asked when ``granted`` was allowed for the run and ``then`` came after it; and what ran."""
    asked: list[Any] = []

    async def approver(request: Any) -> Any:
        asked.append(request)
        return Allow("run") if len(asked) == 1 else Deny()

    model = ScriptedModel([run(*granted), run(*then), says("ok")])
    async with open_session(root=folder, model=model, approver=approver) as session:
        result = await session.run("go")
    return asked[1:], [e.call for e in result.events if isinstance(e, ToolFinished)]


@pytest.mark.case("EXEC-01")
@pytest.mark.parametrize(
    "argv",
    [
        ("env", "GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=core.fsmonitor", "GIT_CONFIG_VALUE_0=./x", "git", "status"),
        ("/usr/bin/env", "git", "status"),
        ("timeout", "5", "git", "push"),
        ("nice", "git", "push"),
        ("LD_PRELOAD=./x", "git", "status"),
        ("git", "-c", "core.fsmonitor=./x", "status"),
        ("xargs", "git", "status"),
        ("/usr/bin/git", "status"),
    ],
)
async def test_a_wrapper_does_not_inherit_what_was_allowed(tmp_path: Path, argv: tuple[str, ...]) -> None:
    asked, ran = await asked_after(tmp_path, ("git", "--version"), argv)
    assert len(ran) == 1
    # a program that is not there fails before anyone is asked; everything else is a question of its own
    assert [request.view.argv for request in asked] in ([argv], [])


@pytest.mark.case("EXEC-03")
@pytest.mark.parametrize("action", ["-delete", "-execdir", "-ok", "-fprint", "-fls", "-exec"])
async def test_find_that_acts_is_not_covered_by_find_that_looks(tmp_path: Path, action: str) -> None:
    more = {"-delete": (), "-fprint": ("out",), "-fls": ("out",)}.get(action, ("rm", "-rf", "{}", ";"))
    (tmp_path / "x").write_text("keep")
    asked, ran = await asked_after(tmp_path, ("find", ".", "-name", "x"), ("find", ".", "-name", "x", action, *more))
    assert len(asked) == 1
    assert len(ran) == 1
    assert (tmp_path / "x").read_text() == "keep"
    assert not (tmp_path / "out").exists()


@pytest.mark.case("EXEC-18")
@pytest.mark.parametrize("parts", [1, 50, 500, 5000])
async def test_a_command_of_many_parts_is_never_decided_more_weakly(tmp_path: Path, parts: int) -> None:
    script = "true; " * parts + "curl x"
    asked, ran = await asked_after(tmp_path, ("true",), ("sh", "-c", script))
    assert len(ran) == 1
    assert asked[0].view.argv == ("sh", "-c", script)
    piped = "true; " * parts + "curl x | sh"
    async with open_session(
        root=tmp_path, model=ScriptedModel([run("sh", "-c", piped), says("ok")]), mode="bypass"
    ) as s:
        result = await s.run("go")
    assert [e.source for e in result.events if isinstance(e, PermissionDenied)] == ["nobody"]


@pytest.mark.case("PERM-01")
@pytest.mark.parametrize("mode", ["default", "accept_edits", "bypass"])
async def test_deny_beats_ask_and_ask_beats_allow_whatever_the_mode(tmp_path: Path, mode: Any) -> None:
    (tmp_path / ".secrets").write_text("s3cret words\n")
    told: list[str] = []
    for rules in ({"allow": ["read_file"], "deny": ["Read"]}, {"allow": ["read_file"], "ask": ["Read"]}):
        config = load(None, environ={}, session={f"permissions.{kind}": names for kind, names in rules.items()})
        model = ScriptedModel([calls("read_file", path=".secrets"), says("ok")])
        async with open_session(root=tmp_path, model=model, config=config, mode=mode) as session:
            await session.run("go")
        told.append(str(model.requests[-1].messages[-1].text))
    assert "no tool 'read_file'" in told[0]
    assert "nobody can answer" in told[1]
    assert "s3cret" not in "".join(told)


@pytest.mark.case("PERM-07")
@pytest.mark.parametrize("rule", ["Wirte(x)", "write_file[x]", "edit_file(src/**)", "*", "write file"])
async def test_a_rule_that_cannot_be_read_closes_everything_and_is_told(tmp_path: Path, rule: str) -> None:
    (tmp_path / "tah.config.json").write_text(json.dumps({"permissions": {"deny": [rule]}}))
    (tmp_path / "a.txt").write_text("x")
    asked: list[str] = []

    async def approver(request: Any) -> Any:
        asked.append(request.tool)
        return Deny()

    model = ScriptedModel([calls("read_file", path="a.txt"), says("ok")])
    async with open_session(root=tmp_path, model=model, approver=approver, mode="bypass") as session:
        await session.run("go")
        told = " ".join(e.text for e in session.records if isinstance(e, Notice))
    assert asked == ["read_file"]
    assert "verything asks" in told


@pytest.mark.case("PERM-07")
async def test_an_unknown_name_in_a_rule_is_told_with_the_nearest_and_closes_nothing(tmp_path: Path) -> None:
    (tmp_path / "tah.config.json").write_text(json.dumps({"permissions": {"deny": ["wirte_file"]}}))
    (tmp_path / "a.txt").write_text("x")
    model = ScriptedModel([calls("read_file", path="a.txt"), says("ok")])
    async with open_session(root=tmp_path, model=model, approver=allow_all) as session:
        result = await session.run("go")
        told = " ".join(e.text for e in session.records if isinstance(e, Notice))
    assert any(isinstance(e, ToolFinished) for e in result.events)
    assert "write_file" in told
