// The approval card: what, the thing itself, why, and four buttons that are always in the same order and place.

import { button, fill, focusable, make } from "./elements.js";
import { Card } from "./card.js";

const ABOVE_PX = 20; // one line of context above a change

export class Approval extends Card {
  build() {
    const { body, words } = this;
    this.shortcuts = { y: "once", r: "run", n: "deny", w: "why", v: "whole" };
    this.count = make("span", "count");
    const title = make("strong", "card-title", body.title);
    this.region = focusable(fill(make("div", "card-body"), body.body), 0);
    this.region.setAttribute("role", "region");
    this.region.setAttribute("aria-label", body.region);
    const because = make("div", "because", body.because);
    because.id = `tah-because-${this.id}`;
    this.element.setAttribute("aria-describedby", because.id);
    this.element.append(make("div", "card-head", this.count, make("span", "dot", "·"), title, this.nav), this.region);
    if (body.warning) this.element.append(make("div", "warning", `⚠ ${body.warning}`));
    this.element.append(because, this.line);
    if (body.allow_run) this.element.append(make("div", "scope", body.allow_run));
    this.element.append(this.buttons(body, words), this.why());
  }

  buttons(body, words) {
    const row = make("div", "buttons");
    if (body.allowable) row.append(this.button("once", "allow", "allow_once"));
    if (body.allow_run) {
      this.run = button("", "allow allow-run", body.allow_run);
      this.run.append(make("span", "long", body.allow_run), make("span", "short", words.say("allow_run")));
      this.run.title = body.allow_run;
      this.run.dataset.press = "run";
      row.append(this.run);
    }
    this.denyWhy = this.button("why", "deny", "deny_why");
    this.denyWhy.setAttribute("aria-expanded", "false");
    row.append(make("span", "gap"), this.button("deny", "deny", "deny"), this.denyWhy);
    return row;
  }

  /** A button whose name says what of; the name begins with the words on it. */
  button(press, look, key) {
    const each = button(this.words.say(key), look, this.words.say(`${key}_what`, { what: this.body.what }));
    each.dataset.press = press;
    return each;
  }

  why() {
    this.form = make("div", "why");
    this.form.hidden = true;
    this.field = focusable(make("textarea", "field"));
    this.field.rows = 2;
    this.field.setAttribute("aria-label", this.words.say("instead"));
    this.field.placeholder = this.words.say("instead");
    this.form.append(this.field, this.button("reason", "deny", "deny"));
    return this.form;
  }

  retitle(head) {
    super.retitle(head);
    this.count.textContent = head.count;
  }

  /** A diff that does not fit begins at its first change: above it is nothing but what stays. */
  reveal() {
    const change = this.region.querySelector("tr.tah-added, tr.tah-removed");
    if (!change || this.region.scrollHeight <= this.region.clientHeight) return;
    this.region.scrollTop += change.getBoundingClientRect().top - this.region.getBoundingClientRect().top - ABOVE_PX;
  }

  fieldKey(event) {
    if (event.key === "Escape") {
      event.preventDefault();
      this.openWhy(false);
      this.denyWhy.focus({ preventScroll: true });
    } else if (event.key === "Enter" && !event.shiftKey && !event.isComposing && !event.repeat) {
      event.preventDefault();
      if (event.isTrusted && this.meant(performance.now())) this.perform("reason");
    }
  }

  perform(action) {
    const { allowable, allow_run } = this.body;
    if (action === "why") this.openWhy(this.form.hidden);
    else if (action === "whole") this.handlers.whole();
    else if (action === "once" && allowable) this.decide("allow", "once", "");
    else if (action === "run" && allow_run) this.decide("allow", "run", "");
    else if (action === "deny") this.decide("deny", "once", "");
    else if (action === "reason") this.decide("deny", "once", this.field.value.trim());
  }

  openWhy(open) {
    this.form.hidden = !open;
    this.denyWhy.setAttribute("aria-expanded", String(open));
    if (open) this.field.focus({ preventScroll: true });
    this.reveal();
    this.form.scrollIntoView?.({ block: "nearest" });
  }

  decide(answer, scope, reason) {
    this.answer({ type: "answer", approval: this.id, answer, scope, reason });
  }

  enable(on) {
    super.enable(on);
    this.field.readOnly = !on;
  }

  /** Whether the answer that counted is the one given here. */
  isMine({ outcome }) {
    return Boolean(this.sent) && (outcome === "allowed") === (this.sent.answer === "allow");
  }
}
