// What the page tells the kernel, each time with the kernel's word that it arrived.

const ACK_MS = 2000;

export class Wire {
  /** `silent(on)` is told when the kernel does not answer, and when it does again. */
  constructor(model, silent) {
    this.model = model;
    this.silent = silent;
    this.next = 1;
    this.pending = new Map();
  }

  /** Send a click; `heard(late)` follows its acknowledgement, `lost()` two seconds without one. */
  send(message, heard = () => {}, lost = () => {}) {
    const id = this.next++;
    this.pending.set(id, { heard, timer: setTimeout(() => this.unanswered(id, lost), ACK_MS) });
    this.model.send({ ...message, id });
  }

  acknowledged({ id, late }) {
    const click = this.pending.get(id);
    if (!click) return;
    clearTimeout(click.timer);
    this.pending.delete(id);
    this.silent(false);
    click.heard(late);
  }

  unanswered(id, lost) {
    this.pending.delete(id);
    this.silent(true);
    lost();
  }

  close() {
    for (const { timer } of this.pending.values()) clearTimeout(timer);
    this.pending.clear();
  }
}
