// The place of the cards: one at a time, docked last in the frame, and what calls for it from elsewhere in the page.

import { Approval } from "./approval.js";
import { button, focusable, make } from "./elements.js";
import { Question } from "./question.js";
import { thePage } from "./page.js";

const SETTLED_MS = 5000;
const KINDS = { approval: Approval, question: Question };

export class Dock {
  /** `actions` are `send(message, heard, silent)`, `leave()`, `whole()` and `changed()`, when a card comes or goes. */
  constructor(words, actions) {
    this.words = words;
    this.actions = actions;
    this.element = make("div", "dock");
    this.bodies = {};
    this.heads = [];
    this.watcher = new IntersectionObserver(([entry]) => {
      this.seen = entry.isIntersecting;
      this.updateChip();
    });
    this.watcher.observe(this.element);
  }

  patch({ cards, bodies, settled }) {
    Object.assign(this.bodies, bodies);
    if (settled) this.settle(settled);
    if (cards) this.heads = cards;
    this.show();
  }

  /** Show the card that is due. The one in view stays while it waits, or while somebody is in it. */
  show() {
    const ids = this.heads.map((head) => head.id);
    if (this.card && !ids.includes(this.card.id) && !(this.card.settled && this.card.busy && !this.card.mine)) this.drop();
    if (!this.card && ids.length) this.open(this.heads[0].id);
    if (this.card && ids.includes(this.card.id)) {
      this.card.retitle(this.heads[ids.indexOf(this.card.id)]);
      this.navigation(ids);
    }
    this.call();
    this.actions.changed();
  }

  /** What the page's title and its chip say of what waits. */
  call() {
    const asks = this.heads.some((head) => head.kind === "approval") ? "approve_title" : "answer_title";
    thePage().mark(this, this.heads.length ? this.words.say(asks) : "");
    this.updateChip();
  }

  open(id, focused = false) {
    const head = this.heads.find((each) => each.id === id);
    const { leave, whole } = this.actions;
    const card = new KINDS[head.kind](id, head, this.bodies[id], this.words, {
      answer: (message) => this.actions.send(message, (late) => late && this.late(card), () => card.unsent()),
      leave,
      whole,
    });
    this.card = card;
    this.element.append(card.element);
    if (focused) card.element.focus({ preventScroll: true });
    const focus = document.activeElement; // a settled line that has it stays until it is left
    for (const old of [...this.element.children]) if (old !== card.element && old !== focus) old.remove();
    card.reveal();
    const leaving = () => setTimeout(() => this.card?.settled && this.show());
    card.element.addEventListener("focusout", leaving);
    card.element.addEventListener("pointerleave", leaving);
    this.actions.changed();
  }

  late(card) {
    if (this.card === card) card.settle(this.words.say("elsewhere"));
  }

  navigation(ids) {
    const at = ids.indexOf(this.card.id);
    this.card.nav.hidden = ids.length < 2;
    if (ids.length < 2 || this.card.nav.dataset.ids === ids.join()) return;
    this.card.nav.dataset.ids = ids.join();
    const step = (label, name, by) => {
      const each = button(label, "quiet small", this.words.say(name));
      each.addEventListener("click", () => {
        this.open(ids[(at + by + ids.length) % ids.length], this.card.element.contains(document.activeElement));
        this.show();
      });
      return each;
    };
    this.card.nav.replaceChildren(step("‹", "previous_approval", -1), step("›", "next_approval", 1));
  }

  settle(settled) {
    for (const [id, how] of Object.entries(settled)) {
      delete this.bodies[id];
      if (this.card?.id !== id) continue;
      this.card.mine = this.card.isMine(how);
      this.card.settle(this.card.mine || !how.by_person ? how.text : this.words.say("elsewhere"));
    }
  }

  /** Take the card away and leave focus somewhere: the next card, or the line that says how it was settled. */
  drop() {
    const focused = this.card.element.contains(document.activeElement);
    const text = [this.card.body.title, this.card.line.textContent].filter(Boolean).join(" · ");
    const old = this.card.element;
    this.card = null;
    if (this.heads.length) return this.open(this.heads[0].id, focused);
    const line = focusable(make("div", "settled", text), -1);
    this.element.append(line);
    if (focused) line.focus({ preventScroll: true });
    old.remove();
    line.addEventListener("blur", () => setTimeout(() => line.remove()));
    setTimeout(() => document.activeElement !== line && line.remove(), SETTLED_MS);
    return undefined;
  }

  updateChip() {
    const approvals = this.heads.filter((head) => head.kind === "approval").length;
    const count = this.seen === false ? this.heads.length : 0;
    if (!count) {
      this.chip?.remove();
      this.chip = null;
      return;
    }
    if (!this.chip) {
      this.chip = button("", "chip");
      this.chip.addEventListener("click", () => this.element.scrollIntoView({ block: "nearest" }));
      document.body.append(this.chip);
    }
    const waiting = approvals ? this.words.count("chip", approvals) : this.words.count("chip_question", count);
    this.chip.textContent = `◆ ${waiting} · ${this.words.say("show")}`;
  }

  /** Nothing waits any more. */
  rest() {
    this.heads = [];
    thePage().mark(this, "");
    this.updateChip();
    this.watcher.disconnect();
  }
}
