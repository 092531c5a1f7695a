// Signs and words that several scripts show. Words that one script alone shows stand in that script.

export const SIGNS = { accept: "✓", reject: "✕", unsure: "?" };
export const VERDICT_NAMES = { accept: "Accepted", reject: "Rejected", unsure: "Unsure" };
export const VERDICTS = [
  ["accept", "Accept"],
  ["reject", "Reject"],
  ["unsure", "Unsure"],
];

export const NO_TEXT = "This article has no text to review.";
const NO_PROPOSALS = "No sentence was proposed. Go to a key sentence and mark it ({missed}).";
const BLIND = "Go to a key sentence and mark it ({missed}).";
const NO_KEYS = "(hover: none) and (pointer: coarse), (width <= 700px)"; // as controls.css and narrow.css

// A text that names actions in braces, with the keys of the reviewer; "({undo})" is left out where there are no keys.
export function withKeys(text, keys) {
  const kept = matchMedia(NO_KEYS).matches ? text.replaceAll(/ \(\{\w+\}\)/gu, "") : text;
  return kept.replaceAll(/\{(\w+)\}/gu, (_, action) => keys[action]);
}

// Why there is no proposal to go to.
export function nothingIn({ pane, isBlind, keys }) {
  if (!pane.sentences.length) return NO_TEXT;
  return withKeys(isBlind ? BLIND : NO_PROPOSALS, keys);
}
