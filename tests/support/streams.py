"""Reading a model's stream to its end, whatever the end is."""

from collections.abc import AsyncGenerator

from tah_jupyter.core.errors import ModelError
from tah_jupyter.core.messages import ModelEvent

__all__ = ["drain"]


async def drain(stream: AsyncGenerator[ModelEvent, None]) -> tuple[list[ModelEvent], ModelError | None]:
    """Every event that came, and the ModelError that ended the stream, if one did."""
    events: list[ModelEvent] = []
    try:
        async for event in stream:
            events.append(event)  # noqa: PERF401 - what came before an error counts
    except ModelError as error:
        return events, error
    return events, None
