// Rows: what happened, in order.

import { CHUNK_CHARS, fill, focusable, make } from "./elements.js";
import { Folding } from "./folding.js";
import { Step } from "./step.js";
import { since } from "./words.js";

/** The list of steps. Rows are kept by key; only their order and what changed is touched. */
export class Rows {
  constructor(container, words, actions) {
    this.container = container;
    this.words = words;
    this.actions = actions;
    this.rows = new Map();
    this.order = [];
  }

  update(order, specs) {
    const focused = this.container.contains(document.activeElement) ? document.activeElement : null;
    for (const [key, spec] of Object.entries(specs)) this.row(key, spec).update(spec);
    if (order) this.order = order;
    const kept = new Set();
    const added = this.place(this.container, this.order, kept);
    for (const [key, row] of this.rows)
      if (!kept.has(key)) {
        row.element.remove();
        this.rows.delete(key);
      }
    if (focused && document.activeElement !== focused) this.refocus(focused);
    return added;
  }

  /** A row that moved took its focus along only in name: give it back, or to what it is folded under. */
  refocus(element) {
    const fold = element.isConnected ? element.closest("[hidden]")?.previousSibling : this.container;
    (fold || element).focus({ preventScroll: true });
  }

  row(key, spec) {
    let row = this.rows.get(key);
    if (!row || row.kind !== spec.kind) {
      row?.element.remove();
      row = new ROWS[spec.kind](spec.kind, this.words, this.actions);
      row.element.setAttribute("role", "listitem");
      row.fresh = true;
      this.rows.set(key, row);
    }
    return row;
  }

  /** Put rows where they belong; returns how many are new. */
  place(container, keys, kept) {
    let added = 0;
    let index = 0;
    for (const key of keys) {
      const row = this.rows.get(key);
      if (!row) continue;
      kept.add(key);
      const there = container.children[index++] || null;
      if (row.element !== there) container.insertBefore(row.element, there);
      if (row.children) this.place(row.inside, row.children, kept);
      if (row.fresh) added += 1;
      row.fresh = false;
    }
    return added;
  }

  /** Let clocks go on; returns whether anything counts down. */
  tick() {
    let counts = false;
    for (const row of this.rows.values()) counts = row.tick?.() > 0 || counts;
    return counts;
  }
}

/** Words of the model, block by block. Blocks stand in parts of about 2,000 characters; only parts in view are laid out. */
class Said {
  constructor(kind) {
    this.kind = kind;
    this.element = make("div", "row said");
    this.pieces = [];
  }

  update(spec) {
    for (const { element, box } of this.pieces.splice(spec.from)) {
      element.remove();
      if (!box.firstChild) box.remove();
    }
    for (const nodes of spec.pieces) this.add(fill(make("div", "piece"), nodes));
  }

  add(element) {
    const last = this.pieces.at(-1);
    const fits = last && last.end < CHUNK_CHARS;
    const box = fits ? last.box : make("div", "part");
    if (!fits) this.element.append(box);
    box.append(element);
    this.pieces.push({ element, box, end: (fits ? last.end : 0) + element.textContent.length });
  }
}

/** Something to know. One that waits for a moment counts the seconds down to it. */
class Note {
  constructor(kind) {
    this.kind = kind;
    this.element = make("div", "row note");
  }

  update(spec) {
    this.element.className = `tah-row tah-note tah-${spec.level}`;
    this.spec = spec;
    this.at = performance.now();
    this.tick();
  }

  tick() {
    const { text, until } = this.spec;
    const left = until ? Math.max(0, Math.ceil(until.left_s - since(this.at))) : "";
    const shown = until ? until.before + left + until.after : text;
    if (this.element.textContent !== shown) this.element.textContent = shown;
    return left;
  }
}

const ROWS = { fold: Folding, thought: Folding, said: Said, step: Step, note: Note };
