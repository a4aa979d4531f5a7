// What the frames of a page share: its id, the live regions, its title, and when somebody was here.

import { make } from "./elements.js";

const STEP_SPEECH_MS = 5000;
const AWAY_MS = 120_000; // who was gone for less needs no greeting

/** One for all frames, also those of another kernel. */
export function thePage() {
  const key = Symbol.for("tah.page.2");
  if (!window[key]) window[key] = new Page();
  return window[key];
}

class Page {
  constructor() {
    this.id = newId();
    this.waiting = new Map();
    this.away = new Set();
    this.backAt = -Infinity;
    this.regions = {};
    this.lastStep = -Infinity;
    this.prefix = "";
    for (const kind of ["polite", "assertive"]) {
      const region = make("div", "spoken");
      region.setAttribute("aria-live", kind);
      region.id = `tah-live-${kind}`;
      this.regions[kind] = region;
      document.body.append(region);
    }
    window.addEventListener("focus", () => (this.backAt = performance.now()));
    document.addEventListener("visibilitychange", () => (document.hidden ? this.left() : this.back()));
  }

  left() {
    this.leftAt = performance.now();
    for (const each of this.away) each.left();
  }

  back() {
    this.backAt = performance.now();
    const away = this.backAt - (this.leftAt ?? this.backAt);
    if (away >= AWAY_MS) for (const each of this.away) each.back(away);
  }

  /** Say it once. Steps are said at most every 5 s, the newest wins. */
  say(kind, text) {
    if (kind === "step") {
      clearTimeout(this.stepTimer);
      const wait = Math.max(0, this.lastStep + STEP_SPEECH_MS - performance.now());
      this.stepTimer = setTimeout(() => {
        this.lastStep = performance.now();
        this.regions.polite.textContent = text;
      }, wait);
    } else this.regions[kind].textContent = text;
  }

  /** Mark the page's title while any frame waits. The rest of the title stays the front end's own. */
  mark(frame, prefix) {
    if (prefix) this.waiting.set(frame, prefix);
    else this.waiting.delete(frame);
    const bare = this.prefix && document.title.startsWith(this.prefix)
      ? document.title.slice(this.prefix.length)
      : document.title;
    this.prefix = this.waiting.size ? `◆ ${[...this.waiting.values()][0]} · ` : "";
    if (document.title !== this.prefix + bare) document.title = this.prefix + bare;
  }
}

export function newId() {
  return crypto.randomUUID ? crypto.randomUUID() : `${Date.now()}-${Math.random()}`.replace(".", "");
}
