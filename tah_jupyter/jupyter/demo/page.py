"""A page without pixels: it runs cells in a real kernel, draws the frame's messages as lines, and answers its cards.

It speaks what JupyterLab speaks: execute requests, the widget's comm, ``hello``, answers. What it keeps of a cell is
what a saved notebook would hold.
"""

import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from jupyter_client.blocking.client import BlockingKernelClient
from jupyter_client.manager import KernelManager

from tah_jupyter.core.errors import TahError
from tah_jupyter.host.commands.terminal_text import plain

__all__ = ["Card", "Cell", "Page"]

_VIEW = "application/vnd.jupyter.widget-view+json"
_START_S = 60.0
_CELL_S = 180.0


class Card(NamedTuple):
    """A question as the page shows it: its ``title`` and the lines of its diff, none when it shows something else."""

    id: str
    title: str
    diff: tuple[tuple[str, str], ...]


class Cell:
    """One cell that was run: its source, its outputs as they would be saved, and how it ended."""

    def __init__(self, source: str) -> None:
        self.source = source
        self.outputs: list[dict[str, Any]] = []
        self.status = ""
        self._ids: dict[str, int] = {}
        self._clear = False

    def add(self, output: dict[str, Any], display_id: str | None = None) -> None:
        """Append an output; after a ``clear_output(wait=True)`` it replaces all."""
        if self._clear:
            self.clear()
        if display_id is not None:
            self._ids[display_id] = len(self.outputs)
        self.outputs.append(output)

    def update(self, display_id: str, data: dict[str, Any]) -> None:
        """Replace what is shown under ``display_id``."""
        if display_id in self._ids:
            self.outputs[self._ids[display_id]]["data"] = data

    def clear(self, *, wait: bool = False) -> None:
        """Empty the output, with ``wait`` when the next one comes."""
        self._clear = wait
        if not wait:
            self.outputs.clear()
            self._ids.clear()

    @property
    def text(self) -> str:
        """What is readable of it."""
        parts = [output.get("text") or output.get("data", {}).get("text/plain", "") for output in self.outputs]
        parts += [line for output in self.outputs for line in output.get("traceback", ())]
        return plain("\n".join(part for part in parts if part))


class Page:
    """A kernel started in ``folder`` with exactly the variables ``env``, and the page before it.

    ``told`` hears every message of the frame; ``answer`` decides about a card: the answer, and why when it is a denial.
    """

    def __init__(
        self,
        folder: Path,
        env: dict[str, str],
        *,
        told: Callable[[dict[str, Any]], None],
        answer: Callable[[Card], tuple[str, str]],
    ) -> None:
        self._told = told
        self._answer = answer
        self._comm = ""
        self._answered: set[str] = set()
        self._bodies: dict[str, dict[str, Any]] = {}
        self._stderr = tempfile.TemporaryFile()  # noqa: SIM115 - as long as the kernel
        self._manager = KernelManager(kernel_name="python3")
        self._manager.start_kernel(cwd=str(folder), env=env, stderr=self._stderr)
        self._client: BlockingKernelClient = self._manager.client()
        self._client.start_channels()
        try:
            self._client.wait_for_ready(timeout=_START_S)
        except RuntimeError as error:
            said = self._said_at_start()
            self.close()
            raise TahError(f"The kernel did not start: {error}. {said}", next_step="Run make setup.") from error

    def close(self) -> None:
        """End the kernel."""
        self._client.stop_channels()
        self._manager.shutdown_kernel(now=not self._manager.is_alive())
        self._manager.cleanup_resources()
        self._stderr.close()

    def run(self, source: str) -> Cell:
        """Run one cell to its end. Raises TahError when it has none within 3 minutes."""
        cell = Cell(source)
        id = self._client.execute(source, allow_stdin=True)  # somebody is there, at the cards
        end = time.monotonic() + _CELL_S
        while cell.status != "idle":
            if time.monotonic() > end:
                raise TahError(f"The cell did not end within {_CELL_S:.0f} s.", next_step="See what it shows so far.")
            if self._client.iopub_channel.msg_ready() or self._manager.is_alive():
                self._read(cell, id)
            else:
                raise TahError(f"The kernel died. {self._said_at_start()}", next_step="Please report this.")
        while (reply := self._client.get_shell_msg(timeout=_START_S))["parent_header"].get("msg_id") != id:
            continue
        cell.status = reply["content"]["status"]
        return cell

    def _read(self, cell: Cell, id: str) -> None:
        if not self._client.iopub_channel.socket.poll(200):
            return
        message = self._client.get_iopub_msg(timeout=1)
        content, kind = message["content"], message["msg_type"]
        mine = message["parent_header"].get("msg_id") == id
        if kind == "comm_msg" and content["comm_id"] == self._comm and content["data"].get("method") == "custom":
            self._hear(content["data"]["content"])
        elif mine and kind == "status":
            cell.status = content["execution_state"]
        elif mine:
            self._show(cell, kind, content)

    def _show(self, cell: Cell, kind: str, content: dict[str, Any]) -> None:
        display_id = content.get("transient", {}).get("display_id")
        if kind == "stream":
            cell.add({"output_type": "stream", "name": content["name"], "text": content["text"]})
        elif kind == "display_data":
            cell.add({"output_type": kind, "data": content["data"], "metadata": content["metadata"]}, display_id)
            self._draw(content["data"])
        elif kind == "update_display_data":
            cell.update(display_id, content["data"])
            self._draw(content["data"])
        elif kind == "error":
            cell.add({"output_type": "error", **content})
        elif kind == "clear_output":
            cell.clear(wait=content["wait"])

    def _draw(self, data: dict[str, Any]) -> None:
        """A page that draws a frame says hello to it."""
        if _VIEW in data:
            self._comm = data[_VIEW]["model_id"]
            self._send({"type": "hello", "page": "demo"})

    def _hear(self, message: dict[str, Any]) -> None:
        self._told(message)
        self._bodies |= message.get("bodies", {})
        for waiting in message.get("cards", ()):
            id = waiting["id"]
            if id in self._answered or id not in self._bodies:
                continue
            self._answered.add(id)
            body = self._bodies[id]
            if waiting["kind"] == "question":  # a model that failed, a limit: nobody is here who could decide
                self._leave(body["question"])
            else:
                word, reason = self._answer(Card(id, body["title"], tuple(_diff_lines(body["body"]))))
                self._send(
                    {
                        "type": "answer",
                        "id": len(self._answered),
                        "approval": id,
                        "answer": word,
                        "scope": "once",
                        "reason": reason,
                    }
                )

    def _leave(self, question: str) -> None:
        """Take the harmless choice."""
        reply = {"type": "reply", "id": len(self._answered), "question": question, "key": "cancel", "remember": False}
        self._send(reply)

    def _send(self, content: dict[str, Any]) -> None:
        data = {"comm_id": self._comm, "data": {"method": "custom", "content": content}}
        self._client.shell_channel.send(self._client.session.msg("comm_msg", data))

    def _said_at_start(self) -> str:
        self._stderr.seek(0)
        return self._stderr.read().decode(errors="replace")[-2000:].strip()


def _diff_lines(nodes: Any) -> list[tuple[str, str]]:
    """The rows of a diff among the nodes ``[tag, look, attributes, children]`` of a card: sign and text."""
    found: list[tuple[str, str]] = []
    for node in nodes if isinstance(nodes, list) else ():
        if not isinstance(node, list):
            continue
        tag, look, _, children = node
        if tag == "tr":
            signs = {"added": "+", "removed": "-"}
            text = "".join(_text(child) for child in children if child[1] == "line")
            found.append((signs.get(look, " "), text))
        else:
            found += _diff_lines(children)
    return found


def _text(node: Any) -> str:
    return node if isinstance(node, str) else "".join(_text(child) for child in node[3])
