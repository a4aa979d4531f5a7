"""When the model fails: the next one of the config, else whatever the person decides. Never in silence."""

from collections.abc import Awaitable, Callable, Iterator

from tah_jupyter.core.errors import ModelError, TahError
from tah_jupyter.core.events import ModelChanged
from tah_jupyter.core.ports import Model, Person
from tah_jupyter.runtime.bus import Emitter

__all__ = ["OpenModel", "Recovery"]

OpenModel = Callable[[str], Awaitable[Model]]
"""Opens a model by the name that people give it. Raises TahError."""

_SAME_ELSEWHERE = frozenset({"bad_request", "content_filter", "context_too_long", "protocol"})
"""Failures that lie in the request or in what the model is: another model of the list is no answer to them unasked."""


class Recovery:
    """One run's ways on after a failure; each model of ``fallbacks`` (names, in order) is tried once."""

    def __init__(
        self, emitter: Emitter, fallbacks: Iterator[str], open_model: OpenModel | None, person: Person | None
    ) -> None:
        self._emitter = emitter
        self._fallbacks = fallbacks
        self._open_model = open_model
        self._person = person
        self.settled: Model | None = None
        """The model that the person chose instead: later runs use it too."""

    async def after(self, error: ModelError, model: Model) -> Model | None:
        """The model to go on with, perhaps the same; None when the run has to end with ``error``."""
        if error.kind not in _SAME_ELSEWHERE:
            fallback = await self._next_fallback(error, model)
            if fallback is not None:
                return fallback
        return await self._rescued(error, model)

    async def _next_fallback(self, error: ModelError, failed: Model) -> Model | None:
        """The next of the config that can be opened and is not the very one that failed."""
        if self._open_model is None:
            return None
        for name in self._fallbacks:
            try:
                model = await self._open_model(name)
            except TahError as unusable:
                error = ModelError(f"{error.message} {name}: {unusable.message}", kind=error.kind)
                continue
            if (model.name, model.host) != (failed.name, failed.host):
                self._say(model, error.message)
                return model
        return None

    async def _rescued(self, error: ModelError, model: Model) -> Model | None:
        """What the person decides; a choice that cannot be used is told, and asked about again."""
        while self._person is not None and self._open_model is not None:
            name = await self._person.rescue(error)
            if name is None:
                return None
            if not name:
                return model
            try:
                self.settled = await self._open_model(name)
            except ModelError as unusable:
                error = unusable
            except TahError as unusable:
                error = ModelError(unusable.message, kind="model_unknown", next_step=unusable.next_step)
            else:
                self._say(self.settled, error.message)
                return self.settled
        return None

    def _say(self, model: Model, because: str) -> None:
        self._emitter.emit(ModelChanged(model=model.name, host=model.host, because=because))
