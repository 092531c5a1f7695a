// Text read aloud to people who do not see the screen: the last action, and the sentence that is on show now.
// In: words. Out: an invisible element; words told within a moment are one message, so that none cuts another.

import { el } from "./elements.js";

const MOMENT_MS = 100; // also lets the element stand before it speaks: what comes with its region is read by none

export class Spoken {
  #words = [];

  constructor() {
    this.node = el("p", { class: "unseen spoken", role: "status", "aria-live": "polite" });
  }

  tell(...words) {
    if (!this.#words.length) setTimeout(() => this.#speak(), MOMENT_MS);
    this.#words.push(...words);
  }

  #speak() {
    const said = this.#words.splice(0).filter(Boolean);
    if (said.length) this.node.replaceChildren(said.map((one) => (/[.!?…]$/u.test(one) ? one : `${one}.`)).join(" "));
  }
}
