// The panel that lists the keys, and the one with the guideline of the topic: what a key sentence is.
// In: what closes them, and the topic with its guideline as blocks of runs of text. Out: elements, hidden until asked for.

import { button, el } from "./elements.js";

const HELP = [
  ["A", "accept the proposal"],
  ["X", "reject it"],
  ["S", "mark it as unsure"],
  ["U", "undo, as often as you like"],
  ["J ↓", "next proposal"],
  ["K ↑", "previous proposal"],
  ["] →", "next sentence (with Shift: next paragraph)"],
  ["[ ←", "previous sentence (with Shift: previous paragraph)"],
  ["M", "mark or unmark the sentence as a missed key sentence"],
  ["C", "comment on the sentence"],
  ["E", "correct what a key sentence names"],
  ["F", "mark the article as read in full"],
  ["O", "list the likeliest proposals first, or in reading order"],
  ["G", "show or hide the guideline: what a key sentence is"],
  ["N", "next article"],
  ["P", "previous article"],
  ["?", "show or hide this help"],
];

export function helpPanel(close) {
  const rows = HELP.flatMap(([keys, meaning]) => [
    el("dt", {}, ...keys.split(" ").map((key) => el("kbd", {}, key))),
    el("dd", {}, meaning),
  ]);
  return el(
    "section",
    { class: "help", "aria-label": "Keys", hidden: true },
    el("h3", {}, "Keys"),
    el("dl", {}, ...rows),
    el("p", {}, "Click a highlighted sentence to judge it, any other sentence to mark it as missed."),
    button("Close", { class: "quiet", click: close }, "Esc"),
  );
}

export function guidelinePanel({ name, guideline }, close) {
  const title = `Guideline: ${name}`;
  return el(
    "aside",
    { class: "guideline", "aria-label": title, hidden: true },
    el("h3", {}, title),
    ...blocks(guideline),
    button("Close", { class: "quiet", click: close }, "G"),
  );
}

function blocks(guideline) {
  const nodes = [];
  for (const { tag, runs } of guideline) {
    const node = el(tag, {}, ...runs.map(([text, style]) => (style ? el(style, {}, text) : text)));
    if (tag !== "li") nodes.push(node);
    else if (nodes.at(-1)?.tagName === "UL") nodes.at(-1).append(node);
    else nodes.push(el("ul", {}, node));
  }
  return nodes;
}
