// Whose key it is: a component that listens to the whole page leaves others theirs.

const TYPING = "input:not([type=checkbox], [type=button]), textarea, select, [contenteditable=true]";
const OWN_KEYS = "[role=slider], [role=listbox], [role=menu], [role=grid], [role=tablist], [role=radiogroup]";

// True when the key is someone else's: a text being typed, another widget, an open dialog, a browser shortcut.
export function isElsewhere(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return true;
  if (document.querySelector("[role=dialog]")) return true;
  return event.composedPath().some((node) => node.matches?.(`${TYPING}, ${OWN_KEYS}`));
}
