// Small tools that build elements and write numbers. In: a tag, attributes and children. Out: an element.
// Text becomes text nodes alone, never markup: what an article says can never become part of the page.

// An attribute that is a function listens to the event of that name; null and false leave the attribute out.
export function el(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") node.addEventListener(name, value);
    else if (value != null && value !== false) node.setAttribute(name, value === true ? "" : value);
  }
  node.append(...children);
  return node;
}

// `key` is shown on the button and read aloud; the key itself is handled in keys.js.
export function button(label, attributes, key) {
  const cap = key ? [el("kbd", { "aria-hidden": "true" }, key)] : [];
  return el("button", { type: "button", "aria-keyshortcuts": key, ...attributes }, ...cap, label);
}

export const plural = (count, noun) => `${count} ${noun}${count === 1 ? "" : "s"}`;

// The last row of a small form: what its keys do, and its buttons.
export function wayOut(...buttons) {
  const keys = el("span", { class: "for-keys" }, el("kbd", {}, "Enter"), "saves ", el("kbd", {}, "Esc"), "cancels");
  return el("div", { class: "row way-out" }, keys, ...buttons);
}

// Keys within a small form are its own; Enter that picks a word in an input method is none of them.
export function onFormKey(event, save, cancel) {
  event.stopPropagation();
  if (event.isComposing) return;
  if (event.key === "Escape") cancel();
  else if (event.key === "Enter" && !event.shiftKey) save();
  else return;
  event.preventDefault();
}

// A form that has opened below what its box shows.
export const bringIntoSight = (node) => node.scrollIntoView({ block: "nearest" });

// Null takes the value away.
export function setData(node, name, value) {
  if (value == null) delete node.dataset[name];
  else node.dataset[name] = value;
}

// Never a flat 0 or 100: it is an estimate.
export const percent = (probability) => `${Math.round(100 * Math.min(0.99, Math.max(0.01, probability)))}%`;
