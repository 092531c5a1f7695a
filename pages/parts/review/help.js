// The panel that lists the keys, the one with the guideline of the topic, and the tour.
// In: what closes them, and the topic with its guideline as blocks of runs of text. Out: elements, hidden until asked for.

import { button, el } from "./elements.js";
import { Tour } from "./tour.js";
import { withKeys } from "./words.js";

const HELP = [
  ["{accept}", "accept the proposal"],
  ["{reject}", "reject it"],
  ["{unsure}", "mark it as unsure"],
  ["{undo}", "undo, as often as you like"],
  ["{next_proposal} ↓", "next proposal"],
  ["{previous_proposal} ↑", "previous proposal"],
  ["{more}", "show more proposals"],
  ["] →", "next sentence (with Shift: next paragraph)"],
  ["[ ←", "previous sentence (with Shift: previous paragraph)"],
  ["{missed}", "mark or unmark the sentence as a missed key sentence"],
  ["{comment}", "comment on the sentence"],
  ["{labels}", "correct what a key sentence names"],
  ["{read}", "mark the article as read in full"],
  ["{order}", "list the most likely proposals first, or in reading order"],
  ["{cosine}", "show or hide the cosine of proposals and the query"],
  ["{guideline}", "show or hide the guideline: what a key sentence is"],
  ["{next_article}", "next article"],
  ["{previous_article}", "previous article"],
  ["?", "show or hide this help"],
];

// All that explains itself, each hidden until it is asked for.
export function panelsOf(reader) {
  const { keys } = reader;
  const help = helpPanel(
    keys,
    () => reader.toggleHelp(),
    () => reader.showTour(),
  );
  const guideline = guidelinePanel(reader.reading.topic, () => reader.toggleGuideline(), keys);
  return { help, guideline, tour: new Tour(reader.reading, reader.host, keys, () => reader.tellToured()) };
}

function helpPanel(keys, close, tour) {
  const rows = HELP.map(([named, meaning]) => {
    const caps = withKeys(named, keys).split(" ");
    return el("div", {}, el("dt", {}, ...caps.map((key) => el("kbd", {}, key))), el("dd", {}, meaning));
  });
  return el(
    "section",
    { class: "help", "aria-label": "Keys", hidden: true },
    el("h3", {}, "Keys"),
    el("dl", {}, ...rows),
    el("p", {}, "Choose keys of your own behind your name, above the article: My keys."),
    el("p", {}, "A click selects a sentence. Keys and buttons judge or mark it."),
    el(
      "div",
      { class: "row" },
      button("Show the tour", { class: "quiet tour-again", click: tour }),
      button("Close", { class: "quiet", click: close }, "Esc"),
    ),
  );
}

function guidelinePanel({ name, guideline }, close, keys) {
  const title = `Guideline: ${name}`;
  return el(
    "aside",
    { class: "guideline", "aria-label": title, hidden: true },
    el("h3", {}, title),
    ...blocks(guideline),
    button("Close", { class: "quiet", click: close }, keys.guideline),
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
