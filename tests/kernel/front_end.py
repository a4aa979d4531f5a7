"""A front end without a page: talks to a real kernel as JupyterLab does, and plays the person at buttons and prompts.

One thread reads all channels, so what a test sees is in the order in which it arrived. Nothing sleeps: every wait is
for a message, with a limit.
"""

import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import zmq
from jupyter_client.manager import KernelManager

__all__ = ["KERNEL_PYTHON", "WIDGET", "Frame", "FrontEnd", "Ran", "kernel_in"]

WIDGET = "application/vnd.jupyter.widget-view+json"
LIMIT_S = 40.0

KERNEL_PYTHON = os.environ.get("KERNEL_PYTHON", sys.executable)
"""The interpreter of the kernels; `make matrix` names those of other environments."""


@dataclass
class Ran:
    """One cell: its outputs as a saved notebook would hold them now, and its reply once there is one."""

    id: str
    outputs: list[dict[str, Any]] = field(default_factory=list)
    reply: dict[str, Any] | None = None
    idle: bool = False
    clear_next: bool = False

    @property
    def done(self) -> bool:
        return self.reply is not None and self.idle

    @property
    def status(self) -> str:
        return str(self.reply["status"]) if self.reply is not None else ""

    @property
    def text(self) -> str:
        """All that is readable: streams, text/plain and tracebacks."""
        parts = []
        for output in self.outputs:
            parts += [output.get("text", ""), output.get("data", {}).get("text/plain", "")]
            parts += output.get("traceback", [])
        return "\n".join(part for part in parts if part)

    @property
    def mimes(self) -> set[str]:
        return {mime for output in self.outputs for mime in output.get("data", {})}


@dataclass
class Frame:
    """A widget that the kernel opened: its comm, and the custom messages that came through it."""

    comm_id: str
    state: dict[str, Any]
    messages: list[dict[str, Any]] = field(default_factory=list)
    closed: bool = False


class FrontEnd:
    """A connected client. ``hello`` says whether its pages draw frames; ``subshell`` sends comm messages there, as
    JupyterLab 4.4 and later do where the kernel has subshells.
    """

    def __init__(self, manager: KernelManager, *, hello: bool = True, subshell: bool = False) -> None:
        self.manager = manager
        self.hello = hello
        self.page = "page-1"
        self.cells: dict[str, Ran] = {}
        self.frames: dict[str, Frame] = {}
        self.prompts: list[str] = []
        self.answers: list[str] = []
        self.statuses: list[tuple[str, str]] = []
        self.replies: dict[str, dict[str, Any]] = {}
        self._subshell: str | None = None
        self._connect()
        if subshell and "kernel subshells" in self.ask("kernel_info_request", {}).get("supported_features", ()):
            self._subshell = self._create_subshell()

    def _connect(self) -> None:
        self.client = self.manager.client()
        self.client.start_channels()
        self.client.wait_for_ready(timeout=LIMIT_S)

    @property
    def pid(self) -> int:
        return int(self.manager.provisioner.pid)  # type: ignore[union-attr]

    def restart(self, *, kill: bool = False) -> None:
        """Restart the kernel, as the menu does, or after its process was killed."""
        self.client.stop_channels()
        self.manager.restart_kernel(now=kill)
        self.frames.clear()
        self._connect()

    def close(self) -> None:
        self.client.stop_channels()
        self.manager.shutdown_kernel(now=False)

    # cells

    def submit(self, code: str, *, allow_stdin: bool = True, subshell: bool = False) -> Ran:
        """Send a cell and go on."""
        content = {
            "code": code,
            "silent": False,
            "store_history": True,
            "user_expressions": {},
            "allow_stdin": allow_stdin,
            "stop_on_error": True,
        }
        message = self.client.session.msg("execute_request", content)
        if subshell:
            message["header"]["subshell_id"] = self._subshell
        self.client.shell_channel.send(message)
        id = message["header"]["msg_id"]
        self.cells[id] = Ran(id)
        return self.cells[id]

    def run(self, code: str, *, allow_stdin: bool = True, limit_s: float = LIMIT_S) -> Ran:
        """Send a cell and wait for its end."""
        cell = self.submit(code, allow_stdin=allow_stdin)
        self.until(lambda: cell.done, limit_s=limit_s)
        return cell

    def until(self, condition: Callable[[], Any], *, limit_s: float = LIMIT_S) -> None:
        """Handle messages until ``condition()`` holds; TimeoutError with what was seen when it does not in time."""
        end = time.monotonic() + limit_s
        poller = zmq.Poller()
        channels = (self.client.iopub_channel, self.client.shell_channel, self.client.stdin_channel)
        for channel in channels:
            poller.register(channel.socket, zmq.POLLIN)
        while not condition():
            left = end - time.monotonic()
            if left <= 0:
                raise TimeoutError(f"not in {limit_s} s; cells: {[(c.text, c.reply) for c in self.cells.values()]}")
            ready = dict(poller.poll(min(left, 1.0) * 1000))
            for channel in channels:
                while channel.socket in ready and channel.msg_ready():
                    self._handle(channel.get_msg(timeout=1))

    def ask(self, kind: str, content: dict[str, Any], *, limit_s: float = LIMIT_S) -> dict[str, Any]:
        """Send a request on the shell channel and wait for reply and idle, as a page that loads does."""
        message = self.client.session.msg(kind, content)
        self.client.shell_channel.send(message)
        id = message["header"]["msg_id"]
        self.until(lambda: id in self.replies and (id, "idle") in self.statuses, limit_s=limit_s)
        return self.replies[id]

    # the person

    def frame(self, *, limit_s: float = LIMIT_S) -> Frame:
        """The open frame that was shown last."""
        self.until(lambda: self._open_frames(), limit_s=limit_s)
        return self._open_frames()[-1]

    def _open_frames(self) -> list[Frame]:
        """Frames, not the layouts that widgets bring along."""
        return [frame for frame in self.frames.values() if "_anywidget_id" in frame.state and not frame.closed]

    def send(self, frame: Frame, content: dict[str, Any]) -> None:
        """A custom message from the frame's JavaScript."""
        data = {"method": "custom", "content": content}
        message = self.client.session.msg("comm_msg", {"comm_id": frame.comm_id, "data": data})
        if self._subshell is not None:
            message["header"]["subshell_id"] = self._subshell
        self.client.shell_channel.send(message)

    def card(self, *, limit_s: float = LIMIT_S) -> tuple[Frame, str]:
        """The frame that shows an approval, once one does, and the id of that approval."""
        frame = self.frame(limit_s=limit_s)
        self.until(lambda: any(message.get("cards") for message in frame.messages), limit_s=limit_s)
        cards = [message["cards"] for message in frame.messages if message.get("cards")][-1]
        return frame, str(cards[0]["id"])

    def click(self, frame: Frame, approval: str, answer: str = "allow") -> None:
        """The button of an approval's card."""
        content = {"type": "answer", "id": 1, "approval": approval, "answer": answer, "scope": "once", "reason": ""}
        self.send(frame, content)

    def say_hello(self, frame: Frame) -> None:
        self.send(frame, {"type": "hello", "page": self.page})

    # messages

    def _handle(self, message: dict[str, Any]) -> None:
        parent = message["parent_header"].get("msg_id", "")
        content, kind = message["content"], message["msg_type"]
        cell = self.cells.get(parent)
        handler = getattr(self, f"_on_{kind}", None)
        if handler is not None:
            handler(cell, content, parent)
        elif kind.endswith("_reply"):
            self.replies[parent] = content

    def _on_execute_reply(self, cell: Ran | None, content: dict[str, Any], parent: str) -> None:
        if cell is not None:
            cell.reply = content

    def _on_status(self, cell: Ran | None, content: dict[str, Any], parent: str) -> None:
        self.statuses.append((parent, content["execution_state"]))
        if cell is not None:
            cell.idle = content["execution_state"] == "idle"

    def _on_stream(self, cell: Ran | None, content: dict[str, Any], parent: str) -> None:
        last = cell.outputs[-1] if cell is not None and cell.outputs and not cell.clear_next else {}
        if last.get("name") == content["name"]:  # front ends join what comes in pieces
            last["text"] += content["text"]
        else:
            self._add(cell, {"output_type": "stream", **content})

    def _on_error(self, cell: Ran | None, content: dict[str, Any], parent: str) -> None:
        self._add(cell, {"output_type": "error", **content})

    def _on_execute_result(self, cell: Ran | None, content: dict[str, Any], parent: str) -> None:
        self._add(cell, {"output_type": "execute_result", **content})

    def _on_display_data(self, cell: Ran | None, content: dict[str, Any], parent: str) -> None:
        self._add(cell, {"output_type": "display_data", **content})
        self._draw(content)

    def _on_update_display_data(self, cell: Ran | None, content: dict[str, Any], parent: str) -> None:
        id = content["transient"]["display_id"]
        for each in self.cells.values():
            for output in each.outputs:
                if output.get("transient", {}).get("display_id") == id:
                    output |= {"data": content["data"], "metadata": content["metadata"]}
        self._draw(content)

    def _on_clear_output(self, cell: Ran | None, content: dict[str, Any], parent: str) -> None:
        if cell is not None and content["wait"]:
            cell.clear_next = True
        elif cell is not None:
            cell.outputs.clear()

    def _on_input_request(self, cell: Ran | None, content: dict[str, Any], parent: str) -> None:
        self.prompts.append(content["prompt"])
        if self.answers:
            self.client.input(self.answers.pop(0))

    def _on_comm_open(self, cell: Ran | None, content: dict[str, Any], parent: str) -> None:
        self.frames[content["comm_id"]] = Frame(content["comm_id"], content["data"].get("state", {}))

    def _on_comm_msg(self, cell: Ran | None, content: dict[str, Any], parent: str) -> None:
        frame = self.frames.get(content["comm_id"])
        data = content["data"]
        if frame is not None and data.get("method") == "custom":
            frame.messages.append(data["content"])
        elif frame is not None and data.get("method") == "update":
            frame.state.update(data["state"])

    def _on_comm_close(self, cell: Ran | None, content: dict[str, Any], parent: str) -> None:
        if content["comm_id"] in self.frames:
            self.frames[content["comm_id"]].closed = True

    def _add(self, cell: Ran | None, output: dict[str, Any]) -> None:
        if cell is None:
            return
        if cell.clear_next:
            cell.outputs.clear()
            cell.clear_next = False
        cell.outputs.append(output)

    def _draw(self, content: dict[str, Any]) -> None:
        """A page draws a widget view: its JavaScript says hello."""
        view = content["data"].get(WIDGET)
        if view is not None and self.hello and view["model_id"] in self.frames:
            self.say_hello(self.frames[view["model_id"]])

    def _create_subshell(self) -> str:
        message = self.client.session.msg("create_subshell_request", {})
        self.client.control_channel.send(message)
        reply = self.client.control_channel.get_msg(timeout=LIMIT_S)
        return str(reply["content"]["subshell_id"])


@contextmanager
def kernel_in(folder: Path, *, env: dict[str, str] | None = None, **options: bool) -> Iterator[FrontEnd]:
    """A real ipykernel whose folder is ``folder``, and a front end for it."""
    manager = KernelManager(kernel_name="python3")
    manager.kernel_spec.argv[0] = KERNEL_PYTHON  # type: ignore[union-attr]
    manager.start_kernel(cwd=str(folder), env={**os.environ, **(env or {})})
    try:
        front_end = FrontEnd(manager, **options)
        try:
            yield front_end
        finally:
            front_end.close()
    finally:
        if manager.is_alive():
            manager.shutdown_kernel(now=True)
        manager.cleanup_resources()
