"""Numbers as people read them."""

import pytest

from tah_jupyter.ui.figures import clock, duration, is_this_machine, money, tokens
from tah_jupyter.ui.words import Words


@pytest.mark.parametrize(
    ("seconds", "shown"), [(0, "0.0 s"), (9.94, "9.9 s"), (9.96, "10 s"), (59.6, "1 min 0 s"), (3725, "62 min 5 s")]
)
def test_durations(seconds: float, shown: str) -> None:
    assert duration(seconds, Words()) == shown


@pytest.mark.parametrize(("seconds", "shown"), [(0, "0:00"), (59.99, "0:59"), (3599, "59:59"), (3661, "1:01:01")])
def test_clocks(seconds: float, shown: str) -> None:
    assert clock(seconds) == shown


@pytest.mark.parametrize(
    ("number", "shown"),
    [(0, "0"), (999, "999"), (1000, "1 k"), (12_345, "12.3 k"), (999_949, "999.9 k"), (999_950, "1 M")],
)
def test_tokens(number: int, shown: str) -> None:
    assert tokens(number) == shown


@pytest.mark.parametrize(
    ("cost", "host", "shown"),
    [
        (None, "", "cost n/a"),
        (0.0, "localhost:11434", "local, no charge"),
        (0.0, "openrouter.ai", "no charge"),
        (0.0004, "x", "$0.0004"),
        (1.5, "x", "$1.50"),
    ],
)
def test_prices_are_never_zero_for_want_of_knowing(cost: float | None, host: str, shown: str) -> None:
    assert money(cost, host, Words()) == shown


@pytest.mark.parametrize("host", ["localhost", "localhost:1234", "127.0.0.1:80", "127.1.2.3", "[::1]:8080", "::1"])
def test_this_machine_is_known_by_its_usual_names(host: str) -> None:
    assert is_this_machine(host)


@pytest.mark.parametrize("host", ["api.example.org", "localhost.evil.example", "10.0.0.1:80", ""])
def test_other_machines_are_not_this_one(host: str) -> None:
    assert not is_this_machine(host)
