// The words of the kernel's language, filled in by the page where it counts and tells time by itself.

export class Words {
  constructor(templates) {
    this.templates = templates;
  }

  say(key, values = {}, n = 2) {
    const template = this.templates[key][n === 1 ? 0 : 1];
    return template.replace(/\{(\w+)\}/g, (whole, name) => (name in values ? String(values[name]) : whole));
  }

  count(key, n, values = {}) {
    return this.say(key, { n, ...values }, n);
  }
}

/** A clock that runs: `0:07`, `12:03`, `1:00:00`. */
export function clock(seconds) {
  const whole = Math.max(0, Math.floor(seconds));
  const two = (n) => String(n).padStart(2, "0");
  const minutes = Math.floor(whole / 60);
  return minutes < 60
    ? `${minutes}:${two(whole % 60)}`
    : `${Math.floor(minutes / 60)}:${two(minutes % 60)}:${two(whole % 60)}`;
}

/** Seconds since `at`, a moment of the page's own clock. */
export function since(at) {
  return (performance.now() - at) / 1000;
}
