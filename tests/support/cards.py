"""An approval card as a terminal prints it, without the breaks of a narrow one."""

from tah_jupyter.ui.run_view import Approval
from tah_jupyter.ui.terminal_card import approval_card
from tah_jupyter.ui.words import Words

__all__ = ["card"]


def card(approval: Approval, words: Words) -> str:
    return "\n".join(line.text for line in approval_card(approval, words, 200_000))
