import base64
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tah_jupyter.core.approvals import Headline
from tah_jupyter.core.calls import Change, Todo
from tah_jupyter.core.events import (
    ApprovalRequested,
    CallSealed,
    Event,
    MessageFinished,
    Notice,
    RunStarted,
    TextDelta,
    ThinkingDelta,
    TodosUpdated,
    ToolFailed,
    ToolFinished,
    ToolProgress,
    decode,
    encode,
)
from tah_jupyter.core.messages import CallPart
from tah_jupyter.core.views import Command, Diff, DiffLine, Facts, Hunk, Output, Stack
from tah_jupyter.host.secrets.redact import Redactor
from tah_jupyter.sessions.recorder import SessionRecorder

KEY = 'q9"x\\Zr-71/mLp=é'
KNOWN = {"MY_API_KEY": KEY, "PLAIN_TOKEN": "tok7f3a91c2de55"}


class Lines:
    """Keeps what is appended in memory."""

    def __init__(self) -> None:
        self.lines: list[bytes] = []

    def append(self, line: bytes) -> None:
        self.lines.append(line)


@pytest.fixture
def log() -> Lines:
    return Lines()


@pytest.fixture
def recorder(log: Lines) -> SessionRecorder:
    return SessionRecorder(log, Redactor(KNOWN))


def test_an_event_without_secrets_is_logged_and_returned_as_it_is(recorder: SessionRecorder, log: Lines) -> None:
    event = ToolFinished(call="c1", tool="grep", text="task-sk-learn and Bearer of bad news: https://example.org/a:b")
    assert recorder.record(event, durable=True) is event
    assert log.lines == [encode(event)]


def test_what_is_not_durable_is_masked_and_not_logged(recorder: SessionRecorder, log: Lines) -> None:
    assert recorder.record(Notice(text=f"key {KEY}"), durable=False) == Notice(text="key ⟨MY_API_KEY⟩")
    assert log.lines == []


def arguments(text: str) -> str:
    return json.dumps({"content": text, "nested": json.dumps({"deep": text})})


PLACES = [
    lambda text: RunStarted(prompt=text),
    lambda text: MessageFinished(message="m", text=text, thinking=text, calls=(CallPart("c", "t", arguments(text)),)),
    lambda text: CallSealed(call="c", message="m", tool="t", args={"a": [{"b": text, text: 1}]}, raw=arguments(text)),
    lambda text: ToolFailed(call="c", tool="t", error="Error", text=text, changes=(Change(target=text),)),
    lambda text: TodosUpdated(todos=(Todo(text, "completed"),)),
    lambda text: ApprovalRequested(
        approval="a",
        call="c",
        tool="t",
        headline=Headline("Run", text),
        view=Stack(
            (
                Diff(text, (Hunk((DiffLine("+", 0, 1, text),)),)),
                Command(("curl", text)),
                Facts(((text, text),)),
                Stack((Output(text),)),
            )
        ),
        asks_because=(text,),
    ),
]


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("secret", KNOWN.values())
def test_a_secret_is_masked_wherever_it_stands(recorder: SessionRecorder, log: Lines, place, secret: str) -> None:
    shown = recorder.record(place(f"before {secret} after"), durable=True)
    assert decode.decode(log.lines[0]) == shown
    spelled = {secret, json.dumps(secret)[1:-1], json.dumps(secret, ensure_ascii=False)[1:-1]}
    for spelling in spelled | {base64.b64encode(secret.encode()).decode()}:
        assert spelling not in str(shown)
        assert spelling not in log.lines[0].decode()
    name = next(name for name, value in KNOWN.items() if value == secret)
    assert f"before ⟨{name}⟩ after" in log.lines[0].decode()


def test_arguments_of_a_call_stay_valid_json(recorder: SessionRecorder) -> None:
    # inside JSON, the n of a written \n would be taken for the key's first letter
    recorder = SessionRecorder(Lines(), Redactor({"K": "nope-secret-77"}))
    part = CallPart("c", "t", json.dumps({"text": "\nope-secret-77", "key": "nope-secret-77"}))
    shown = recorder.record(MessageFinished(message="m", calls=(part,)), durable=True)
    assert json.loads(shown.calls[0].arguments) == {"text": "\nope-secret-77", "key": "⟨K⟩"}
    broken = recorder.record(
        MessageFinished(message="m", calls=(CallPart("c", "t", '{"a": "nope-secret-77'),)), durable=True
    )
    assert broken.calls[0].arguments == '{"a": "⟨K⟩'


def test_a_password_that_is_a_number_is_masked_among_arguments(log: Lines) -> None:
    recorder = SessionRecorder(log, Redactor({"DB_PASSWORD": "1234567890"}))
    shown = recorder.record(CallSealed(call="c", message="m", tool="t", args={"p": 1234567890, "n": 3}), durable=True)
    assert shown.args == {"p": "⟨DB_PASSWORD⟩", "n": 3}
    numbers = ToolFinished(call="c", tool="t", text="", seq=1234567890, duration_ms=1234567890.0)
    assert recorder.record(numbers, durable=True) == numbers


def test_words_of_ours_are_never_masked(log: Lines) -> None:
    recorder = SessionRecorder(log, Redactor({"ODD_TOKEN": "completed", "ODD_KEY": "tool.finished"}))
    event = TodosUpdated(todos=(Todo("it is completed", "completed"),))
    assert recorder.record(event, durable=True).todos == (Todo("it is ⟨ODD_TOKEN⟩", "completed"),)
    finished = ToolFinished(call="c", tool="t", text="ok")
    assert recorder.record(finished, durable=True) == finished
    assert decode.decode(log.lines[1]) == finished


def test_half_a_character_is_written_visibly(recorder: SessionRecorder, log: Lines) -> None:
    name = b"caf\xe9.txt".decode("utf-8", "surrogateescape")
    shown = recorder.record(ToolFinished(call="c", tool="t", text=name), durable=True)
    assert shown.text == "caf\\udce9.txt"
    assert decode.decode(log.lines[0]) == shown
    assert recorder.record(TextDelta(message="m", text=name + "!"), durable=False).text == "caf\\udce9.txt!"


def stream(recorder: SessionRecorder, pieces: list[str]) -> str:
    return "".join(recorder.record(TextDelta(message="m", text=piece), durable=False).text for piece in pieces)


@pytest.mark.parametrize("secret", [*KNOWN.values(), "ghp_" + "a1B2c3D4e5" * 4])
def test_a_secret_that_is_split_over_deltas_is_never_shown(recorder: SessionRecorder, log: Lines, secret: str) -> None:
    for cut in range(1, len(secret)):
        message = f"m{cut}"
        pieces = [f"the key is {secret[:cut]}", f"{secret[cut:]} and it works", "."]
        shown = [recorder.record(TextDelta(message=message, text=piece), durable=False).text for piece in pieces]
        assert secret[:cut] not in shown[0] or cut < 2
        assert "".join(shown).startswith("the key is ⟨")
        assert "".join(shown).endswith("⟩ and it works.")
        recorder.record(MessageFinished(message=message, text="".join(pieces)), durable=True)
    assert all(secret.encode() not in line for line in log.lines)


def test_streams_of_one_message_and_of_calls_do_not_mix(recorder: SessionRecorder) -> None:
    first, second = KNOWN["PLAIN_TOKEN"][:7], KNOWN["PLAIN_TOKEN"][7:]
    shown: list[Event] = [
        recorder.record(event, durable=False)
        for event in (
            TextDelta(message="m", text=first),
            ThinkingDelta(message="m", text=second),
            ToolProgress(call="m", text=second),
            ToolProgress(call="m", view=Output(KNOWN["PLAIN_TOKEN"]), fraction=0.5),
            ToolProgress(call="m", text=".", view=Output(KNOWN["PLAIN_TOKEN"])),
            TextDelta(message="m", text=second),
        )
    ]
    assert [event.text for event in shown] == ["", second, second, "", ".", "⟨PLAIN_TOKEN⟩"]
    assert [event.view for event in shown[3:5]] == [Output("⟨PLAIN_TOKEN⟩")] * 2


def test_the_end_of_a_message_or_call_drops_what_was_held(recorder: SessionRecorder) -> None:
    assert recorder.record(TextDelta(message="m", text="tok7"), durable=False).text == ""
    recorder.record(MessageFinished(message="m", text="tok7"), durable=True)
    assert recorder.record(TextDelta(message="m", text="f3a91c2de55"), durable=False).text == "f3a91c2de55"
    assert recorder.record(ToolProgress(call="c", text="tok7"), durable=False).text == ""
    recorder.record(ToolFailed(call="c", tool="t", error="x", text=""), durable=True)
    assert recorder.record(ToolProgress(call="c", text="f3"), durable=False).text == "f3"


@settings(max_examples=100, deadline=None)
@given(st.lists(st.text(max_size=20), max_size=8), st.sampled_from(sorted(KNOWN.values())), st.integers(0, 8))
def test_no_record_holds_a_known_secret(parts: list[str], secret: str, where: int) -> None:
    log = Lines()
    recorder = SessionRecorder(log, Redactor(KNOWN))
    text = "".join([*parts[:where], secret, *parts[where:]])
    for place in PLACES:
        shown = recorder.record(place(text), durable=True)
        assert secret not in str(shown)
    assert all(json.dumps(secret, ensure_ascii=False)[1:-1].encode() not in line for line in log.lines)
