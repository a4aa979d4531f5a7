"""A tool from another package, and a tool added as one file, are everywhere with nothing else touched."""

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import tah_jupyter.tools
from tah_jupyter import Allow, ScriptedModel, calls, open_session, says
from tah_jupyter.core.events import ApprovalRequested, Event, Notice
from tah_jupyter.ui.live import Live
from tah_jupyter.ui.record import record
from tah_jupyter.ui.transcript import Transcript
from tah_jupyter.ui.words import Words
from tests.support.cards import card

pytestmark = pytest.mark.anyio
PACKAGE = Path(__file__).parents[1] / "plugin_package"

ONE_FILE = '''
"""Flip a coin."""
from tah_jupyter import Headline, Tool, ToolContext, ToolInput, ToolResult
from tah_jupyter.core.approvals import Preview
from tah_jupyter.core.views import Facts, Text

class FlipInput(ToolInput):
    sides: int = 2

class Flip(Tool[FlipInput, int]):
    """Flip a coin."""
    name = "flip_coin"
    input_model = FlipInput

    def headline(self, input):
        return Headline("Flip", f"a coin with {input.sides} sides")

    async def preview(self, input, ctx):
        return Preview(Facts((("sides", str(input.sides)),)))

    async def execute(self, input, ctx):
        return ToolResult(input.sides, f"flipped {input.sides}", view=Text(f"It shows {input.sides}."))

def flip_coin_tool(root="."):
    return Flip()
'''


@pytest.fixture
def package(monkeypatch: pytest.MonkeyPatch) -> None:
    """The other package is installed: its folder with its dist-info is on the path."""
    monkeypatch.syspath_prepend(str(PACKAGE))


@pytest.fixture
def one_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """One file more in the tools' package, and nothing else."""
    folder = tmp_path / "tools"
    folder.mkdir()
    (folder / "flip_coin.py").write_text(ONE_FILE)
    monkeypatch.setattr(tah_jupyter.tools, "__path__", [*tah_jupyter.tools.__path__, str(folder)])
    yield
    sys.modules.pop("tah_jupyter.tools.flip_coin", None)


@pytest.mark.parametrize(
    ("fixture", "name", "headline"),
    [("package", "roll_dice", "Roll a die with 7 sides"), ("one_file", "flip_coin", "Flip a coin with 7 sides")],
)
async def test_a_new_tool_is_in_the_list_the_card_the_log_and_every_renderer(
    tmp_path: Path, request: pytest.FixtureRequest, fixture: str, name: str, headline: str
) -> None:
    request.getfixturevalue(fixture)
    model = ScriptedModel([calls(name, sides=7), says("done")])
    live, transcript = Live(Words("en")), Transcript()
    drawn: list[Any] = []
    cards: list[str] = []

    def draw(event: Event) -> None:
        if not event.run:
            return
        transcript.apply(event)
        drawn.append(live.message(transcript.run(1), now=event.ts))
        if isinstance(event, ApprovalRequested):
            cards.append(card(transcript.run(1).pending[0], Words("en")))

    async def approver(_: object) -> Allow:
        return Allow()

    async with open_session(root=tmp_path, model=model, approver=approver) as session:
        session.subscribe(draw)
        result = await session.run("go")
    assert name in [schema.name for schema in model.requests[0].tools]
    assert headline in cards[0]
    assert "sides" in cards[0]
    log = tmp_path / ".tah" / "sessions" / result.session_id / "log.jsonl"
    assert {"tool.started", "tool.finished"} <= {
        line["type"] for line in map(json.loads, log.read_text().splitlines()) if line.get("tool") == name
    }
    for text in [*record(transcript.run(1)).values(), json.dumps(drawn)]:
        assert headline.partition(" ")[2] in text


async def test_a_broken_plugin_of_the_package_is_said_and_the_session_goes_on(tmp_path: Path, package: None) -> None:
    async with open_session(root=tmp_path, model=ScriptedModel([says("ok")])) as session:
        assert (await session.run("go")).text == "ok"
        told = [e.text for e in session.records if isinstance(e, Notice)]
    assert any("broken" in text and "could not be loaded" in text for text in told)
