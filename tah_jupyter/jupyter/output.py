"""The one output of a cell: shown once, replaced as things happen. Main thread only.

Everything a run shows goes through here or the frame; nothing is printed, so nothing lands in another cell.
"""

import uuid
from collections.abc import Mapping
from typing import Any

from tah_jupyter.jupyter.printing import sayable

__all__ = ["Output"]


class Output:
    """A display that keeps its place. ``shell`` is the IPython shell whose running cell it belongs to."""

    def __init__(self, shell: Any) -> None:
        self._shell = shell
        self._id = f"tah-{uuid.uuid4().hex}"
        self.shown = False

    def show(self, bundle: Mapping[str, Any]) -> None:
        """Show ``bundle`` (MIME types and their data), or replace what is shown by it."""
        transient = {"display_id": self._id}
        data = {mime: sayable(value) if mime == "text/plain" else value for mime, value in bundle.items()}
        self._shell.display_pub.publish(data=data, metadata={}, transient=transient, update=self.shown)
        self.shown = True

    def replace_all(self, bundle: Mapping[str, Any]) -> None:
        """Show ``bundle`` in place of everything that the cell has shown."""
        self.clear(wait=True)
        self.show(bundle)

    def clear(self, *, wait: bool = False) -> None:
        """Empty the cell's output; with ``wait`` only when the next thing is shown, so that nothing jumps."""
        self._shell.display_pub.clear_output(wait=wait)
        self.shown = False
