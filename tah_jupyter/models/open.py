"""From a settled choice to a model that can be asked."""

import os
from collections.abc import Mapping
from pathlib import Path

import anyio.to_thread

from tah_jupyter.core.errors import ModelError
from tah_jupyter.core.ports import Model
from tah_jupyter.models.choose import Missing, ModelSpec
from tah_jupyter.models.demo import DemoModel
from tah_jupyter.models.litellm_route import ThroughLitellm
from tah_jupyter.models.openai_compatible import OpenAICompatible
from tah_jupyter.models.sample.project import SampleCopy, is_sample, new_seed
from tah_jupyter.models.sample.words import opening_on_copy
from tah_jupyter.models.scripted import ScriptedModel

__all__ = ["error_of_missing", "open_demo", "open_direct", "open_litellm", "open_remote", "open_script"]


def open_remote(spec: ModelSpec, environ: Mapping[str, str] = os.environ) -> Model:
    """The model of a ``direct`` or ``litellm`` choice. No connection is made and litellm is not imported."""
    return open_litellm(spec, environ) if spec.route == "litellm" else open_direct(spec, environ)


def open_litellm(spec: ModelSpec, environ: Mapping[str, str] = os.environ) -> ThroughLitellm:
    """The model of a ``litellm`` choice. Its key is looked up in ``environ`` at every request."""
    key_env = spec.key_env
    return ThroughLitellm(
        spec.name,
        model=spec.model,
        base_url=spec.base_url,
        api_key=(lambda: environ.get(key_env)) if key_env else None,
        key_env=key_env,
        context_window=spec.context_window,
        headers=spec.headers,
    )


def open_direct(spec: ModelSpec, environ: Mapping[str, str] = os.environ) -> OpenAICompatible:
    """The model of a ``direct`` choice. Its key is looked up in ``environ`` at every request. No connection is made."""
    key_env = spec.key_env
    return OpenAICompatible(
        spec.name,
        base_url=spec.base_url,
        model=spec.model,
        api_key=(lambda: environ.get(key_env)) if key_env else None,
        key_env=key_env,
        context_window=spec.context_window,
        headers=spec.headers,
    )


async def open_script(spec: ModelSpec) -> ScriptedModel:
    """The model of a ``scripted`` choice. Raises ConfigError when its file cannot be used."""
    return await anyio.to_thread.run_sync(ScriptedModel.from_file, spec.model)


async def open_demo(spec: ModelSpec, folder: Path) -> tuple[DemoModel, SampleCopy | None]:
    """The model of a ``demo`` choice, and the copy of the sample that it works on. No copy is made when ``folder`` is a
    sample project itself; whoever gets one removes it.
    """
    if not spec.model and await anyio.to_thread.run_sync(is_sample, folder):
        return DemoModel(), None
    copy = await anyio.to_thread.run_sync(SampleCopy, int(spec.model) if spec.model else new_seed())
    return DemoModel(opening=opening_on_copy(len(copy.sample.files), copy.sample.seed)), copy


def error_of_missing(missing: Missing) -> ModelError:
    """Where nobody can choose: one error that names the variable and the config key."""
    return ModelError(
        missing.message,
        kind="model_unknown" if missing.reason == "unknown" else "key_missing",
        next_step=missing.next_step,
    )
