"""Config: sources merge in their order, a folder's file only tightens, and anything broken makes everything ask."""

import json
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tah_jupyter.core.errors import ConfigError
from tah_jupyter.runtime.config import Config, Endpoint, Permissions, load
from tah_jupyter.runtime.config_schema import leaves, variable
from tah_jupyter.runtime.config_sources import MAX_FILE_BYTES

Write = Callable[[Any], Path]
MODES = ["default", "accept_edits", "plan", "dont_ask"]
TOOLS = st.lists(st.sampled_from(["read_file", "edit_file", "grep"]), max_size=3)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    return folder


@pytest.fixture
def mine(home: Path) -> Write:
    """Writes the person's own config file."""
    folder = home / ".config" / "tah"
    folder.mkdir(parents=True)
    return lambda content: _write(folder / "config.json", content)


@pytest.fixture
def project(root: Path, home: Path) -> Write:
    """Writes the folder's own config file."""
    return lambda content: _write(root / "tah.config.json", content)


def _write(path: Path, content: Any) -> Path:
    path.write_text(content if isinstance(content, str) else json.dumps(content, indent=2))
    return path


def messages(config: Config) -> str:
    return "\n".join(str(problem) for problem in config.problems)


def test_without_any_source_everything_is_the_default(root: Path, home: Path) -> None:
    config = load(root)
    assert config._replace(rows=()) == Config()
    assert set(config.provenance.values()) == {"default"}
    assert not config.fail_closed


def test_later_sources_win_and_each_value_says_where_it_comes_from(root: Path, mine: Write, project: Write) -> None:
    mine({"model": "mine", "budget": {"maxTurns": 30}, "ui": {"language": "zh", "height": 400}})
    project({"budget": {"maxTurns": 20}, "ui": {"height": 500}})
    config = load(
        root,
        jupyter={"model": "jupyter", "env.pass": ["A"], "session.dir": "/var/tah"},
        environ={**os.environ, "TAH_MODEL": "env", "TAH_UI_HEIGHT": "600"},
        session={"model": "asked"},
    )
    assert (config.model, config.budget.max_turns, config.ui) == ("asked", 20, ("zh", 600))
    assert config.pass_env == ("A",)
    assert config.session_dir == Path("/var/tah")
    assert config.provenance["model"] == "this session"
    assert config.provenance["budget.maxTurns"] == "tah.config.json:3"
    assert config.provenance["ui.language"] == "~/.config/tah/config.json:7"
    assert config.provenance["ui.height"] == "TAH_UI_HEIGHT"
    assert config.provenance["env.pass"] == "Jupyter config"
    assert config.problems == ()


def test_rules_of_all_sources_add_up(root: Path, mine: Write, project: Write) -> None:
    mine({"permissions": {"deny": ["grep"], "allow": ["edit_file"]}})
    project({"permissions": {"deny": ["grep", "write_file"], "ask": ["read_file"]}})
    config = load(root, session={"permissions.allow": ["list_files"]})
    assert config.permissions == Permissions(
        "default", allow=("edit_file", "list_files"), ask=("read_file",), deny=("grep", "write_file")
    )
    assert config.provenance["permissions.deny"] == "~/.config/tah/config.json:3, tah.config.json:3"


def test_an_entry_of_models_is_replaced_whole_so_a_key_never_goes_to_another_address(root: Path, home: Path) -> None:
    config = load(
        root,
        jupyter={"models": {"local": {"baseUrl": "https://a.example/v1", "apiKeyEnv": "A_KEY"}}},
        session={"models": {"local": {"baseUrl": "https://b.example/v1/"}, "gpt-4.1": {"baseUrl": "http://c.example"}}},
    )
    assert config.models["local"] == Endpoint("local", "https://b.example/v1", "local")
    assert config.models["gpt-4.1"].model == "gpt-4.1"


def test_a_model_that_litellm_knows_needs_no_address(root: Path, mine: Write, project: Write) -> None:
    project({"fallbackModels": ["elsewhere"], "models": {"a": {"route": "litellm", "model": "elsewhere/x"}}})
    mine({"fallbackModels": ["a", "ollama/b"], "models": {"a": {"route": "litellm", "model": "bedrock/x"}}})
    config = load(root)
    assert (config.models["a"].route, config.models["a"].model, config.models["a"].base_url) == (
        "litellm",
        "bedrock/x",
        "",
    )
    assert config.fallback_models == ("a", "ollama/b")  # a folder's own file sends nothing anywhere


def test_secrets_in_headers_are_shown_nowhere(root: Path, home: Path) -> None:
    endpoint = {"baseUrl": "https://a.example", "headers": {"X-Token": "hunter2"}}
    config = load(root, session={"models": {"a": endpoint}})
    assert config.models["a"].headers == {"X-Token": "hunter2"}
    assert "hunter2" not in repr(config)
    assert '"X-Token": "…"' in next(row.value for row in config.rows if row.key == "models.a")


class TestFolder:
    """What a folder's own file may do before anyone trusts it (law 8)."""

    @pytest.mark.parametrize(
        ("content", "key"),
        [
            ({"model": "evil"}, "model"),
            ({"models": {"gpt": {"baseUrl": "https://evil.example"}}}, "models.gpt"),
            ({"permissions": {"allow": ["execute_command"]}}, "permissions.allow"),
            ({"permissions": {"mode": "accept_edits"}}, "permissions.mode"),
            ({"permissions": {"mode": "default"}}, "permissions.mode"),
            ({"budget": {"maxTurns": 51}}, "budget.maxTurns"),
            ({"env": {"pass": ["AWS_SECRET_ACCESS_KEY"]}}, "env.pass"),
            ({"session": {"dir": "/tmp/elsewhere"}}, "session.dir"),
            ({"capabilities": {"coding": False}}, "capabilities.coding"),
            ({"capabilities": {"vision": True}}, "capabilities.vision"),
        ],
    )
    def test_what_could_loosen_is_inert_and_said(self, root: Path, project: Write, content: Any, key: str) -> None:
        project(content)
        settled = {"permissions.mode": "plan"}
        config = load(root, jupyter=settled)
        assert config._replace(problems=()) == load(None, jupyter=settled)
        assert [problem.key for problem in config.problems] == [key]
        assert f'"{key}" is ignored' in messages(config)
        assert not config.fail_closed

    @pytest.mark.parametrize("own", MODES)
    @pytest.mark.parametrize("theirs", MODES)
    def test_its_mode_counts_only_when_it_is_tighter(
        self, root: Path, mine: Write, project: Write, own: str, theirs: str
    ) -> None:
        mine({"permissions": {"mode": own}})
        project({"permissions": {"mode": theirs}})
        mode = load(root).permissions.mode
        tighter = theirs in ("plan", "dont_ask") and own not in ("plan", "dont_ask")
        assert mode == (theirs if tighter else own)

    def test_lower_budget_deny_ask_and_looks_count(self, root: Path, project: Write) -> None:
        project(
            {
                "budget": {"maxTurns": 3},
                "permissions": {"deny": ["grep"], "ask": ["read_file"]},
                "ui": {"language": "zh"},
            }
        )
        config = load(root)
        assert config.budget.max_turns == 3
        assert config.permissions[2:] == (("read_file",), ("grep",))
        assert config.ui.language == "zh"
        assert config.problems == ()

    @given(
        own=st.sampled_from(MODES),
        theirs=st.sampled_from(MODES),
        rules=st.tuples(TOOLS, TOOLS, TOOLS),
        turns=st.integers(1, 99),
    )
    def test_no_folder_file_ever_weakens_what_the_person_settled(
        self, tmp_path_factory: pytest.TempPathFactory, own: str, theirs: str, rules: Any, turns: int
    ) -> None:
        root = tmp_path_factory.mktemp("any")
        allow, ask, deny = (list(names) for names in rules)
        permissions = {"mode": theirs, "allow": allow, "ask": ask, "deny": deny}
        _write(root / "tah.config.json", {"permissions": permissions, "budget": {"maxTurns": turns}})
        settled = {"permissions.mode": own, "permissions.deny": ["grep"], "permissions.allow": ["read_file"]}
        alone = load(None, jupyter=settled, environ={"HOME": str(root)})
        beside = load(root, jupyter=settled, environ={"HOME": str(root)})
        assert set(beside.permissions.allow) <= set(alone.permissions.allow)
        assert set(beside.permissions.ask) >= set(alone.permissions.ask)
        assert set(beside.permissions.deny) >= set(alone.permissions.deny)
        assert beside.budget.max_turns <= alone.budget.max_turns
        assert beside.permissions.mode in (own, "plan", "dont_ask")
        assert own not in ("plan", "dont_ask") or beside.permissions.mode == own


class TestBroken:
    """A source with a mistake: the extension loads, says what and where, and everything asks."""

    @pytest.mark.parametrize(
        ("content", "said"),
        [
            ('{\n  "permisions": {}\n}', 'line 2: unknown key "permisions"; did you mean "permissions"?'),
            ('{"permissions": {\n"denny": []}}', 'line 2: unknown key "denny" in "permissions"; did you mean "deny"?'),
            ('{"zzz": 1}', 'line 1: unknown key "zzz"; known: $schema, agents, browser, budget'),
            ('{"model": 3}', 'line 1: "model" must be a text, not a number.'),
            ('{"model": " "}', 'line 1: "model" must be a text that is not empty.'),
            ('{"budget": {"maxTurns": "5"}}', '"budget.maxTurns" must be a whole number, not a text.'),
            ('{"budget": {"maxTurns": true}}', '"budget.maxTurns" must be a whole number, not true or false.'),
            ('{"budget": {"maxTurns": 2.5}}', '"budget.maxTurns" must be a whole number, not a number.'),
            ('{"budget": {"maxTurns": 0}}', '"budget.maxTurns" must be at least 1.'),
            ('{"ui": {"height": 9999}}', '"ui.height" must be at most 2000.'),
            ('{"ui": {"language": "fr"}}', '"ui.language" cannot be "fr"; known: auto, en, zh.'),
            ('{"ui": []}', '"ui" must be an object, not a list.'),
            ('{"permissions": null}', '"permissions" must be an object, not null.'),
            ('{"permissions": {"mode": "bypass"}}', "chosen by hand and never saved"),
            ('{"permissions": {"mode": "plann"}}', 'cannot be "plann"; did you mean "plan"?'),
            ('{"permissions": {"deny": "grep"}}', '"permissions.deny" must be a list, not a text.'),
            (
                '{"permissions": {"deny": [\n"edit_file(src/**)"]}}',
                'line 2: "permissions.deny.0" must be the plain name',
            ),
            (
                '{"capabilities": {"coding": 1}}',
                '"capabilities.coding" must be an object or true or false, not a number.',
            ),
            ('{"capabilities": {"coding": {"exek": true}}}', 'did you mean "exec"?'),
            ('{"models": {"a": {}}}', '"models.a" needs the key "baseUrl".'),
            ('{"models": {"a": {"baseUrl": "ftp://x"}}}', "must be an http or https address"),
            ('{"models": {"a": {"baseUrl": "https://u:p@x/v1"}}}', "without a name, password"),
            ('{"models": {"a": {"baseUrl": "https://x", "apiKeyEnv": "sk-1"}}}', "never the secret itself"),
            ('{"hooks": {"PreToolUse": []}}', '"hooks" is not used by this version, so its checks would not run'),
            ('{"a": 1', 'line 1: the file ends where "," or "}" should come.'),
            ("[]", "the whole must be an object, not a list."),
            ("", "the file ends where a value should come"),
        ],
    )
    def test_names_file_line_key_and_what_was_meant(self, mine: Write, root: Path, content: str, said: str) -> None:
        mine(content)
        config = load(root)
        assert said in messages(config)
        assert messages(config).startswith("~/.config/tah/config.json")
        assert config.fail_closed

    def test_takes_out_what_lets_calls_pass_and_keeps_what_stops_them(self, root: Path, mine: Write) -> None:
        mine({"permissions": {"mode": "accept_edits", "allow": ["edit_file"], "deny": ["grep", 3]}, "modell": "x"})
        config = load(root, session={"permissions.allow": ["write_file"]})
        assert config.fail_closed
        assert config.permissions == Permissions("default", allow=(), ask=(), deny=("grep",))
        assert "problems" in config.provenance["permissions.allow"]

    @pytest.mark.parametrize("mode", ["plan", "dont_ask"])
    def test_leaves_a_tight_mode_in_force(self, root: Path, mine: Write, mode: str) -> None:
        mine({"permissions": {"mode": mode}, "modell": "x"})
        assert load(root).permissions.mode == mode

    def test_a_mistake_in_the_folder_file_also_makes_everything_ask(self, root: Path, project: Write) -> None:
        project('{"permissions": {"deny": ["grep"}}')
        config = load(root)
        assert config.fail_closed
        assert messages(config).startswith("tah.config.json, line 1: ")

    def test_no_message_shows_a_value_that_may_be_a_secret(self, root: Path, mine: Write) -> None:
        secret = "sk-live-0123456789"
        mine(
            {
                "models": {"a": {"baseUrl": secret, "apiKeyEnv": secret, "apiKey": secret, "headers": [secret]}},
                "model": [secret],
            }
        )
        assert secret not in messages(load(root))

    def test_control_characters_of_a_key_are_made_visible(self, root: Path, mine: Write) -> None:
        mine({"\x1b[31m\u202e" + "k" * 300: 1})
        said = messages(load(root))
        assert '"\\u001b[31m\\u202ekkk' in said
        assert "\x1b" not in said
        assert "\u202e" not in said
        assert "k" * 80 not in said

    @pytest.mark.parametrize(
        ("name", "data", "said"),
        [
            ("latin", b'{"model": "\xe9"}', "it is not UTF-8 text"),
            ("huge", b" " * (MAX_FILE_BYTES + 1), "it is larger than 256 KiB"),
        ],
    )
    def test_a_file_that_is_no_config_is_told(self, root: Path, home: Path, name: str, data: bytes, said: str) -> None:
        (root / "tah.config.json").write_bytes(data)
        config = load(root)
        assert messages(config) == f"tah.config.json: it cannot be read: {said}."
        assert config.fail_closed

    @pytest.mark.parametrize("make", [os.mkfifo, os.mkdir, lambda path: os.symlink("/dev/zero", path)])
    def test_what_is_no_file_is_refused_at_once(self, root: Path, home: Path, make: Callable[[Path], None]) -> None:
        make(root / "tah.config.json")
        config = load(root)
        assert "it is not a regular file" in messages(config)
        assert config.fail_closed

    def test_a_link_that_leads_in_a_circle_is_refused(self, root: Path, home: Path) -> None:
        (root / "tah.config.json").symlink_to("tah.config.json")
        assert load(root).fail_closed

    def test_a_byte_order_mark_is_no_mistake(self, root: Path, home: Path) -> None:
        (root / "tah.config.json").write_bytes(b'\xef\xbb\xbf{"budget": {"maxTurns": 2}}')
        assert load(root).budget.max_turns == 2

    def test_a_command_with_a_mistake_fails_itself(self, root: Path, home: Path) -> None:
        with pytest.raises(ConfigError, match=r'"permissions.mode" cannot be "pln"; did you mean "plan"'):
            load(root, session={"permissions.mode": "pln"})

    def test_a_mistake_in_jupyters_files_is_a_problem(self, root: Path, home: Path) -> None:
        config = load(root, jupyter={"permissions.mod": "plan", "permissions": 3, "model": True, "budget": object()})
        assert config.fail_closed
        assert '"budget" must be an object, not of type object.' in messages(config)
        assert "Jupyter config: unknown key" in messages(config)


class TestEnvironment:
    """``TAH_*``: one variable a key."""

    def load(self, variables: Mapping[str, str]) -> Config:
        return load(None, environ={"HOME": "/nowhere", **variables})

    def test_each_kind_of_value_can_be_spelt(self) -> None:
        config = self.load(
            {
                "TAH_PERMISSIONS_DENY": "grep, read_file,",
                "TAH_PERMISSIONS_MODE": "plan",
                "TAH_BUDGET_MAX_TURNS": "7",
                "TAH_CAPABILITIES_VISION": "yes",
                "TAH_CAPABILITIES_CODING": "0",
                "TAH_MODEL": "  ",
                "TAH_PROCESS": "a mark of ours",
                "PATH": "/bin",
            }
        )
        assert config.problems == ()
        assert config.permissions == Permissions("plan", deny=("grep", "read_file"))
        assert (config.budget.max_turns, config.model) == (7, None)
        assert config.capabilities == (False, False, True)

    @pytest.mark.parametrize(
        ("name", "value", "said"),
        [
            ("TAH_PERMISSION_DENY", "grep", 'no such setting; did you mean "TAH_PERMISSIONS_DENY"?'),
            ("TAH_BUDGET_MAX_TURNS", "many", "must be a whole number, not a text"),
            ("TAH_BUDGET_MAX_TURNS", "9" * 5000, "must be a whole number, not a text"),
            ("TAH_CAPABILITIES_VISION", "maybe", "must be true or false, not a text"),
            ("TAH_PERMISSIONS_MODE", "bypass", "chosen by hand"),
        ],
    )
    def test_a_mistake_makes_everything_ask(self, name: str, value: str, said: str) -> None:
        config = self.load({name: value, "TAH_PERMISSIONS_ALLOW": "edit_file"})
        assert config.fail_closed
        assert said in messages(config)
        assert config.permissions.allow == ()

    def test_a_switch_of_a_later_version_is_told_and_nothing_more(self) -> None:
        config = self.load({"TAH_FEATURE_WEB": "1"})
        assert "not used by this version" in messages(config)
        assert not config.fail_closed

    def test_every_plain_key_has_a_variable_of_its_own(self) -> None:
        names = [variable(path) for path, _ in leaves()]
        assert len(names) == len(set(names)) > 15


def test_parts_of_later_versions_are_accepted_and_told(root: Path, mine: Write) -> None:
    mine({"hooks": {}, "web": {"fetch": True}, "mcpServers": {"x": {}}, "capabilities": {"web": True}})
    config = load(root)
    assert [problem.key for problem in config.problems] == ["hooks", "web", "mcpServers", "capabilities.web"]
    assert not config.fail_closed


@pytest.mark.parametrize(
    ("value", "expected"),
    [(True, (True, True)), (False, (False, False)), ({}, (True, True)), ({"exec": False}, (True, False))],
)
def test_coding_is_a_switch_or_says_whether_commands_may_run(
    home: Path, value: Any, expected: tuple[bool, bool]
) -> None:
    assert load(None, session={"capabilities.coding": value}).capabilities[:2] == expected


def test_bypass_is_for_commands_of_the_person_alone(home: Path) -> None:
    assert load(None, session={"permissions.mode": "bypass"}).permissions.mode == "bypass"
    assert load(None, jupyter={"permissions.mode": "bypass"}).fail_closed


def test_xdg_config_home_is_used_when_it_is_absolute(tmp_path: Path, root: Path, mine: Write) -> None:
    mine({"model": "home"})
    (tmp_path / "xdg" / "tah").mkdir(parents=True)
    _write(tmp_path / "xdg" / "tah" / "config.json", {"model": "xdg"})
    assert load(root, environ={**os.environ, "XDG_CONFIG_HOME": str(tmp_path / "xdg")}).model == "xdg"
    assert load(root, environ={**os.environ, "XDG_CONFIG_HOME": "xdg"}).model == "home"


@pytest.mark.parametrize(("folder", "expected"), [("~/s", "{home}/s"), ("s", "{root}/s"), ("/s", "/s")])
def test_the_session_folder_may_be_of_home_of_the_root_or_absolute(
    root: Path, home: Path, folder: str, expected: str
) -> None:
    config = load(root, session={"session.dir": folder})
    assert str(config.session_dir) == expected.format(home=home, root=root)
