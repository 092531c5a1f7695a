// Signs and words that several scripts show. Words that one script alone shows stand in that script.

export const SIGNS = { accept: "✓", reject: "✕", unsure: "?" };
export const VERDICT_NAMES = { accept: "Accepted", reject: "Rejected", unsure: "Unsure" };
export const VERDICT_KEYS = [
  ["A", "accept", "Accept"],
  ["X", "reject", "Reject"],
  ["S", "unsure", "Unsure"],
];
export const NO_TEXT = "This article has no text to review.";
