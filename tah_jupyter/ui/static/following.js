// The steps follow their own end while it is in view; who scrolls up is told what is newer.

import { button } from "./elements.js";

const NEAR_END_PX = 24;
const BY_HAND_MS = 1000; // a scroll this soon after a wheel, touch or key is the person's

export class Following {
  constructor(steps, words) {
    this.steps = steps;
    this.words = words;
    this.more = button("", "newer");
    this.userAt = -Infinity;
    for (const type of ["wheel", "touchmove", "pointerdown", "keydown"])
      steps.addEventListener(type, () => (this.userAt = performance.now()), { passive: true });
    steps.addEventListener("scroll", () => this.scrolled());
    this.more.addEventListener("click", () => {
      steps.focus({ preventScroll: true });
      this.follow();
    });
    this.resized = new ResizeObserver(() => this.keepUp());
    this.resized.observe(steps);
    this.follow();
  }

  follow() {
    this.on = true;
    this.caughtUp();
    this.toEnd();
    requestAnimationFrame(() => this.on && this.toEnd());
  }

  /** Go along, or count what came. */
  keepUp(added = 0) {
    if (this.on) this.follow();
    else if (added) this.missed(added);
  }

  toEnd() {
    this.steps.scrollTop = this.steps.scrollHeight;
  }

  caughtUp() {
    this.newer = 0;
    this.more.hidden = true;
  }

  scrolled() {
    const { scrollTop, scrollHeight, clientHeight } = this.steps;
    if (scrollHeight - scrollTop - clientHeight < NEAR_END_PX) {
      this.on = true;
      this.caughtUp();
    } else if (performance.now() - this.userAt < BY_HAND_MS) this.on = false;
  }

  missed(added) {
    this.newer += added;
    this.more.hidden = false;
    this.more.textContent = this.words.count("newer", this.newer);
    this.more.setAttribute("aria-label", this.words.count("newer_spoken", this.newer));
  }
}
