"""Reading the body of a response: as it comes, with a limit of time, with a limit of size."""

from collections.abc import AsyncIterator

import anyio
import httpx

from tah_jupyter.models.chat.provider_errors import Target, model_error

__all__ = ["MAX_ANSWER_BYTES", "chunks_of", "head_of", "next_bytes", "whole"]

MAX_ANSWER_BYTES = 64 * 1024 * 1024
"""The longest answers of today's models are a thousandth of it; a stream beyond it does not end."""

_MAX_ERROR_BYTES = 64 * 1024


def chunks_of(response: httpx.Response) -> AsyncIterator[bytes]:
    """The bytes of a body as they come, decompressed if need be."""
    compressed = response.headers.get("content-encoding", "identity") != "identity"
    return response.aiter_bytes() if compressed else response.aiter_raw()


async def next_bytes(chunks: AsyncIterator[bytes], limit_s: float | None) -> bytes | None:
    """The next bytes; None at the end, and when the model has finished but the stream does not end within
    ``limit_s`` seconds or breaks.
    """
    if limit_s is None:
        return await anext(chunks, None)
    with anyio.move_on_after(limit_s):
        try:
            return await anext(chunks, None)
        except httpx.HTTPError:
            return None
    return None


async def whole(chunks: AsyncIterator[bytes], target: Target) -> bytes:
    """A body to its end. Raises ModelError when it has none."""
    body = bytearray()
    async for data in chunks:
        body += data
        if len(body) > MAX_ANSWER_BYTES:
            raise model_error("protocol", f"The answer of {target.title} does not end.", target)
    return bytes(body)


async def head_of(response: httpx.Response) -> bytes:
    """The beginning of an error's body, as much of it as comes."""
    body = bytearray()
    try:
        async for data in response.aiter_bytes():
            body += data
            if len(body) > _MAX_ERROR_BYTES:
                break
    except httpx.HTTPError:
        pass  # the status says enough
    finally:
        await response.aclose()
    return bytes(body[:_MAX_ERROR_BYTES])
