"""The order of the decision, and that a rule more never makes it weaker."""

from itertools import permutations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tah_jupyter.core.approvals import CommandSubject, Grant, PathSubject
from tah_jupyter.permissions.decide import MODES, Call, decide
from tah_jupyter.permissions.rules import Rules, read_rules
from tah_jupyter.toolkit.services import HookVote

STRENGTH = {"allow": 0, "ask": 1, "deny": 2}
NAMES = ("edit_file", "read_file", "execute_command", "Edit")
SRC = Grant("edits in src/", PathSubject("edit", "src"))


def edit(path: str = "src/a.py", **facts: object) -> Call:
    return Call(names=("edit_file", "Edit"), subject=PathSubject("edit", path), **facts)  # type: ignore[arg-type]


def test_an_edit_asks_by_default_and_says_why() -> None:
    decision = decide(edit(), Rules(), (), "default")
    assert (decision.behavior, decision.source) == ("ask", "mode")
    assert decision.reason == "in mode Ask every edit asks"


def test_a_read_passes_by_the_tools_own_word() -> None:
    call = Call(names=("read_file",), subject=PathSubject("read", "a"), read_only=True, own_word="allow")
    assert decide(call, Rules(), (), "default").source == "tool"


def test_a_rule_names_a_tool_by_its_alias_too() -> None:
    assert decide(edit(), Rules(deny=frozenset({"Edit"})), (), "bypass").behavior == "deny"


def test_plan_mode_denies_what_is_not_read_only() -> None:
    assert decide(edit(), Rules(allow=frozenset({"edit_file"})), (), "plan").rule == "plan"


def test_edits_pass_inside_the_root_only() -> None:
    assert decide(edit(), Rules(), (), "accept_edits").behavior == "allow"
    assert decide(edit("/elsewhere/a.py", inside=False), Rules(), (), "accept_edits").behavior == "ask"


@pytest.mark.parametrize("mode", ["default", "accept_edits", "bypass"])
def test_what_must_ask_gets_past_no_mode_rule_or_grant(mode: str) -> None:
    allow = Rules(allow=frozenset({"edit_file", "execute_command"}))
    everywhere = Grant("edits in this folder", PathSubject("edit", "."))
    git = decide(edit(".git/config"), allow, (everywhere,), mode)  # type: ignore[arg-type]
    assert (git.behavior, git.source, git.once_only) == ("ask", "protected", True)
    wipe = Call(names=("execute_command",), subject=CommandSubject(("rm", "-rf", "/")))
    assert decide(wipe, allow, (Grant("x", wipe.subject),), mode).source == "critical"  # type: ignore[arg-type]


def test_what_cannot_be_taken_back_passes_only_by_an_exact_grant_or_bypass() -> None:
    push = Call(names=("execute_command",), subject=CommandSubject(("git", "push")), destructive=True)
    allow = Rules(allow=frozenset({"execute_command"}))
    assert decide(push, allow, (), "default").source == "destructive"
    assert decide(push, Rules(), (Grant("git push", CommandSubject(("git", "push"))),), "default").behavior == "allow"
    other = Grant("git push", CommandSubject(("git", "push"), cwd="other"))
    assert decide(push, Rules(), (other,), "default").behavior == "ask"
    assert decide(push, Rules(), (), "bypass").behavior == "allow"


def test_a_hooks_vote_counts_after_the_rules_and_its_ask_cannot_be_passed() -> None:
    assert decide(edit(), Rules(), (), "default", HookVote("allow")).source == "hook"
    assert decide(edit(".git/x"), Rules(), (), "default", HookVote("allow")).source == "protected"
    assert decide(edit(), Rules(allow=frozenset({"edit_file"})), (), "bypass", HookVote("ask")).behavior == "ask"


def test_deny_what_would_ask_turns_every_question_into_a_denial() -> None:
    decision = decide(edit(), Rules(), (), "dont_ask")
    assert (decision.behavior, decision.rule) == ("deny", "dont_ask")
    assert "every edit asks" in decision.reason


def test_a_broken_rule_makes_everything_ask_and_is_told() -> None:
    rules, told = read_rules(deny=["Wirte(x)", "write_file[x]"], allow=["edit_file"], tools=["edit_file", "write_file"])
    assert len([line for line in told if "cannot be read" in line]) == 2
    assert decide(edit(), rules, (SRC,), "bypass").source == "config"
    read = Call(names=("read_file",), read_only=True, own_word="allow")
    assert decide(read, rules, (), "default").behavior == "ask"


def test_an_unknown_name_in_a_rule_is_a_warning_with_the_nearest_name() -> None:
    rules, told = read_rules(deny=["wirte_file"], tools=["write_file"])
    assert told == ("The deny rule 'wirte_file' names no tool that is there now (did you mean write_file?).",)
    assert not rules.fail_closed


def test_the_trace_ends_with_the_step_that_decided() -> None:
    trace = decide(edit(), Rules(), (SRC,), "default").trace
    assert trace[0] == "deny rules: no opinion"
    assert trace[-1] == "allow rules and grants: allow"


rule_sets = st.frozensets(st.sampled_from(NAMES), max_size=3)
call_facts = st.builds(
    Call,
    names=st.sampled_from([("edit_file", "Edit"), ("read_file",), ("execute_command",)]),
    subject=st.sampled_from(
        [None, PathSubject("edit", "src/a.py"), PathSubject("edit", ".git/config"), PathSubject("read", ".env"),
         CommandSubject(("ls",)), CommandSubject(("rm", "-rf", "/"))]
    ),
    inside=st.booleans(),
    read_only=st.booleans(),
    destructive=st.booleans(),
    needs_person=st.booleans(),
    own_word=st.sampled_from(["allow", "ask", "deny"]),
)  # fmt: skip
votes = st.sampled_from([None, HookVote("allow"), HookVote("ask"), HookVote(None)])
grants = st.sampled_from([(), (SRC,), (Grant("ls", CommandSubject(("ls",))),)])


@settings(max_examples=2000, deadline=None)
@given(call_facts, rule_sets, rule_sets, rule_sets, st.sampled_from(NAMES), st.sampled_from(list(MODES)), grants, votes)
def test_one_deny_or_ask_rule_more_never_makes_a_decision_weaker(
    call: Call,
    deny: frozenset[str],
    ask: frozenset[str],
    allow: frozenset[str],
    more: str,
    mode: str,
    grants: tuple[Grant, ...],
    vote: HookVote | None,
) -> None:
    before = decide(call, Rules(deny, ask, allow), grants, mode, vote)  # type: ignore[arg-type]
    for rules in (Rules(deny | {more}, ask, allow), Rules(deny, ask | {more}, allow)):
        after = decide(call, rules, grants, mode, vote)  # type: ignore[arg-type]
        assert STRENGTH[after.behavior] >= STRENGTH[before.behavior]
    assert decide(call, Rules(deny, ask, allow), grants, mode, vote) == before  # type: ignore[arg-type]


def test_the_order_of_rules_of_one_kind_does_not_matter() -> None:
    for order in permutations(NAMES[:3]):
        rules, _ = read_rules(deny=order, tools=NAMES)
        assert decide(edit(), rules, (), "default").rule == "edit_file"
