"""What a person does to a run that is under way, short of stopping it: notes, and the end of a single call."""

from tah_jupyter.agent.turn import Turn
from tah_jupyter.core.commands import AddNote
from tah_jupyter.core.events import NoteQueued, NoteWithdrawn, Notice, PromptAdded
from tah_jupyter.runtime.bus import Emitter

__all__ = ["MAX_NOTE_CHARS", "Steering"]

MAX_NOTE_CHARS = 100_000
"""Of one note; a longer one belongs into a file."""


class Steering:
    """The notes of one run, in order, and the turn they are to be read after. It belongs to the loop's thread."""

    def __init__(self, emitter: Emitter) -> None:
        self.turn: Turn | None = None
        self._emitter = emitter
        self._queued: dict[str, str] = {}

    def add(self, note: AddNote) -> None:
        """Queue a note. One without words, or with an id that waits already (a click that came twice), is none."""
        text = note.text.strip()[:MAX_NOTE_CHARS]
        if text and note.note_id not in self._queued:
            self._queued[note.note_id] = text
            self._emitter.emit(NoteQueued(note=note.note_id, text=text))

    def withdraw(self, note_id: str) -> None:
        """Take a note back that was not read."""
        if self._queued.pop(note_id, None) is not None:
            self._emitter.emit(NoteWithdrawn(note=note_id))

    def send_now(self, note_id: str) -> None:
        """End the turn that is under way, so that what is queued is read."""
        if note_id in self._queued and self.turn is not None:
            self.turn.end_early()

    def end_call(self, call_id: str) -> None:
        """End one running call."""
        if self.turn is not None:
            self.turn.end_call(call_id)

    def deliver(self) -> bool:
        """Let the model read what is queued, between two turns. Whether there was anything."""
        queued, self._queued = self._queued, {}
        for note_id, text in queued.items():
            self._emitter.emit(PromptAdded(text=text, source="person", note=note_id))
        return bool(queued)

    def close(self) -> None:
        """The run is over: what was not read is not lost, but said."""
        queued, self._queued = self._queued, {}
        for note_id, text in queued.items():
            self._emitter.emit(NoteWithdrawn(note=note_id))
            self._emitter.emit(Notice(text=text, code="unread"))
