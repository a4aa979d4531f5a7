"""When a failed request is sent again, and how long to wait first."""

import random
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from contextlib import aclosing
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

from tah_jupyter.core.errors import ModelError
from tah_jupyter.core.messages import ModelEvent, Preparing, Retrying

__all__ = ["MAX_RETRIES", "MAX_WAIT_S", "retry_after_s", "wait_before_retry_s", "with_retries"]

MAX_RETRIES = 3
MAX_WAIT_S = 60.0
"""A provider that wants a longer pause is not waited for: the person decides."""

_FIRST_S = 0.5
_LONGEST_S = 8.0


async def with_retries(
    attempt: Callable[[], AsyncGenerator[ModelEvent, None]],
    sleep: Callable[[float], Awaitable[None]],
    jitter: Callable[[], float] = random.random,
) -> AsyncGenerator[ModelEvent, None]:
    """What ``attempt`` streams. A failure that may pass is tried again, but only while nothing was shown. Raises
    ModelError.
    """
    number = 0
    while True:
        number += 1
        shown = False
        try:
            async with aclosing(attempt()) as events:
                async for event in events:
                    shown = shown or not isinstance(event, Preparing)
                    yield event
            return
        except ModelError as error:
            failure = error
        wait_s = None if shown else wait_before_retry_s(failure, number, jitter)
        if wait_s is None:
            # Without the inner frames: their variables hold what the provider sent, which may echo the key.
            raise failure.with_traceback(None) from None
        yield Retrying(failure.message.rstrip("."), number, wait_s)
        await sleep(wait_s)


def wait_before_retry_s(error: ModelError, attempt: int, jitter: Callable[[], float] = random.random) -> float | None:
    """Seconds to wait before retry number ``attempt`` (from 1), or None when ``error`` should be reported instead.

    The provider's Retry-After counts as it is; otherwise 0.5 s doubling to 8 s, less up to a quarter at random, so
    that many clients do not come back at once (the rule of OpenAI's own clients). ``jitter`` gives numbers in [0, 1).
    """
    if not error.retryable or attempt > MAX_RETRIES:
        return None
    if error.retry_after_s is not None:
        return error.retry_after_s if error.retry_after_s <= MAX_WAIT_S else None
    backoff: float = min(_FIRST_S * 2 ** (attempt - 1), _LONGEST_S)
    return backoff * (1 - 0.25 * jitter())


def retry_after_s(headers: Mapping[str, str], now: datetime | None = None) -> float | None:
    """The pause that a response asks for, in seconds, or None: ``retry-after-ms`` (OpenAI), else ``retry-after`` in
    seconds or as an HTTP date (RFC 9110, section 10.2.3); a date in the past is 0. ``now`` is for tests.
    """
    for name, scale in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        try:
            seconds = float(headers.get(name, "")) * scale
        except ValueError:
            continue
        if 0 <= seconds < float("inf"):
            return seconds
    try:
        until = parsedate_to_datetime(headers.get("retry-after", ""))
    except ValueError:
        return None
    until = until if until.tzinfo else until.replace(tzinfo=UTC)
    return max(0.0, (until - (now or datetime.now(UTC))).total_seconds())
