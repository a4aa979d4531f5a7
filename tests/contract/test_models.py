"""One body over every model: what a model promises, whatever answers behind it."""

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, aclosing, asynccontextmanager
from functools import partial

import anyio
import pytest

from tah_jupyter.core.calls import ToolSchema, Usage
from tah_jupyter.core.errors import ModelError
from tah_jupyter.core.messages import (
    AssistantMessage,
    CallFinished,
    Finish,
    Message,
    ModelRequest,
    TextPart,
    UsagePart,
    UserMessage,
)
from tah_jupyter.core.ports import Model
from tah_jupyter.models.scripted import ScriptedModel, calls, cuts, says, waits
from tests.support.provider import HOLD, Reply, events, finish, fragment, serving, stream, text, usage
from tests.support.routes import ROUTES, Route
from tests.support.streams import drain

pytestmark = pytest.mark.anyio

TOOLS = (ToolSchema("read", "Reads.", {"type": "object", "properties": {}}),)

# Each model plays the same five answers, one a request: text; two calls; a cut; silence after text; text.


@asynccontextmanager
async def scripted() -> AsyncIterator[Model]:
    yield ScriptedModel(
        [
            says("Hello, world."),
            [says("Look."), calls("read", path="a"), calls("read", path="b")],
            [says("par"), cuts()],
            [says("wait"), waits(3600)],
            says("again"),
        ]
    )


@asynccontextmanager
async def played(route: Route) -> AsyncIterator[Model]:
    """The five answers from a real server, over ``route``."""
    replies: list[Reply] = [
        stream(text("Hello, "), text("world."), finish(), usage()),
        stream(
            text("Look."),
            fragment('{"path":', call_id="1", name="read"),
            fragment('"a"}'),
            fragment('{"path":"b"}', index=1, call_id="2", name="read"),
            finish("tool_calls"),
            usage(),
        ),
        stream(text("par"), done=False),
        [*stream(text("wait"), done=False), HOLD],
        [*stream(done=False), events(text("again"), finish())],
    ]
    async with serving(*replies) as server:
        model = await route(server.base_url)
        yield model
        await model.aclose()
        with anyio.fail_after(2):
            await server.all_closed()


@pytest.fixture(params=[pytest.param(None, id="scripted"), *ROUTES])
def open_model(request: pytest.FixtureRequest) -> Callable[[], AbstractAsyncContextManager[Model]]:
    return partial(played, request.param) if request.param else scripted


async def test_a_model_keeps_its_promises(open_model: Callable[[], AbstractAsyncContextManager[Model]]) -> None:
    history: list[Message] = [UserMessage("go")]
    async with open_model() as model:
        with anyio.fail_after(20):
            assert model.name
            assert isinstance(model.host, str)
            assert model.context_window is None or model.context_window > 0
            assert isinstance(model.vision, bool)

            # a complete answer: its text in order, usage, and the terminal event last and once
            got, error = await drain(model.stream(ModelRequest("s", history, TOOLS)))
            assert error is None
            assert "".join(event.text for event in got if isinstance(event, TextPart)) == "Hello, world."
            assert [type(event) for event in got if isinstance(event, UsagePart)] == [UsagePart]
            assert [event for event in got if isinstance(event, Finish)] == [got[-1]] == [Finish("stop")]
            assert model.cost_usd(Usage(1000, 0, 1000, 1)) == 0.0

            # calls: in order, complete, their arguments as text
            history += [AssistantMessage("Hello, world."), UserMessage("more")]
            got, error = await drain(model.stream(ModelRequest("s", history, TOOLS)))
            sealed = [event for event in got if isinstance(event, CallFinished)]
            assert [(call.index, call.tool, call.raw, call.truncated) for call in sealed] == [
                (0, "read", '{"path":"a"}', False),
                (1, "read", '{"path":"b"}', False),
            ]
            assert (got[-1], error) == (Finish("calls"), None)

            # a cut: what came is given, then an error, never a terminal event
            got, error = await drain(model.stream(ModelRequest("s", history, TOOLS)))
            assert got == [TextPart("par")]
            assert isinstance(error, ModelError)
            assert error.kind == "cut"

            # closing in the middle of silence returns at once
            async with aclosing(model.stream(ModelRequest("s", history, TOOLS))) as waiting:
                assert await anext(waiting) == TextPart("wait")
                with anyio.move_on_after(0.05) as scope:
                    await anext(waiting)
                assert scope.cancelled_caught

            # and the model goes on
            got, error = await drain(model.stream(ModelRequest("s", history, TOOLS)))
            assert (got[0], got[-1], error) == (TextPart("again"), Finish("stop"), None)
