"""The demo: a script in the place of a language model, always labelled as one.

It does the main job on the sample project with the real tools: look, plan, run the tests, mend, run them again, report.
Each answer is worked out from the messages alone, that is from what the tools returned, so the script follows what
really happened: a denial, an error, a project that is already right.
"""

import re
from collections.abc import Iterator

import msgspec

from tah_jupyter.core.messages import CallFinished
from tah_jupyter.models.choose import DEMO_LABEL
from tah_jupyter.models.sample import words
from tah_jupyter.models.sample.memory import Memory, recall
from tah_jupyter.models.sample.project import MARK
from tah_jupyter.models.sample.story import Story, python_name, tell
from tah_jupyter.models.scripted import ScriptedModel
from tah_jupyter.models.scripts.script import Step, calls, says

__all__ = ["DemoModel"]

_DELAY_S = 0.02
"""Between two pieces of text: as fast as a quick model writes."""

_README = "README.md"
_TEST_LIMIT_MS = 60_000
_MAX_FILES = 20
_WISH = re.compile(r"fix(es|ed)?|fail(s|ed|ing|ures?)?|wrong|broken?|bugs?|mistakes?|repair|red|green|pass(es)?")
_PLAN = ("Look at the project", "Run its tests", "Fix the cause", "Run the tests again")


class DemoModel(ScriptedModel):
    """The scripted demo. ``opening`` is what it says first in each run: what it is and what it works on."""

    def __init__(self, *, opening: str = words.OPENING, delay_s: float = _DELAY_S) -> None:
        super().__init__(lambda request: list(_answer(recall(request), opening)), chunk_chars=12, delay_s=delay_s)
        self.name = DEMO_LABEL


def _answer(memory: Memory, opening: str) -> Iterator[Step]:
    """The next message: words, calls, or both."""
    if not memory.calls:
        yield from _begin(memory, opening)
    elif (stranger := _stranger(memory)) is not None:
        yield says(stranger)
    elif not _has_read(memory):
        yield from _read_all(memory)
    else:
        yield from _go_on(memory)


def _begin(memory: Memory, opening: str) -> Iterator[Step]:
    if not _is_about_tests(memory.prompt) or not {"list_files", "read_file"} <= memory.tools:
        yield says(f"{opening}\n\n{words.NOT_FOR_ME}\n\n{words.WAYS_ON}")
        return
    yield says(f"{opening} First a look at what is there.")
    yield calls("list_files", path=".", glob="**/*")
    yield calls("read_file", path=_README)


def _is_about_tests(prompt: str) -> bool:
    """Whether the request is the one thing the script can do: it must never seem to answer another."""
    said = set(re.findall(r"[a-z]+", prompt.casefold()))
    about = said & {"test", "tests", "sample", "demo", "project"}
    wish = any(_WISH.fullmatch(word) for word in said)
    return bool(about) and wish and not said & {"my", "our", "write"}


def _stranger(memory: Memory) -> str | None:
    """What to say when this is not the sample project, or the request names files that are not in it."""
    paths = _paths(memory)
    if MARK not in memory.files.get(_README, "") or not any(_is_test(path) for path in paths):
        return f"{words.NOT_THE_SAMPLE}\n\n{words.WAYS_ON}"
    named = re.findall(r"[\w./-]+\.(?:py|csv|md|ipynb|json|toml|txt|xlsx?)\b", memory.prompt)
    if any(not any(path == name or path.endswith(f"/{name}") for path in paths) for name in named):
        return f"{words.NOT_FOR_ME}\n\n{words.WAYS_ON}"
    return None


def _paths(memory: Memory) -> list[str]:
    listed = memory.of("list_files")[0].result.partition("\n\n")[0].split("\n")
    return sorted(listed)[:_MAX_FILES]


def _is_test(path: str) -> bool:
    return path.rpartition("/")[2].startswith("test") and path.endswith(".py")


def _has_read(memory: Memory) -> bool:
    return any(call.args.get("path") != _README for call in memory.of("read_file"))


def _read_all(memory: Memory) -> Iterator[Step]:
    others = [path for path in _paths(memory) if path != _README]
    yield says(f"{words.files(len(others))} besides the README. They are read side by side, with a search beside them.")
    yield from _plan(memory, (), 0)
    yield from (calls("read_file", path=path) for path in others)
    if "grep" in memory.tools:
        yield calls("grep", pattern=r"^\s*def ", glob="*.py")


def _go_on(memory: Memory) -> Iterator[Step]:
    """Everything is read: test, mend, test again, each only when the step before it makes sense of it."""
    story = tell(memory)
    if story.before is None:
        yield says(words.read(list(memory.files.values())))
        yield from _plan(memory, (0,), 1)
        yield _run_tests(memory)
    elif story.mistake is not None and story.edit is None and "edit_file" in memory.tools:
        mistake = story.mistake
        yield says(words.diagnosis(story.before, mistake))
        yield from _plan(memory, story.progress, 2)
        yield calls("edit_file", path=mistake.path, old_string=mistake.old, new_string=mistake.new)
    elif story.edited and story.after is None and story.before.report is not None:
        yield says("Changed. The tests again, to see whether that was it.")
        yield from _plan(memory, story.progress, 3)
        yield _run_tests(memory)
    else:
        yield from _end(memory, story)


def _end(memory: Memory, story: Story) -> Iterator[Step]:
    """Bring the plan up to date, then report."""
    plan = list(_plan(memory, story.progress))
    plans = memory.of("todo_write")
    if plan and (not plans or plans[-1].args != msgspec.json.decode(plan[0].raw)):
        yield from plan
    else:
        yield says(f"{words.outcome(story)}\n\n{words.goodbye(changed=story.edited)}")


def _plan(memory: Memory, done: tuple[int, ...], now: int | None = None) -> Iterator[CallFinished]:
    """The plan as it stands, where plans can be kept."""
    states = dict.fromkeys(done, "completed")
    todos = [
        {"content": item, "status": states.get(number, "in_progress" if number == now else "pending")}
        for number, item in enumerate(_PLAN)
    ]
    if "todo_write" in memory.tools:
        yield calls("todo_write", todos=todos)


def _run_tests(memory: Memory) -> Step:
    """``-B``: no compiled file is kept, because one that is as old and as long as the mended file would be used."""
    return calls(
        "execute_command",
        command=[python_name(memory), "-B", "-m", "unittest"],
        timeoutMs=_TEST_LIMIT_MS,
        description="Run the tests of the sample project",
    )
