// What stands over the article: the way to its sections, what its sentences do, and why it is next.
// In: the reading and the article's text. Out: an element; a section that is chosen is scrolled to.

import { Roles } from "./roles.js";
import { el } from "./elements.js";

export class ArticleHead {
  constructor(reading, pane) {
    this.pane = pane;
    this.sections = this.#sectionMenu();
    this.roles = new Roles(reading, pane);
    const reason = reasonLine(reading.assignment ?? {});
    const menus = [this.sections, this.roles.menu, this.roles.counts];
    const hidden = [reason, ...menus].every((node) => node.hidden);
    this.node = el("div", { class: "within", hidden }, ...menus, reason);
  }

  #sectionMenu() {
    const { pane } = this;
    const options = pane.sectionsWithText.map(({ index }) => el("option", { value: index }));
    const menu = el(
      "select",
      { class: "sections", "aria-label": "Go to section" },
      el("option", { value: "" }, "Go to section"),
      ...options,
    );
    menu.addEventListener("change", () => {
      if (menu.value) pane.scrollToSection(Number(menu.value));
      menu.value = "";
      pane.focus(); // a focused menu would swallow the keys
    });
    menu.hidden = options.length < 2;
    return menu;
  }

  // The closed menu names the section of the sentence on show.
  showSection(sentence) {
    const here = this.pane.sentences[sentence];
    this.sections.options[0].textContent = (here && this.pane.sectionPath(here.section)) || "Go to section";
  }

  // Writes next to each section how many of these sentences stand in it.
  countSections(sentences) {
    const counts = new Map();
    for (const sentence of sentences) {
      const { section } = this.pane.sentences[sentence];
      counts.set(section, (counts.get(section) ?? 0) + 1);
    }
    for (const [position, { index, title, depth }] of this.pane.sectionsWithText.entries()) {
      const count = counts.has(index) ? `  (${counts.get(index)})` : "";
      this.sections.options[position + 1].textContent = `${"\u2003".repeat(depth)}${title}${count}`;
    }
  }
}

function reasonLine({ strategy, reason }) {
  const text = `Why this article: ${reason}`;
  return el("p", { class: "reason", title: text, hidden: !reason || strategy === "by hand" }, text);
}
