"""``%tah key``, ``%tah model`` and a key in a cell, in a real kernel and with a real password prompt."""

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from tests.kernel.conftest import Open
from tests.kernel.front_end import FrontEnd
from tests.kernel.project import Project

KEY = "sk-mine-Qx81mZr7vLp40TtWx7Q2"


class Service(ThreadingHTTPServer):
    """Lists its models to whoever has the key."""

    def __init__(self) -> None:
        self.keys: list[str] = []
        super().__init__(("127.0.0.1", 0), _Handler)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/v1"


class _Handler(BaseHTTPRequestHandler):
    server: Service

    def do_GET(self) -> None:
        given = self.headers.get("authorization", "").removeprefix("Bearer ")
        self.server.keys.append(given)
        known = given == KEY
        body = {"data": [{"id": "m-1"}]} if known else {"error": {"message": "invalid_api_key"}}
        content = json.dumps(body).encode()
        self.send_response(200 if known else 401)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format: str, *args: Any) -> None:
        return


@pytest.fixture
def service() -> Iterator[Service]:
    with Service() as service:
        thread = threading.Thread(target=service.serve_forever, daemon=True)
        thread.start()
        yield service
        service.shutdown()
        thread.join()


@pytest.fixture
def front_end(project: Project, open_kernel: Open, service: Service) -> FrontEnd:
    """A kernel with an endpoint of the person's config, no keyring and no Ollama."""
    config = project.state / "config"
    (config / "tah").mkdir(parents=True)
    endpoint = {"baseUrl": service.url, "model": "m-1", "apiKeyEnv": "MINE_API_KEY"}
    (config / "tah" / "config.json").write_text(json.dumps({"models": {"mine": endpoint}, "ui": {"language": "en"}}))
    project.env |= {
        "XDG_CONFIG_HOME": str(config),
        "PYTHON_KEYRING_BACKEND": "keyring.backends.fail.Keyring",
        "OLLAMA_HOST": "127.0.0.1:1",
    }
    return open_kernel()


def test_a_key_is_typed_at_a_password_prompt_checked_kept_shown_by_name_and_forgotten(
    front_end: FrontEnd, service: Service
) -> None:
    front_end.answers = [f" {KEY} "]
    entered = front_end.run("%tah key mine")
    assert entered.status == "ok", entered.text
    assert "Key works · until the kernel restarts" in entered.text
    assert front_end.prompts == ["Key for mine (MINE_API_KEY), not shown as you type: "]
    assert service.keys == [KEY]

    front_end.answers = [""]
    assert "MINE_API_KEY, typed here" in front_end.run("%tah key").text
    assert "mine (MINE_API_KEY, typed here)" in front_end.run("%tah model mine").text
    assert "MINE_API_KEY" not in front_end.run("import os; sorted(os.environ)").text, "commands must not inherit it"

    assert "MINE_API_KEY is forgotten" in front_end.run("%tah key forget mine").text
    assert front_end.run("%tah key forget mine").status == "error"
    assert KEY not in "".join(cell.text for cell in front_end.cells.values())


def test_a_refused_key_is_not_kept(front_end: FrontEnd) -> None:
    front_end.answers = [f"{KEY[:-4]}9999"]
    refused = front_end.run("%tah key mine")
    assert refused.status == "error"
    assert "refused the key (401): the one ending 9999, from MINE_API_KEY" in refused.text
    assert front_end.run("%tah key forget mine").status == "error"


def test_a_front_end_without_prompts_says_so_and_what_to_do(front_end: FrontEnd, service: Service) -> None:
    ran = front_end.run("%tah key mine", allow_stdin=False)
    assert ran.status == "error"
    assert "cannot ask for a password. Set MINE_API_KEY before Jupyter starts" in ran.text
    assert service.keys == []


def test_other_words_are_refused_with_what_there_is(front_end: FrontEnd) -> None:
    for line, said in (
        ("%tah key nobody", "No service of that name. There are: mine, anthropic"),
        ("%tah key a b c", "Write %tah key, %tah key PROVIDER or %tah key forget PROVIDER."),
        ("%tah key forget openai", "There is no OPENAI_API_KEY here to forget."),
    ):
        ran = front_end.run(line)
        assert ran.status == "error"
        assert said in ran.text


def test_model_alone_says_what_answers_and_what_else_could(front_end: FrontEnd) -> None:
    told = front_end.run("%tah model").text
    assert "No model is chosen" in told
    front_end.answers = [KEY]
    front_end.run("%tah key mine")
    told = front_end.run("%tah model").text
    assert "Also ready here" in told
    assert "mine" in told
    assert "127.0.0.1" in told
    assert "To change: %tah model NAME" in told


def test_a_key_in_a_cell_is_said_once_after_it(front_end: FrontEnd) -> None:
    told = front_end.run(f"import os\nos.environ['MINE_API_KEY'] = '{KEY}'").text
    assert told == "This cell holds a key and would be saved with the notebook. Use %tah key.\n"
    assert front_end.run("%tah model mine").text.strip() == "mine (MINE_API_KEY)"


def test_tab_offers_names_of_models_and_of_those_who_have_keys(front_end: FrontEnd) -> None:
    def offered(code: str) -> list[str]:
        return list(front_end.ask("complete_request", {"code": code, "cursor_pos": len(code)})["matches"])

    assert offered("%tah model m") == ["mine"]
    assert offered("%tah key anth") == ["anthropic"]
    assert "mine" in offered("%tah key forget ")
    assert offered("%%tah --model mi") == ["mine"]
