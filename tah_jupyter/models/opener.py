"""Opens the models of one session by the names that people give them, and closes them with it."""

from collections.abc import Mapping
from contextlib import AsyncExitStack
from pathlib import Path
from typing import NamedTuple

import anyio
import anyio.to_thread

from tah_jupyter.core.errors import ConfigError
from tah_jupyter.core.ports import Model
from tah_jupyter.models.choose import Missing, ModelSpec, choose
from tah_jupyter.models.open import error_of_missing, open_demo, open_remote, open_script
from tah_jupyter.models.sample.project import SampleCopy
from tah_jupyter.runtime.config import Config

__all__ = ["Opened", "Opener"]


class Opened(NamedTuple):
    """A session's first model, the folder it works in, and whether that is a copy of the demo's own."""

    model: Model
    folder: Path
    is_copy: bool = False


class Opener:
    """``environ`` is where keys are looked up, at each request; what is opened is closed with ``stack``."""

    def __init__(self, config: Config, environ: Mapping[str, str], stack: AsyncExitStack) -> None:
        self._config = config
        self._environ = environ
        self._stack = stack

    async def first(self, name: str, folder: Path) -> Opened:
        """The model that ``name`` settles, or the config where it is empty. The demo gets a copy of its sample, unless
        ``folder`` is one. Raises TahError.
        """
        spec = self._chosen(name)
        if spec.route != "demo":
            return Opened(await self._open(spec), folder)
        model, copy = await open_demo(spec, folder)
        self._stack.push_async_callback(model.aclose)
        if copy is None:
            return Opened(model, folder)
        self._stack.push_async_callback(_removed, copy)
        return Opened(model, copy.folder, is_copy=True)

    async def __call__(self, name: str) -> Model:
        """Another model for a session that is open. Raises TahError when there is none of that name, or it cannot
        join.
        """
        spec = self._chosen(name)
        if spec.route == "demo":
            raise ConfigError("The demo works on a folder of its own.", next_step="Start it with %tah demo.")
        return await self._open(spec)

    def _chosen(self, name: str) -> ModelSpec:
        spec = choose(name, self._config.models, self._environ, config_model=self._config.model or "")
        if isinstance(spec, Missing):
            raise error_of_missing(spec)
        return spec

    async def _open(self, spec: ModelSpec) -> Model:
        model: Model = await open_script(spec) if spec.route == "scripted" else open_remote(spec, self._environ)
        self._stack.push_async_callback(model.aclose)
        return model


async def _removed(copy: SampleCopy) -> None:
    """Whatever ends the session."""
    with anyio.CancelScope(shield=True):
        await anyio.to_thread.run_sync(copy.remove)
