// The keys of the reader.
// In: key presses anywhere on the page. Out: the action of the reader that the table names for the key.

const back = ({ moving }, byParagraph) => (byParagraph ? moving.stepParagraph(-1) : moving.stepSentence(-1));
const onward = ({ moving }, byParagraph) => (byParagraph ? moving.stepParagraph(1) : moving.stepSentence(1));
const previous = ({ moving }) => moving.stepProposal(-1);
const next = ({ moving }) => moving.stepProposal(1);

const ACTIONS = {
  a: ({ judging }) => judging.judge("accept"),
  x: ({ judging }) => judging.judge("reject"),
  s: ({ judging }) => judging.judge("unsure"),
  u: ({ judging }) => judging.undo(),
  m: ({ judging }) => judging.toggleMissed(),
  c: ({ judging }) => judging.comment(),
  e: ({ rail }) => rail.labels.edit(),
  f: ({ judging }) => judging.toggleRead(),
  o: (reader) => reader.setOrder(reader.order === "score" ? "reading" : "score"),
  n: ({ leaving }) => leaving.openNext(),
  p: ({ leaving }) => leaving.openPrevious(),
  g: (reader) => reader.toggleGuideline(),
  "?": (reader) => reader.toggleHelp(),
  j: next,
  arrowdown: next,
  k: previous,
  arrowup: previous,
  "]": onward,
  "}": onward,
  arrowright: onward,
  "[": back,
  "{": back,
  arrowleft: back,
};
const MOVING_KEYS = new Set(["j", "k", "arrowdown", "arrowup", "]", "}", "arrowright", "[", "{", "arrowleft"]);
const TYPING = "input:not([type=checkbox], [type=button]), textarea, select, [contenteditable=true]";
const OWN_KEYS = "[role=slider], [role=listbox], [role=menu], [role=grid], [role=tablist], [role=radiogroup]";

// Returns a function that ends the listening.
export function listenToKeys(reader) {
  const onKey = (event) => actOn(reader, event);
  // Capture: Streamlit has keys of its own (c, r) that must not fire as well.
  window.addEventListener("keydown", onKey, true);
  return () => window.removeEventListener("keydown", onKey, true);
}

function actOn(reader, event) {
  if (event.defaultPrevented || !reader.host.isConnected || isElsewhere(event)) return;
  const action = actionOf(reader, event.key);
  if (!action) return;
  event.preventDefault();
  event.stopPropagation();
  if (event.repeat && !MOVING_KEYS.has(event.key.toLowerCase())) return; // a held key must not judge twice
  if (reader.leaving.isUnderWay) return;
  action(reader, event.shiftKey);
}

function actionOf(reader, key) {
  if (key === "Escape") return escapeFrom(reader);
  return ACTIONS[key.toLowerCase()];
}

function escapeFrom(reader) {
  if (!reader.help.hidden) return () => reader.toggleHelp();
  return reader.guideline.hidden ? null : () => reader.toggleGuideline();
}

// True when the key is someone else's: a text being typed, another widget, an open dialog, a browser shortcut.
function isElsewhere(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return true;
  if (document.querySelector("[role=dialog]")) return true;
  return event.composedPath().some((node) => node.matches?.(`${TYPING}, ${OWN_KEYS}`));
}
