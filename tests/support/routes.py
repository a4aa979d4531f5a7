"""The two ways to a provider over HTTP, made alike, for tests that hold for both."""

from collections.abc import Awaitable, Callable
from typing import Any, TypeAlias

import anyio.to_thread
import pytest

from tah_jupyter.models.litellm_library import library
from tah_jupyter.models.litellm_route import ThroughLitellm
from tah_jupyter.models.openai_compatible import OpenAICompatible

__all__ = ["OF_LITELLM", "ROUTES", "Route", "RouteModel", "at_once", "direct", "litellm"]

RouteModel: TypeAlias = OpenAICompatible | ThroughLitellm
Route: TypeAlias = Callable[..., Awaitable[RouteModel]]


async def at_once(seconds: float) -> None:
    """Retries come at once."""


async def direct(base_url: str, **more: Any) -> OpenAICompatible:
    """A server of chat completions, spoken to directly."""
    return OpenAICompatible("t", base_url=base_url, model="m-1", **more)


async def litellm(base_url: str, **more: Any) -> ThroughLitellm:
    """The same server through litellm, which the first call of a process imports."""
    await anyio.to_thread.run_sync(library)
    return ThroughLitellm("t", model="openai/m-1", base_url=base_url, **more)


# What a test that uses litellm needs: time for the import on a slow machine, and the two filters that are set when it
# is imported and that pytest takes back after each test.
OF_LITELLM = [
    pytest.mark.timeout(300),
    pytest.mark.filterwarnings("ignore:Accessing the .* attribute on the instance is deprecated"),
    pytest.mark.filterwarnings("ignore:Pydantic serializer warnings"),
]
ROUTES = [pytest.param(direct, id="direct"), pytest.param(litellm, id="litellm", marks=OF_LITELLM)]
