"""The record of a run in each form: what it says, what it leaves out, how it ends."""

import re

import pytest
from msgspec.structs import replace

from tah_jupyter.core.approvals import Outcome
from tah_jupyter.core.calls import Change, Headline, Todo, Usage
from tah_jupyter.core.events import (
    ApprovalAnswered,
    ApprovalRequested,
    Event,
    MessageFinished,
    ModelChanged,
    NoteQueued,
    Notice,
    PermissionDenied,
    PermissionGranted,
    PromptAdded,
    QuestionAnswered,
    QuestionAsked,
    RunEnded,
    RunReleased,
    RunStarted,
    StopReason,
    TodosUpdated,
    ToolFailed,
    ToolFinished,
    ToolStarted,
    TurnStarted,
)
from tah_jupyter.core.questions import Choice, Question
from tah_jupyter.core.views import (
    Code,
    Command,
    Diff,
    Facts,
    Hunk,
    Items,
    Markdown,
    Output,
    Picture,
    Plan,
    Stack,
    Text,
    View,
)
from tah_jupyter.ui.diff import as_text, rows
from tah_jupyter.ui.html import DIFF_LINES
from tah_jupyter.ui.nodes import text_of, to_html
from tah_jupyter.ui.paint import Painter
from tah_jupyter.ui.record import checkpoint, record
from tah_jupyter.ui.run_view import RunView
from tah_jupyter.ui.text import plain_record
from tah_jupyter.ui.transcript import Transcript
from tah_jupyter.ui.words import Words
from tests.support import runs
from tests.support.cards import card


def view_of(*events: Event, run: int = 1) -> RunView:
    return Transcript.of(runs.stamped(iter(events), run=run, step=1.0)).run(run)


def call(name: str, headline: Headline, view: View | None = None, *, folds: bool = False) -> list[Event]:
    return [
        ToolStarted(call=name, tool="t", headline=headline, folds=folds),
        ToolFinished(call=name, tool="t", text="told", view=view, duration_ms=100.0),
    ]


def paint(view: View, **options: int) -> str:
    return to_html(Painter(Words(), live=False, run=4, **options).paint(view))


@pytest.fixture(scope="module")
def finished() -> RunView:
    return Transcript.of(runs.stamped(runs.finished(), step=0.2)).run(runs.RUN)


def test_the_html_record_opens_with_the_answer_and_folds_the_rest(finished: RunView) -> None:
    html = record(finished)["text/html"]
    assert html.startswith(
        "<details open><summary>tah · run 4 · ✓ Done · 1 file changed · 7 steps · 23 s · $0.04</summary>"
        "<div>March was low"
    )
    order = ["March was low", "Changed", "src/load.py +1 −1 · allowed once by you", "Plan 4/4", "Steps 7:", "Sent to"]
    at = [html.index(part) for part in order]
    assert at == sorted(at)
    assert "Steps 7: 4 looked at, 1 edit, 1 command, 1 note" in html
    assert "<summary>Run the tests · 1 step · 6.8 s</summary>" in html
    assert html.endswith(
        "<div>Sent to api.anthropic.com: 12.3 k tokens in 3 requests</div><div>claude-sonnet → api.anthropic.com · "
        "3 turns · 12.3 k in (9 k cached) · 1.2 k out · $0.04 · 23 s</div></details>"
    )


def test_the_markdown_record_reads_as_a_document(finished: RunView) -> None:
    text = record(finished)["text/markdown"]
    assert text.startswith("**tah · run 4 · Done** · 1 file changed · 7 steps · 23 s · \\$0.04\n\nMarch was low")
    assert "**Changed**\n\n- `src/load.py` +1 −1, allowed once by you\n\n" in text
    assert "<details><summary>Steps (7)</summary>\n\n1. Read `src/load.py`\n2. Read" in text
    assert "7. Run `pytest -q`, in ~/churn, exit 0 · 6.8 s, allowed once by you\n\n</details>" in text


def test_the_plain_record_is_the_same_without_marks(finished: RunView) -> None:
    lines = record(finished)["text/plain"].split("\n")
    assert lines[0] == "tah · run 4 · ✓ Done · 1 file changed · 7 steps · 23 s · $0.04"
    assert "Changed  src/load.py +1 −1 · allowed once by you" in lines
    assert "  7. ✓ Run pytest -q in ~/churn · exit 0 · 6.8 s · allowed once by you" in lines


def test_the_record_speaks_chinese(finished: RunView) -> None:
    bundle = record(finished, language="zh")
    assert "运行 4 · ✓ 已完成 · 更改了 1 个文件 · 7 步 · 23 秒" in bundle["text/html"]
    assert "由你允许一次" in bundle["text/markdown"]


def test_a_plain_record_has_at_most_forty_lines_and_counts_what_it_leaves_out() -> None:
    steps = [event for n in range(60) for event in call(f"c{n}", Headline("Read", f"f{n}.py"), folds=True)]
    view = view_of(RunStarted(prompt="x"), *steps, RunEnded(reason="end_turn"))
    lines = plain_record(view, Words()).split("\n")
    assert len(lines) == 40
    left = next(line for line in lines if line.startswith("…"))
    shown = sum("Read f" in line for line in lines)
    assert left == f"… {60 - shown} more steps: %tah sessions show 1"
    whole = plain_record(view, Words(), max_lines=None)
    assert whole.count("Read f") >= 60
    assert "…" not in whole


def test_a_long_answer_is_cut_in_plain_text_and_says_where_the_rest_is() -> None:
    answer = MessageFinished(message="m", text="\n".join(f"line {n}" for n in range(90)))
    view = view_of(RunStarted(prompt="x"), answer, RunEnded(reason="end_turn"))
    lines = plain_record(view, Words()).split("\n")
    assert len(lines) == 40
    assert "… 53 more lines: %tah sessions show 1" in lines
    assert "line 89" in record(view)["text/html"]


@pytest.mark.parametrize(
    ("end", "started", "line"),
    [
        (RunEnded(reason="interrupted"), True, "■ Stopped by you during: Run pytest -q"),
        (RunEnded(reason="interrupted"), False, "■ Stopped by you"),
        (RunEnded(reason="denied_stop"), False, "■ Stopped by you"),
        (RunEnded(reason="crashed"), True, "✕ The kernel ended during: Run pytest -q · go on: %%tah"),
        (RunEnded(reason="crashed"), False, "✕ The kernel ended · go on: %%tah"),
        (
            RunEnded(reason="model_error", error="The key was refused (401).", next_step="Set another key."),
            False,
            "✕ Failed: The key was refused (401).",
        ),
        (
            RunEnded(reason="max_turns", error="50 turns were used.", next_step=""),
            False,
            "‖ At limit: 50 turns were used.",
        ),
        (RunEnded(reason="error"), False, "✕ Failed"),
    ],
)
def test_every_end_is_said_in_every_form(end: RunEnded, started: bool, line: str) -> None:
    running: list[Event] = []
    if started:
        running = [
            ToolStarted(call="c1", tool="t", headline=Headline("Run", "pytest -q")),
            ToolFailed(call="c1", tool="t", error="Interrupted", text="x"),
        ]
    bundle = record(view_of(RunStarted(prompt="x"), *running, end))
    for text in bundle.values():
        assert line in text.replace("\\", "")
        assert ("Your files are as they were." in text) == (not started), "a call that ran may have changed some"
        assert end.next_step in text.replace("\\", "")


def test_denials_and_failures_are_counted_and_told() -> None:
    denied = [
        PermissionDenied(call="c1", tool="t", source="rule", reason="", rule="deny edit_file"),
        ToolFailed(call="c1", tool="t", error="Denied", text="Not run"),
        PermissionDenied(call="c2", tool="t", source="nobody", reason="nobody can answer here, so it was denied"),
        ToolFailed(call="c2", tool="t", error="Denied", text="Not run"),
        ToolFailed(call="c3", tool="gone", error="UnknownTool", text="There is no tool"),
        ToolFailed(call="c4", tool="t", error="NotRun", text="Not run"),
        PermissionDenied(call="c5", tool="t", source="hook", reason=""),
        ToolFailed(call="c5", tool="t", error="Denied", text="Not run"),
        PermissionDenied(call="c6", tool="t", source="nobody", reason="nobody", rule="edit_file"),
        ToolFailed(call="c6", tool="t", error="Denied", text="Not run"),
    ]
    text = record(view_of(RunStarted(prompt="x"), *denied, RunEnded(reason="end_turn")))["text/plain"]
    assert "· 4 denied · 1 call failed ·" in text.split("\n")[0]
    for line in (
        "denied: deny edit_file",
        "denied: nobody can answer here\n",
        "denied: nobody can answer here (to allow: --allow edit_file, or in your config)\n",
        "✕ gone",
        "– t · not run",
        "✕ t · denied\n",
    ):
        assert line in text


@pytest.mark.parametrize(
    ("outcome", "granted", "said"),
    [
        (
            "allowed",
            PermissionGranted(call="c1", tool="t", source="person", scope="run"),
            "allowed by you for this run",
        ),
        ("allowed", PermissionGranted(call="c1", tool="t", source="grant", rule="edits"), "for this run: edits"),
        ("allowed", PermissionGranted(call="c1", tool="t", source="grant"), "allowed by you for this run"),
        ("allowed", PermissionGranted(call="c1", tool="t", source="rule", rule="t"), "allowed by your rule t"),
        ("denied", PermissionDenied(call="c1", tool="t", source="person", reason="told"), "denied by you: use %Y"),
    ],
)
def test_who_decided_is_part_of_the_record(
    outcome: Outcome, granted: PermissionGranted | PermissionDenied, said: str
) -> None:
    asked = ApprovalRequested(approval="a1", call="c1", tool="t", headline=Headline("Run", "x"), view=Text("x"))
    answered = ApprovalAnswered(approval="a1", call="c1", outcome=outcome, reason="use %Y")
    end = ToolFinished(call="c1", tool="t", text="")
    ended = ToolFailed(call="c1", tool="t", error="Denied", text="") if outcome == "denied" else end
    text = record(view_of(RunStarted(prompt="x"), asked, answered, granted, ended))["text/plain"]
    assert said in text


def test_a_read_that_nobody_was_asked_about_says_nothing_of_it() -> None:
    granted = PermissionGranted(call="c1", tool="t", source="tool")
    view = view_of(RunStarted(prompt="x"), granted, *call("c1", Headline("Read", "a"), folds=True))
    assert "allowed" not in record(view)["text/html"]


def test_a_long_run_is_told_in_short_from_the_log() -> None:
    steps = [event for n in range(35) for event in call(f"c{n}", Headline("Read", f"f{n}"), folds=True)]
    steps += call("r1", Headline("Run", "pytest"), Output("x", 1, "exit 1 · 2 s", failed=True))
    steps += [ToolFailed(call="f1", tool="t", error="X", text="no")]
    view = view_of(RunStarted(prompt="x"), *steps, RunEnded(reason="end_turn"))
    for text in record(view).values():
        assert "Changed: nothing" in text
        assert "Ran: Run pytest (exit 1 · 2 s)" in text
        assert "Denied or failed: t" in text
    assert "✕ Run pytest · exit 1 · 2 s" in record(view)["text/html"]


def test_an_answer_that_was_cut_says_so() -> None:
    answer = MessageFinished(message="m", text="half an", finish="length")
    view = view_of(RunStarted(prompt="x"), answer, RunEnded(reason="error", error="cut"))
    assert "The answer was cut off here." in record(view)["text/html"]


def test_notices_thoughts_and_added_prompts_are_steps_to_read() -> None:
    view = view_of(
        RunStarted(prompt="x"),
        Notice(text="slow\nnetwork", level="warning"),
        PromptAdded(text="look again"),
        MessageFinished(message="m1", text="I look.", thinking="hm", calls=()),
        MessageFinished(message="m2", text="Done."),
        RunEnded(reason="end_turn"),
    )
    html = record(view)["text/html"]
    for part in (
        "Notice: slow\\nnetwork",
        "Told the model: look again",
        "<summary>Thought</summary><pre><code>hm</code></pre>",
        "I look.",
    ):
        assert part in html


def test_where_there_were_notices_alone_no_step_is_counted() -> None:
    answer = MessageFinished(message="m", text="Done.")
    view = view_of(RunStarted(prompt="x"), Notice(text="slow"), answer, RunEnded(reason="end_turn"))
    assert "<summary>Steps</summary><ol><li>Notice: slow</li></ol>" in record(view)["text/html"]


def test_nothing_is_said_to_be_sent_when_nothing_left_this_machine() -> None:
    for host in ("", "localhost:11434"):
        view = view_of(
            RunStarted(prompt="x", model="qwen", host=host),
            TurnStarted(),
            MessageFinished(message="m", text="hi", usage=Usage(10, 0, 1, 1)),
            RunEnded(reason="end_turn", cost_usd=0.0),
        )
        html = record(view)["text/html"]
        assert "Sent to" not in html
        assert "local, no charge" in html
        assert ("qwen → this machine" in html) == bool(host)


def test_the_checkpoint_is_folded_and_says_how_to_go_on() -> None:
    view = Transcript.of(runs.stamped(runs.running())).run(runs.RUN)
    html = checkpoint(view, saved_ts=0.0)["text/html"]
    assert html.startswith("<details><summary>tah · run 4 · ◐ Working")
    assert re.search(r"Run pytest -q in ~/churn · saved at \d\d:\d\d:\d\d; if the kernel has ended, go on: %%tah", html)
    done = Transcript.of(runs.stamped(runs.finished())).run(runs.RUN)
    assert "March was low because 12 rows" in checkpoint(done, saved_ts=0.0)["text/html"].split("</summary>")[0]


def test_a_diff_is_readable_from_its_signs_alone() -> None:
    numbered = [as_text(row, 2) for row in rows(runs.DIFF)]
    assert [line[:4] for line in numbered] == ["  42", "- 43", "+ 43", "  44"]
    html = paint(runs.DIFF)
    assert (
        '<ins style="background-color:rgba(46,160,67,0.2);text-decoration:none">+ 43      df["date"] = pd.to_datetime'
        in html
    )
    two = Diff("a", (*runs.DIFF.hunks, *runs.DIFF.hunks), 2, 2, notes=("mode 644 → 755",))
    assert "⋮" in paint(two)
    assert "<div>mode 644 → 755</div>" in paint(two)
    assert "No line changes." in paint(Diff("a", (), notes=("line ends LF → CRLF",)))


def test_long_things_are_shortened_in_a_record_and_counted() -> None:
    lines = tuple(line for _ in range(DIFF_LINES) for line in runs.DIFF.hunks[0].lines)
    assert "… 600 more lines: %tah sessions show 4" in paint(Diff("a", (Hunk(lines),)), max_lines=DIFF_LINES)
    long = "\n".join(map(str, range(100)))
    assert paint(Code(long), max_lines=10).endswith("9\n… 90 more lines: %tah sessions show 4</pre>")
    assert paint(Output(long, 100), max_lines=10).startswith("<pre>… 90 more lines: %tah sessions show 4\n90")
    assert "<li>… 97 more</li>" in paint(Items(tuple("abcd"), 95), max_lines=2)


@pytest.mark.parametrize(
    ("view", "html"),
    [
        (Text("a <b>\n"), "<pre>a &lt;b></pre>"),
        (Markdown("*a*"), "<div><p><em>a</em></p></div>"),
        (Code("x\ny\n", first_line=9), "<pre> 9  x\n10  y</pre>"),
        (Command(("pytest", "-q"), "src", 30.0), "<pre>pytest -q</pre><div>in src · at most 30 s</div>"),
        (
            Command(("sh", "-c", "a  b")),
            "<ol><li><code>sh</code></li><li><code>-c</code></li><li><code>a  b</code></li></ol>"
            "<div>3 arguments, one a line</div>",
        ),
        (Output("", 0, "exit 0"), "<div>exit 0</div>"),
        (Facts((("rows", "4,812"),)), "<table><tbody><tr><th>rows</th><td>4,812</td></tr></tbody></table>"),
        (Items(("a", "b")), "<ul><li>a</li><li>b</li></ul>"),
        (Plan((Todo("x", "in_progress"),)), "<ul><li>▸ Now: x</li></ul>"),
        (Picture("image/png", "AAAA", "a cat"), '<img src="data:image/png;base64,AAAA" alt="a cat">'),
        (Picture("image/png", '"><script>', "a cat"), "a cat"),
        (Stack((Text("a"), Text("b"))), "<pre>a</pre><pre>b</pre>"),
    ],
)
def test_every_kind_of_view_has_a_static_form(view: View, html: str) -> None:
    assert paint(view).replace("&gt;", ">") == html
    live = Painter(Words(), live=True)
    assert text_of(live.paint(view)).strip() or isinstance(view, Picture)


def test_the_card_at_a_prompt_is_whole() -> None:
    view = Transcript.of(runs.stamped(runs.asking())).run(runs.RUN)
    title, *body = card(view.pending[0], Words()).split("\n")
    assert title.rstrip("- ") == "-- approval 1 of 2 -- Edit src/load.py  +1 -1"
    assert [line.strip() for line in body] == [
        "42      df = pd.read_csv(path)",
        '- 43      df["date"] = pd.to_datetime(df["date"])',
        '+ 43      df["date"] = pd.to_datetime(df["date"], dayfirst=True)',
        "44      return df",
        "asks because: in mode Ask every edit asks",
    ]
    facts = ApprovalRequested(approval="a", call="c", tool="t", headline=Headline("X"), view=Facts((("a", "b\u200b"),)))
    pending = view_of(RunStarted(prompt="x"), facts).pending[0]
    assert [line.strip() for line in card(pending, Words()).split("\n")[1:]] == [
        "a  b\\u200b",
        "Hidden characters are shown as \\u200b",
    ]


def test_a_created_file_and_a_changed_variable_are_told_apart() -> None:
    changes = (Change("new.py", action="created", added=3), Change("df", kind="variable"))
    finished = ToolFinished(call="c1", tool="t", text="ok", changes=changes)
    bundle = record(view_of(RunStarted(prompt="x"), finished, RunEnded(reason="end_turn")))
    assert "<div>new.py created +3 −0</div><div>df</div>" in bundle["text/html"]
    assert "1 file changed" in bundle["text/plain"]


def test_a_plan_without_steps_is_only_the_plan() -> None:
    view = view_of(RunStarted(prompt="x"), TodosUpdated(todos=(Todo("a"),)), RunEnded(reason="end_turn"))
    assert "Steps" not in record(view)["text/html"]


def test_the_short_lines_of_a_very_long_run_stay_short_and_count_what_they_leave_out() -> None:
    steps = [
        event
        for number in range(1_000)
        for event in (
            ToolStarted(call=f"c{number}", tool="t", headline=Headline("Run", f"command-{number}")),
            ToolFinished(call=f"c{number}", tool="t", text="ok", view=Output("x", 1, "exit 0")),
        )
    ]
    bundle = record(view_of(RunStarted(prompt="x"), *steps, RunEnded(reason="end_turn")))
    (line,) = [line for line in bundle["text/plain"].split("\n") if line.startswith("  Ran: ")]
    assert "command-9 (exit 0), … 990 more" in line
    assert len(line) < 500
    assert len(bundle["text/plain"]) < 5_000


def test_what_a_person_answered_wrote_and_let_go_on_is_part_of_the_record() -> None:
    question = Question("q1", "The window holds 4,096 tokens", (Choice("use", "Use anyway"),))
    view = view_of(
        RunStarted(prompt="x"),
        QuestionAsked(question=question),
        QuestionAnswered(question="q1", key="use", label="Use anyway"),
        QuestionAsked(question=replace(question, question_id="q2", title="Go on?")),
        RunReleased(),
        NoteQueued(note="n1", text="use ISO dates"),
        PromptAdded(text="use ISO dates", note="n1"),
        ModelChanged(model="other", host="api.example.org", because="The first one is overloaded."),
        RunEnded(reason="end_turn"),
    )
    for text in record(view).values():
        for told in (
            "Done** · in the background" if text.startswith("**") else "✓ Done · in the background",
            "Asked: The window holds 4,096 tokens → Use anyway",
            "Your note: use ISO dates",
            "other answers from here on: The first one is overloaded.",
        ):
            assert told in text
        assert "Go on?" not in text, "nobody answered, so nothing was decided"
    assert "由你" not in (zh := record(view, language="zh")["text/plain"])
    assert "询问：The window holds 4,096 tokens → Use anyway" in zh
    assert "你的补充说明：use ISO dates" in zh


def test_the_raw_answer_of_a_provider_is_folded_and_never_active() -> None:
    detail = '{"error": "<script>x</script>"}\n\n# no title'
    end = RunEnded(reason="model_error", error="The key was refused (401).", kind="auth", detail=detail)
    bundle = record(view_of(RunStarted(prompt="x"), end))
    assert "<details><summary>Raw answer · auth</summary><pre><code>{" in bundle["text/html"]
    assert "<script" not in bundle["text/html"]
    assert "<details><summary>Raw answer · auth</summary>\n\n```\n{" in bundle["text/markdown"]
    assert 'Raw answer · auth  {"error": "<script>x</script>"} # no title' in bundle["text/plain"]
    assert "Raw answer" not in "".join(record(view_of(RunStarted(prompt="x"), replace(end, detail=""))).values())


CHANGED = ToolFinished(call="c1", tool="t", text="ok", changes=(Change("a.py", added=1),))
RAN = ToolFinished(call="c1", tool="t", text="ok")


@pytest.mark.parametrize(
    ("event", "safe"),
    [
        (Notice(text="x"), "Your files are as they were."),
        (RAN, "What ran may have changed files."),
        (CHANGED, "What was changed so far is kept."),
    ],
)
@pytest.mark.parametrize("reason", ["interrupted", "max_turns", "model_error", "error"])
def test_an_end_that_is_not_well_says_what_is_safe_and_one_next_step(
    reason: StopReason, event: Event, safe: str
) -> None:
    started = ToolStarted(call="c1", tool="t", headline=Headline("Run", "x"))
    events = [event] if isinstance(event, Notice) else [started, event]
    for next_step in ("", "Choose a model."):
        view = view_of(RunStarted(prompt="x"), *events, RunEnded(reason=reason, error="E.", next_step=next_step))
        for text in record(view).values():
            assert f"{safe} {next_step or 'The next %%tah goes on from here.'}" in text


def test_a_run_whose_calls_nobody_could_allow_is_done_and_says_how_to_let_them_pass() -> None:
    def denied(call: str, source: str) -> list[Event]:
        return [
            PermissionDenied(call=call, tool="t", source=source, reason="no", rule="edit_file(src/**)"),
            ToolFailed(call=call, tool="t", error="Denied", text="Not run"),
        ]

    end = RunEnded(reason="end_turn")
    both = [*denied("c1", "nobody"), *denied("c2", "nobody")]
    for text in record(view_of(RunStarted(prompt="x"), *both, end)).values():
        assert "· 2 denied: nobody can answer here ·" in text.replace("**", "")
        assert "To let it pass: %%tah --allow edit_file(src/" in text, "said once, though two calls need it"
        assert text.count("To let it pass") == 1
    mixed = record(view_of(RunStarted(prompt="x"), *denied("c1", "nobody"), *denied("c2", "rule"), end))["text/plain"]
    assert "· 2 denied · " in mixed.split("\n")[0]


def test_a_very_large_run_leaves_a_record_of_bounded_size_and_the_whole_one_has_everything() -> None:
    output = Output("\n".join(f"{n} " + "x" * 900 for n in range(60)), 60, "exit 0")
    steps = [event for n in range(100) for event in call(f"c{n}", Headline("Run", f"test_{n}.py"), output)]
    view = view_of(RunStarted(prompt="x"), *steps, RunEnded(reason="end_turn"))
    html = record(view)["text/html"]
    assert len(html) < 300_000
    assert all(f"✓ Run test_{n}.py · exit 0" in html for n in range(100)), "each step is a line at least"
    assert "✓ Run test_99.py · exit 0 · result: %tah sessions show 1" in html
    whole = record(view, whole=True)
    assert "%tah sessions show" not in "".join(whole.values())
    assert whole["text/html"].count("59 xxx") == 100


def test_a_checkpoint_says_in_every_form_when_it_was_saved() -> None:
    view = Transcript.of(runs.stamped(runs.running())).run(runs.RUN)
    for text in checkpoint(view, saved_ts=0.0).values():
        assert re.search(r"saved at \d\d:\d\d:\d\d; if the kernel has ended, go on: %%tah", text)


PROSE = """# Why

March is **low**: `read()` takes `<`, not `a b`;
the [first](https://example.org/) format.

- one
- two

  2b

| month | total |
|---|---:|
| March | 38,911 |

> quoted

```python
x = 1

y = 2
```

---
3. third ~~not~~ a\\
b <https://example.org/>
"""


def test_the_plain_answer_has_no_marks_of_markdown() -> None:
    answer = MessageFinished(message="m", text=PROSE)
    lines = plain_record(view_of(RunStarted(prompt="x"), answer, RunEnded(reason="end_turn")), Words()).split("\n")
    assert lines[1:-1] == [
        *(
            "Why",
            "",
            "March is low: read() takes `<`, not `a b`;",
            "the first (https://example.org/) format.",
            "- one",
            "- two",
            "",
        ),
        *(
            "  2b",
            "",
            "month  total",
            "March  38,911",
            "",
            "> quoted",
            "",
            "    x = 1",
            "",
            "    y = 2",
            "",
            "―――",
            "",
        ),
        *("3. third ~~not~~ a", "   b https://example.org/"),
    ]


def test_the_saved_answer_needs_no_element_that_a_sanitiser_would_show() -> None:
    answer = MessageFinished(message="m", text=PROSE.replace("~~", ""))
    html = record(view_of(RunStarted(prompt="x"), answer, RunEnded(reason="end_turn")))["text/html"]
    survive = {"a", "blockquote", "code", "div", "em", "li", "ol", "pre", "span", "strong", "table", "td", "tr", "ul"}
    assert set(re.findall(r"<(\w+)", html)) <= {*survive, "details", "summary"}
    assert "<div><strong>Why</strong></div><div>March is" in html
    assert "<td><strong>month</strong></td>" in html
    assert "format.</div><ul><li>" in html
    assert "a<div></div>b" in html
