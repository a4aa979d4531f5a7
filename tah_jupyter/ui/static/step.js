// A call: one line; what it did folds under it; while it runs its output is in view.

import { button, fill, make } from "./elements.js";
import { Folding } from "./folding.js";
import { clock, since } from "./words.js";

export class Step {
  constructor(kind, words, actions) {
    this.kind = kind;
    this.words = words;
    this.actions = actions;
    this.element = make("div", "row step");
    this.line = make("div", "line");
    this.head = make("div", "step-head", this.line);
    this.output = make("div", "running");
    this.element.append(this.head, this.output);
  }

  update(spec) {
    this.element.dataset.state = spec.state;
    this.base = spec.running && { at: performance.now(), ...spec.running };
    this.spec = spec;
    this.time = make("span", "about");
    if (this.base) this.time.setAttribute("role", "progressbar");
    const words = [make("span", "mark", spec.mark), " ", make("span", "title", spec.title), " ", this.time];
    if (spec.body) this.fold(words, spec.body);
    else {
      this.folding = null;
      this.line.replaceChildren(...words);
    }
    this.ending(spec.end);
    this.output.hidden = !this.base;
    if (this.base) this.showOutput(this.base);
    this.tick();
  }

  fold(words, body) {
    if (!this.folding) {
      this.folding = new Folding("step-fold");
      this.line.replaceChildren(this.folding.element);
    }
    this.folding.update({ title: "", body });
    this.folding.head.replaceChildren(make("span", "caret"), ...words);
  }

  /** The button that ends this call alone. It stays the same element while the output grows, so that it keeps focus. */
  ending(call) {
    if (call && !this.end) {
      this.end = button(this.words.say("end_command"), "quiet end", this.words.say("end_command_what", { what: this.base.what }));
      this.end.addEventListener("click", (event) => this.actions.end(event, this.end, call));
      this.head.append(this.end);
    } else if (!call && this.end) {
      if (this.end === document.activeElement) this.actions.refocus(this.folding?.head);
      this.end.remove();
      this.end = null;
    }
  }

  showOutput({ body, tail, lines, fraction }) {
    this.output.replaceChildren();
    if (body) this.output.append(fill(make("div", "live-view"), body));
    if (tail) this.output.append(fill(make("div", "tail"), tail), make("div", "about", lines));
    if (fraction !== null) {
      const bar = make("progress", "progress");
      bar.value = fraction;
      bar.setAttribute("aria-hidden", "true"); // the time beside the title is what is read out
      this.time.setAttribute("aria-valuenow", String(Math.round(fraction * 100)));
      this.output.append(bar);
    }
  }

  tick() {
    const { about } = this.spec;
    if (!this.base) {
      this.time.textContent = about;
      return;
    }
    const { limit, limit_s, clock_s, at, what } = this.base;
    const seconds = Math.floor(clock_s + since(at));
    const time = limit ? this.words.say("of_time", { clock: clock(seconds), limit }) : clock(seconds);
    const spoken = limit
      ? this.words.say("progress_of", { what, n: seconds, total: Math.round(limit_s) })
      : this.words.count("progress", seconds, { what });
    this.time.textContent = about ? `${time} · ${about}` : time;
    this.time.setAttribute("aria-label", spoken);
  }
}
