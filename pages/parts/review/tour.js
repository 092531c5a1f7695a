// The tour of the review in five steps, for a person who sees it the first time, or asks for it.
// In: the reading, and where each step points. Out: a panel over the text; it takes no key and no focus.

import { button, el } from "./elements.js";
import { storage } from "../shared/storage.js";
import { withKeys } from "./words.js";

const STEPS = [
  [
    ".pane",
    "The article",
    "Highlighted sentences are proposed as key sentences. The guideline says which sentences count.",
  ],
  [".lists", "The proposals", "The most likely sentence comes first. A click selects a sentence and changes nothing."],
  [
    ".card",
    "Your verdict",
    "Accept ({accept}), Reject ({reject}) or Unsure ({unsure}) is saved, and the next comes. You can undo each ({undo}).",
  ],
  [
    ".read",
    "What was missed",
    "Go to any sentence and mark it ({missed}). At the end, say that you have read the whole article ({read}).",
  ],
  [
    ".legend",
    "Help",
    "The guideline ({guideline}) opens next to the text. Help lists all keys. Next ({next_article}) opens another article.",
  ],
];

export class Tour {
  #step = 0;
  #host;

  #tell;

  // `tell` is called once the tour was closed that came by itself.
  constructor({ reviewer, first_visit: isFirst }, host, keys, tell) {
    this.keys = keys;
    this.#tell = tell;
    this.#host = host;
    this.key = `keyline:tour:${encodeURIComponent(reviewer)}`;
    this.title = el("h3", {});
    this.text = el("p", {});
    this.back = button("Back", { class: "quiet", click: () => this.#go(-1) });
    this.onward = button("Next step", { class: "onward", click: () => this.#go(1) });
    const row = el(
      "div",
      { class: "row" },
      this.back,
      button("Close", { class: "quiet", click: () => this.end() }),
      this.onward,
    );
    this.node = el("aside", { class: "tour", "aria-label": "Tour", hidden: true }, this.title, this.text, row);
    this.isDue = Boolean(isFirst) && !storage.read(this.key);
  }

  begin() {
    this.#step = 0;
    this.node.hidden = false;
    this.#show();
  }

  end() {
    if (this.isDue) this.#tell();
    this.leave();
  }

  // Closes it at the first verdict. The server needs no word: it knows who has judged.
  leave() {
    this.node.hidden = true;
    this.#host.style.removeProperty("--covered");
    storage.put(this.key, "seen");
    this.isDue = false;
    this.#point(null);
  }

  #go(step) {
    this.#step += step;
    if (this.#step >= STEPS.length) this.end();
    else this.#show();
  }

  #show() {
    const [place, title, text] = STEPS[this.#step];
    this.title.textContent = `${this.#step + 1} of ${STEPS.length}: ${title}`;
    this.text.textContent = withKeys(text, this.keys);
    this.back.disabled = this.#step === 0;
    this.onward.textContent = this.#step + 1 < STEPS.length ? "Next step" : "Done";
    this.#host.style.setProperty("--covered", `${this.node.offsetHeight}px`);
    this.#point(place);
  }

  #point(place) {
    this.#host.querySelector(".toured")?.classList.remove("toured");
    if (place) this.#host.querySelector(place)?.classList.add("toured");
  }
}
