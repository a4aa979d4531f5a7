"""How a cell ends: one line, the type that other code can catch, and a value that shows nothing."""

from typing import Any

import pytest
from IPython.core.formatters import DisplayFormatter

from tah_jupyter.agent.setup import Result
from tah_jupyter.core.calls import Headline, Usage
from tah_jupyter.core.errors import ModelError, TahError
from tah_jupyter.core.events import ApprovalAnswered, StopReason
from tah_jupyter.jupyter.outcome import Outcome, failed, failure_of, stopped, unanswered


def result(reason: StopReason = "end_turn", **more: Any) -> Result:
    values = {
        "text": "t",
        "changes": (),
        "usage": Usage(),
        "cost": None,
        "todos": (),
        "events": (),
        "session_id": "s",
        "run": 4,
    }
    return Result(stop_reason=reason, **{**values, **more})


def shown(error: BaseException) -> list[str]:
    lines: list[str] = error._render_traceback_()  # type: ignore[attr-defined]  # what IPython looks for
    return lines


def test_a_stop_is_a_keyboard_interrupt_and_names_what_it_cut() -> None:
    error = stopped(Headline("Run", "pytest -q"))
    assert type(error) is KeyboardInterrupt
    assert shown(error) == ["■ Stopped by you during: Run pytest -q"]
    assert shown(stopped(None)) == ["■ Stopped by you"]
    assert "still ending" in shown(stopped(None, settled=False))[0]


def test_a_failure_keeps_its_type_and_is_one_line() -> None:
    error = ModelError("Refused\nthe key.", kind="key_refused", next_step="Enter another.")
    assert failed(error) is error
    assert shown(error) == ["✕ Failed: Refused the key. Enter another."]


@pytest.mark.parametrize(
    ("reason", "error", "says"),
    [("max_turns", "The limit.", "The limit."), ("model_error", "No credit.", "No credit."), ("error", "", "error")],
)
def test_a_run_that_did_not_answer_has_failed(reason: StopReason, error: str, says: str) -> None:
    failure = failure_of(result(reason, error=error, next_step="Do this."))
    assert isinstance(failure, TahError)
    assert says in str(failure)
    assert failure.next_step == "Do this."


def test_a_run_that_answered_has_not() -> None:
    assert failure_of(result()) is None


def test_denials_for_want_of_a_person_are_counted() -> None:
    events = [ApprovalAnswered(approval=str(n), call="c", outcome=o) for n, o in enumerate(("unanswered", "denied"))]  # type: ignore[arg-type]
    assert unanswered(result(events=tuple(events))) == 1


def test_the_value_has_everything_of_the_result_and_shows_nothing_in_its_own_cell(
    capsys: pytest.CaptureFixture[str],
) -> None:
    own_cell = True
    outcome = Outcome(result(), lambda: own_cell)
    assert (outcome.text, outcome.stop_reason, outcome.run) == ("t", "end_turn", 4)
    assert {"text", "changes", "usage", "cost", "events", "todos", "session_id"} <= set(dir(outcome))
    assert not hasattr(outcome, "_repr_html_")
    with pytest.raises(AttributeError):
        outcome.nothing  # noqa: B018
    assert DisplayFormatter().format(outcome) == ({}, {})
    assert capsys.readouterr().out == ""
    own_cell = False
    DisplayFormatter().format(outcome)
    said = capsys.readouterr().out
    assert said.startswith("<tah run 4: end_turn; with text, changes, ")
    assert all(hasattr(outcome, part) for part in said.partition("with ")[2].rstrip(">\n").split(", "))
