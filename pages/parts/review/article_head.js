// What stands above the article: a line with its title and source, and one with why it is next and the menus.
// In: the reading and the article's text. Out: an element; a section that is chosen is scrolled to.

import { Roles } from "./roles.js";
import { el } from "./elements.js";

export class ArticleHead {
  constructor(reading, pane) {
    this.pane = pane;
    this.sections = this.#sectionMenu();
    this.roles = new Roles(reading, pane);
    const { article, assignment } = reading;
    const source = [article.journal, article.year, ...article.ids].filter(Boolean).join(" · ");
    this.node = el(
      "header",
      {},
      el(
        "div",
        { class: "row" },
        el("h1", { title: article.title }, article.title),
        el("span", { class: "source", title: source }, source),
      ),
      el("div", { class: "row" }, reasonLine(assignment ?? {}), this.roles.node, this.sections),
    );
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
