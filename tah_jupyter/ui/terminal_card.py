"""What a person is asked at a prompt, as lines: the approval card (screen C2) and questions with numbered answers.

Everything a card shows is whole: a long line is folded below itself, never cut.
"""

from collections.abc import Iterator

from tah_jupyter.core.calls import Headline
from tah_jupyter.core.questions import Choice, Question
from tah_jupyter.core.views import Diff, View
from tah_jupyter.ui import diff
from tah_jupyter.ui.nodes import Element, Node, text_of
from tah_jupyter.ui.paint import Painter
from tah_jupyter.ui.phrases import parts_of
from tah_jupyter.ui.run_view import Approval
from tah_jupyter.ui.terminal_text import Ink, Line, columns, folded, joined, padded, wrapped
from tah_jupyter.ui.visible import visible, visible_line
from tah_jupyter.ui.words import Words

__all__ = ["answers", "answers_help", "approval_card", "named", "numbered", "question_card", "small", "titled"]

_INKS: dict[str, Ink] = {"+": "added", "-": "removed", "~": "faint"}
_INDENT = "   "


def small(text: str) -> str:
    """Words of a button or a heading inside a line: ``Allow once`` becomes ``allow once``."""
    return text[:1].lower() + text[1:]


def titled(headline: Headline, words: Words, *, gap: str = " ") -> str:
    """A call in one line of plain type: ``Edit src/load.py +1 -1``."""
    what = visible_line(" ".join(part for part in (words.told(headline.verb), headline.target) if part)).text
    detail = visible_line(words.told(headline.detail).replace("−", "-")).text
    return gap.join(part for part in (what, detail) if part)


def approval_card(approval: Approval, words: Words, width: int) -> list[Line]:
    """The question: what, the thing itself, why."""
    hidden: dict[str, None] = {}
    body = [line for part in parts_of(approval.view) for line in _body(part, words, width, hidden)]
    for text in (str(approval.headline), *approval.asks_because):
        hidden |= dict.fromkeys(visible(text).hidden)
    one = approval.total == 1
    count = words.say("approval") if one else words.say("approval_of", n=approval.number, total=approval.total)
    lines = [*_rule(f"{small(count)} -- {titled(approval.headline, words, gap='  ')}", width), *body]
    if hidden:
        warning = words.say("hidden_characters", escapes=", ".join(hidden))
        lines += [Line(row, "bad") for row in wrapped(warning, width)]
    if why := words.reasons(approval.asks_because):
        lines += [Line(row) for row in wrapped(small(words.say("asks_because", why=why)), width, hang="  ")]
    return lines


def answers(approval: Approval, words: Words, width: int) -> list[Line]:
    """Which answers there are: a line of keys, and that words are one too."""
    keys = [f"y {small(words.say('allow_once'))}"]
    keys += [f"r {small(words.grant(approval.grant))}"] if approval.grant is not None else []
    keys += [f"n {small(words.say('deny'))}", f"? {words.say('answers_more')}"]
    rows = [part for row in joined(keys, " | ", width) for part in folded(row, width, hang="  ")]
    return [Line(row, "asks") for row in (*rows, *wrapped(words.say("or_instead"), width))]


def answers_help(approval: Approval, words: Words, width: int) -> list[Line]:
    """What each answer means."""
    rows = [("y, yes", words.say("answer_yes"))]
    if approval.grant is not None:
        rows.append(("r", small(words.grant(approval.grant))))
    rows.append(("n, no", words.say("answer_no")))
    lines = [row for key, text in rows for row in wrapped(f"{key:<8}{text}", width, hang=" " * 8)]
    return [Line(row) for row in (*lines, *wrapped(words.say("answer_words"), width))]


def numbered(question: Question) -> dict[str, Choice]:
    """The choices that can be taken, by the number that stands before them."""
    return {str(number): choice for number, choice in enumerate(filter(_enabled, question.choices), 1)}


def named(text: str, question: Question) -> Choice | None:
    """The choice that a person means by a number, or by its whole name; also one that cannot be taken."""
    wanted = " ".join(text.split()).casefold()
    by_number = numbered(question).get(wanted)
    names = {name.casefold(): choice for choice in question.choices for name in (choice.label, choice.key)}
    return by_number or (names.get(wanted) if wanted else None)


def question_card(question: Question, words: Words, width: int) -> list[Line]:
    """The question with its answers, one a line, numbered; one that cannot be taken has a ``-`` and says why."""
    lines = _rule(_line(question.title), width)
    lines += [Line(row) for text in question.about for row in wrapped(_line(text), width)]
    numbers = {choice.key: number for number, choice in numbered(question).items()}
    names = max((columns(_line(choice.label)) for choice in question.choices if choice.about), default=0)
    group = ""
    for choice in question.choices:
        if choice.group != group:
            group = choice.group
            lines += [Line(_line(group), "strong")] if group else []
        lines += _choice(choice, numbers.get(choice.key, "-"), names, width)
    keys = [words.say("choose_by")]
    keys += [f"? {small(words.say('details'))}"] if question.detail else []
    return [*lines, *(Line(part, "asks") for row in joined(keys, " | ", width) for part in wrapped(row, width))]


def _choice(choice: Choice, number: str, names: int, width: int) -> Iterator[Line]:
    """``  1  qwen3:8b    can use tools``; where there is little room, what is said of it stands below."""
    label, about = _line(choice.label), _line(choice.about)
    lead = f"{number:>3}  "
    beside = lead + padded(label, names) + "   " + about
    ink: Ink = "plain" if choice.enabled else "faint"
    if about and columns(beside) > width:
        rows = [*folded(lead + label, width, hang=" " * 5), *wrapped(" " * 7 + about, width, hang=" " * 7)]
    else:
        rows = folded(beside.rstrip(), width, hang=" " * 5)
    yield from (Line(row, ink) for row in rows)


def _enabled(choice: Choice) -> bool:
    return choice.enabled


def _line(text: str) -> str:
    return visible_line(text).text


def _rule(title: str, width: int) -> list[Line]:
    """``-- title -----``, or the whole title on more rows where one has no room."""
    row = f"-- {title} "
    rows = [row + "-" * (width - columns(row))] if columns(row) <= width else folded(row.rstrip(), width, hang=_INDENT)
    return [Line(each, "strong") for each in rows]


def _body(view: View, words: Words, width: int, hidden: dict[str, None]) -> Iterator[Line]:
    if isinstance(view, Diff) and view.hunks:
        yield from _diff(view, words, width, hidden)
        return
    painter = Painter(words, live=False)
    for line in _texts(painter.paint(view)):
        yield from (Line(row) for row in folded(_INDENT + line, width, hang=_INDENT + "  "))
    hidden |= painter.hidden


def _diff(view: Diff, words: Words, width: int, hidden: dict[str, None]) -> Iterator[Line]:
    rows = list(diff.rows(view))
    digits = len(str(max(row.number for row in rows)))
    for note in map(words.told, view.notes):
        hidden |= dict.fromkeys(visible_line(note).hidden)
        yield from (Line(row) for row in folded(_INDENT + visible_line(note).text, width, hang=_INDENT))
    for row in rows:
        shown = visible(row.text)
        hidden |= dict.fromkeys(shown.hidden)
        line = shown.text.replace("\n", "\\n").expandtabs(4)  # a line that holds another one is no line of a file
        text = diff.as_text(diff.Row(row.kind, row.number, line), digits)
        hang = " " * (digits + 5)
        yield from (Line(each, _INKS.get(row.kind, "plain")) for each in folded(f" {text}", width, hang=hang))


def _texts(nodes: tuple[Node, ...]) -> list[str]:
    """Elements as lines of plain text; a list keeps one item a line."""
    lines: list[str] = []
    for node in nodes:
        if isinstance(node, Element) and node.tag in ("ol", "ul", "table", "tbody", "div") and node.children:
            lines += _texts(node.children)
        elif isinstance(node, Element) and node.tag == "tr":
            lines += "  ".join(text_of([cell]) for cell in node.children).split("\n")
        else:
            lines += text_of([node]).rstrip("\n").split("\n")
    return lines
