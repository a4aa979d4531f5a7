"""A megabyte streamed into the frame in Chromium: how quick the page stays, and what its messages cost the kernel.

    python -m tests.perf bench_frame

A message comes every 50 ms, as from a kernel. Meanwhile a worker pings the page every 20 ms: a ping waits as a key or
a click would, for whatever the page is busy with. For reference, the same text put whole into one element each time.
"""

import json
import statistics
import time
from collections.abc import Iterator
from typing import Any

from playwright.sync_api import Page

from tah_jupyter.core.events import Event, MessageFinished, MessageStarted, RunStarted, TextDelta
from tah_jupyter.ui.notebook import BATCH_S
from tests.support.chromium import browser
from tests.support.frame_page import FramePage

MEGABYTE = 1_000_000
BATCH_CHARS = 5_000
PING_MS = 60.0
KERNEL_MS = 10.0
SHOW_MS = 100.0

_WORDS = "The loader reads `date` as **month first**, so rows such as 03/04/2026 land in April. "
_CODE = '\n\n```python\ndf = pd.read_csv(path)\ndf["date"] = pd.to_datetime(df["date"], dayfirst=True)\n```\n\n'

_PINGER = """() => {
  const pings = [];
  const source = `
    let number = 0; const sent = new Map();
    setInterval(() => { sent.set(++number, performance.now()); postMessage(number); }, 20);
    onmessage = ({data}) => { postMessage({took: performance.now() - sent.get(data)}); sent.delete(data); };
  `;
  const worker = new Worker('data:text/javascript,' + encodeURIComponent(source));
  worker.onmessage = ({data}) => (typeof data === 'number' ? worker.postMessage(data) : pings.push(data.took));
  window.stopPings = () => { worker.terminate(); return pings; };
}"""


def pieces() -> Iterator[str]:
    """A megabyte of prose, lists and code, in batches."""
    paragraph = _WORDS * 6 + _CODE + "- one\n- two\n\n"
    text = paragraph * (MEGABYTE // len(paragraph) + 1)
    yield from (text[at : at + BATCH_CHARS] for at in range(0, MEGABYTE, BATCH_CHARS))


def p95(values: list[float]) -> float:
    return statistics.quantiles(values, n=20)[-1]


def streamed(page: Page, say: Any) -> tuple[list[float], list[float]]:
    """Round trips of the pings and times of ``say``, which is given each piece at its moment; milliseconds."""
    page.evaluate(_PINGER)
    spent, due = [], time.perf_counter()
    for piece in pieces():
        due += BATCH_S
        began = time.perf_counter()
        say(piece)
        spent.append((time.perf_counter() - began) * 1e3)
        time.sleep(max(0.0, due - time.perf_counter()))
    pings: list[float] = page.evaluate("window.stopPings()")
    return pings, spent


def figures() -> list[dict[str, Any]]:
    with browser() as chromium:
        frame, whole = FramePage(chromium), FramePage(chromium)
        kernel: list[float] = []

        def tell(piece: str) -> None:
            _tell(frame, [TextDelta(run=1, message="m", text=piece)], kernel)

        began = time.perf_counter()
        _tell(frame, [RunStarted(run=1, prompt="x", model="m"), MessageStarted(run=1, message="m")], [])
        frame.page.evaluate("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
        shown = (time.perf_counter() - began) * 1e3
        pings, _ = streamed(frame.page, tell)
        text = "".join(pieces())
        _tell(frame, [MessageFinished(run=1, message="m", text=text)], [])
        said = frame.page.evaluate("document.querySelector('.tah-said').textContent.length")
        if said < MEGABYTE * 0.9:
            raise AssertionError(f"Only {said:,} characters of the megabyte are in the page.")
        plain, _ = streamed(whole.page, lambda piece: whole.page.evaluate(_APPEND, piece))
    return [
        _figure("frame: 1 MB streamed, ping p95, ms", p95(pings), p95(plain), PING_MS),
        _figure("frame: 1 MB streamed, kernel p95 a message, ms", p95(kernel), None, KERNEL_MS),
        _figure("frame: drawn after its first message, ms", shown, None, SHOW_MS),
    ]


_APPEND = """piece => {
  const place = document.getElementById('frame');
  place.style.whiteSpace = 'pre-wrap';
  place.textContent += piece;
  return place.scrollHeight;
}"""


def _tell(frame: FramePage, records: list[Event], spent: list[float]) -> None:
    """What :meth:`FramePage.tell` does, with the kernel's part of it timed."""
    began = time.perf_counter()
    for record in records:
        frame.transcript.apply(record)
    message = frame.live.message(frame.transcript.run(1), now=1.0)
    text = json.dumps(message)
    spent.append((time.perf_counter() - began) * 1e3)
    frame.page.evaluate("text => window.tell(JSON.parse(text))", text)


def _figure(name: str, ours: float, reference: float | None, goal: float) -> dict[str, Any]:
    ratio = None if reference is None else ours / reference
    return {"name": name, "ours": ours, "reference": reference, "ratio": ratio, "goal": goal, "ok": ours <= goal}
