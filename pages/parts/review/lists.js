// The list of the proposals, in one of two orders, and below it the list of the missed key sentences.
// In: the reader, for the proposals and verdicts. Out: an element; a click on an entry goes to its sentence.

import { button, el, plural, setData } from "./elements.js";
import { SIGNS, VERDICT_NAMES, withKeys } from "./words.js";

const WITHOUT_PROPOSALS =
  "This article comes without proposals, to measure what they miss. Mark each key sentence ({missed}), then say that " +
  "you have read all ({read}).";

export class Lists {
  #buttons = {}; // order -> button
  #entries = new Map(); // sentence -> list entry

  // `progress` heads the list.
  constructor(reader, progress) {
    this.reader = reader;
    this.proposals = el("ol", { class: "proposals", "aria-label": "Proposed key sentences" });
    const missed = reader.isBlind ? "Key sentences" : "Missed key sentences";
    this.missed = el("ol", { class: "missed", "aria-label": missed });
    this.missedHead = el("h3", {}, missed);
    for (const sentence of reader.proposals.sentences) this.#addEntry(sentence);
    const blind = el("p", { class: "blind", hidden: !reader.isBlind }, withKeys(WITHOUT_PROPOSALS, reader.keys));
    this.more = button("", { class: "quiet more", click: () => reader.moving.showMore() }, reader.keys.more);
    this.moreText = el("span", {});
    this.more.append(this.moreText);
    const proposed = [this.proposals, this.more];
    this.node = el("div", { class: "lists" }, this.#head(progress), blind, ...proposed, this.missedHead, this.missed);
  }

  #head(progress) {
    const { reader } = this;
    const option = (order, label) => {
      this.#buttons[order] = button(label, {
        click: () => reader.setOrder(order),
        title: `Switch order: ${reader.keys.order}`,
      });
      return this.#buttons[order];
    };
    const switcher = el(
      "span",
      { class: "switch", role: "group", "aria-label": "Order of the proposals" },
      option("score", "Most likely"),
      option("reading", "Reading"),
    );
    this.news = el("span", { class: "unseen", role: "status", "aria-live": "polite" });
    return el(
      "div",
      { class: "head" },
      progress.node,
      el("div", { class: "row", hidden: !reader.proposals.count }, switcher),
      this.news,
    );
  }

  #addEntry(sentence) {
    const { text } = this.reader.pane.sentences[sentence];
    const entry = el(
      "button",
      { type: "button", class: "entry", click: () => this.reader.go(sentence) },
      el("span", { class: "sign" }),
      el("span", { class: "rank" }),
      el("span", { class: "change" }),
      el("span", { class: "text" }, text),
    );
    this.#entries.set(sentence, entry);
  }

  // After a new ranking. The entry being looked at stays where it is on the screen, even if entries come in above it.
  renew(moved, gone) {
    for (const sentence of gone) this.#entries.delete(sentence);
    for (const sentence of moved) if (!this.#entries.has(sentence)) this.#addEntry(sentence);
    if (!moved.length && !gone.length) return;
    const here = this.#entries.get(this.reader.sentence);
    const before = here?.getBoundingClientRect().top;
    this.arrange(moved);
    if (here) this.node.scrollTop += here.getBoundingClientRect().top - before;
  }

  // After somebody has asked for more: these are shown now, too.
  add(sentences) {
    for (const sentence of sentences) this.#addEntry(sentence);
    this.arrange(sentences);
  }

  // Entries of the sentences that have moved fade in.
  arrange(moved = []) {
    const { order, proposalsInOrder } = this.reader;
    const focused = this.node.getRootNode().activeElement; // taking it out of the list would take the focus off it
    this.proposals.replaceChildren(
      ...proposalsInOrder.map(({ sentence }) => {
        const entry = this.#entries.get(sentence);
        entry.classList.toggle("moved", moved.includes(sentence));
        return el("li", {}, entry);
      }),
    );
    const { hidden } = this.reader.proposals;
    this.more.hidden = !hidden;
    this.moreText.textContent = `Show ${hidden} more`;
    if (focused?.isConnected && this.proposals.contains(focused)) focused.focus({ preventScroll: true });
    for (const name of ["score", "reading"]) this.#buttons[name].setAttribute("aria-pressed", order === name);
  }

  // Read aloud where a new ranking has moved sentences.
  sayMoved(moved) {
    if (moved) this.news.textContent = `The order has changed: ${plural(moved, "sentence")} moved`;
  }

  showCurrent(sentence, scroll) {
    this.node.querySelector(".entry[aria-current]")?.removeAttribute("aria-current");
    const entry = this.#entries.get(sentence);
    if (!entry) return;
    entry.setAttribute("aria-current", "true");
    if (!scroll) return;
    const { node } = this;
    const [box, frame] = [entry.getBoundingClientRect(), node.getBoundingClientRect()];
    const head = node.firstElementChild.offsetHeight; // sticky: it covers the first entry
    if (box.top < frame.top + head) node.scrollTop += box.top - frame.top - head;
    else if (box.bottom > frame.bottom) node.scrollTop += box.bottom - frame.bottom;
  }

  paintEntry(sentence) {
    const entry = this.#entries.get(sentence);
    if (!entry) return;
    const verdict = this.reader.answers.verdict(sentence);
    const { proposals, pane } = this.reader;
    const proposal = proposals.get(sentence);
    if (!proposal) return;
    const change = proposals.changeOf(sentence);
    setData(entry, "verdict", verdict);
    for (const [cell, text] of [SIGNS[verdict] ?? "", proposal.rank, change].entries()) {
      entry.children[cell].textContent = text;
    }
    entry.title = change ? `After your last verdict: ${change}` : "";
    const said = [proposal.rank, change, VERDICT_NAMES[verdict] ?? "Not judged", pane.sentences[sentence].text];
    entry.setAttribute("aria-label", said.filter(Boolean).join(": "));
  }

  showMissed() {
    const { pane, missed } = this.reader;
    this.missedHead.hidden = !missed.length;
    this.missed.replaceChildren(
      ...missed.map((sentence) =>
        el(
          "li",
          {},
          el(
            "button",
            { type: "button", class: "entry", "data-missed": true, click: () => this.reader.go(sentence) },
            el("span", { class: "sign" }, "+"),
            el("span", { class: "text" }, pane.sentences[sentence].text),
          ),
        ),
      ),
    );
  }
}
