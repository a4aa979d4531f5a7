// The frame of a run: draws what the kernel tells it and sends back clicks. The protocol is described in ui/notebook.py.
// Nothing here parses HTML: trees of nodes become elements from a list of known tags, and all text is a text node.

const DEAD_MS = 400; // a card that has just appeared does not count what was meant for something else
const REFOCUS_MS = 250; // the click that brings the window back is not an answer
const ACK_MS = 2000;
const SETTLED_MS = 5000;
const STEP_SPEECH_MS = 5000;
const CHUNK_CHARS = 2000; // longer texts are laid out in parts, only those in view
const NEAR_END_PX = 24;
const ABOVE_PX = 20; // one line of context above a change
const ENDED = new Set(["restarting", "autorestarting", "terminating", "dead"]); // what Jupyter calls a kernel's end
const WIDGET_VIEW = "application/vnd.jupyter.widget-view+json";

const TAGS = new Set(
  ("a blockquote br code del details div em h3 h4 h5 h6 hr img ins li ol p pre s span strong summary table tbody td " +
    "th thead tr ul").split(" "),
);
const LINK = /^(https?:\/\/|mailto:)/i;
const PICTURE = /^data:image\/(png|jpeg|gif|webp);base64,[A-Za-z0-9+/=]+$/;

// ---------------------------------------------------------------- elements

function make(tag, look, ...children) {
  const element = document.createElement(tag);
  if (look) element.className = look.split(" ").map((each) => `tah-${each}`).join(" ");
  element.append(...children);
  return element;
}

/** Let the notebook's own shortcuts (`a`, `d d`, …) sleep while this element has focus. */
function focusable(element, tabindex) {
  element.setAttribute("data-lm-suppress-shortcuts", "true");
  if (tabindex !== undefined) element.tabIndex = tabindex;
  return element;
}

function button(label, look, name) {
  const element = focusable(make("button", `button ${look}`, label));
  element.type = "button";
  if (name) element.setAttribute("aria-label", name);
  return element;
}

/** Replace the children of `parent` by a tree of nodes: text, or [tag, look, attributes, children]. */
function fill(parent, nodes, fixed = false) {
  parent.replaceChildren();
  for (const node of nodes) {
    if (typeof node === "string") parent.append(...(fixed ? textParts(node) : [node]));
    else parent.append(grow(node, fixed));
  }
  return parent;
}

function grow([tag, look, attributes, children], fixed) {
  const element = make(TAGS.has(tag) ? tag : "span", look);
  for (const [name, value] of Object.entries(attributes)) attribute(element, name, value);
  return fill(element, children, fixed || tag === "pre" || look === "text");
}

function attribute(element, name, value) {
  if (name === "href" && element.tagName === "A" && LINK.test(value)) {
    element.href = value;
    element.rel = "noopener noreferrer";
    element.target = "_blank";
    focusable(element);
  } else if (name === "src" && element.tagName === "IMG" && PICTURE.test(value)) element.src = value;
  else if (name === "alt") element.alt = value;
  else if (name === "start") element.start = Number(value);
  else if (name === "open") element.open = true;
}

/** A long text as several elements, cut at line ends, so that the browser lays out only what is in view. */
function textParts(text) {
  if (text.length <= CHUNK_CHARS) return [text];
  const parts = [];
  for (let at = 0; at < text.length; ) {
    let end = text.indexOf("\n", at + CHUNK_CHARS) + 1;
    if (!end) end = text.length;
    parts.push(make("span", "chunk", text.slice(at, end)));
    at = end;
  }
  return parts;
}

function clock(seconds) {
  const whole = Math.max(0, Math.floor(seconds));
  const two = (n) => String(n).padStart(2, "0");
  const minutes = Math.floor(whole / 60);
  return minutes < 60
    ? `${minutes}:${two(whole % 60)}`
    : `${Math.floor(minutes / 60)}:${two(minutes % 60)}:${two(whole % 60)}`;
}

// ---------------------------------------------------------------- the page: one of it, whatever the number of frames

/** What the frames of a page share: its id, the live regions, the title, when the window last came back. */
function thePage() {
  const key = Symbol.for("tah.page");
  if (!window[key]) window[key] = new Page();
  return window[key];
}

class Page {
  constructor() {
    this.id = crypto.randomUUID ? crypto.randomUUID() : `${Date.now()}-${Math.random()}`;
    this.waiting = new Map();
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
    document.addEventListener("visibilitychange", () => {
      if (!document.hidden) this.backAt = performance.now();
    });
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

// ---------------------------------------------------------------- rows: what happened, in order

/** The list of steps. Rows are kept by key; only their order and what changed is touched. */
class Rows {
  constructor(container, words) {
    this.container = container;
    this.words = words;
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
      row = new ROWS[spec.kind](spec.kind, this.words);
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

  tick() {
    for (const row of this.rows.values()) row.tick?.();
  }
}

/** A line that opens: a button with what it hides. */
class Folding {
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

class Note {
  constructor(kind) {
    this.kind = kind;
    this.element = make("div", "row note");
  }

  update(spec) {
    this.element.className = `tah-row tah-note tah-${spec.level}`;
    this.element.textContent = spec.text;
  }
}

/** A call: one line; what it did folds under it; while it runs its output is in view. */
class Step {
  constructor(kind, words) {
    this.kind = kind;
    this.words = words;
    this.element = make("div", "row step");
    this.line = make("div", "line");
    this.output = make("div", "running");
    this.element.append(this.line, this.output);
  }

  update(spec) {
    this.element.dataset.state = spec.state;
    this.base = spec.running && { at: performance.now(), ...spec.running };
    this.spec = spec;
    this.time = make("span", "about");
    const words = [make("span", "mark", spec.mark), " ", make("span", "title", spec.title), " ", this.time];
    if (spec.body) this.fold(words, spec.body);
    else {
      this.folding = null;
      this.line.replaceChildren(...words);
    }
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

  showOutput({ body, tail, lines, fraction }) {
    this.output.replaceChildren();
    if (body) this.output.append(fill(make("div", "live-view"), body));
    if (tail) this.output.append(fill(make("div", "tail"), tail), make("div", "about", lines));
    if (fraction !== null) {
      const bar = make("progress", "progress");
      bar.value = fraction;
      bar.setAttribute("aria-label", this.spec.title);
      this.output.append(bar);
    }
  }

  tick() {
    const { about } = this.spec;
    if (!this.base) this.time.textContent = about;
    else {
      const now = clock(this.base.clock_s + (performance.now() - this.base.at) / 1000);
      const time = this.base.limit ? this.words.say("of_time", { clock: now, limit: this.base.limit }) : now;
      this.time.textContent = about ? `${time} · ${about}` : time;
    }
  }
}

const ROWS = { fold: Folding, thought: Folding, said: Said, step: Step, note: Note };

// ---------------------------------------------------------------- words

class Words {
  constructor(templates) {
    this.templates = templates;
  }

  say(key, values = {}, n = 2) {
    const template = this.templates[key][n === 1 ? 0 : 1];
    return template.replace(/\{(\w+)\}/g, (whole, name) => (name in values ? String(values[name]) : whole));
  }

  count(key, n) {
    return this.say(key, { n }, n);
  }
}

// ---------------------------------------------------------------- the approval card

/** One question. It counts only a press that began on it, in full view of it. */
class Card {
  constructor(id, head, body, words, handlers) {
    this.id = id;
    this.words = words;
    this.handlers = handlers;
    this.body = body;
    this.since = performance.now();
    this.build(head);
  }

  build(head) {
    const { body, words } = this;
    this.element = focusable(make("div", "card"), -1);
    this.element.setAttribute("role", "group");
    this.element.setAttribute("aria-describedby", `tah-because-${this.id}`);
    this.count = make("span", "count");
    this.nav = make("span", "nav");
    const title = make("div", "card-head", this.count, make("span", "dot", "·"), make("strong", "card-title", body.title), this.nav);
    this.region = focusable(fill(make("div", "card-body"), body.body), 0);
    this.region.setAttribute("role", "region");
    this.region.setAttribute("aria-label", body.region);
    const because = make("div", "because", body.because);
    because.id = `tah-because-${this.id}`;
    this.line = make("div", "card-line");
    this.element.append(title, this.region);
    if (body.warning) this.element.append(make("div", "warning", `⚠ ${body.warning}`));
    this.element.append(because, this.line);
    if (body.allow_run) this.element.append(make("div", "scope", body.allow_run));
    this.element.append(this.buttons(), this.why());
    for (const type of ["pointerdown", "keydown", "keyup", "click"])
      this.element.addEventListener(type, (event) => this[type](event));
    this.retitle(head);
  }

  /** A diff that does not fit begins at its first change: above it is nothing but what stays. */
  reveal() {
    const change = this.region.querySelector("tr.tah-added, tr.tah-removed");
    if (!change || this.region.scrollHeight <= this.region.clientHeight) return;
    this.region.scrollTop += change.getBoundingClientRect().top - this.region.getBoundingClientRect().top - ABOVE_PX;
  }

  buttons() {
    const { body, words } = this;
    const row = make("div", "buttons");
    if (body.allowable) {
      this.once = button(words.say("allow_once"), "allow", words.say("allow_once_what", { what: body.what }));
      this.once.dataset.press = "once";
      row.append(this.once);
    }
    if (body.allow_run) {
      this.run = button("", "allow allow-run", body.allow_run);
      this.run.append(make("span", "long", body.allow_run), make("span", "short", words.say("allow_run")));
      this.run.title = body.allow_run;
      this.run.dataset.press = "run";
      row.append(this.run);
    }
    this.deny = button(words.say("deny"), "deny", words.say("deny_what", { what: body.what }));
    this.deny.dataset.press = "deny";
    this.denyWhy = button(words.say("deny_why"), "deny", words.say("deny_why_what", { what: body.what }));
    this.denyWhy.dataset.press = "why";
    this.denyWhy.setAttribute("aria-expanded", "false");
    row.append(make("span", "gap"), this.deny, this.denyWhy);
    return row;
  }

  why() {
    this.form = make("div", "why");
    this.form.hidden = true;
    this.field = focusable(make("textarea", "field"));
    this.field.rows = 2;
    this.field.setAttribute("aria-label", this.words.say("instead"));
    this.field.placeholder = this.words.say("instead");
    const send = button(this.words.say("deny"), "deny", this.words.say("deny_what", { what: this.body.what }));
    send.dataset.press = "reason";
    this.form.append(this.field, send);
    return this.form;
  }

  retitle(head) {
    this.count.textContent = head.count;
    this.element.setAttribute("aria-label", head.spoken);
  }

  /** Whether a press at `at` (ms) was meant for this card. */
  meant(at) {
    return at - this.since >= DEAD_MS && !this.sent && !this.settled;
  }

  pointerdown(event) {
    this.press = { target: event.target.closest("[data-press]"), at: performance.now(), back: thePage().backAt };
  }

  click(event) {
    const pressed = event.target.closest("[data-press]");
    if (!pressed || !event.isTrusted) return;
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
    if (event.target === this.field) return this.fieldKey(event);
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
    const action = { y: "once", r: "run", n: "deny", w: "why", v: "whole" }[event.key.toLowerCase()];
    if (!action) return undefined;
    event.preventDefault();
    if (event.repeat || !event.isTrusted || !this.meant(performance.now())) return undefined;
    return this.perform(action);
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
    if (action === "why") this.openWhy(this.form.hidden);
    else if (action === "whole") this.handlers.whole();
    else if (action === "once" && this.once) this.answer("allow", "once", "");
    else if (action === "run" && this.run) this.answer("allow", "run", "");
    else if (action === "deny") this.answer("deny", "once", "");
    else if (action === "reason") this.answer("deny", "once", this.field.value.trim());
  }

  openWhy(open) {
    this.form.hidden = !open;
    this.denyWhy.setAttribute("aria-expanded", String(open));
    if (open) this.field.focus({ preventScroll: true });
    this.reveal();
    this.form.scrollIntoView?.({ block: "nearest" });
  }

  answer(answer, scope, reason) {
    this.sent = { answer, scope };
    this.enable(false);
    this.line.textContent = this.words.say("sending");
    this.handlers.answer(this, { type: "answer", approval: this.id, answer, scope, reason });
  }

  /** Buttons keep their focus: `disabled` would drop it to the body. */
  enable(on) {
    for (const each of this.element.querySelectorAll("[data-press]")) each.setAttribute("aria-disabled", String(!on));
    this.field.readOnly = !on;
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

// ---------------------------------------------------------------- the frame

class Frame {
  constructor(model, host) {
    this.model = model;
    this.host = host;
    this.page = thePage();
    this.next = 1;
    this.waiting = new Map(); // clicks that the kernel has not acknowledged
    this.bodies = {};
    this.heads = [];
    this.following = true;
    this.newer = 0;
    this.userAt = -Infinity;
    this.received = (message) => this.receive(message);
    model.on("msg:custom", this.received);
    model.send({ type: "hello", page: this.page.id });
    this.timer = setInterval(() => this.tick(), 500);
    this.kernel = model.widget_manager?.kernel;
    this.watchKernel = (_, status) => ENDED.has(status) && this.kernelEnded();
    this.kernel?.statusChanged?.connect(this.watchKernel);
  }

  dispose() {
    this.model.off("msg:custom", this.received);
    clearInterval(this.timer);
    this.kernel?.statusChanged?.disconnect(this.watchKernel);
    this.watcher?.disconnect();
    this.chip?.remove();
    this.page.mark(this, "");
  }

  send(message) {
    const id = this.next++;
    this.waiting.set(id, { ...message, timer: setTimeout(() => this.unanswered(id), ACK_MS) });
    this.model.send({ ...message, id });
  }

  receive(message) {
    if (message.type === "draw") this.draw(message);
    else if (message.type === "patch" && this.root) this.patch(message);
    else if (message.type === "closed") this.close(message);
    else if (message.type === "ack") this.acknowledged(message);
    for (const [kind, text] of message.speak || []) this.page.say(kind, text);
  }

  draw(message) {
    this.id = message.model_id;
    this.words = new Words(message.words);
    if (!this.root) this.build(message);
    this.patch(message);
  }

  build({ run, language }) {
    const { words } = this;
    this.root = make("div", "frame");
    this.root.lang = language;
    const height = this.model.get("height");
    if (height) this.root.style.setProperty("--tah-height", `${height}px`);
    this.root.setAttribute("role", "region");
    this.root.setAttribute("aria-label", words.say("frame", { n: run }));
    this.tall = button(words.say("taller"), "quiet");
    this.stop = button(`■ ${words.say("stop")}`, "quiet", words.say("stop_run", { n: run }));
    const top = make("div", "top", make("span", "name", `tah · ${words.say("run", { n: run })}`), make("span", "gap"), this.tall, this.stop);
    this.state = make("span", "state");
    this.to = make("span", "to");
    this.planList = make("div", "plan");
    this.steps = focusable(make("div", "steps"), 0);
    this.steps.setAttribute("role", "list");
    this.steps.setAttribute("aria-label", words.say("steps"));
    this.rows = new Rows(this.steps, words);
    this.more = button("", "newer");
    this.dock = make("div", "dock");
    this.trouble = make("div", "trouble");
    this.usage = make("div", "usage");
    const status = make("div", "status", this.state, this.to);
    this.state.setAttribute("role", "group");
    const middle = make("div", "middle", this.steps, this.more);
    this.root.append(top, status, this.planList, middle, this.trouble, this.dock, this.usage);
    this.host.replaceChildren(this.root);
    this.listen();
  }

  listen() {
    this.tall.addEventListener("click", () => this.taller(!this.root.classList.contains("tah-tall")));
    this.stop.addEventListener("click", (event) => {
      if (event.isTrusted && this.stop.getAttribute("aria-disabled") !== "true") {
        this.stop.setAttribute("aria-disabled", "true");
        this.send({ type: "stop" });
      }
    });
    this.root.addEventListener("keydown", (event) => {
      if (event.repeat && (event.key === "Enter" || event.key === " ")) event.preventDefault();
    });
    for (const type of ["wheel", "touchmove", "pointerdown", "keydown"])
      this.steps.addEventListener(type, () => (this.userAt = performance.now()), { passive: true });
    this.steps.addEventListener("scroll", () => this.scrolled());
    this.more.addEventListener("click", () => {
      this.steps.focus({ preventScroll: true });
      this.follow();
    });
    this.watcher = new IntersectionObserver(([entry]) => {
      this.seen = entry.isIntersecting;
      this.updateChip();
    });
    this.watcher.observe(this.dock);
    new ResizeObserver(() => this.following && this.follow()).observe(this.steps);
    this.follow();
  }

  taller(on) {
    this.root.classList.toggle("tah-tall", on);
    this.tall.textContent = this.words.say(on ? "shorter" : "taller");
    if (this.following) this.follow();
  }

  patch(message) {
    if (message.header) this.header(message.header);
    if (message.plan !== undefined) this.plan(message.plan);
    if (message.order || message.rows) {
      const added = this.rows.update(message.order, message.rows || {});
      if (this.following) this.follow();
      else this.missed(added);
    }
    Object.assign(this.bodies, message.bodies);
    if (message.settled) this.settle(message.settled);
    if (message.cards) this.heads = message.cards;
    this.showCard();
  }

  header(header) {
    this.status = { ...header, at: performance.now() };
    this.root.dataset.state = header.state;
    this.to.textContent = header.to;
    this.usage.textContent = header.usage;
    this.tick();
  }

  tick() {
    if (!this.root || !this.status) return;
    const { mark, word, item, ticks, clock_s, at } = this.status;
    const seconds = Math.floor(ticks ? clock_s + (performance.now() - at) / 1000 : clock_s);
    const time = clock(seconds);
    const shown = ticks ? time : this.words.say("clock_stopped", { clock: time });
    this.state.textContent = [`${mark} ${word}`, shown, item].filter(Boolean).join(" · ");
    const spoken = [word, this.words.count("spoken_seconds", seconds), item].filter(Boolean).join(", ");
    this.state.setAttribute("aria-label", spoken);
    this.rows.tick();
    if (this.heads.length) this.page.mark(this, this.words.say("approve_title"));
  }

  plan(plan) {
    this.planList.replaceChildren();
    this.planList.hidden = !plan;
    if (!plan) return;
    const list = make("div", "plan-items");
    list.setAttribute("role", "list");
    list.setAttribute("aria-label", plan.spoken);
    for (const item of plan.items) {
      const entry = make("span", "plan-item", make("span", "mark", item.mark), " ", make("span", "plan-text", item.text));
      entry.dataset.status = item.status;
      entry.setAttribute("role", "listitem");
      entry.setAttribute("aria-label", item.spoken);
      entry.title = item.text;
      list.append(entry);
    }
    const title = make("span", "plan-title", plan.title);
    title.setAttribute("aria-hidden", "true");
    this.planList.append(title, list);
  }

  // -- following the end

  follow() {
    this.following = true;
    this.newer = 0;
    this.more.hidden = true;
    this.steps.scrollTop = this.steps.scrollHeight;
    requestAnimationFrame(() => {
      if (this.following) this.steps.scrollTop = this.steps.scrollHeight;
    });
  }

  scrolled() {
    const { scrollTop, scrollHeight, clientHeight } = this.steps;
    if (scrollHeight - scrollTop - clientHeight < NEAR_END_PX) {
      this.following = true;
      this.newer = 0;
      this.more.hidden = true;
    } else if (performance.now() - this.userAt < 1000) this.following = false;
  }

  missed(added) {
    this.newer += added;
    this.more.hidden = this.newer === 0;
    this.more.textContent = this.words.count("newer", this.newer);
    this.more.setAttribute("aria-label", this.words.count("newer_spoken", this.newer));
  }

  // -- cards

  /** Show the card that is due. The one in view stays while it waits, or while somebody is in it. */
  showCard() {
    const ids = this.heads.map((head) => head.id);
    if (this.card && !ids.includes(this.card.id) && !(this.card.settled && this.card.busy && !this.card.mine)) this.drop();
    if (!this.card && ids.length) this.open(this.heads[0].id);
    if (this.card && ids.includes(this.card.id)) {
      this.card.retitle(this.heads[ids.indexOf(this.card.id)]);
      this.navigation(ids);
    }
    this.page.mark(this, ids.length ? this.words.say("approve_title") : "");
    this.updateChip();
  }

  open(id, focused = false) {
    const head = this.heads.find((each) => each.id === id);
    this.card = new Card(id, head, this.bodies[id], this.words, {
      answer: (card, message) => this.send(message),
      leave: () => this.leave(),
      whole: () => this.taller(!this.root.classList.contains("tah-tall")),
    });
    this.dock.append(this.card.element);
    if (focused) this.card.element.focus({ preventScroll: true });
    for (const old of [...this.dock.children]) if (old !== this.card.element) old.remove();
    this.card.reveal();
    const leaving = () => setTimeout(() => this.card?.settled && this.showCard());
    this.card.element.addEventListener("focusout", leaving);
    this.card.element.addEventListener("pointerleave", leaving);
    if (this.following) this.follow();
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
        this.showCard();
      });
      return each;
    };
    this.card.nav.replaceChildren(step("‹", "previous_approval", -1), step("›", "next_approval", 1));
  }

  settle(settled) {
    for (const [id, { outcome, text }] of Object.entries(settled)) {
      delete this.bodies[id];
      if (this.card?.id !== id) continue;
      const sent = this.card.sent;
      const mine = sent && (outcome === "allowed") === (sent.answer === "allow");
      const person = outcome === "allowed" || outcome === "denied";
      this.card.mine = mine;
      this.card.settle(mine || !person ? text : this.words.say("elsewhere"));
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
    this.dock.append(line);
    if (focused) line.focus({ preventScroll: true });
    old.remove();
    line.addEventListener("blur", () => line.remove());
    setTimeout(() => document.activeElement !== line && line.remove(), SETTLED_MS);
    return undefined;
  }

  /** Esc goes back to the notebook; it answers nothing. */
  leave() {
    const notebook = this.host.closest(".jp-Notebook");
    if (notebook) notebook.focus({ preventScroll: true });
    else document.activeElement?.blur();
  }

  updateChip() {
    const count = this.seen === false ? this.heads.length : 0;
    if (!count) {
      this.chip?.remove();
      this.chip = null;
      return;
    }
    if (!this.chip) {
      this.chip = button("", "chip");
      this.chip.addEventListener("click", () => this.dock.scrollIntoView({ block: "nearest" }));
      document.body.append(this.chip);
    }
    const waiting = this.words.count("chip", count);
    this.chip.textContent = `◆ ${waiting} · ${this.words.say("show")}`;
  }

  // -- the kernel's word for each click

  acknowledged({ id, late }) {
    const message = this.waiting.get(id);
    if (!message) return;
    clearTimeout(message.timer);
    this.waiting.delete(id);
    this.trouble.textContent = "";
    if (late && this.card?.id === message.approval) this.card.settle(this.words.say("elsewhere"));
  }

  unanswered(id) {
    const message = this.waiting.get(id);
    this.waiting.delete(id);
    if (!message || !this.root.isConnected) return;
    this.trouble.textContent = this.words.say("kernel_silent");
    this.page.say("assertive", this.words.say("kernel_silent"));
    if (message.type === "stop") this.stop.removeAttribute("aria-disabled");
    else if (this.card?.id === message.approval) this.card.unsent();
  }

  // -- the end

  close({ record, keep }) {
    const focused = this.host.contains(document.activeElement);
    this.rest();
    const shown = fill(make("div", "record"), record);
    for (const summary of shown.querySelectorAll("summary")) focusable(summary);
    this.host.replaceChildren(shown);
    if (focused) shown.querySelector("summary")?.focus({ preventScroll: true });
    if (keep) this.rewrite(() => [{ output_type: "display_data", data: keep, metadata: {} }]);
  }

  /** The kernel has ended, and nothing of the frame is alive: what is left is the record that was kept below it. */
  kernelEnded() {
    if (!this.root) return;
    const focused = this.host.contains(document.activeElement);
    const ended = `✕ ${this.words.say("crashed")} · ${this.words.say("go_on")}`;
    const line = focusable(make("div", "ended", ended), -1);
    this.rest();
    this.host.replaceChildren(line);
    if (focused) line.focus({ preventScroll: true });
    this.page.say("assertive", this.words.say("crashed"));
    const instead = { output_type: "display_data", data: { "text/plain": ended }, metadata: {} };
    this.rewrite((outputs, isFrame) => outputs.map((each) => (isFrame(each) ? instead : each.toJSON())));
  }

  /** Nothing waits any more. */
  rest() {
    for (const { timer } of this.waiting.values()) clearTimeout(timer);
    this.heads = [];
    this.page.mark(this, "");
    this.updateChip();
    this.root = null;
  }

  /**
   * Write what the cell shows into the notebook, when the kernel cannot: a page that was reloaded while the cell ran
   * does not hear the kernel's last word on its output, and would save a frame that nobody can draw. Only Jupyter's own
   * front ends let a widget see its notebook; elsewhere the frame alone shows it.
   */
  rewrite(change) {
    const isFrame = (output) => output.data[WIDGET_VIEW]?.model_id === this.id;
    const all = (outputs) => Array.from({ length: outputs?.length ?? 0 }, (_, index) => outputs.get(index));
    const cells = [...(this.model.widget_manager?.context?.model?.cells ?? [])];
    const cell = cells.find((each) => all(each.outputs).some(isFrame));
    if (cell) setTimeout(() => cell.outputs.fromJSON(change(all(cell.outputs), isFrame)));
  }
}

export default {
  render({ model, el }) {
    el.classList.add("tah");
    const frame = new Frame(model, el);
    return () => frame.dispose();
  },
};
