// One article that was found, as it stands on the screen. In: a row of the page's data. Out: its element.
// Every text is put in as text: titles and sentences come from others.

import { isSecondClick } from "../shared/between_clicks.js";

const AT_ONCE = 2; // sentences of an article that are seen without a click
const ANSWERS = [
  ["relevant", "Relevant"],
  ["not", "Not relevant"],
  ["unsure", "Unsure"],
];

// A text in parts, each [words, facet or null]: what a facet matched is marked.
function makeText(parts, className) {
  const node = document.createElement("div");
  node.className = className;
  for (const [words, facet] of parts) {
    if (!facet) {
      node.append(words);
      continue;
    }
    const mark = document.createElement("mark");
    mark.dataset.facet = facet;
    mark.append(words);
    node.append(mark);
  }
  return node;
}

export function makeButton(label, { key = "", title = "", pressed = null } = {}, click = null) {
  const node = document.createElement("button");
  node.type = "button";
  node.title = title;
  if (key) {
    const cap = document.createElement("kbd");
    cap.setAttribute("aria-hidden", "true");
    cap.append(key);
    node.append(cap);
    node.setAttribute("aria-keyshortcuts", key);
  }
  node.append(label);
  if (pressed !== null) node.setAttribute("aria-pressed", String(pressed));
  if (click) node.addEventListener("click", click);
  return node;
}

function makeLink({ href, words, outside }) {
  const node = document.createElement("a");
  node.href = href;
  node.append(words);
  if (outside) Object.assign(node, { target: "_blank", rel: "noreferrer" });
  return node;
}

// The title is all that some records have.
function makeAbstract({ abstract }) {
  const told = abstract.some((parts) => parts.length);
  const paragraphs = told ? abstract : [[["No abstract.", null]]];
  return paragraphs.map((parts) => makeText(parts, "abstract"));
}

// The first sentences that match, each with the way to it; the others below a fold.
function makeSentences({ sentences }) {
  const nodes = sentences.map(({ parts, href, words }) => {
    const node = makeText(parts, "sentence");
    if (href) node.append(" ", makeLink({ href, words }));
    return node;
  });
  if (nodes.length <= AT_ONCE) return nodes;
  const rest = document.createElement("details");
  rest.append(document.createElement("summary"), ...nodes.splice(AT_ONCE));
  rest.firstChild.append(`${sentences.length - AT_ONCE} more`);
  return [...nodes, rest];
}

// `said` is "relevant", "unsure", "not" or "" ; `act` says what a button asks for: a value, "queue" or "select", and by
// which click.
export function makeRow(row, { said, isQueued, isAt, keys }, act) {
  const node = document.createElement("article");
  node.dataset.key = row.key;
  node.dataset.said = said;
  node.tabIndex = -1;
  if (isAt) node.setAttribute("aria-current", "true");
  node.append(makeHead(row));
  if (!row.abstract.length) node.append(makeWhy(row), ...makeSentences(row));
  else if (isAt) node.append(...makeAbstract(row));
  const foot = document.createElement("div");
  foot.className = "foot";
  const ask = (what) => (event) => isSecondClick(event) || act(row.key, what, event);
  const buttons = document.createElement("span");
  buttons.className = "buttons";
  buttons.append(
    ...ANSWERS.map(([value, label]) => makeButton(label, { key: keys[value], pressed: said === value }, ask(value))),
  );
  if (row.queueable && !row.abstract.length) {
    const words = isQueued ? "In your queue" : "To your queue";
    buttons.append(makeButton(words, { key: keys.queue, pressed: isQueued }, ask("queue")));
  }
  foot.append(buttons);
  if (row.state && !row.abstract.length)
    foot.append(Object.assign(document.createElement("span"), { className: "state", textContent: row.state }));
  node.append(foot);
  node.addEventListener("click", (event) => {
    if (!event.target.closest("a, button, summary")) act(row.key, "select");
  });
  return node;
}

function makeHead(row) {
  const head = document.createElement("header");
  const title = makeText(row.title, "title");
  title.setAttribute("role", "heading");
  title.setAttribute("aria-level", "3");
  const meta = document.createElement("div");
  meta.className = "meta";
  meta.append(row.meta);
  if (row.link) meta.append(row.meta ? " · " : "", makeLink(row.link));
  if (row.drawn && row.abstract.length) meta.append(" · drawn at random");
  head.append(title, meta);
  return head;
}

function makeWhy({ why, ranks, drawn }) {
  const node = document.createElement("div");
  node.className = "why";
  node.title = ranks;
  node.append(drawn ? `Drawn at random. ${why}` : why);
  return node;
}
