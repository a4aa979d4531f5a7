"""What rooms of one rung need of each other, as protocols. ``app`` hands over what fulfils them."""

from collections.abc import AsyncGenerator
from typing import Literal, Protocol

from tah_jupyter.core.calls import Usage
from tah_jupyter.core.errors import ModelError
from tah_jupyter.core.messages import ModelEvent, ModelRequest
from tah_jupyter.core.questions import Question, Reply

__all__ = ["Model", "Person"]


class Model(Protocol):
    """A way to a language model (or to a script that stands in for one by name).

    ``name`` and ``host`` are shown in every frame: they say what answers and where the data goes; ``host`` is empty
    when nothing leaves the kernel. ``context_window`` is in tokens, None when unknown.
    """

    @property
    def name(self) -> str: ...
    @property
    def host(self) -> str: ...
    @property
    def context_window(self) -> int | None: ...
    @property
    def vision(self) -> bool: ...

    def stream(self, request: ModelRequest) -> AsyncGenerator[ModelEvent, None]:
        """Send ``request`` and yield what comes. A complete answer ends with Finish. Raises ModelError; closing the
        generator closes the connection.
        """
        ...

    def cost_usd(self, usage: Usage) -> float | None:
        """The price of one request's ``usage``, None when it is not known; 0.0 only for what is known to be free."""
        ...

    async def aclose(self) -> None:
        """Close connections; the model is not used after it."""
        ...


class Person(Protocol):
    """Who a run may turn to beyond approvals. Each of these may put questions with ``Session.ask``; where nobody can
    answer, each says so by None.
    """

    async def answer(self, question: Question) -> Reply | None:
        """Wait for the answer to a question that is on the screen."""
        ...

    async def rescue(self, error: ModelError) -> str | None:
        """What to do when the model fails: the name of the model to go on with, empty for the same once more, None to
        end the run.
        """
        ...

    async def go_on(self, turns: int) -> Literal["on", "finish", "stop"] | None:
        """What to do when a run has used all its ``turns``."""
        ...
