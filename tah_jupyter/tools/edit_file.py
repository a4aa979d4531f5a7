"""edit_file: replace a passage of a text file and leave every other byte as it is."""

import re
import unicodedata
from difflib import get_close_matches

from pydantic import Field

from tah_jupyter.core.diff import diff_texts
from tah_jupyter.core.errors import ToolError
from tah_jupyter.core.lines import lines_of
from tah_jupyter.core.text_edit import MAX_COUNTED, Passages, apply
from tah_jupyter.host.files.media import kind_of_bytes
from tah_jupyter.host.files.read_state import ReadState
from tah_jupyter.host.files.text import Decoded, decode, hidden_characters, printable, splice
from tah_jupyter.host.files.workspace import RootLike, Snapshot, size_in_words
from tah_jupyter.toolkit.file_change import FileChangeTool, PlannedChange
from tah_jupyter.toolkit.tool import ToolInput

__all__ = ["EditFile", "EditFileInput", "edit_file_tool"]

_MAX_LINES_NAMED = 10
_MAX_LINES_COMPARED = 5_000
_MAX_CHARS_COMPARED = 200
_NUMBERED = re.compile(r"\s*\d+\t")


class EditFileInput(ToolInput):
    """The passage to replace, and what replaces it."""

    path: str = Field(description="The file, relative to the working folder.")
    old_string: str = Field(
        description="The text to replace, exactly as it is in the file, without line numbers; it must occur once."
    )
    new_string: str = Field(description="The text that takes its place.")
    replace_all: bool = Field(default=False, description="Replace every occurrence instead of exactly one.")


class EditFile(FileChangeTool[EditFileInput]):
    """Replace a passage of a text file.

    Bytes outside the passage stay as they are: line ends, encoding, byte order mark, a missing final newline.
    """

    name = "edit_file"
    aliases = ("Edit",)
    input_model = EditFileInput
    verb = "Edit"

    def prompt(self) -> str:
        return (
            "Replace a passage of a text file. old_string must be the exact text, without the line numbers that "
            "reading shows, and must occur exactly once: add neighbouring lines until it does, or set replace_all. "
            "Line ends and encoding of the file are kept."
        )

    def plan(self, input: EditFileInput, known: ReadState) -> PlannedChange:
        if not input.old_string:
            raise ToolError(
                "old_string is empty, so it would be everywhere. Give the text to replace; to add text, give a "
                "neighbouring line in both strings.",
                code="EmptyPassage",
            )
        base = self.workspace.read_if_exists(input.path) or self.workspace.read(input.path)
        decoded = _text_of(base)
        passages = _passages(base, decoded, input)
        replacements = passages.replace_all() if input.replace_all else passages.replace_first()
        try:
            data = splice(base.data, decoded, replacements)
        except UnicodeEncodeError as error:
            raise ToolError(
                f"new_string holds {error.object[error.start]!r}, which cannot be written in the encoding of "
                f"{base.shown}, {decoded.encoding.label}. Use other characters.",
                code="Encoding",
            ) from error
        diff = diff_texts(
            base.shown,
            printable(decoded.text),
            printable(apply(decoded.text, replacements)),
            notes=() if decoded.encoding.label == "UTF-8" else (f"encoding: {decoded.encoding.label}",),
        )
        return PlannedChange(base, data, diff, _concerns(base, input), _notices(base, known))

    def report(self, input: EditFileInput, plan: PlannedChange) -> str:
        every = ", every occurrence" if input.replace_all else ""
        return f"Edited {plan.diff.path}: +{plan.diff.added} −{plan.diff.removed} lines{every}."


def edit_file_tool(root: RootLike = ".") -> EditFile:
    """The tool for the folder ``root``, or for a Workspace."""
    return EditFile(root)


def _text_of(base: Snapshot) -> Decoded:
    decoded = decode(base.data)
    if decoded is None:
        raise ToolError(
            f"{base.shown} is not text ({kind_of_bytes(base.data)}, {size_in_words(len(base.data))}); it cannot be "
            "edited this way.",
            code="NotText",
        )
    return decoded


def _passages(base: Snapshot, decoded: Decoded, input: EditFileInput) -> Passages:
    """The passages to replace: one, or all when that is wanted. Raises ToolError otherwise."""
    mark = "\ufeff" if decoded.encoding.bom else ""
    old, new = input.old_string.removeprefix(mark) or input.old_string, input.new_string.removeprefix(mark)
    passages = Passages(decoded.text, old, new)
    if passages.same:
        raise ToolError(
            "old_string and new_string are the same, apart from line ends, which an edit keeps as they are in the "
            "file. Nothing was changed.",
            code="NoChange",
        )
    if not passages.starts:
        raise ToolError(f"old_string does not occur in {base.shown}. {_hint(decoded.text, old)}", code="NotFoundInFile")
    if len(passages.starts) > 1 and not input.replace_all:
        raise ToolError(_ambiguous(base, passages), code="NotUnique")
    return passages


def _ambiguous(base: Snapshot, passages: Passages) -> str:
    count = len(passages.starts)
    numbers = list(dict.fromkeys(passages.lines()))
    named = ", ".join(map(str, numbers[:_MAX_LINES_NAMED])) + (" and more" if len(numbers) > _MAX_LINES_NAMED else "")
    often = f"{count} times or more" if count == MAX_COUNTED else f"{count} times"
    return (
        f"old_string occurs {often} in {base.shown}, on line{'s' if len(numbers) > 1 else ''} {named}. Add "
        "neighbouring lines until it occurs once, or set replace_all to replace every one."
    )


def _hint(text: str, old: str) -> str:
    """The lines that come nearest to what was looked for; they are proposed, never edited."""
    wanted = [line for line in lines_of(old) if line.strip()]
    if wanted and all(_NUMBERED.match(line) for line in wanted):
        return "Leave out the line numbers that reading shows."
    lines = lines_of(text)
    places: dict[str, int] = {}
    for number, line in enumerate(lines[:_MAX_LINES_COMPARED], start=1):
        places.setdefault(line.strip()[:_MAX_CHARS_COMPARED], number)
    near: dict[int, str] = {}
    alike: dict[str, None] = {}
    for line in wanted[:3]:
        for found in get_close_matches(line.strip()[:_MAX_CHARS_COMPARED], list(places), n=2, cutoff=0.6):
            near[places[found]] = there = lines[places[found] - 1][:_MAX_CHARS_COMPARED]
            alike[_look_alike(there, line[:_MAX_CHARS_COMPARED])] = None
    if not near:
        return "No line of it looks like that. Read the file again; it may have changed."
    shown = "\n".join(f"{number:>6}\t{printable(line)}" for number, line in sorted(near.items()))
    said = f"It must match exactly, white space and quotes too. The nearest lines are:\n{shown}"
    return "\n".join([said, *filter(None, alike)])


def _look_alike(found: str, wanted: str) -> str:
    """What no reader can see: two lines that look the same and are written with other characters."""
    theirs, ours = set(found) - set(wanted), set(wanted) - set(found)
    if not (theirs or ours) or _as_seen(found) != _as_seen(wanted):
        return ""
    return f"They look the same, but the file has {_codes(theirs)} where old_string has {_codes(ours)}."


def _as_seen(text: str) -> str:
    """``text`` as the eye takes it: composed, wide and narrow forms alike, any white space, nothing invisible."""
    seen = (char for char in unicodedata.normalize("NFKC", text) if unicodedata.category(char) != "Cf")
    return " ".join("".join(seen).split())


def _codes(characters: set[str]) -> str:
    return ", ".join(f"U+{ord(char):04X}" for char in sorted(characters)) or "nothing"


def _concerns(base: Snapshot, input: EditFileInput) -> tuple[str, ...]:
    concerns = []
    if hidden := hidden_characters(input.new_string):
        concerns.append(f"hidden characters in the new text: {', '.join(hidden)}")
    if base.links > 1:
        concerns.append(f"the file has {base.links} names (hard links) and is written in place")
    return tuple(concerns)


def _notices(base: Snapshot, known: ReadState) -> tuple[str, ...]:
    seen = known.get(base.path)
    if seen is None or seen.digest == base.digest:
        return ()
    return ("The file had changed since it was read; the edit was made in what is there now.",)
