// Why a sentence was proposed: what spoke most for it as a few chips, all of it behind them.
// In: the reader, for the sentence on show. Out: the chips, and what spoke for and against it as a list with bars.

import { bringIntoSight, button, el, percent } from "./elements.js";
import { storage } from "../shared/storage.js";

const QUERY_KEY = "keyline:cosine";
const REASONS = 4; // the strongest; the others come by a click
const MOST = 10; // the rest is small
const CHIPS = 3;
const REASON_NOTES = {
  live: "Compared with this article's average sentence, by what was learnt from the verdicts so far:",
  learned: "Compared with this article's average sentence, by the ranking that was trained on the verdicts:",
  hybrid: "What spoke for it and against it, by the topic's words and the similarity to the query:",
  terms: "What spoke for it and against it, by the topic's words:",
  cosine: "Only the similarity to the query counts:",
};

const OF_A_LANGUAGE_MODEL =
  "A language model scored the article's sentences by the guideline, and this one is among the highest. " +
  "It gives no reasons.";

export class Why {
  #answer; // what speaks for each proposal of the article: a promise
  #isOld = false; // a new ranking has come since: asked again by who opens it, and for a new proposal

  constructor(reader) {
    this.reader = reader;
    this.chance = el("p", { class: "chance" });
    this.chips = el("span", { class: "chips" });
    this.query = el("p", { class: "query" });
    this.reasons = el("div", { class: "reasons", role: "status", "aria-live": "polite" });
    this.node = el(
      "details",
      { class: "why", toggle: () => this.#open() },
      el("summary", {}, "Why? ", this.chips),
      this.chance,
      this.reasons,
    );
  }

  showSentence(proposal) {
    this.node.hidden = !proposal;
    const known = proposal?.probability;
    this.chance.hidden = known == null;
    this.chance.textContent = known == null ? "" : `${percent(known)} likely to be key, as in articles judged before.`;
    this.query.textContent = this.#queryText(proposal);
    this.query.hidden = !storage.read(QUERY_KEY);
    if (proposal) this.#showReasons();
  }

  #queryText(proposal) {
    if (proposal?.cosine == null) return "No cosine: this sentence was not compared with a query.";
    return `Cosine ${proposal.cosine.toFixed(2)} to the query “${this.reader.reading.query}”`;
  }

  // Shown with every proposal until it is hidden again.
  toggleQuery() {
    storage.put(QUERY_KEY, this.query.hidden);
    this.query.hidden = !this.query.hidden;
    if (!this.query.hidden) bringIntoSight(this.query);
    this.reader.rail.tell(this.query.hidden ? "Cosine hidden" : this.query.textContent);
  }

  // After a new ranking: what spoke for the proposals may do so no more.
  forget() {
    this.#isOld = true;
  }

  async #open() {
    await this.#showReasons();
    if (this.node.open) bringIntoSight(this.node);
  }

  async #showReasons() {
    const { sentence } = this.reader;
    if (this.#isOld && (this.node.open || !(await this.#answer)?.parts[sentence])) this.#answer = undefined;
    if (!this.#answer) this.#ask();
    const answer = await this.#answer;
    if (!answer) this.#answer = undefined; // asked again at the next sentence
    if (sentence !== this.reader.sentence) return;
    this.#fill(answer, sentence);
  }

  #fill(answer, sentence) {
    this.chips.replaceChildren(...chipsOf(answer?.parts[sentence] ?? []));
    this.reasons.replaceChildren(...(this.node.open ? reasonLines(answer, sentence) : []));
  }

  #ask() {
    const { reading } = this.reader;
    this.#isOld = false;
    // Posted: an address is written into logs, and the token would stand there.
    const body = JSON.stringify({ token: reading.token });
    this.#answer = fetch(reading.why_endpoint, { method: "POST", body }).then(
      (response) => (response.ok ? response.json() : null),
      () => null,
    );
  }
}

// The words of the sentence that spoke most for it, or what did; what is not there makes no chip.
function chipsOf(parts) {
  const there = parts.filter(([what, points]) => points > 0 && !what.includes(": none of "));
  const spoke = there.flatMap(([what]) => {
    const quoted = [...what.matchAll(/“([^”]+)”/gu)].map(([, words]) => words);
    return quoted.length ? quoted : what.split(": ")[0];
  });
  return [...new Set(spoke)].slice(0, CHIPS).map((words) => el("span", { class: "chip" }, words));
}

function reasonLines(answer, sentence) {
  if (answer?.ranking === "llm") return [el("p", {}, OF_A_LANGUAGE_MODEL)];
  const parts = answer?.parts[sentence];
  if (!parts || !answer.ranking) return [el("p", {}, "No explanation is available now.")];
  const most = Math.max(...parts.map(([, points]) => Math.abs(points)));
  const rows = parts.map(([what, points]) => {
    const bar = el("i", { class: points < 0 ? "against" : "for", "aria-hidden": "true" });
    bar.style.width = `${(100 * Math.abs(points)) / most}%`;
    return el("li", {}, el("span", { class: "what" }, what), el("b", {}, inWords(points, most)), bar);
  });
  const list = rows.length ? el("ul", {}, ...rows.slice(0, REASONS)) : "No single reason is strong.";
  const more = rows.slice(REASONS, MOST);
  const showRest = () => rest.replaceWith(el("ul", {}, ...more));
  const rest = more.length ? button(`${more.length} more`, { class: "link", click: showRest }) : "";
  return [el("p", {}, REASON_NOTES[answer.ranking] ?? ""), list, rest];
}

// How much a reason weighs relative to the largest one; its number would mean nothing to the reader.
function inWords(points, most) {
  const share = Math.abs(points) / most;
  const side = points < 0 ? "against" : "for";
  if (share > 2 / 3) return `strongly ${side}`;
  return share > 1 / 3 ? side : `a little ${side}`;
}
