// The card of the current sentence: where it stands, what speaks for it, and the buttons that judge it.
// In: the reader, for the sentence on show. Out: an element; every button calls an action of the reader.

import { button, el } from "./elements.js";
import { isSecondClick } from "../shared/between_clicks.js";
import { SIGNS, VERDICTS, VERDICT_NAMES, withKeys } from "./words.js";

export class Card {
  #buttons = {}; // verdict -> button

  // `parts` are the panels that stand inside the card: {labels, why, comments}.
  constructor(reader, parts) {
    this.reader = reader;
    this.where = el("div", { class: "where" });
    this.verdicts = this.#verdicts();
    this.mark = button("", { class: "mark", click: () => reader.judging.toggleMissed() });
    this.alike = button("More like this", { class: "quiet", click: () => reader.askAlike() });
    this.hint = el("div", { class: "hint" });
    this.node = el(
      "div",
      { class: "card" },
      el("div", { class: "row" }, this.where, this.alike),
      this.verdicts,
      this.mark,
      parts.labels.node,
      parts.why.node,
      parts.why.query,
      this.#tools(),
      parts.comments.node,
      this.hint,
    );
  }

  #verdicts() {
    const row = el("div", { class: "verdicts" });
    for (const [verdict, label] of VERDICTS) {
      const sign = el("span", { class: "sign", "aria-hidden": "true" }, SIGNS[verdict]);
      const judge = (event) => isSecondClick(event) || this.reader.judging.judge(verdict);
      this.#buttons[verdict] = button(label, { class: verdict, click: judge }, this.reader.keys[verdict]);
      this.#buttons[verdict].append(sign);
      row.append(this.#buttons[verdict]);
    }
    return row;
  }

  #tools() {
    const { judging, keys } = this.reader;
    return el(
      "div",
      { class: "tools" },
      button("Comment", { class: "quiet", click: () => judging.comment() }, keys.comment),
      button("Undo", { class: "quiet", click: () => judging.undo() }, keys.undo),
      button("Article note", { class: "quiet", click: () => judging.comment(null) }),
    );
  }

  show() {
    const { reader } = this;
    const { sentence, pane } = reader;
    const proposal = reader.proposals.get(sentence);
    const verdict = reader.answers.verdict(sentence);
    const here = pane.sentences[sentence];
    this.where.textContent = this.#whereText(sentence, proposal);
    this.verdicts.hidden = !proposal;
    this.alike.hidden = !here || !reader.head.roles.names.length;
    for (const [name] of VERDICTS) this.#buttons[name].setAttribute("aria-pressed", verdict === name);
    this.mark.hidden = Boolean(proposal) || !here;
    this.mark.replaceChildren(
      el("kbd", {}, reader.keys.missed),
      verdict === "accept" ? "Unmark: not a key sentence" : `Mark as a ${reader.isBlind ? "" : "missed "}key sentence`,
    );
    this.mark.setAttribute("aria-pressed", verdict === "accept");
  }

  #whereText(sentence, proposal) {
    if (sentence == null) return "No sentence selected";
    if (proposal) return this.#placeText(proposal);
    const { isBlind, answers } = this.reader;
    if (answers.verdict(sentence) === "accept") return isBlind ? "Key sentence" : "Missed key sentence";
    return isBlind ? "Not marked" : "Not proposed";
  }

  #placeText({ rank, sentence }) {
    const { proposals } = this.reader;
    const change = proposals.changeOf(sentence);
    return `Proposal ${rank} of ${proposals.count}${change ? `, ${change}` : ""}`;
  }

  // The sentence on show, for those who hear it: its place, its section, the verdict on it, its words.
  inWords() {
    const { answers, pane, sentence } = this.reader;
    const here = pane.sentences[sentence];
    if (!here) return [];
    const said = VERDICT_NAMES[answers.verdict(sentence)];
    return [[this.where.textContent, pane.sectionPath(here.section), said].filter(Boolean).join(", "), here.text];
  }

  say(text) {
    this.hint.replaceChildren(text);
  }

  // Shown when no proposal is left to judge: the one moment to look ahead.
  sayDone(done = "All proposals are judged.") {
    const { answers, keys, proposals } = this.reader;
    const hidden = proposals.hidden ? ` ${proposals.hidden} more can be shown ({more}).` : "";
    const rest = answers.read
      ? ""
      : " Read the rest for missed key sentences, then say that you have read all ({read}).";
    const words = withKeys(done + hidden + rest, keys);
    this.hint.replaceChildren(
      words,
      button("Next article", { class: "offer", click: () => this.reader.leaving.openNext() }, keys.next_article),
    );
    return words;
  }
}
