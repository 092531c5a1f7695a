// The article's text.
// In: the reading, and what to do when a sentence is clicked. Out: an element, and each sentence's place in it.
// The text is built once; afterwards only attributes of sentences change.

import { el, setData } from "./elements.js";
import { isSecondClick } from "../shared/between_clicks.js";
import { appendText, paragraphSpans, termClass, unitOffsets } from "./text_spans.js";
import { NO_TEXT, SIGNS, withKeys } from "./words.js";

const KIND_LABELS = { caption: "Caption", table: "Table", formula: "Formula", note: "Note" };
// What has the focus while an article is judged. A screen reader keeps letters for itself, to jump to headings and lists;
// where it meets an application it passes them on. It reads the text next to it in its own way.
const KEYS = {
  class: "key-taker",
  tabindex: "0",
  role: "application",
  "aria-label": "Judge by keys",
};
const KEYS_IN_WORDS =
  "{accept} accepts, {reject} rejects, {unsure} is unsure. Down and up go to proposals, right and left to sentences. " +
  "{missed} marks a sentence, question mark lists all keys.";
const DRAG_PX = 4; // a pointer that moved further was selecting text

export class ArticlePane {
  #sectionNodes = []; // section index -> element
  #ticks = new Map(); // sentence -> its tick on the ruler
  #lastKind = null; // a run of table rows or captions carries its label once

  constructor(reading, onPick) {
    this.reading = reading;
    this.termClasses = new Map(reading.topic.kinds.map((kind) => [kind.key, termClass(kind)]));
    this.sentences = []; // running number -> {node, text, section, paragraph}
    this.node = el("section", { class: "pane", tabindex: "-1", role: "region", "aria-label": "Article text" });
    this.keys = el("div", { ...KEYS, "aria-description": withKeys(KEYS_IN_WORDS, reading.keys) });
    this.node.append(this.keys);
    this.ruler = el("div", { class: "ruler", "aria-hidden": "true" });
    reading.paragraphs.forEach((paragraph, position) => this.#addParagraph(paragraph, position));
    if (!this.sentences.length) {
      this.node.append(el("p", { class: "empty" }, NO_TEXT));
    }
    this.#listen(onPick);
  }

  // A section's element, made when its first text arrives: sections without text leave no empty heading.
  #section(index) {
    const section = this.reading.sections[index];
    if (!section) return this.node;
    if (!this.#sectionNodes[index]) {
      const parent = this.#section(this.#parentOf(index));
      const heading = el("h2", { "data-depth": Math.min(section.depth, 3) }, section.title);
      const node = el("section", { "data-section": index, "data-kind": section.kind });
      if (section.title) node.append(heading);
      parent.append(node);
      this.#sectionNodes[index] = node;
      this.#lastKind = null;
    }
    return this.#sectionNodes[index];
  }

  #parentOf(index) {
    const { sections } = this.reading;
    let parent = index - 1;
    while (parent >= 0 && sections[parent].depth >= sections[index].depth) parent--;
    return parent;
  }

  #addParagraph(paragraph, position) {
    const parent = this.#section(paragraph.section);
    const label = KIND_LABELS[paragraph.kind];
    if (label && paragraph.kind !== this.#lastKind) parent.append(el("div", { class: "label" }, label));
    this.#lastKind = paragraph.kind;

    const node = el("p", { class: paragraph.kind.replace(" ", "-") });
    const toUnits = unitOffsets(paragraph.text);
    const spans = paragraphSpans(paragraph, toUnits, this.termClasses, this.reading.entity_links);
    let done = 0;
    for (const [from, to] of paragraph.sentences) {
      const [start, end] = [toUnits(from), toUnits(to)];
      appendText(node, paragraph.text, done, start, spans);
      node.append(this.#sentence(paragraph, position, start, end, spans));
      done = end;
    }
    appendText(node, paragraph.text, done, paragraph.text.length, spans);
    parent.append(node);
  }

  #sentence(paragraph, position, start, end, spans) {
    const number = this.sentences.length;
    const node = el("span", { class: "sentence", id: `s${number}`, "data-sentence": number });
    appendText(node, paragraph.text, start, end, spans);
    const text = paragraph.text.slice(start, end);
    this.sentences.push({ node, text, section: paragraph.section, paragraph: position });
    return node;
  }

  #listen(onPick) {
    let down = null;
    this.node.addEventListener("pointerdown", (event) => (down = event));
    this.node.addEventListener("click", (event) => {
      const named = event.target.closest("[data-url]");
      if (named && (event.ctrlKey || event.metaKey)) {
        open(named.dataset.url, "_blank", "noopener,noreferrer");
        return;
      }
      const sentence = event.target.closest("[data-sentence]");
      if (!sentence || isSecondClick(event) || this.#wasSelecting(down, event)) return;
      onPick(Number(sentence.dataset.sentence));
    });
  }

  #wasSelecting(down, up) {
    // Chromium keeps a selection for each shadow root, the other browsers one for the document.
    const selection = this.node.getRootNode().getSelection?.() ?? getSelection();
    if (selection && !selection.isCollapsed && String(selection)) return true;
    return Boolean(down) && Math.hypot(up.clientX - down.clientX, up.clientY - down.clientY) > DRAG_PX;
  }

  get sectionsWithText() {
    return this.reading.sections
      .map((section, index) => ({ ...section, index, node: this.#sectionNodes[index] }))
      .filter(({ node, title }) => node && title);
  }

  // "Results › Cell lines"
  sectionPath(index) {
    const titles = [];
    for (let i = index; i >= 0 && this.reading.sections[i]; i = this.#parentOf(i)) {
      titles.unshift(this.reading.sections[i].title);
    }
    return titles.filter(Boolean).join(" › ");
  }

  paint(number, { verdict, proposal, comment }) {
    const { node } = this.sentences[number];
    const isMissed = !proposal && verdict === "accept";
    const sign = isMissed ? "+" : SIGNS[verdict];
    node.style.setProperty("--likely", likelihood(verdict, proposal));
    setData(node, "verdict", verdict);
    setData(node, "rank", proposal?.rank);
    setData(node, "missed", isMissed ? "" : null);
    setData(node, "badge", [sign, proposal?.rank, comment && "✎"].filter(Boolean).join(" ") || null);
    this.#paintTick(number);
  }

  setCurrent(number, scroll) {
    this.node.querySelector("[aria-current]")?.removeAttribute("aria-current");
    const node = this.sentences[number]?.node;
    if (!node) return;
    node.setAttribute("aria-current", "true");
    if (scroll) this.#centre(node);
  }

  focus() {
    this.keys.focus({ preventScroll: true });
  }

  // What fits is never scrolled, nor can it be: then there is no empty room below the text.
  settle() {
    const { node } = this;
    const { top } = node.getBoundingClientRect();
    const end = node.lastElementChild.getBoundingClientRect().bottom + node.scrollTop - top;
    const covered = Number(getComputedStyle(node).paddingBottom.replace("px", ""));
    const fits = end <= node.clientHeight - covered;
    setData(node, "fits", fits ? "" : null);
    if (fits) node.scrollTop = 0;
    return fits;
  }

  // Not scrollIntoView: that would scroll Streamlit's page as well.
  #centre(node) {
    if (this.settle()) return;
    const box = node.getBoundingClientRect();
    const pane = this.node.getBoundingClientRect();
    const margin = Math.max(40, (this.node.clientHeight - box.height) / 2); // a tall sentence: show its beginning
    this.node.scrollTop += box.top - pane.top - margin;
  }

  scrollToSection(index) {
    const node = this.#sectionNodes[index];
    this.node.scrollTop += node.getBoundingClientRect().top - this.node.getBoundingClientRect().top;
  }

  // The strip next to the scroll bar: where in the article the proposals and the missed sentences lie.
  drawRuler(numbers, onPick) {
    this.settle();
    const offset = this.node.scrollTop - this.node.getBoundingClientRect().top;
    const height = this.node.scrollHeight || 1;
    this.#ticks.clear();
    for (const number of numbers) {
      const tick = el("i", { class: "tick", click: () => onPick(number) });
      const { top } = this.sentences[number].node.getBoundingClientRect();
      tick.style.top = `${(100 * (top + offset)) / height}%`;
      this.#ticks.set(number, tick);
      this.#paintTick(number);
    }
    this.ruler.replaceChildren(...this.#ticks.values());
  }

  #paintTick(number) {
    const tick = this.#ticks.get(number);
    if (!tick) return;
    const { verdict, missed } = this.sentences[number].node.dataset;
    setData(tick, "verdict", verdict);
    setData(tick, "missed", missed);
  }
}

// By which its line is fainter: 1 where a verdict says what the sentence is, or where the chance is not known.
function likelihood(verdict, proposal) {
  return (!verdict && proposal?.probability) || 1;
}
