// The panel that lists the keys. In: what closes it. Out: an element, hidden until it is asked for.

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
  ["F", "mark the article as read in full"],
  ["O", "list the proposals by score, or in reading order"],
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
