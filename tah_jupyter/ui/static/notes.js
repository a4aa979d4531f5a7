// The note line: words for the agent while it works, and those that it has not read yet.

import { button, focusable, keepKeys, make } from "./elements.js";
import { newId } from "./page.js";

const MAX_CHARS = 10_000; // as much as the kernel takes

export class NoteLine {
  /** `actions` are `send(message, heard, silent)` and `leave()`. */
  constructor(words, actions) {
    this.words = words;
    this.actions = actions;
    this.queued = new Map();
    this.waiting = make("div", "queue");
    this.waiting.setAttribute("role", "list");
    this.waiting.setAttribute("aria-label", words.say("queued_notes"));
    this.field = focusable(make("textarea", "field note-field"));
    Object.assign(this.field, { rows: 1, maxLength: MAX_CHARS, placeholder: words.say("add_note") });
    this.field.setAttribute("aria-label", words.say("note_name"));
    this.button = button(words.say("send"), "quiet", words.say("send_note"));
    this.element = make("div", "notes", this.waiting, make("div", "note-line", this.field, this.button));
    this.listen();
    this.update({ open: false, queued: [] });
  }

  listen() {
    keepKeys(this.element);
    this.field.addEventListener("keydown", (event) => this.key(event));
    this.field.addEventListener("input", () => this.grow());
    this.element.addEventListener("focusout", () => setTimeout(() => this.show()));
    this.button.addEventListener("click", (event) => event.isTrusted && this.send());
    this.element.addEventListener("keydown", (event) => {
      if (event.key !== "Escape" || event.isComposing) return;
      event.preventDefault();
      this.actions.leave();
    });
  }

  key(event) {
    if (event.key !== "Enter" || event.shiftKey || event.isComposing || event.repeat || !event.isTrusted) return;
    event.preventDefault();
    this.send();
  }

  get draft() {
    return this.field.value.trim();
  }

  grow() {
    this.field.rows = Math.min(4, this.field.value.split("\n").length);
  }

  /** The text stays in the field until the kernel has it. */
  send() {
    const text = this.draft;
    if (!text || this.field.readOnly) return;
    this.field.readOnly = true;
    const heard = (late) => {
      this.field.readOnly = false;
      if (late || this.draft !== text) return;
      this.field.value = "";
      this.grow();
    };
    this.actions.send({ type: "note", note: newId(), text }, heard, () => (this.field.readOnly = false));
  }

  update({ open, queued }) {
    this.open = open;
    const ids = new Set(queued.map((note) => note.id));
    for (const [id, row] of this.queued) if (!ids.has(id)) this.drop(id, row);
    for (const note of queued) if (!this.queued.has(note.id)) this.add(note);
    this.show();
  }

  add({ id, text }) {
    const say = (key, look, name, type) => {
      const each = button(this.words.say(key), look, name && this.words.say(name));
      each.addEventListener("click", (event) => this.press(event, each, { type, note: id }));
      return each;
    };
    const about = make("span", "queued", make("span", "about", `${this.words.say("note_queued")}: `), text);
    about.title = text;
    const row = make("div", "queued-note", about, say("send_now", "quiet", "", "send"), say("withdraw_mark", "quiet small", "withdraw", "withdraw"));
    row.setAttribute("role", "listitem");
    this.queued.set(id, row);
    this.waiting.append(row);
  }

  press(event, pressed, message) {
    if (!event.isTrusted || pressed.getAttribute("aria-disabled") === "true") return;
    pressed.setAttribute("aria-disabled", "true");
    this.actions.send(message, () => {}, () => pressed.removeAttribute("aria-disabled"));
  }

  /** A note that was read or taken back; focus in it goes to the line below. */
  drop(id, row) {
    const focused = row.contains(document.activeElement);
    if (focused) this.field.focus({ preventScroll: true });
    row.remove();
    this.queued.delete(id);
  }

  /** While a card waits the line makes room for it, unless there is something in it. */
  makeRoom(on) {
    this.yields = on;
    this.show();
  }

  show() {
    const inUse = this.draft || this.queued.size || this.element.contains(document.activeElement);
    this.element.hidden = !this.open || Boolean(this.yields && !inUse);
    this.waiting.hidden = !this.queued.size;
  }
}
