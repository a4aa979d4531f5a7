// The plan: one line, shape and words for each item.

import { make } from "./elements.js";

export function drawPlan(place, plan) {
  place.replaceChildren();
  place.hidden = !plan;
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
  place.append(title, list);
}
