// What each sentence does: a quiet mark in the margin, a filter, and how often each role stands in each section.
// In: the roles of the reading, where it was read, and the article's text. Out: a menu and a table for the rail; attributes.

import { el, setData } from "./elements.js";
import { storage } from "../shared/storage.js";

const SHOWN_KEY = "keyline:roles";
const SHOWN = { all: "All sentences", results: "Own results", "no-background": "Hide background" };
const HINT = "What each sentence does, read from its words and its place. It can be wrong.";

export class Roles {
  constructor({ roles }, pane) {
    this.pane = pane;
    this.names = roles?.names ?? [];
    this.of = roles?.of ?? [];
    this.menu = this.#menu();
    this.counts = this.#counts();
    this.menu.hidden = this.counts.hidden = !this.names.length;
    if (!this.names.length) return;
    setData(pane.node, "roles", "");
    for (const [number, { node }] of pane.sentences.entries()) this.#mark(node, number, roles);
    this.show(storage.read(SHOWN_KEY) ?? "all");
  }

  #mark(node, number, { sure, functions }) {
    const name = this.names[this.of[number]];
    const fine = functions[number];
    setData(node, "role", name);
    setData(node, "function", fine || null);
    if (name) node.title = `${name}${fine ? `: ${fine}` : ""} · ${sure[number]}% sure`;
  }

  #menu() {
    const options = Object.entries(SHOWN).map(([value, label]) => el("option", { value }, label));
    const change = () => {
      this.show(this.menu.value);
      this.pane.focus(); // a focused menu would swallow the keys
    };
    return el(
      "select",
      { class: "shown-roles", "aria-label": "Sentences by what they do", title: HINT, change },
      ...options,
    );
  }

  show(shown) {
    const known = shown in SHOWN ? shown : "all";
    this.menu.value = known;
    setData(this.pane.node, "shown", known);
    storage.put(SHOWN_KEY, known);
  }

  // A table: a section a row, a role a column.
  #counts() {
    const rows = this.#bySection();
    const head = ["", ...this.names].map((name, column) => el("th", { "data-role": column ? name : null }, name));
    const lines = rows.map(({ title, counts }) =>
      el("tr", {}, el("td", { title }, title), ...counts.map((count) => el("td", {}, count || "·"))),
    );
    const table = el("table", {}, el("thead", {}, el("tr", {}, ...head)), el("tbody", {}, ...lines));
    const summary = el("summary", { title: "The roles of sentences, and how often each section has each" }, "Roles");
    return el("details", { class: "role-counts" }, summary, table);
  }

  #bySection() {
    const rows = new Map();
    for (const [number, { section }] of this.pane.sentences.entries()) {
      const role = this.of[number];
      if (!(role >= 0)) continue;
      const title = this.pane.sectionPath(section).split(" › ", 1)[0] || "Text";
      if (!rows.has(title)) rows.set(title, { title, counts: this.names.map(() => 0) });
      rows.get(title).counts[role]++;
    }
    return [...rows.values()];
  }
}
