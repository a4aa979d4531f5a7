// Elements. Nothing here parses HTML: trees of nodes become elements from a list of known tags, and all text is a text node.

const TAGS = new Set(
  ("a blockquote br code del details div em h3 h4 h5 h6 hr img ins li ol p pre s span strong summary table tbody td " +
    "th thead tr ul").split(" "),
);
const LINK = /^(https?:\/\/|mailto:)/i;
const PICTURE = /^data:image\/(png|jpeg|gif|webp);base64,[A-Za-z0-9+/=]+$/;
export const CHUNK_CHARS = 2000; // longer texts are laid out in parts, only those in view

export function make(tag, look, ...children) {
  const element = document.createElement(tag);
  if (look) element.className = look.split(" ").map((each) => `tah-${each}`).join(" ");
  element.append(...children);
  return element;
}

/** Let the notebook's own shortcuts (`a`, `d d`, …) sleep while this element has focus. */
export function focusable(element, tabindex) {
  element.setAttribute("data-lm-suppress-shortcuts", "true");
  if (tabindex !== undefined) element.tabIndex = tabindex;
  return element;
}

export function button(label, look, name) {
  const element = focusable(make("button", `button ${look}`, label));
  element.type = "button";
  if (name) element.setAttribute("aria-label", name);
  return element;
}

/** Replace the children of `parent` by a tree of nodes: text, or [tag, look, attributes, children]. */
export function fill(parent, nodes, fixed = false) {
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

/** Keys that act on `element` stay in it; the notebook's shortcuts never see them. */
export function keepKeys(element) {
  for (const type of ["keydown", "keyup"]) element.addEventListener(type, (event) => event.stopPropagation());
}
