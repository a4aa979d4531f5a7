// The card of a question that is no approval: alternatives to mark and take, or a button for each.

import { button, fill, focusable, make } from "./elements.js";
import { Card } from "./card.js";

const HARMLESS = "cancel";

export class Question extends Card {
  build() {
    const { body, words } = this;
    const about = make("div", "because", ...body.about.map((line) => make("div", "", line)));
    about.id = `tah-about-${body.question}`;
    this.element.setAttribute("aria-describedby", about.id);
    this.element.classList.add("tah-question", `tah-layout-${body.layout}`);
    this.element.append(make("div", "card-head", make("strong", "card-title", body.title), this.nav));
    const room = focusable(make("div", "card-body asks", about), body.layout === "list" ? undefined : 0);
    this.room = room;
    if (body.layout === "list") room.append(this.list(body.choices));
    this.element.append(room, this.line, this.foot(body, words));
    if (body.detail) this.element.append(this.raw(body.detail, words));
    room.hidden = !room.textContent;
  }

  /** The alternatives below their headings. Neighbours of which the same is to be said share a line. */
  list(choices) {
    const list = make("div", "choices");
    list.setAttribute("role", "radiogroup");
    list.setAttribute("aria-label", this.body.title);
    for (const group of runs(choices.filter(({ key }) => key !== HARMLESS), "group")) {
      const lines = runs(group, "about").map((line) => {
        const about = make("span", "about", line[0].about);
        return make("div", "choice-line", ...line.map((choice) => this.choice(choice)), about);
      });
      const heading = make("div", "choice-group", group[0].group);
      list.append(heading, make("div", "choice-lines", ...lines));
    }
    list.addEventListener("change", () => this.mark());
    return list;
  }

  choice({ key, label, about, enabled }) {
    const radio = focusable(make("input", "radio"));
    Object.assign(radio, { type: "radio", name: `tah-${this.id}`, value: key, disabled: !enabled });
    radio.setAttribute("aria-label", [label, about].filter(Boolean).join(", "));
    return make("label", "choice", radio, make("span", "", label));
  }

  get marked() {
    return this.element.querySelector("input[type=radio]:checked");
  }

  foot(body, words) {
    const foot = make("div", "buttons");
    const buttons = body.choices.map((choice) => this.button(choice));
    if (body.layout === "list") {
      this.take = button(body.confirm || words.say("choose"), "allow");
      this.take.dataset.press = "take";
      this.take.setAttribute("aria-disabled", "true");
      buttons.unshift(this.take);
    }
    if (body.remember) {
      this.box = focusable(make("input", "box"));
      Object.assign(this.box, { type: "checkbox", checked: body.remembers });
      foot.append(make("label", "remember", this.box, make("span", "", body.remember)), make("span", "gap"));
    }
    foot.append(...buttons.filter(Boolean));
    return foot;
  }

  /** A button for each choice, in a list only for the harmless one. */
  button({ key, label, about, enabled }) {
    if (this.body.layout === "list" && key !== HARMLESS) return null;
    const each = button(label, key === HARMLESS ? "deny" : "allow");
    each.title = about;
    if (about) each.setAttribute("aria-label", `${label}: ${about}`);
    if (enabled) each.dataset.press = `choice:${key}`;
    else each.setAttribute("aria-disabled", "true");
    return each;
  }

  raw(detail, words) {
    const shown = make("details", "raw", focusable(make("summary", "", words.say("raw_answer"))));
    const text = focusable(fill(make("pre", "raw-text"), [detail], true), 0);
    shown.append(text);
    return shown;
  }

  perform(action) {
    if (action === "take") this.reply(this.marked?.value);
    else if (action.startsWith("choice:")) this.reply(action.slice("choice:".length));
  }

  reply(key) {
    if (key) this.answer({ type: "reply", question: this.body.question, key, remember: Boolean(this.box?.checked) });
  }

  /** What is marked may be changed until it is taken. */
  mark() {
    const open = this.marked && !this.sent && !this.settled;
    this.take?.setAttribute("aria-disabled", String(!open));
  }

  enable(on) {
    super.enable(on);
    this.mark();
  }

  /** Whether the answer that counted is the one given here. */
  isMine({ key }) {
    return Boolean(this.sent) && this.sent.key === key;
  }
}

/** Neighbours that have the same `name`. */
function runs(choices, name) {
  const found = [];
  for (const choice of choices) {
    if (found.length && found.at(-1)[0][name] === choice[name]) found.at(-1).push(choice);
    else found.push([choice]);
  }
  return found;
}
