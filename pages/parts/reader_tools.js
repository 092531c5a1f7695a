// Constants and small tools of the article reader.

const SIGNS = { accept: "✓", reject: "✕", unsure: "?" };
const VERDICT_NAMES = { accept: "Accepted", reject: "Rejected", unsure: "Unsure" };
const VERDICT_KEYS = [["A", "accept", "Accept"], ["X", "reject", "Reject"], ["S", "unsure", "Unsure"]];
const TERM_NAMES = { gene: "gene", cell: "cell", edit: "edit" };
const MARK_TAGS = { sub: "sub", sup: "sup", italic: "i" };
const KIND_LABELS = { caption: "Caption", table: "Table", formula: "Formula", note: "Note" };
const HELP = [
  ["A", "accept the proposal"],
  ["X", "reject it"],
  ["S", "unsure"],
  ["U", "undo, as often as you like"],
  ["J ↓", "next proposal"],
  ["K ↑", "previous proposal"],
  ["] →", "next sentence (with Shift: next paragraph)"],
  ["[ ←", "previous sentence (with Shift: paragraph)"],
  ["M", "mark or unmark the sentence as a missed key sentence"],
  ["C", "comment on the sentence"],
  ["F", "I have read the whole article"],
  ["O", "proposals by score or in reading order"],
  ["N", "next article"],
  ["P", "previous article"],
  ["?", "show or hide this help"],
];
const NO_TEXT = "This article has no text to review.";
const WITHOUT_PROPOSALS = "This article comes without proposals: read it and mark each key sentence with M, then press F.";
const NO_PROPOSALS = "No sentence was proposed. Mark what is key: click it, or walk with ] and press M.";
const ORDER_KEY = "keyline:order";
const DRAG_PX = 4; // a pointer that moved further was selecting text
const HEARTBEAT_MS = 4 * 60_000; // an article in hand is leased for half an hour
const SAVING_MS = 2000; // the queue is asked for the next article when it knows what was said of this one
const MISCLICK_MS = 1500; // a click meant for a proposal that has just gone must not mark the sentence
const LEAVING_MS = 1500; // keys typed ahead of the next article must not judge this one
const COMMENT_LENGTH = 4000;

function el(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") node.addEventListener(name, value);
    else if (value != null && value !== false) node.setAttribute(name, value === true ? "" : value);
  }
  node.append(...children);
  return node;
}

function button(label, attributes, key) {
  const cap = key ? [el("kbd", { "aria-hidden": "true" }, key)] : [];
  return el("button", { type: "button", "aria-keyshortcuts": key, ...attributes }, ...cap, label);
}

const plural = (count, noun) => `${count} ${noun}${count === 1 ? "" : "s"}`;

// Python counts code points, JavaScript UTF-16 units: they part ways after an emoji or a 𝛼.
function unitOffsets(text) {
  if (!/[\ud800-\udfff]/.test(text)) return (offset) => offset;
  const units = [0];
  for (const character of text) units.push(units.at(-1) + character.length);
  return (offset) => units[Math.min(offset, units.length - 1)];
}

// The spans of a paragraph, innermost kind first.
function paragraphSpans({ marks = [], terms = [] }, toUnits) {
  const inner = marks.map(([start, end, style]) => [start, end, MARK_TAGS[style], null]);
  const outer = terms.map(([start, end, kind]) => [start, end, "mark", `term ${kind}`]);
  return [...inner, ...outer]
    .filter(([start, end, tag]) => tag && start < end)
    .map(([start, end, tag, style]) => ({ start: toUnits(start), end: toUnits(end), tag, style }));
}

// Spans may overlap without nesting (an italic gene symbol that ends inside a longer term): cut at every edge.
function appendText(node, text, start, end, spans) {
  const inside = spans.filter((span) => span.start < end && span.end > start);
  const edges = new Set([start, end]);
  for (const span of inside) edges.add(Math.max(span.start, start)).add(Math.min(span.end, end));
  const cuts = [...edges].sort((a, b) => a - b);
  for (let i = 1; i < cuts.length; i++) {
    let leaf = document.createTextNode(text.slice(cuts[i - 1], cuts[i]));
    for (const { start: from, end: to, tag, style } of inside) {
      if (from <= cuts[i - 1] && to >= cuts[i]) leaf = el(tag, { class: style }, leaf);
    }
    node.append(leaf);
  }
}
