// A line that opens: a button with what it hides.

import { fill, focusable, make } from "./elements.js";

export class Folding {
  constructor(kind) {
    this.kind = kind;
    this.element = make("div", `row ${kind}`);
    this.head = focusable(make("button", "fold"));
    this.head.type = "button";
    this.inside = make("div", "inside");
    this.element.append(this.head, this.inside);
    this.open = false;
    this.head.addEventListener("click", () => this.toggle(!this.open));
    this.toggle(false);
  }

  toggle(open) {
    this.open = open;
    this.head.setAttribute("aria-expanded", String(open));
    this.inside.hidden = !open;
    if (open && this.body) this.fillBody();
  }

  /** What is hidden is built when somebody looks. */
  fillBody() {
    fill(this.inside, this.body);
    this.body = null;
  }

  update(spec) {
    this.head.replaceChildren(
      make("span", "caret"),
      ...(spec.mark ? [make("span", "mark", spec.mark), " "] : []),
      make("span", "title", spec.title),
    );
    if (spec.children) {
      this.children = spec.children;
      this.inside.setAttribute("role", "list");
    }
    if (spec.body) {
      this.body = spec.body;
      if (this.open) this.fillBody();
    }
  }
}

