// Whose key it is: a component that listens to the whole page leaves other parts theirs, and judges by no key that was
// pressed for what stood there before.

const SEEN_MS = 250; // a key that is pressed twice takes less

const TYPING = "input:not([type=checkbox], [type=radio], [type=button]), textarea, select, [contenteditable=true]";
const TYPED_AHEAD = "[role=listbox], [role=menu], [role=grid]";
const MOVED = "[role=slider], [role=tablist], [role=radiogroup]"; // by arrows: letters are not theirs

// True when the key is someone else's: a text being typed, another widget, an open dialog, a browser shortcut.
export function isElsewhere(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return true;
  if (document.querySelector("[role=dialog]")) return true;
  const theirs = event.key.length > 1 ? `${TYPING}, ${TYPED_AHEAD}, ${MOVED}` : `${TYPING}, ${TYPED_AHEAD}`;
  return event.composedPath().some((node) => node.matches?.(theirs));
}

// Since when what a key judges is on the screen.
export class Seen {
  #since = Infinity;

  // Something else is drawn now.
  renew() {
    this.#since = Infinity;
    requestAnimationFrame((now) => (this.#since = now));
  }

  // Whether who pressed the key can have seen it.
  by(event) {
    return event.timeStamp - this.#since > SEEN_MS;
  }
}
