// Writes a piece of text with its styles and marked terms.
// In: text, and spans counted as Python counts. Out: text nodes and elements, appended to a node.

import { el } from "./elements.js";

const MARK_TAGS = { sub: "sub", sup: "sup", italic: "i" };

// A kind of term by the colour and the underline that the topic gives it.
export const termClass = ({ colour, line }) => `term ${colour} ${line}`;

// The kinds that an article's text has, by name, each with how it is drawn there: recognised names before the topic's terms.
export function kindsIn({ paragraphs, topic }) {
  const spans = (what) => new Set(paragraphs.flatMap((paragraph) => (paragraph[what] ?? []).map(([, , kind]) => kind)));
  const kinds = new Map();
  for (const type of [...spans("entities")].sort()) {
    const [name] = type.split("_"); // kinds of one thing have one colour
    kinds.set(name[0].toUpperCase() + name.slice(1), `entity ${type}`);
  }
  const terms = spans("terms");
  for (const kind of topic.kinds) {
    if (terms.has(kind.key) && !kinds.has(kind.name)) kinds.set(kind.name, termClass(kind));
  }
  return kinds;
}

// Python counts code points, JavaScript UTF-16 units: they part ways after an emoji or a 𝛼.
export function unitOffsets(text) {
  // oxlint-disable-next-line require-unicode-regexp -- with the flag u it would not see the halves of a pair
  if (!/[\uD800-\uDFFF]/.test(text)) return (offset) => offset;
  const units = [0];
  for (const character of text) units.push(units.at(-1) + character.length);
  return (offset) => units[Math.min(offset, units.length - 1)];
}

// The spans of a paragraph, innermost kind first.
// `classes` tells how each kind of term is painted; links are looked up by what an entity is called.
export function paragraphSpans({ marks = [], terms = [], entities = [] }, toUnits, classes, links = {}) {
  const inner = marks.map(([start, end, style]) => [start, end, MARK_TAGS[style], null]);
  const named = entities.map(([start, end, kind, name]) => {
    const title = links[name] ? `${links[name].title} · Ctrl+click opens it` : null;
    return [start, end, "span", `entity ${kind}`, { title, "data-url": links[name]?.url || null }];
  });
  const outer = terms.map(([start, end, kind]) => [start, end, "mark", classes.get(kind) ?? "term"]);
  return [...inner, ...named, ...outer]
    .filter(([start, end, tag]) => tag && start < end)
    .map(([start, end, tag, style, more = {}]) => ({ start: toUnits(start), end: toUnits(end), tag, style, more }));
}

// Spans may overlap without nesting (an italic gene symbol that ends inside a longer term): cut at every edge.
export function appendText(node, text, start, end, spans) {
  const inside = spans.filter((span) => span.start < end && span.end > start);
  const edges = new Set([start, end]);
  for (const span of inside) edges.add(Math.max(span.start, start)).add(Math.min(span.end, end));
  const cuts = [...edges].sort((a, b) => a - b);
  for (let i = 1; i < cuts.length; i++) {
    let leaf = document.createTextNode(text.slice(cuts[i - 1], cuts[i]));
    for (const { start: from, end: to, tag, style, more } of inside) {
      if (from <= cuts[i - 1] && to >= cuts[i]) leaf = el(tag, { class: style, ...more }, leaf);
    }
    node.append(leaf);
  }
}
