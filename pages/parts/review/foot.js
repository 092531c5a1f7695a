// The foot of the rail: read in full, what the colours of the terms mean, help, and the way to other articles.
// In: the reader, and where the article stands in the queue.
// Out: an element; every button calls an action of the reader.

import { button, el } from "./elements.js";
import { kindsIn } from "./text_spans.js";

export class Foot {
  #wasDone = false; // in this visit

  constructor(reader) {
    this.reader = reader;
    this.read = button("I have read the whole article", {
      class: "read",
      role: "checkbox",
      click: () => reader.judging.toggleRead(),
    });
    this.read.prepend(el("span", { class: "box", "aria-hidden": "true" }));
    this.read.append(el("kbd", { "aria-hidden": "true" }, reader.keys.read));
    this.queue = el("span", { class: "queue" });
    this.previous = button(
      "Previous",
      { class: "previous", click: () => reader.leaving.openPrevious() },
      reader.keys.previous_article,
    );
    this.next = button("Next", { class: "next", click: () => reader.leaving.openNext() }, reader.keys.next_article);
    this.showQueue(reader.reading.queue);
    this.node = el(
      "div",
      { class: "foot" },
      this.read,
      this.#legend(),
      el("div", { class: "row turn" }, this.previous, this.queue, this.next),
    );
  }

  #legend() {
    const legend = el("div", { class: "legend", "aria-label": "Highlighted terms" });
    for (const [name, style] of kindsIn(this.reader.reading)) legend.append(el("mark", { class: style }, name));
    const { reader } = this;
    const guideline = button(
      "Guideline",
      { class: "quiet", click: () => reader.toggleGuideline() },
      reader.keys.guideline,
    );
    legend.append(el("span", {}, guideline, button("Help", { class: "quiet", click: () => reader.toggleHelp() }, "?")));
    return legend;
  }

  showQueue({ previous }) {
    this.previous.disabled = previous == null;
    this.showReviewed();
  }

  // This article counts as long as it is done, though the page was told at another time.
  showReviewed() {
    const { reviewed, reviewed_then: then, reviewed_without: without } = this.reader.reading.queue;
    const { isDone } = this.reader;
    this.#wasDone ||= isDone;
    let words = this.#wasDone ? without : reviewed;
    if (isDone) words = then;
    [this.queue.textContent] = words.split(", "); // what came labelled stands on Queue
    this.queue.title = words;
  }

  showNext(next) {
    this.next.title = next ? `${next.title}: ${next.reason}` : "";
  }

  showRead() {
    this.read.setAttribute("aria-checked", this.reader.answers.read);
  }
}
