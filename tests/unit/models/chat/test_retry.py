"""How long a retry waits, and when there is none."""

from datetime import UTC, datetime

import pytest

from tah_jupyter.core.errors import ModelError
from tah_jupyter.models.chat.retry import MAX_RETRIES, retry_after_s, wait_before_retry_s

NOW = datetime(2026, 5, 1, 12, 0, 0, tzinfo=UTC)


def failing(retry_after: float | None = None, *, retryable: bool = True) -> ModelError:
    return ModelError("busy", kind="server", retryable=retryable, retry_after_s=retry_after)


def test_waits_double_up_to_a_limit_and_are_spread() -> None:
    assert [wait_before_retry_s(failing(), n, lambda: 0.0) for n in (1, 2, 3)] == [0.5, 1.0, 2.0]
    assert [wait_before_retry_s(failing(), n, lambda: 1.0) for n in (1, 2, 3)] == [0.375, 0.75, 1.5]
    wait = wait_before_retry_s(failing(), 1)
    assert wait is not None
    assert 0.375 <= wait <= 0.5


def test_there_are_at_most_three_retries_and_none_for_a_lasting_failure() -> None:
    assert wait_before_retry_s(failing(), MAX_RETRIES + 1) is None
    assert wait_before_retry_s(failing(retryable=False), 1) is None


@pytest.mark.parametrize(("wish", "wait"), [(0.0, 0.0), (7.5, 7.5), (60.0, 60.0), (61.0, None)])
def test_the_wish_of_the_provider_counts_up_to_a_minute(wish: float, wait: float | None) -> None:
    assert wait_before_retry_s(failing(wish), 1) == wait


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"retry-after": "3"}, 3.0),
        ({"retry-after": "0.5"}, 0.5),
        ({"retry-after-ms": "250", "retry-after": "9"}, 0.25),
        ({"retry-after-ms": "soon", "retry-after": "9"}, 9.0),
        ({"retry-after": "Fri, 01 May 2026 12:00:30 GMT"}, 30.0),
        ({"retry-after": "Fri, 01 May 2026 11:00:00 GMT"}, 0.0),
        ({"retry-after": "Fri, 01 May 2026 12:00:30 -0000"}, 30.0),
        ({"retry-after": "-5"}, None),
        ({"retry-after": "inf"}, None),
        ({"retry-after": "nan"}, None),
        ({"retry-after": "later"}, None),
        ({"retry-after": ""}, None),
        ({}, None),
    ],
)
def test_the_pause_is_read_in_every_form(headers: dict[str, str], seconds: float | None) -> None:
    assert retry_after_s(headers, NOW) == seconds
