// A card asks something. It counts only a press that began on it, in full view of it, and by a person.

import { focusable, make } from "./elements.js";
import { thePage } from "./page.js";

const DEAD_MS = 400; // a card that has just appeared does not count what was meant for something else
const REFOCUS_MS = 250; // the click that brings the window back is not an answer

/**
 * What all cards share. A kind of card draws itself in `build`, does what a button says in `perform`, and may name keys
 * in `shortcuts`. `handlers` are `answer(message)`, `leave()`, and what the kind needs besides.
 */
export class Card {
  constructor(id, head, body, words, handlers) {
    this.id = id;
    this.words = words;
    this.handlers = handlers;
    this.body = body;
    this.since = performance.now();
    this.shortcuts = {};
    this.element = focusable(make("div", "card"), -1);
    this.element.setAttribute("role", "group");
    this.nav = make("span", "nav");
    this.line = make("div", "card-line");
    this.build();
    for (const type of ["pointerdown", "keydown", "keyup", "click"])
      this.element.addEventListener(type, (event) => this[type](event));
    this.retitle(head);
  }

  retitle(head) {
    this.element.setAttribute("aria-label", head.spoken);
  }

  /** Show the part that matters first. */
  reveal() {}

  /** Whether a press at `at` (ms) was meant for this card. */
  meant(at) {
    return at - this.since >= DEAD_MS && !this.sent && !this.settled;
  }

  pointerdown(event) {
    this.press = { target: event.target.closest("[data-press]"), at: performance.now(), back: thePage().backAt };
  }

  click(event) {
    const pressed = event.target.closest("[data-press]");
    if (!pressed || !event.isTrusted || pressed.getAttribute("aria-disabled") === "true") return;
    const now = performance.now();
    const press = this.press;
    this.press = null;
    if (event.detail > 0) {
      if (!press || press.target !== pressed || !this.meant(press.at)) return;
      if (press.at - press.back < REFOCUS_MS) return;
    } else if (!this.meant(this.keyAt ?? now)) return;
    this.perform(pressed.dataset.press);
  }

  keyup(event) {
    event.stopPropagation();
  }

  keydown(event) {
    event.stopPropagation();
    if (this.field && event.target === this.field) return this.fieldKey(event);
    if (event.key === "Escape") {
      event.preventDefault();
      return this.handlers.leave();
    }
    if (event.key === "Enter" || event.key === " ") {
      if (event.repeat) event.preventDefault();
      else this.keyAt = performance.now();
      return undefined;
    }
    if (event.ctrlKey || event.altKey || event.metaKey) return undefined;
    const action = this.shortcuts[event.key.toLowerCase()];
    if (!action) return undefined;
    event.preventDefault();
    if (event.repeat || !event.isTrusted || !this.meant(performance.now())) return undefined;
    return this.perform(action);
  }

  /** Hand the answer over; `sent` is remembered, so that the kernel's word can be told from another window's. */
  answer(message) {
    this.sent = message;
    this.enable(false);
    this.line.textContent = this.words.say("sending");
    this.handlers.answer(message);
  }

  /** Buttons keep their focus: `disabled` would drop it to the body. */
  enable(on) {
    for (const each of this.element.querySelectorAll("[data-press]")) each.setAttribute("aria-disabled", String(!on));
  }

  /** Nobody took the answer: it may be given again. */
  unsent() {
    this.sent = null;
    this.enable(true);
    this.line.textContent = "";
  }

  /** The question has its answer; `text` says which. */
  settle(text) {
    this.settled = true;
    this.enable(false);
    this.line.textContent = text;
  }

  get busy() {
    return this.element.contains(document.activeElement) || this.element.matches(":hover");
  }
}
