"""A request is kept while its person settles what it needs, and goes on when its model fails: real kernels, a real
server on loopback in the place of a provider.
"""

import json
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pytest
from anyio.from_thread import start_blocking_portal

from tests.kernel.front_end import WIDGET, Frame, FrontEnd, kernel_in
from tests.kernel.project import Project
from tests.support.provider import Provider, Reply, finish, json_reply, serving, status, stream, text

ANSWER = stream(text("It is a small project."), finish())
REFUSED = status(401, {"error": {"message": "Incorrect API key provided"}})
MODELS = json_reply({"object": "list", "data": [{"id": "gpt-5.4", "object": "model"}]})
NEW_KEY = "sk-new-0123456789abcdef"


@contextmanager
def provider(*replies: Reply) -> Iterator[Provider]:
    with start_blocking_portal() as portal, portal.wrap_async_context_manager(serving(*replies)) as running:
        yield running


@pytest.fixture
def home(project: Project) -> Path:
    """A home of its own, so that nothing of this machine's counts."""
    folder = project.folder.parent / "home"
    folder.mkdir()
    project.env |= {"HOME": str(folder), "XDG_CONFIG_HOME": str(folder / ".config"), "OLLAMA_HOST": "127.0.0.1:9"}
    return folder


def own_config(home: Path, content: dict[str, Any]) -> Path:
    path = home / ".config" / "tah" / "config.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(content))
    return path


@contextmanager
def loaded(project: Project, **options: bool) -> Iterator[FrontEnd]:
    with ExitStack() as stack:
        front_end = stack.enter_context(kernel_in(project.folder, env=project.env, **options))
        front_end.run("%load_ext tah_jupyter")
        yield front_end


def question(front_end: FrontEnd, nth: int = 1) -> tuple[Frame, dict[str, Any]]:
    """The frame, and the body of its nth question."""
    frame = front_end.frame()

    def bodies() -> list[dict[str, Any]]:
        told = [body for message in frame.messages for body in message.get("bodies", {}).values()]
        return [body for body in told if body.get("question")]

    front_end.until(lambda: len(bodies()) >= nth)
    return frame, bodies()[nth - 1]


def choose(front_end: FrontEnd, frame: Frame, key: str, *, remember: bool = False) -> None:
    cards = [message["cards"] for message in frame.messages if message.get("cards")][-1]
    question_id = cards[0]["id"].removeprefix("question:")
    reply = {"type": "reply", "id": 1, "question": question_id, "key": key, "remember": remember}
    front_end.send(frame, reply)


def keys_of(body: dict[str, Any]) -> list[str]:
    return [choice["key"] for choice in body["choices"]]


def test_the_request_is_kept_while_a_model_is_chosen_and_then_runs(project: Project, home: Path) -> None:
    with provider(ANSWER) as server:
        config = own_config(home, {"models": {"mine": {"baseUrl": server.base_url, "model": "m"}}})
        with loaded(project) as front_end:
            cell = front_end.submit("%%tah\nWhat is here?")
            frame, body = question(front_end)
            assert "use:mine" in keys_of(body)
            assert "cancel" in keys_of(body)
            choose(front_end, frame, "use:mine", remember=True)
            front_end.until(lambda: cell.done)
            assert cell.status == "ok"
            assert "It is a small project." in cell.text
            assert json.loads(config.read_text())["model"] == "mine"
            assert front_end.run("%%tah\nAnd now?").status == "ok"
        assert [body["messages"][-1]["content"] for body in server.bodies] == ["What is here?", "And now?"]


def test_cancelling_the_choice_ends_the_cell_and_those_queued_behind_it(project: Project, home: Path) -> None:
    with loaded(project) as front_end:
        cell = front_end.submit("%%tah\nWhat is here?")
        queued = front_end.submit("print('ran')")
        frame, _ = question(front_end)
        choose(front_end, frame, "cancel")
        front_end.until(lambda: cell.done and queued.done)
        assert cell.status == "error"
        assert "Stopped by you" in cell.text
        assert queued.status in ("aborted", "error")
        assert not any(WIDGET in output.get("data", {}) for output in cell.outputs)
        assert front_end.run("1 + 1").text.strip() == "2"


def test_an_interrupt_while_the_request_is_kept_ends_it(project: Project, home: Path) -> None:
    with loaded(project) as front_end:
        cell = front_end.submit("%%tah\nWhat is here?")
        question(front_end)
        front_end.manager.interrupt_kernel()
        front_end.until(lambda: cell.done, limit_s=10)
        assert "Stopped by you" in cell.text


def test_at_a_front_end_without_widgets_the_choice_is_a_numbered_list(project: Project, home: Path) -> None:
    with provider(ANSWER) as server:
        own_config(home, {"models": {"mine": {"baseUrl": server.base_url, "model": "m"}}})
        with loaded(project, hello=False) as front_end:
            front_end.answers = ["1", "n"]
            cell = front_end.run("%%tah\nWhat is here?")
            assert cell.status == "ok", cell.text
            assert "It is a small project." in cell.text


@pytest.mark.parametrize("hello", [True, False], ids=["page", "input"])
def test_a_request_for_the_background_holds_its_cell_until_it_is_a_run(
    project: Project, home: Path, hello: bool
) -> None:
    with provider(ANSWER) as server:
        own_config(home, {"models": {"mine": {"baseUrl": server.base_url, "model": "m"}}})
        with loaded(project, hello=hello) as front_end:
            cell = front_end.submit("%%tah --bg\nWhat is here?")
            if hello:
                frame, _ = question(front_end)
                assert not cell.done
                choose(front_end, frame, "use:mine")
            else:
                front_end.until(lambda: front_end.prompts)
                assert not cell.done
                front_end.answers += ["n"]
                front_end.client.input("mine")
            front_end.until(lambda: cell.done)
            assert cell.status == "ok"
            front_end.until(lambda: "It is a small project." in cell.text)
            assert "in the background" in cell.text


def test_where_nobody_can_choose_the_error_names_variable_and_config_key(project: Project, home: Path) -> None:
    with loaded(project) as front_end:
        cell = front_end.run("%%tah\nWhat is here?", allow_stdin=False)
        assert cell.status == "error"
        assert "OPENAI_API_KEY" in cell.text
        assert '"models"' in cell.text


def test_a_refused_key_is_entered_anew_and_the_same_run_goes_on(project: Project, home: Path) -> None:
    with provider(REFUSED, MODELS, ANSWER) as server:
        project.env |= {"OPENAI_API_KEY": "sk-old-0123456789abcdef", "OPENAI_BASE_URL": server.base_url}
        with loaded(project) as front_end:
            front_end.answers = [NEW_KEY]
            cell = front_end.submit("%%tah --model openai/gpt-5.4\nWhat is here?")
            frame, body = question(front_end)
            assert "cdef" in body["title"]
            assert "401" in body["title"]
            assert "key" in keys_of(body)
            choose(front_end, frame, "key")
            front_end.until(lambda: cell.done)
            assert cell.status == "ok", cell.text
            assert "It is a small project." in cell.text
            assert front_end.prompts, "the key was not asked for at the kernel's password prompt"
            everything = json.dumps([cell.outputs, *(f.messages for f in front_end.frames.values())])
            assert NEW_KEY not in everything
            assert NEW_KEY not in next(project.sessions[0].glob("log.jsonl")).read_text()
        assert NEW_KEY in server.heads[-1]


@pytest.mark.parametrize(
    ("reply", "keys"),
    [
        (REFUSED, ["key", "choose", "retry", "cancel"]),
        (status(429, {"error": {"code": "insufficient_quota", "message": "no credit"}}), ["choose", "retry", "cancel"]),
        (status(400, {"error": {"code": "context_length_exceeded", "message": "long"}}), ["choose", "cancel"]),
    ],
)
def test_a_failure_is_a_card_whose_end_ends_the_run(
    project: Project, home: Path, reply: Reply, keys: Sequence[str]
) -> None:
    with provider(reply) as server:
        project.env |= {"OPENAI_API_KEY": "sk-old-0123456789abcdef", "OPENAI_BASE_URL": server.base_url}
        with loaded(project) as front_end:
            cell = front_end.submit("%%tah --model openai/gpt-5.4\nWhat is here?")
            frame, body = question(front_end)
            assert sorted(keys_of(body)) == sorted(keys)
            choose(front_end, frame, "cancel")
            front_end.until(lambda: cell.done)
            assert cell.status == "error"
            assert "Failed" in cell.text


def test_a_model_that_was_chosen_for_a_failing_one_answers_later_cells_too(project: Project, home: Path) -> None:
    with provider(ANSWER) as server, provider(status(402, {"error": {"message": "Payment required"}})) as broke:
        own_config(home, {"models": {"mine": {"baseUrl": server.base_url, "model": "m"}}})
        project.env |= {"OPENAI_API_KEY": "sk-old-0123456789abcdef", "OPENAI_BASE_URL": broke.base_url}
        with loaded(project) as front_end:
            cell = front_end.submit("%%tah --model openai/x\nWhat is here?")
            frame, _ = question(front_end)
            choose(front_end, frame, "choose")
            frame, body = question(front_end, 2)
            assert "use:demo" not in keys_of(body), "it works on a folder of its own"
            choose(front_end, frame, "use:mine")
            front_end.until(lambda: cell.done)
            assert cell.status == "ok", cell.text
            assert front_end.run("%%tah\nAnd now?").status == "ok"
        assert len(broke.bodies) == 1
        assert [body["messages"][-1]["content"] for body in server.bodies] == ["What is here?", "And now?"]


def test_a_cell_that_waited_asks_the_model_that_was_chosen_meanwhile(project: Project, home: Path) -> None:
    with provider(ANSWER) as server, provider(status(402, {"error": {"message": "Payment required"}})) as broke:
        endpoints = {
            "mine": {"baseUrl": server.base_url, "model": "m"},
            "broke": {"baseUrl": broke.base_url, "model": "m"},
        }
        own_config(home, {"models": endpoints, "model": "broke"})
        with loaded(project) as front_end:
            front_end.run("%%tah --bg\nWhat is here?")
            frame, _ = question(front_end)
            waiting = front_end.submit("%%tah\nAnd now?")
            front_end.until(lambda: "waiting for run 1" in waiting.text)
            choose(front_end, frame, "choose")
            question(front_end, 2)
            choose(front_end, frame, "use:mine")
            front_end.until(lambda: waiting.done)
            assert waiting.status == "ok", waiting.text
        assert len(broke.bodies) == 1
        assert [body["messages"][-1]["content"] for body in server.bodies] == ["What is here?", "And now?"]


def test_with_two_keys_the_service_of_the_named_model_lists_what_it_has(project: Project, home: Path) -> None:
    gone = status(404, {"error": {"code": "model_not_found", "message": "The model nope does not exist"}})
    with provider(gone, MODELS) as server:
        project.env |= {
            "OPENAI_API_KEY": "sk-old-0123456789abcdef",
            "OPENAI_BASE_URL": server.base_url,
            "MISTRAL_API_KEY": "Zq7Rm2Xv9Lk4Tb8W",
        }
        with loaded(project) as front_end:
            cell = front_end.submit("%%tah --model openai/nope\nWhat is here?")
            frame, body = question(front_end)
            assert keys_of(body)[0] == "use:openai/gpt-5.4"
            choose(front_end, frame, "cancel")
            front_end.until(lambda: cell.done)


def test_a_password_in_an_address_is_shown_nowhere(project: Project, home: Path) -> None:
    project.env |= {"OPENAI_API_KEY": "sk-old-0123456789abcdef", "OPENAI_BASE_URL": "http://me:hunter2@127.0.0.1:9/v1"}
    with loaded(project) as front_end:
        told = [front_end.run(line) for line in ("%tah", "%tah model", "%tah doctor")]
        told.append(front_end.run("%%tah\nWhat is here?", allow_stdin=False))
        cell = front_end.submit("%%tah\nWhat is here?")
        frame, _ = question(front_end)
        choose(front_end, frame, "cancel")
        front_end.until(lambda: cell.done)
        front_end.run("%env OPENAI_BASE_URL=htp:/me:hunter2@127.0.0.1:9/v1")
        told.append(front_end.run("%%tah --model openai/x\nWhat is here?"))
        assert "127.0.0.1:9" in told[-1].text
        assert "hunter2" not in json.dumps([frame.messages, cell.outputs, *(each.outputs for each in told)])


def test_the_next_model_of_the_config_goes_on_and_the_record_says_so(project: Project, home: Path) -> None:
    with provider(ANSWER) as server, provider(status(401, "no")) as broken:
        endpoints = {
            "first": {"baseUrl": broken.base_url, "model": "a"},
            "second": {"baseUrl": server.base_url, "model": "b"},
        }
        own_config(home, {"models": endpoints, "model": "first", "fallbackModels": ["second"]})
        with loaded(project) as front_end:
            cell = front_end.run("%%tah\nWhat is here?")
            assert cell.status == "ok", cell.text
            assert "second" in cell.text


def test_at_the_limit_of_turns_the_page_is_asked(project: Project, home: Path) -> None:
    look = [{"calls": "list_files", "args": {"path": "."}}]
    project.script(look, look, look, [{"says": "Done looking."}])
    with loaded(project) as front_end:
        cell = front_end.submit("%%tah --max-turns 2 --model scripted:script.json\nlook")
        frame, body = question(front_end)
        assert "2" in body["title"]
        choose(front_end, frame, "on")
        front_end.until(lambda: cell.done)
        assert "Done looking." in cell.text


def test_a_notebook_in_the_home_folder_is_asked_about_once(project: Project, home: Path) -> None:
    project.env["JPY_SESSION_NAME"] = str(home / "work.ipynb")
    script = project.folder / project.script([{"says": "Looked."}]).partition("scripted:")[2]
    with loaded(project) as front_end:
        cell = front_end.submit(f"%%tah --model scripted:{script}\nlook")
        frame, body = question(front_end)
        assert "home" in body["title"]
        choose(front_end, frame, "use", remember=False)
        front_end.until(lambda: cell.done)
        assert "Looked." in cell.text
        again = front_end.run(f"%%tah --model scripted:{script}\nlook")
        assert "Looked." in again.text
