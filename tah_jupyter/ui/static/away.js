// Who comes back to the page after a while is told what happened meanwhile.

const SHOWN_MS = 20_000;

export class Away {
  /** `show()` is called when there is something to say, or nothing any more. */
  constructor(words, show) {
    this.words = words;
    this.show = show;
    this.greeting = "";
  }

  /** The run as it stands: `steps` and `files` counted, `waited_s` since when the person is asked, or null. */
  now({ steps, files, waited_s }) {
    this.tally = { steps, files };
    this.waiting = waited_s === null ? null : new Date(Date.now() - waited_s * 1000);
  }

  left() {
    this.before = this.tally;
  }

  back(away) {
    const { words, tally, before } = this;
    if (!tally) return;
    const steps = tally.steps - (before?.steps ?? 0);
    const files = tally.files - (before?.files ?? 0);
    const parts = [];
    if (steps > 0) parts.push(words.count("steps_count", steps));
    if (files > 0) parts.push(words.count("files_changed", files));
    if (this.waiting) parts.push(words.say("waiting_since", { time: timeOfDay(this.waiting) }));
    if (!parts.length) return;
    this.greeting = words.say("away", { n: Math.round(away / 60_000), what: parts.join(words.say("and_then")) });
    setTimeout(() => this.over(), SHOWN_MS);
    this.show();
  }

  over() {
    this.greeting = "";
    this.show();
  }
}

function timeOfDay(date) {
  return `${String(date.getHours()).padStart(2, "0")}:${String(date.getMinutes()).padStart(2, "0")}`;
}
