// Signs and words that several scripts show. Words that one script alone shows stand in that script.

export const SIGNS = { accept: "✓", reject: "✕", unsure: "?" };
export const VERDICT_NAMES = { accept: "Accepted", reject: "Rejected", unsure: "Unsure" };
export const VERDICTS = [
  ["accept", "Accept"],
  ["reject", "Reject"],
  ["unsure", "Unsure"],
];

export const NO_TEXT = "This article has no text to review.";
const NO_PROPOSALS =
  "No sentence was proposed. To mark a key sentence, click it or go to it with ], then press {missed}.";
const BLIND = "{missed} marks the current sentence as a key sentence.";

// A text that names actions in braces, with the keys of the reviewer.
export const withKeys = (text, keys) => text.replaceAll(/\{(\w+)\}/gu, (_, action) => keys[action]);

// Why there is no proposal to go to.
export function nothingIn({ pane, isBlind, keys }) {
  if (!pane.sentences.length) return NO_TEXT;
  return withKeys(isBlind ? BLIND : NO_PROPOSALS, keys);
}
