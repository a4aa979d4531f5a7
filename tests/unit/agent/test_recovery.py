"""When the model fails: the models of the config in order, then the person; never in silence."""

from collections.abc import Sequence

import pytest

from tah_jupyter import ScriptedModel, calls, says, tool
from tah_jupyter.core.errors import ConfigError, ModelError
from tah_jupyter.core.events import ModelChanged, RunEnded
from tah_jupyter.core.messages import AssistantMessage, UserMessage
from tah_jupyter.core.ports import Model
from tah_jupyter.core.questions import Question, Reply
from tah_jupyter.models.scripted import fails
from tah_jupyter.ui.transcript import Transcript
from tests.support.brackets import check_brackets
from tests.support.in_memory import session_of

pytestmark = pytest.mark.anyio


class Person:
    """Decides by a list of model names; None ends the run."""

    def __init__(self, *decisions: str | None) -> None:
        self.decisions = list(decisions)
        self.errors: list[ModelError] = []

    async def answer(self, question: Question) -> Reply | None:
        return None

    async def rescue(self, error: ModelError) -> str | None:
        self.errors.append(error)
        return self.decisions.pop(0) if self.decisions else None

    async def go_on(self, turns: int) -> None:
        return None


class Shelf:
    """Models by name."""

    def __init__(self, **models: Model) -> None:
        self.models = models
        self.opened: list[str] = []

    async def __call__(self, name: str) -> Model:
        self.opened.append(name)
        if name not in self.models:
            raise ConfigError(f"No model {name}.", next_step="Name another.")
        return self.models[name]


def named(name: str, script: Sequence[object]) -> ScriptedModel:
    model = ScriptedModel(script)  # type: ignore[arg-type]
    model.name = name
    return model


async def test_the_next_model_of_the_config_goes_on_and_it_is_said() -> None:
    first, second = named("first", [[fails("overloaded")]]), named("second", [[says("from the second")]])
    async with session_of(first, open_model=Shelf(second=second), fallbacks=["second"]) as session:
        result = await session.run("go")
    assert result.text == "from the second"
    (changed,) = [event for event in result.events if isinstance(event, ModelChanged)]
    assert (changed.model, bool(changed.because)) == ("second", True)
    assert Transcript.of(result.events).run(1).model == "second"


async def test_a_fallback_that_cannot_be_opened_is_passed_over_and_each_is_tried_once() -> None:
    shelf = Shelf(third=named("third", [[fails("server")]]))
    async with session_of(
        named("first", [[fails("server")]]), open_model=shelf, fallbacks=["gone", "third"]
    ) as session:
        result = await session.run("go")
    assert shelf.opened == ["gone", "third"]
    assert result.stop_reason == "model_error"


async def test_the_very_model_that_failed_is_no_fallback_for_itself() -> None:
    first = named("first", [[fails("key_refused")], [says("not asked again")]])
    shelf = Shelf(first=first, second=named("second", [[says("from the second")]]))
    async with session_of(first, open_model=shelf, fallbacks=["first", "second"]) as session:
        result = await session.run("go")
    assert result.text == "from the second"
    assert [event.model for event in result.events if isinstance(event, ModelChanged)] == ["second"]


async def test_the_next_run_begins_with_the_settled_model_again() -> None:
    first = named("first", [[fails("overloaded")], [says("back")]])
    shelf = Shelf(second=named("second", [[says("helped out")]]))
    async with session_of(first, open_model=shelf, fallbacks=["second"]) as session:
        assert (await session.run("go")).text == "helped out"
        assert (await session.run("go")).text == "back"


@pytest.mark.parametrize("kind", ["context_too_long", "content_filter", "bad_request"])
async def test_a_failure_that_lies_in_the_request_goes_to_no_other_model_unasked(kind: str) -> None:
    shelf = Shelf(second=named("second", [[says("no")]]))
    model = named("first", [[fails(kind)]])  # type: ignore[arg-type]
    async with session_of(model, open_model=shelf, fallbacks=["second"]) as session:
        result = await session.run("go")
    assert (result.stop_reason, shelf.opened) == ("model_error", [])


async def test_the_person_may_have_the_same_model_try_again() -> None:
    model, person = named("first", [[fails("key_refused")], [says("now it works")]]), Person("")
    async with session_of(model, open_model=Shelf(), person=person) as session:
        result = await session.run("go")
    assert result.text == "now it works"
    assert [error.kind for error in person.errors] == ["key_refused"]
    assert not [event for event in result.events if isinstance(event, ModelChanged)]
    check_brackets(result.events)


async def test_a_model_the_person_chose_answers_later_runs_too() -> None:
    shelf = Shelf(other=named("other", [[says("one")], [says("two")]]))
    async with session_of(named("first", [[fails("no_credit")]]), open_model=shelf, person=Person("other")) as session:
        assert (await session.run("go")).text == "one"
        assert (await session.run("go")).text == "two"


async def test_a_choice_that_cannot_be_used_is_told_and_asked_about_again() -> None:
    person = Person("gone", None)
    async with session_of(named("first", [[fails("server")]]), open_model=Shelf(), person=person) as session:
        result = await session.run("go")
    assert [error.message for error in person.errors][1:] == ["No model gone."]
    assert result.stop_reason == "model_error"


async def test_the_end_names_what_went_wrong_and_keeps_the_raw_answer() -> None:
    raw = ModelError("The key was refused.", kind="key_refused", raw='{"error": "invalid x-api-key"}')
    async with session_of(ScriptedModel([[raw]])) as session:
        result = await session.run("go")
    (end,) = [event for event in result.events if isinstance(event, RunEnded)]
    assert (end.kind, end.detail) == ("ModelError.key_refused", '{"error": "invalid x-api-key"}')


async def test_what_had_arrived_stays_and_the_next_model_is_told_to_go_on() -> None:
    @tool(read_only=True)
    async def look() -> str:
        """Look."""
        return "seen"

    first = named("first", [[says("half a sen"), fails("bad_request")]])
    second = named("second", [[calls("look")], [says("tence")]])
    async with session_of(first, [look], open_model=Shelf(second=second), person=Person("second")) as session:
        result = await session.run("go")
    messages = session._history.messages
    assert messages[1] == AssistantMessage("half a sen")
    assert isinstance(messages[2], UserMessage)
    assert "cut off" in messages[2].text
    assert result.stop_reason == "end_turn"
