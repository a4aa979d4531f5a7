// The frame of a run: draws what the kernel tells it and sends back clicks. The protocol is described in ui/notebook.py.

import { Away } from "./away.js";
import { Dock } from "./dock.js";
import { button, fill, focusable, make } from "./elements.js";
import { Following } from "./following.js";
import { NoteLine } from "./notes.js";
import { thePage } from "./page.js";
import { drawPlan } from "./plan.js";
import { Rows } from "./rows.js";
import { rewrite } from "./saved.js";
import { Wire } from "./wire.js";
import { Words, clock, since } from "./words.js";

const ENDED = new Set(["restarting", "autorestarting", "terminating", "dead"]); // what Jupyter calls a kernel's end
const SILENT_S = 20;

class Frame {
  constructor(model, host) {
    this.model = model;
    this.host = host;
    this.page = thePage();
    this.wire = new Wire(model, (on) => this.silent(on));
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
    this.rest();
  }

  receive(message) {
    if (message.type === "draw") this.draw(message);
    else if (message.type === "patch" && this.root) this.patch(message);
    else if (message.type === "closed") this.close(message);
    else if (message.type === "ack") this.wire.acknowledged(message);
    for (const [kind, text] of message.speak || []) this.page.say(kind, text);
  }

  draw(message) {
    this.id = message.model_id;
    this.words = new Words(message.words);
    if (!this.root) this.build(message);
    this.patch(message);
  }

  build({ language }) {
    const { words } = this;
    this.root = make("div", "frame");
    this.root.lang = language;
    const height = this.model.get("height");
    if (height) this.root.style.setProperty("--tah-height", `${height}px`);
    this.root.setAttribute("role", "region");
    this.state = make("span", "state");
    this.state.setAttribute("role", "group");
    this.to = make("span", "to");
    this.planList = make("div", "plan");
    this.steps = focusable(make("div", "steps"), 0);
    this.steps.setAttribute("role", "list");
    this.steps.setAttribute("aria-label", words.say("steps"));
    this.following = new Following(this.steps, words);
    this.rows = new Rows(this.steps, words, this.rowActions());
    this.aside = make("div", "aside");
    this.trouble = make("div", "trouble");
    this.usage = make("div", "usage");
    this.parts();
    this.host.replaceChildren(this.root);
    this.following.follow();
    this.page.away.add(this.away);
    this.root.addEventListener("keydown", (event) => {
      if (event.repeat && (event.key === "Enter" || event.key === " ")) event.preventDefault();
    });
  }

  /** The order of the parts is the order of the Tab key: the card is last, and its last button is the harmless one. */
  parts() {
    const send = (...click) => this.wire.send(...click);
    const leave = () => this.leave();
    this.notes = new NoteLine(this.words, { send, leave });
    this.dock = new Dock(this.words, {
      send,
      leave,
      whole: () => this.taller(!this.root.classList.contains("tah-tall")),
      changed: () => this.cardChanged(),
    });
    this.away = new Away(this.words, () => this.tick());
    const status = make("div", "status", this.state, this.to);
    const middle = make("div", "middle", this.steps, this.following.more);
    this.root.append(this.top(), status, this.planList, middle, this.aside, this.trouble);
    this.root.append(this.notes.element, this.dock.element, this.usage);
  }

  top() {
    const { words } = this;
    this.tall = button(words.say("taller"), "quiet");
    this.tall.addEventListener("click", () => this.taller(!this.root.classList.contains("tah-tall")));
    this.release = button(words.say("release"), "quiet", words.say("release_what"));
    this.release.addEventListener("click", (event) => this.press(event, this.release, { type: "release" }));
    this.stop = button(`■ ${words.say("stop")}`, "quiet");
    this.stop.addEventListener("click", (event) => this.press(event, this.stop, { type: "stop" }));
    this.name = make("span", "name");
    return make("div", "top", this.name, make("span", "gap"), this.tall, this.release, this.stop);
  }

  /** A button that is pressed once, by a person; again only when the kernel did not hear. */
  press(event, pressed, message) {
    if (!event.isTrusted || pressed.getAttribute("aria-disabled") === "true") return;
    pressed.setAttribute("aria-disabled", "true");
    this.wire.send(message, () => {}, () => pressed.removeAttribute("aria-disabled"));
  }

  rowActions() {
    return {
      end: (event, pressed, call) => this.press(event, pressed, { type: "end", call }),
      refocus: (element) => (element || this.steps).focus({ preventScroll: true }),
    };
  }

  taller(on) {
    this.root.classList.toggle("tah-tall", on);
    this.tall.textContent = this.words.say(on ? "shorter" : "taller");
    this.following.keepUp();
  }

  patch(message) {
    if (message.heard !== undefined) this.heard = message.heard && { at: performance.now(), ...message.heard };
    if (message.header) this.header(message.header);
    if (message.plan !== undefined) drawPlan(this.planList, message.plan);
    if (message.order || message.rows) this.following.keepUp(this.rows.update(message.order, message.rows || {}));
    if (message.notes) this.notes.update(message.notes);
    this.dock.patch(message);
  }

  header(header) {
    this.status = { ...header, at: performance.now() };
    this.number(header.run);
    this.root.dataset.state = header.state;
    this.to.textContent = header.to;
    this.usage.textContent = header.usage;
    if (!header.releases && this.release === document.activeElement) this.stop.focus({ preventScroll: true });
    this.release.hidden = !header.releases;
    this.stop.hidden = !header.stops;
    this.away.now(header);
    this.tick();
  }

  /** A request that is held has no number yet. */
  number(run) {
    const { words } = this;
    this.name.textContent = run ? `tah · ${words.say("run", { n: run })}` : "tah";
    this.root.classList.toggle("tah-held", !run);
    this.root.setAttribute("aria-label", run ? words.say("frame", { n: run }) : "tah");
    this.stop.setAttribute("aria-label", words.say("stop_run", { n: run }));
  }

  tick() {
    if (!this.root || !this.status) return;
    const { mark, word, item, ticks, clock_s, at } = this.status;
    const seconds = Math.floor(ticks ? clock_s + since(at) : clock_s);
    const stopped = seconds ? this.words.say("clock_stopped", { clock: clock(seconds) }) : "";
    this.state.textContent = [`${mark} ${word}`, ticks ? clock(seconds) : stopped, item].filter(Boolean).join(" · ");
    const spoken = [word, this.words.count("spoken_seconds", seconds), item].filter(Boolean).join(", ");
    this.state.setAttribute("aria-label", spoken);
    const counts = this.rows.tick();
    this.beside(this.away.greeting || (counts ? "" : this.silence()));
    this.dock.call();
  }

  beside(text) {
    if (this.aside.textContent === text) return;
    this.aside.textContent = text;
    this.following.keepUp();
  }

  /** What is said when the model has been silent for long; empty while it is not its turn. */
  silence() {
    if (!this.heard || this.status.state !== "working") return "";
    const n = Math.floor(this.heard.ago_s + since(this.heard.at));
    return n >= SILENT_S ? this.words.say("silence", { host: this.heard.host, n }) : "";
  }

  cardChanged() {
    this.notes.makeRoom(Boolean(this.dock.card));
    this.following.keepUp();
  }

  /** Esc goes back to the notebook; it answers nothing. */
  leave() {
    const notebook = this.host.closest(".jp-Notebook");
    if (notebook) notebook.focus({ preventScroll: true });
    else document.activeElement?.blur();
  }

  /** The kernel acknowledges nothing, or does so again. */
  silent(on) {
    if (!this.root?.isConnected) return;
    this.trouble.textContent = on ? this.words.say("kernel_silent") : "";
    if (on) this.page.say("assertive", this.words.say("kernel_silent"));
  }

  // -- the end

  close({ record, keep }) {
    const focused = this.host.contains(document.activeElement);
    const draft = this.root ? this.notes.draft : "";
    this.rest();
    const shown = fill(make("div", "record"), record);
    for (const summary of shown.querySelectorAll("summary")) focusable(summary);
    this.host.replaceChildren(shown);
    if (draft) shown.append(make("div", "unsent", this.words.say("note_unsent", { text: draft })));
    if (focused) shown.querySelector("summary")?.focus({ preventScroll: true });
    if (keep) rewrite(this.model, this.id, () => [{ output_type: "display_data", data: keep, metadata: {} }]);
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
    rewrite(this.model, this.id, (outputs, isFrame) => outputs.map((each) => (isFrame(each) ? instead : each.toJSON())));
  }

  /** Nothing waits any more. */
  rest() {
    this.wire.close();
    this.dock?.rest();
    this.page.away.delete(this.away);
    this.root = null;
  }
}

export default {
  render({ model, el }) {
    el.classList.add("tah");
    const frame = new Frame(model, el);
    return () => frame.dispose();
  },
};
