// What nobody could read in the shown parts of a run: text without contrast, text cut off, things wider than their place.
(root) => {
  const LEAST = 4.5; // WCAG 2.2, 1.4.3, for text of normal size
  const context = Object.assign(document.createElement("canvas"), { width: 1, height: 1 }).getContext("2d", { willReadFrequently: true });

  const pixel = (...colours) => {
    context.clearRect(0, 0, 1, 1);
    for (const colour of colours) {
      context.fillStyle = colour;
      context.fillRect(0, 0, 1, 1);
    }
    return [...context.getImageData(0, 0, 1, 1).data].slice(0, 3);
  };
  const luminance = (rgb) => {
    const [r, g, b] = rgb.map((v) => v / 255).map((v) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const ratio = (one, other) => {
    const [high, low] = [luminance(one), luminance(other)].sort((a, b) => b - a);
    return (high + 0.05) / (low + 0.05);
  };
  const above = (element) => {
    const all = [];
    for (let each = element; each; each = each.parentElement) all.unshift(each);
    return all;
  };
  const label = (element) => `${element.tagName.toLowerCase()}.${element.className}: ${element.textContent.trim().slice(0, 40)}`;

  const faults = [];
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  const seen = new Set();
  while (walker.nextNode()) {
    const element = walker.currentNode.parentElement;
    if (!walker.currentNode.data.trim() || seen.has(element)) continue;
    seen.add(element);
    if (!element.checkVisibility({ checkOpacity: true, checkVisibilityCSS: true, contentVisibilityAuto: true })) continue;
    if (element.closest("[aria-disabled=true]")) continue;
    const papers = ["white", ...above(element).map((each) => getComputedStyle(each).backgroundColor)];
    const found = ratio(pixel(...papers, getComputedStyle(element).color), pixel(...papers));
    if (found < LEAST) faults.push(`contrast ${found.toFixed(2)} of ${label(element)}`);
  }
  for (const element of root.querySelectorAll("*")) {
    const style = getComputedStyle(element);
    const hides = style.overflowX === "hidden" || style.overflowX === "clip";
    const cut = element.scrollWidth > element.clientWidth + 1 && element.clientWidth > 1;
    if (hides && cut && style.textOverflow !== "ellipsis" && style.display !== "inline") faults.push(`cut off: ${label(element)}`);
  }
  const frame = root.querySelector(".tah-frame");
  for (const element of frame?.querySelectorAll("button") ?? []) {
    if (!element.checkVisibility() || element.closest(".tah-steps")) continue;
    const [inner, outer] = [element.getBoundingClientRect(), frame.getBoundingClientRect()];
    const usage = frame.querySelector(".tah-usage");
    const foot = usage.checkVisibility() ? usage.getBoundingClientRect().top : outer.bottom;
    if (inner.right > outer.right || inner.bottom > foot + 1) faults.push(`out of the frame: ${label(element)}`);
    if (element.scrollWidth > element.clientWidth + 1) faults.push(`wider than its button: ${label(element)}`);
  }
  const place = root.closest(".jp-Cell") ?? root;
  if (root.getBoundingClientRect().right > place.getBoundingClientRect().right + 1) faults.push("wider than its cell");
  return faults;
};
