"""What a page is told: everything once, then only what changed; together always the same as everything again."""

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from tah_jupyter.core.calls import Headline, Todo
from tah_jupyter.core.events import (
    Event,
    MessageFinished,
    MessageStarted,
    NoteQueued,
    Notice,
    PromptAdded,
    QuestionAnswered,
    QuestionAsked,
    RunEnded,
    RunReleased,
    RunStarted,
    TextDelta,
    ThinkingDelta,
    TodosUpdated,
    ToolFinished,
    ToolProgress,
    ToolStarted,
)
from tah_jupyter.core.views import Facts
from tah_jupyter.ui.live import Live
from tah_jupyter.ui.transcript import Transcript
from tah_jupyter.ui.words import Words
from tests.support import runs
from tests.support.questions import FAILURE
from tests.unit.ui.test_transcript import stream

Json = dict[str, Any]


class Told:
    """A page without a browser: it keeps what it was told as the frame's script does."""

    def __init__(self) -> None:
        self.live = Live(Words())
        self.transcript = Transcript()
        self.state: Json = {"rows": {}, "bodies": {}}
        self.messages: list[Json] = []
        self.spoken: list[list[str]] = []

    def tell(self, *records: Event, run: int = 1, now: float = 0.0, whole: bool = False) -> Json | None:
        for record in records:
            self.transcript.apply(record)
        message = self.live.message(self.transcript.run(run), now=now, whole=whole)
        if message is not None:
            json.dumps(message)
            self.take(message)
        return message

    def take(self, message: Json) -> None:
        self.messages.append(message)
        self.spoken += message.get("speak", [])
        for key, row in message.get("rows", {}).items():
            self.row(key, row)
        self.state["bodies"] |= message.get("bodies", {})
        for id in message.get("settled", {}):
            self.state["bodies"].pop(id, None)
        self.state |= {
            key: message[key] for key in ("header", "plan", "order", "cards", "notes", "record") if key in message
        }

    def row(self, key: str, row: Json) -> None:
        before = self.state["rows"].get(key)
        if row["kind"] == "said" and before is not None:
            row = row | {"from": 0, "pieces": before["pieces"][: row["from"]] + row["pieces"]}
        self.state["rows"][key] = row

    def shown(self) -> Json:
        """The state as somebody sees it: only rows that have a place, clocks left out."""
        rows: Json = {}

        def walk(keys: list[str]) -> None:
            for key in keys:
                rows[key] = json.loads(json.dumps(self.state["rows"][key]))
                rows[key].get("running", {}).pop("clock_s", None)
                walk(rows[key].get("children", []))

        walk(self.state.get("order", []))
        header = {k: v for k, v in self.state.get("header", {}).items() if k not in ("clock_s", "waited_s")}
        return {**self.state, "rows": rows, "header": header}


@given(st.integers(min_value=0, max_value=2**32), st.integers(min_value=1, max_value=7))
def test_what_was_told_in_parts_is_what_is_told_at_once(seed: int, every: int) -> None:
    events = stream(seed)[:-1]
    told, late = Told(), Told()
    for at in range(0, len(events), every):
        told.tell(*events[at : at + every], whole=at == 0)
    late.tell(*events, whole=True)
    assert told.shown() == late.shown()
    message = told.live.message(told.transcript.run(1), now=0.0, whole=True)
    assert message is not None
    told.take(message)
    assert told.shown() == late.shown()


def test_nothing_new_is_no_message() -> None:
    told = Told()
    told.tell(RunStarted(run=1, prompt="x"), whole=True)
    assert told.tell(now=5.0) is None


def test_streamed_text_is_told_from_the_first_block_that_changed() -> None:
    told = Told()
    told.tell(RunStarted(run=1, prompt="x"), MessageStarted(run=1, message="m"), whole=True)
    told.tell(TextDelta(run=1, message="m", text="one\n\ntwo\n\nth"))
    message = told.tell(TextDelta(run=1, message="m", text="ree"))
    assert message == {
        "type": "patch",
        "rows": {"m": {"kind": "said", "from": 1, "pieces": [[["p", "", {}, ["two"]], ["p", "", {}, ["three"]]]]}},
    }
    replaced = told.tell(MessageFinished(run=1, message="m", text="other"))
    assert replaced is not None
    assert replaced["rows"]["m"]["from"] == 0


def test_a_megabyte_is_streamed_in_linear_work_and_small_messages() -> None:
    told = Told()
    told.tell(RunStarted(run=1, prompt="x"), MessageStarted(run=1, message="m"), whole=True)
    largest = 0
    for number in range(300):
        message = told.tell(TextDelta(run=1, message="m", text=f"paragraph {number} of many words\n\n" * 10))
        largest = max(largest, len(json.dumps(message)))
    assert largest < 20_000


def test_reads_that_follow_each_other_fold_into_one_line() -> None:
    told = Told()
    told.tell(*runs.stamped(runs.streaming()), run=runs.RUN, whole=True)
    order = told.state["order"]
    assert order == ["item:c0", "m2"] or order[0].startswith("item:")
    rows = told.state["rows"]
    assert rows[order[0]]["title"] == "Look at data and loader · 4 steps · 0.6 s"
    (look,) = rows[order[0]]["children"]
    assert rows[look]["title"] == 'Looked at 4 things · 0.6 s · src/load.py, tests/test_load.py, "to_datetime", df'
    assert rows[look]["children"] == ["c1", "c2", "c3", "c4"]


def test_a_running_command_shows_its_last_lines_and_its_limit() -> None:
    told = Told()
    records = runs.stamped(runs.running())
    told.tell(*records, run=runs.RUN, now=records[-1].ts, whole=True)
    running = told.state["rows"]["c7"]["running"]
    assert running["lines"] == "last 8 of 41 lines"
    assert (running["limit"], running["clock_s"]) == ("0:30", 16.0)
    assert "test_totals.py" in json.dumps(running["tail"])
    assert "test_part_30" not in json.dumps(running["tail"])


def test_progress_and_a_view_of_its_own_are_shown_while_a_call_runs() -> None:
    told = Told()
    started = ToolStarted(run=1, call="c", tool="t", headline=Headline("Fit", "model"))
    told.tell(RunStarted(run=1, prompt="x"), started, whole=True)
    told.tell(ToolProgress(run=1, call="c", fraction=0.5, view=Facts((("epoch", "3"),))))
    running = told.state["rows"]["c"]["running"]
    assert (running["fraction"], running["limit"], "tail" in running) == (0.5, "", False)
    assert "epoch" in json.dumps(running["body"])
    told.tell(ToolFinished(run=1, call="c", tool="t", text="done"))
    row = told.state["rows"]["c"]
    assert "running" not in row
    assert "done" in json.dumps(row["body"])


def test_thoughts_and_notices_have_rows() -> None:
    told = Told()
    thinking = ThinkingDelta(run=1, message="m", text="hm")
    notice = Notice(run=1, seq=3, text="slow", level="warning")
    told.tell(RunStarted(run=1, prompt="x"), MessageStarted(run=1, message="m"), thinking, notice, whole=True)
    assert told.state["order"] == ["thought:m", "note-3"]
    assert told.state["rows"]["thought:m"]["title"] == "Thought"
    assert told.state["rows"]["note-3"] == {"kind": "note", "level": "warning", "text": "Notice: slow"}


def test_each_thing_is_spoken_once_and_no_text_of_the_model_ever() -> None:
    told = Told()
    for record in runs.stamped(runs.finished()):
        told.tell(record, run=runs.RUN, now=record.ts)
    spoken = [words for _, words in told.spoken]
    assert spoken == [
        "Working.",
        "Step 1 of 4: Look at data and loader.",
        "Step 2 of 4: Find the cause.",
        "Step 3 of 4: Fix it.",
        "Approval needed, 1 of 1: Edit src/load.py, 1 line added, 1 removed. Shift Tab from the next cell.",
        "Approval needed, 2 of 2: Run pytest -q, in ~/churn.",
        "Allowed.",
        "Step 4 of 4: Run the tests.",
        "Allowed.",
        "Done in 45 seconds. 1 file changed.",
    ]


def test_a_failure_is_spoken_at_once_and_a_stop_politely() -> None:
    for reason, said in (("model_error", ["assertive", "Failed: no net"]), ("interrupted", ["polite", "Stopped."])):
        told = Told()
        told.tell(RunStarted(run=1, prompt="x"), RunEnded(run=1, reason=reason, error="no net"))
        assert told.spoken[-1] == said


def test_at_the_end_the_record_is_told_once_and_again_to_a_new_page() -> None:
    told = Told()
    message = told.tell(RunStarted(run=1, prompt="x"), RunEnded(run=1, reason="end_turn"))
    assert message is not None
    assert message["type"] == "closed"
    assert told.tell() is None
    again = told.tell(whole=True)
    assert again is not None
    assert again["record"] == message["record"]


def test_a_card_is_told_once_and_gone_when_answered() -> None:
    told = Told()
    records = runs.stamped(runs.asking())
    told.tell(*records, run=runs.RUN, whole=True)
    assert [head["count"] for head in told.state["cards"]] == ["Approval 1 of 2", "Approval 2 of 2"]
    body = next(iter(told.state["bodies"].values()))
    assert (body["title"], body["region"], body["allow_run"]) == (
        "Edit src/load.py +1 −1",
        "Changes to src/load.py",
        "Allow edits in src/ for this run",
    )
    assert told.tell(run=runs.RUN) is None


def test_the_plan_says_its_states_in_words() -> None:
    told = Told()
    todos = (Todo("a", "completed"), Todo("b", "in_progress"), Todo("c"))
    told.tell(RunStarted(run=1, prompt="x"), TodosUpdated(run=1, todos=todos), whole=True)
    assert told.state["plan"]["spoken"] == "Plan, 1 of 3 done"
    assert [item["spoken"] for item in told.state["plan"]["items"]] == ["Done: a", "Now: b", "Open: c"]
    assert told.state["header"]["item"] == "b"


def test_a_question_is_told_once_and_gone_when_answered() -> None:
    told = Told()
    told.tell(RunStarted(run=1, prompt="x"), whole=True)
    message = told.tell(QuestionAsked(run=1, question=FAILURE))
    assert message is not None
    assert message["cards"] == [{"id": "question:rescue", "kind": "question", "count": "", "spoken": FAILURE.title}]
    assert [choice["label"] for choice in message["bodies"]["question:rescue"]["choices"]] == [
        "Enter another key",
        "Choose a model",
        "Retry",
        "End",
    ]
    assert told.tell() is None
    message = told.tell(QuestionAnswered(run=1, question="rescue", key="model"))
    assert message is not None
    assert message["settled"] == {"question:rescue": {"key": "model", "by_person": True, "text": "Choose a model"}}
    assert told.state["cards"] == []


def test_notes_that_wait_are_told_and_one_that_was_read_is_a_row() -> None:
    told = Told()
    told.tell(RunStarted(run=1, prompt="x", model="m"), NoteQueued(run=1, note="n", text="a\u202eb"), whole=True)
    assert told.state["notes"] == {"open": True, "queued": [{"id": "n", "text": "a\\u202eb"}]}
    told.tell(PromptAdded(run=1, seq=9, text="do it", note="n"))
    assert told.state["notes"]["queued"] == []
    assert told.state["rows"]["note-9"]["text"] == "Your note: do it"


def test_silence_is_told_while_it_is_the_models_turn_and_no_longer() -> None:
    told = Told()
    told.tell(RunStarted(run=1, prompt="x", model="m", host="api.example.org"), whole=True)
    message = told.tell(MessageStarted(run=1, message="m", ts=10.0), now=14.0)
    assert message is not None
    assert message["heard"] == {"ago_s": 4.0, "host": "api.example.org"}
    assert told.tell(now=20.0) is None, "the page goes on counting by itself"
    message = told.tell(MessageFinished(run=1, message="m", text="x", ts=21.0), now=21.0)
    assert message is not None
    assert message["heard"] is None


def test_a_countdown_is_cut_around_its_last_seconds_in_either_language() -> None:
    for language, text, before, after in (
        (
            "en",
            "Waited 3 s; trying again in 12 s (attempt 2)",
            "Notice: Waited 3 s; trying again in ",
            " s (attempt 2)",
        ),
        ("zh", "12 秒后重试（第 2 次）", "提示：", " 秒后重试（第 2 次）"),
    ):
        live = Live(Words(language))
        notice = Notice(run=1, seq=3, text=text, level="warning", code="retry", until=22.0)
        view = Transcript.of([RunStarted(run=1, prompt="x"), notice]).run(1)
        message = live.message(view, now=10.0, whole=True)
        assert message is not None
        assert message["rows"]["note-3"]["until"] == {"before": before, "after": after, "left_s": 12.0}


def test_a_background_run_releases_nothing() -> None:
    told = Told()
    told.tell(RunStarted(run=1, prompt="x"), whole=True)
    assert told.state["header"]["releases"]
    told.tell(RunReleased(run=1))
    assert not told.state["header"]["releases"]
    assert told.state["header"]["stops"]


def test_a_new_run_in_the_same_frame_is_told_whole() -> None:
    told = Told()
    told.tell(RunStarted(run=0, prompt="x"), QuestionAsked(run=0, question=FAILURE), run=0, whole=True)
    told.tell(QuestionAnswered(run=0, question="rescue", key="model"), run=0)
    message = told.tell(RunStarted(run=2, prompt="x", model="m"), run=2)
    assert message is not None
    assert (message["type"], message["run"], message["cards"]) == ("draw", 2, [])
