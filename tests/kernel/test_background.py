"""Runs that no cell waits for: --bg, Release cell, and %tah jobs from any other cell, in a real kernel."""

from typing import Any

from tests.kernel.conftest import Open
from tests.kernel.front_end import WIDGET, Frame, FrontEnd, Ran
from tests.kernel.project import Project

COMMAND = [{"calls": "execute_command", "args": {"command": ["touch", "made.txt"]}}]
DONE = [{"says": "All done."}]


def released(front_end: FrontEnd) -> tuple[Ran, Frame]:
    """A run whose card waits, and whose cell was given back by the button."""
    cell = front_end.submit("%%tah --model scripted:script.json\nmake it")
    frame, _ = front_end.card()
    front_end.send(frame, {"type": "release", "id": 7})
    front_end.until(lambda: cell.done)
    assert cell.status == "ok"
    return cell, frame


def has_record(cell: Ran) -> bool:
    return any("All done." in str(output.get("data", {}).get("text/html", "")) for output in cell.outputs)


def test_a_released_cell_ends_and_its_card_is_answered_from_another_cell(open_kernel: Open, project: Project) -> None:
    project.script(COMMAND, DONE)
    front_end = open_kernel()
    cell, _ = released(front_end)
    assert front_end.run("1 + 1").text.strip() == "2"
    listed = front_end.run("%tah jobs").text
    assert "touch" in listed
    assert "%tah jobs approve 1" in listed
    approved = front_end.run("%tah jobs approve 1")
    assert "Allowed" in approved.text
    front_end.until(lambda: has_record(cell))
    assert (project.folder / "made.txt").exists()
    assert front_end.run("tah.last.text").text.strip() == "'All done.'"
    assert "No run in the background" in front_end.run("%tah jobs").text
    assert not any(WIDGET in output.get("data", {}) for output in cell.outputs)


def test_the_page_still_answers_a_released_run(open_kernel: Open, project: Project) -> None:
    project.script(COMMAND, DONE)
    front_end = open_kernel()
    cell, frame = released(front_end)
    front_end.click(frame, front_end.card()[1])
    front_end.until(lambda: has_record(cell))
    assert (project.folder / "made.txt").exists()


def test_a_run_in_the_background_gives_the_cell_back_at_once(open_kernel: Open, project: Project) -> None:
    project.script(COMMAND, DONE)
    front_end = open_kernel()
    cell = front_end.run("%%tah --bg --model scripted:script.json\nmake it")
    assert cell.status == "ok"
    frame, approval = front_end.card()
    front_end.click(frame, approval)
    front_end.until(lambda: has_record(cell))


def test_denying_and_stopping_from_another_cell(open_kernel: Open, project: Project) -> None:
    project.script(COMMAND, COMMAND, DONE)
    front_end = open_kernel()
    cell, frame = released(front_end)
    denied = front_end.run("%tah jobs deny 1 use another name")
    assert "Denied" in denied.text
    front_end.until(lambda: sum(bool(message.get("bodies")) for message in frame.messages) >= 2)
    assert "Stopping" in front_end.run("%tah jobs stop 1").text
    front_end.until(lambda: not any(WIDGET in output.get("data", {}) for output in cell.outputs))
    assert not (project.folder / "made.txt").exists()
    assert "Stopped by you" in cell.text
    assert "use another name" in cell.text


def test_where_no_page_draws_the_card_it_is_allowed_only_after_it_was_printed(
    open_kernel: Open, project: Project
) -> None:
    project.script(COMMAND, DONE)
    front_end = open_kernel(hello=False)
    cell = front_end.run("%%tah --bg --model scripted:script.json\nmake it")
    assert cell.status == "ok"
    first = front_end.run("%tah jobs approve 1")
    while "waits for nothing" in first.text or "not in the background" in first.text:  # it has not come that far
        first = front_end.run("%tah jobs approve 1")
    assert "touch" in first.text
    assert "No page shows this card" in first.text
    assert not (project.folder / "made.txt").exists()
    assert "Allowed" in front_end.run("%tah jobs approve 1").text
    front_end.until(lambda: has_record(cell))


def test_an_interrupt_of_another_cell_leaves_a_background_run_alone(open_kernel: Open, project: Project) -> None:
    project.script(COMMAND, DONE)
    front_end = open_kernel()
    cell, frame = released(front_end)
    busy = front_end.submit("import time\nprint('busy', flush=True)\nwhile True: time.sleep(0.05)")
    front_end.until(lambda: "busy" in busy.text)
    front_end.manager.interrupt_kernel()
    front_end.until(lambda: busy.done)
    assert "KeyboardInterrupt" in busy.text
    front_end.click(frame, front_end.card()[1])
    front_end.until(lambda: has_record(cell))


def test_another_request_waits_for_the_run_in_the_background(open_kernel: Open, project: Project) -> None:
    project.script(COMMAND, DONE, [{"says": "Second."}])
    front_end = open_kernel()
    cell, frame = released(front_end)
    second = front_end.submit("%tah ask and now")
    front_end.until(lambda: "waiting for run 1" in second.text)
    front_end.click(frame, front_end.card()[1])
    front_end.until(lambda: second.done)
    assert "Second." in second.text
    assert has_record(cell)


def test_jobs_says_what_it_does_not_understand(open_kernel: Open, project: Project) -> None:
    front_end = open_kernel()
    for line, says in (
        ("%tah jobs", "No run in the background"),
        ("%tah jobs approve 4", "Run 4 is not in the background"),
        ("%tah jobs approve", "%tah jobs approve N"),
        ("%tah jobs aprove 4", "%tah jobs approve N"),
        (f"%tah jobs stop {'9' * 5000}", "%tah jobs approve N"),
    ):
        assert says in front_end.run(line).text


def test_words_that_an_approval_does_not_know_allow_nothing(open_kernel: Open, project: Project) -> None:
    project.script(COMMAND, DONE)
    front_end = open_kernel()
    cell, _ = released(front_end)

    def run(line: str) -> Ran:
        """Once more where ipykernel 6 aborts what comes right behind an error."""
        ran = front_end.run(line)
        return front_end.run(line) if ran.status == "aborted" else ran

    for line in ("%tah jobs approve 1 but not yet", "%tah jobs stop 1 later"):
        assert "Write %tah jobs" in run(line).text
    assert "touch" in run("%tah jobs").text, "it still waits"
    assert not (project.folder / "made.txt").exists()
    assert "Stopping" in front_end.run("%tah jobs stop 1").text
    front_end.until(lambda: "Stopped by you" in cell.text)


def test_what_is_unloaded_ends_its_run_in_the_background_and_leaves_the_record(
    open_kernel: Open, project: Project
) -> None:
    project.script([{"says": "Thinking."}, {"waits": 60}])
    front_end = open_kernel()
    cell = front_end.run("%%tah --bg --model scripted:script.json\nthink")
    front_end.until(lambda: any("Thinking" in str(m) for m in front_end.frame().messages))
    unloaded = front_end.run("%unload_ext tah_jupyter")
    assert unloaded.text == ""
    front_end.until(lambda: not any(WIDGET in output.get("data", {}) for output in cell.outputs))
    assert "Stopped by you" in cell.text
    assert front_end.run("1 + 1").text == "2"
    assert [output["output_type"] for output in cell.outputs] == ["display_data"] * len(cell.outputs), cell.text


def test_a_note_is_queued_and_read(open_kernel: Open, project: Project) -> None:
    project.script(COMMAND, DONE)
    front_end = open_kernel()
    cell = front_end.submit("%%tah --model scripted:script.json\nmake it")
    frame, approval = front_end.card()
    front_end.send(frame, {"type": "note", "id": 1, "note": "n1", "text": "name it well"})
    front_end.until(lambda: _queued(frame) == ["name it well"])
    front_end.click(frame, approval)
    front_end.until(lambda: cell.done)
    asked = front_end.run("[e.text for e in tah.last.events if type(e).__name__ == 'PromptAdded']")
    assert "name it well" in asked.text


def _queued(frame: Frame) -> list[str]:
    notes: list[dict[str, Any]] = [message["notes"] for message in frame.messages if message.get("notes")]
    return [each["text"] for each in notes[-1]["queued"]] if notes else []
