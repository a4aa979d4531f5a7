"""English: what ``%tah doctor`` says."""

from tah_jupyter.ui.catalogue.entry import Entry

__all__ = ["ENTRIES"]

ENTRIES: dict[str, Entry] = {}
