"""What the system answered, as an error for the model: what could not be done, why, and what to do next."""

import errno
import os
from collections.abc import Mapping

from tah_jupyter.core.errors import ToolError
from tah_jupyter.host.files.confine import NotRegular

__all__ = ["LIST_IT", "refusal"]

LIST_IT = "list it to see what it holds"

_RIGHTS = "Use another path, or ask the person to change the permissions."
_ROOM = "Ask the person to free some space."
_NEXT: Mapping[int, str] = {
    errno.EACCES: _RIGHTS,
    errno.EPERM: _RIGHTS,
    errno.EROFS: "Write to another folder.",
    errno.ENOSPC: _ROOM,
    errno.EDQUOT: _ROOM,
    errno.ENAMETOOLONG: "A name may have 255 bytes; use a shorter one.",
    errno.EMFILE: "Too much is open in this kernel; try again later.",
}


def refusal(error: OSError, shown: str, *, writing: bool = False) -> ToolError:
    """``error``, met at the path ``shown``, as a ToolError; of one that came while ``writing`` it says that no
    file was changed.
    """
    if isinstance(error, NotRegular):
        hint = LIST_IT if error.kind == "folder" else "it is not opened"
        return ToolError(f"{shown} is a {error.kind}, not a regular file; {hint}.", code="NotRegular")
    if error.errno == errno.ENOENT:
        return ToolError(f"{shown} does not exist.", code="NotFound")
    if error.errno in (errno.ELOOP, errno.ENOTDIR):
        why = "a part of it is a file, a link that leads in a circle, or was changed just now"
        return ToolError(f"{shown} cannot be reached: {why}.", code="BadPath")
    number = error.errno or 0
    why = (os.strerror(number) if number else str(error)).lower()
    said = [f"{shown} cannot be {'written' if writing else 'read'}: {why}.", _NEXT.get(number, "")]
    said.append("No file was changed." if writing else "")
    return ToolError(" ".join(filter(None, said)), code=errno.errorcode.get(number, "OSError"))
