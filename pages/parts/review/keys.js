// The keys of the reader.
// In: key presses anywhere on the page. Out: the action of the reader that the tables name for the key.

const back = ({ moving }, byParagraph) => (byParagraph ? moving.stepParagraph(-1) : moving.stepSentence(-1));
const onward = ({ moving }, byParagraph) => (byParagraph ? moving.stepParagraph(1) : moving.stepSentence(1));
const previous = ({ moving }) => moving.stepProposal(-1);
const next = ({ moving }) => moving.stepProposal(1);

const ACTIONS = {
  accept: ({ judging }) => judging.judge("accept"),
  reject: ({ judging }) => judging.judge("reject"),
  unsure: ({ judging }) => judging.judge("unsure"),
  undo: ({ judging }) => judging.undo(),
  more: ({ moving }) => moving.showMore(),
  missed: ({ judging }) => judging.toggleMissed(),
  comment: ({ judging }) => judging.comment(),
  labels: ({ rail }) => rail.labels.edit(),
  read: ({ judging }) => judging.toggleRead(),
  cosine: ({ rail }) => rail.why.toggleQuery(),
  order: (reader) => reader.setOrder(reader.order === "score" ? "reading" : "score"),
  next_article: ({ leaving }) => leaving.openNext(),
  previous_article: ({ leaving }) => leaving.openPrevious(),
  guideline: (reader) => reader.toggleGuideline(),
  next_proposal: next,
  previous_proposal: previous,
};
// These keys cannot be changed.
const FIXED = {
  "?": (reader) => reader.toggleHelp(),
  arrowdown: next,
  arrowup: previous,
  "]": onward,
  "}": onward,
  arrowright: onward,
  "[": back,
  "{": back,
  arrowleft: back,
};
const MOVING = new Set([next, previous, onward, back]);
const TYPING = "input:not([type=checkbox], [type=button]), textarea, select, [contenteditable=true]";
const OWN_KEYS = "[role=slider], [role=listbox], [role=menu], [role=grid], [role=tablist], [role=radiogroup]";

// Returns a function that ends the listening.
export function listenToKeys(reader) {
  const chosen = Object.entries(reader.keys).map(([name, key]) => [key.toLowerCase(), ACTIONS[name]]);
  const actions = { ...Object.fromEntries(chosen), ...FIXED };
  const builtAt = performance.now(); // what was pressed before was meant for the screen before
  const onKey = (event) => event.timeStamp > builtAt && actOn(reader, event, actions);
  // Capture: Streamlit has keys of its own (c, r) that must not fire as well.
  window.addEventListener("keydown", onKey, true);
  return () => window.removeEventListener("keydown", onKey, true);
}

function actOn(reader, event, actions) {
  if (event.defaultPrevented || !reader.host.isConnected || isElsewhere(event)) return;
  const action = event.key === "Escape" ? escapeFrom(reader) : actions[event.key.toLowerCase()];
  if (!action) return;
  event.preventDefault();
  event.stopPropagation();
  if (event.repeat && !MOVING.has(action)) return; // a held key must not judge twice
  if (reader.leaving.isUnderWay) return;
  action(reader, event.shiftKey);
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
