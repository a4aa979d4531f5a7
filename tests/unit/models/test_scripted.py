"""The scripted model: what it plays, what it keeps, what it says when the script is wrong."""

import json
from pathlib import Path

import anyio
import anyio.to_thread
import pytest

from tah_jupyter.core.calls import Usage
from tah_jupyter.core.errors import ConfigError, ModelError
from tah_jupyter.core.messages import (
    AssistantMessage,
    CallFinished,
    CallPart,
    Finish,
    Message,
    ModelEvent,
    ModelRequest,
    TextPart,
    ThinkingPart,
    UsagePart,
    UserMessage,
)
from tah_jupyter.models.scripted import (
    ScriptedModel,
    calls,
    calls_raw,
    cuts,
    ends,
    fails,
    says,
    thinks,
    waits,
)
from tests.support.streams import drain

pytestmark = pytest.mark.anyio


def request(*messages: Message) -> ModelRequest:
    return ModelRequest("be brief", messages or (UserMessage("go"),), ())


async def played(model: ScriptedModel, *messages: Message) -> list[ModelEvent]:
    return [event async for event in model.stream(request(*messages))]


async def test_text_comes_in_small_pieces_that_join_to_the_whole() -> None:
    events = await played(ScriptedModel([says("abcdefg")], chunk_chars=3))
    assert [event.text for event in events if isinstance(event, TextPart)] == ["abc", "def", "g"]
    assert events[-1] == Finish("stop")


async def test_several_calls_of_one_message_are_numbered_in_order() -> None:
    events = await played(ScriptedModel([[says("x"), calls("read", path="a"), calls("say", tool="hammer")]]))
    sealed = [event for event in events if isinstance(event, CallFinished)]
    assert [(call.index, call.tool, json.loads(call.raw)) for call in sealed] == [
        (0, "read", {"path": "a"}),
        (1, "say", {"tool": "hammer"}),
    ]
    assert events[-1] == Finish("calls")


async def test_a_call_keeps_the_argument_text_it_was_given() -> None:
    events = await played(ScriptedModel([[calls_raw("edit", '{"path": "f', truncated=True), ends("length")]]))
    assert events[0] == CallFinished(0, "edit", '{"path": "f', "", True)
    assert events[-1] == Finish("length")
    assert [event for event in events if isinstance(event, Finish)] == [Finish("length")]


async def test_thinking_and_given_usage_are_played_as_they_are() -> None:
    usage = UsagePart(Usage(input_tokens=7, output_tokens=2, requests=1))
    events = await played(ScriptedModel([[thinks("hm"), waits(0), says("a"), usage]]))
    assert events == [ThinkingPart("hm"), TextPart("a"), usage, Finish("stop")]


async def test_usage_is_estimated_from_what_was_sent_and_said() -> None:
    history = (UserMessage("12345678"), AssistantMessage("", (CallPart("c", "t", "{}12"),)))
    events = await played(ScriptedModel([[says("1234"), calls("t")]]), *history)
    (part,) = (event for event in events if isinstance(event, UsagePart))
    assert part.usage == Usage(input_tokens=5, output_tokens=2, requests=1)


async def test_a_cut_stream_has_no_terminal_event() -> None:
    seen, error = await drain(ScriptedModel([[says("par"), cuts()]]).stream(request()))
    assert seen == [TextPart("par")]
    assert isinstance(error, ModelError)
    assert (error.kind, error.retryable) == ("cut", True)


async def test_a_failure_is_given_as_an_error_or_as_a_kind() -> None:
    own = ModelError("no", kind="no_credit")
    model = ScriptedModel([fails(own), fails("rate_limit"), fails("key_refused", "bad key")])
    for kind, text, retryable in (("no_credit", "no", False), ("rate_limit", "rate_limit", True)):
        with pytest.raises(ModelError, match=text) as caught:
            await played(model)
        assert (caught.value.kind, caught.value.retryable) == (kind, retryable)
    with pytest.raises(ModelError, match="bad key"):
        await played(model)


def test_an_unknown_kind_of_failure_is_named_with_the_known_ones() -> None:
    with pytest.raises(ValueError, match=r"'oops' is no kind of model error.*rate_limit"):
        fails("oops")  # type: ignore[arg-type]


async def test_running_out_of_answers_is_an_error_that_counts() -> None:
    model = ScriptedModel([says("only")])
    await played(model)
    with pytest.raises(ModelError, match=r"has 1 answers, and this is request 2\. Add an answer"):
        await played(model)


async def test_a_function_gives_one_answer_or_all_of_them() -> None:
    def count(request: ModelRequest) -> TextPart:
        return says(str(len(request.messages)))

    mixed = ScriptedModel([count, says("b")])
    assert [(await played(mixed))[0], (await played(mixed))[0]] == [TextPart("1"), TextPart("b")]
    assert (await played(ScriptedModel(count), UserMessage("a"), UserMessage("b")))[0] == TextPart("2")


async def test_requests_are_kept_as_they_were_when_they_came() -> None:
    model = ScriptedModel([says("a"), says("b")])
    history: list[Message] = [UserMessage("one")]
    async for _ in model.stream(ModelRequest("s", history, [])):
        pass
    history.append(AssistantMessage("a"))
    async for _ in model.stream(ModelRequest("s", history, [])):
        pass
    assert [len(kept.messages) for kept in model.requests] == [1, 2]


async def test_the_name_says_scripted_and_nothing_costs() -> None:
    model = ScriptedModel([], label="mine", context_window=1000)
    assert (model.name, model.host, model.context_window, model.vision) == ("scripted:mine", "", 1000, False)
    assert model.cost_usd(Usage(input_tokens=10)) == 0.0
    assert ScriptedModel([]).name == "scripted"
    await model.aclose()


@pytest.mark.parametrize(("chunk_chars", "delay_s"), [(0, 0.0), (1, -1.0)])
def test_impossible_pacing_is_refused(chunk_chars: int, delay_s: float) -> None:
    with pytest.raises(ValueError, match="chunk_chars must be at least 1"):
        ScriptedModel([], chunk_chars=chunk_chars, delay_s=delay_s)


async def test_a_script_file_plays_like_the_list(tmp_path: Path) -> None:
    file = tmp_path / "talk.json"
    file.write_text(
        json.dumps(
            [
                [{"thinks": "hm"}, {"waits": 0}, {"says": "hé"}, {"calls": "read", "args": {"path": "a"}}],
                [{"calls": "list"}, {"ends": "length"}],
                {"fails": "overloaded", "message": "busy"},
            ]
        ),
        encoding="utf-8",
    )
    model = await anyio.to_thread.run_sync(ScriptedModel.from_file, file)
    assert model.name == "scripted:talk.json"
    first, second = await played(model), await played(model)
    assert first[:3] == [ThinkingPart("hm"), TextPart("hé"), CallFinished(0, "read", '{"path":"a"}')]
    assert (second[0], second[-1]) == (CallFinished(0, "list", "{}"), Finish("length"))
    with pytest.raises(ModelError, match="busy"):
        await played(model)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[", "not valid JSON"),
        ('{"says": "x"}', "must be a list of answers"),
        ('[{"says": "x"}, {"say": "x"}]', "In answer 2 .* exactly one of: says, thinks, calls"),
        ('["x"]', "In answer 1 .* exactly one of"),
        ('[[{"says": "x", "calls": "y"}]]', "exactly one of"),
        ('[{"calls": "read", "arg": {}}]', "the step 'calls' cannot be used: .*arg"),
        ('[{"says": 3}]', "the step 'says' cannot be used: Expected `str`"),
        ('[{"ends": "soon"}]', "the step 'ends' cannot be used"),
        ('[{"fails": "soon"}]', "the step 'fails' cannot be used"),
    ],
)
def test_a_wrong_script_file_is_refused_with_the_place(tmp_path: Path, text: str, message: str) -> None:
    file = tmp_path / "s.json"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(ConfigError, match=message) as caught:
        ScriptedModel.from_file(file)
    assert "s.json" in str(caught.value)


def test_a_missing_script_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"gone\.json cannot be read: No such file"):
        ScriptedModel.from_file(tmp_path / "gone.json")
