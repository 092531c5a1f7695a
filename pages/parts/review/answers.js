// What the expert has said about this article: verdicts, comments, and whether it was read in full.
// In: what the server holds, and the events that wait to be stored. Out: the current answer on each sentence.

import { SIGNS } from "./words.js";

// Settled answers are the server's; events that still wait lie on top of them.
export class Answers {
  #settled = new Map();
  #current = new Map();

  constructor(state, stored, waiting) {
    const { verdicts, labels, comments, article_comment: articleComment, read_in_full: read, events = [] } = state;
    for (const [sentence, verdict] of Object.entries(verdicts)) this.#settled.set(`verdict ${sentence}`, verdict);
    for (const [sentence, given] of Object.entries(labels)) this.#settled.set(`labels ${sentence}`, given);
    for (const [sentence, comment] of Object.entries(comments)) this.#settled.set(`comment ${sentence}`, comment);
    this.#settled.set("comment null", articleComment);
    this.#settled.set("read null", read);
    // The page may show a reading made before some of this visit's answers were stored. What it knows of is in it, and
    // may have been taken back since.
    const known = new Set(events);
    for (const event of stored) if (!known.has(event.id)) this.settle(event);
    this.#current = new Map(this.#settled);
    for (const event of waiting) this.set(event);
  }

  static #key = ({ kind, sentence }) => `${kind} ${sentence}`;

  set(event) {
    this.#current.set(Answers.#key(event), event.value);
  }

  settle(event) {
    this.#settled.set(Answers.#key(event), event.value);
  }

  // A refused answer gives way to what still waits for the same sentence, else to what the server holds.
  refuse(event, waiting) {
    const key = Answers.#key(event);
    const last = waiting.findLast((other) => Answers.#key(other) === key);
    this.#current.set(key, last ? last.value : this.#settled.get(key));
  }

  verdict(sentence) {
    const verdict = this.#current.get(`verdict ${sentence}`);
    return verdict in SIGNS ? verdict : null; // "withdrawn" is no verdict
  }

  // The labels that a person gave a key sentence; null where none were given.
  labels(sentence) {
    return this.#current.get(`labels ${sentence}`) ?? null;
  }

  comment(sentence) {
    return this.#current.get(`comment ${sentence}`) || "";
  }

  get read() {
    return Boolean(this.#current.get("read null"));
  }

  // Every sentence that anything was ever said about, in reading order.
  get sentences() {
    const named = new Set([...this.#current.keys()].map((key) => key.split(" ")[1]));
    named.delete("null"); // the article as a whole
    return [...named].map(Number).sort((a, b) => a - b);
  }
}
