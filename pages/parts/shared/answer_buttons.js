// The buttons of a page that asks about one sentence at a time, each also a key, and how far saving is.
// In: the question, as the page gives it. Out: the answer to the outbox; once it is stored, Streamlit hears "stored".
// An answer is kept in the browser and sent until the server has stored it; only then does the page move on.

import { betweenClicks } from "./between_clicks.js";
import { mountOnce } from "./mounting.js";
import { Outbox } from "./outbox.js";
import { isElsewhere, Seen } from "./own_keys.js";

const OVER = {
  "logged out": "You are logged out: log in again as the same person, then open this page.",
  "not allowed": "You may not do this any more: ask an admin.",
};

class AnswerButtons {
  #component;
  #sent = null; // {id, value, isUndo} of the answer on this visit
  #isStored = false;
  #reason = ""; // why the server did not take it

  constructor(component) {
    this.host = component.parentElement.querySelector(".answers");
    this.#unpressed = betweenClicks(this.host);
    this.#take(component);
    this.#unwatch = this.outbox.watch((settled) => this.#onSettled(settled));
    if (this.outbox.takeUnheard()) this.#countAnew();
    this.#seen.renew();
    this.#onKey = (event) => this.#press(event);
    window.addEventListener("keydown", this.#onKey, true);
    this.#paint();
  }

  #seen = new Seen();
  #unpressed;
  #unwatch;
  #onKey;

  // False where another question is asked, or another person: that is another mount.
  update(component) {
    const { visit, reviewer } = component.data;
    if (visit !== this.data.visit || reviewer !== this.data.reviewer) return false;
    this.#take(component);
    if (this.#isStored) this.#tellPage(); // it was not heard: the connection was cut
    this.#paint();
    return true;
  }

  dispose() {
    this.#unwatch();
    window.removeEventListener("keydown", this.#onKey, true);
  }

  #take(component) {
    this.#component = component;
    this.data = component.data;
    const { reviewer, box, endpoint, now, undo } = this.data;
    this.outbox = Outbox.of(reviewer, box);
    // The one opened last is on the screen, and keeps its token where both are of one article.
    for (const asked of [undo, now]) {
      if (asked) this.outbox.open({ article: asked.article, token: asked.token, endpoint });
    }
  }

  #say({ article, token, said }, value, isUndo) {
    if (this.#sent) return; // a key that is pressed twice before the page has moved on counts once
    this.#reason = "";
    this.#sent = { value, isUndo };
    this.#sent.id = this.outbox.add({ article, token }, { ...said, value });
    this.#paint();
  }

  #onSettled({ stored = [], refused = [] }) {
    const mine = (event) => event.id === this.#sent?.id;
    if (stored.some(mine)) {
      this.#isStored = true;
      this.#tellPage();
    } else if (refused.some(mine)) {
      this.#reason = this.outbox.status().refused.find(({ event }) => mine(event))?.reason ?? "refused";
      this.#sent = null;
      if (this.data.box) this.outbox.dismissRefused(); // the reader tells of refusals of its own box
    } else if (stored.length) {
      this.#countAnew();
    }
    this.#paint();
  }

  // What was stored was said on an earlier visit.
  #countAnew() {
    this.#component.setTriggerValue("stored", { visit: null });
  }

  #tellPage() {
    const { value, isUndo } = this.#sent;
    this.#component.setTriggerValue("stored", { visit: this.data.visit, value, undo: isUndo });
  }

  #press(event) {
    if (event.defaultPrevented || !this.host.isConnected || isElsewhere(event)) return;
    const button = this.host.querySelector(`button[aria-keyshortcuts="${CSS.escape(event.key.toUpperCase())}"]`);
    if (!button) return;
    event.preventDefault();
    event.stopPropagation();
    if (!event.repeat && this.#seen.by(event)) button.click(); // a key held, or pressed twice, must not answer twice
  }

  #paint() {
    this.#unpressed(() => this.#draw());
  }

  #draw() {
    const { choices, now, undo, undo_key: undoKey } = this.data;
    const buttons = choices.map(({ value, label, key, chosen }) => {
      const isChosen = this.#sent && !this.#sent.isUndo ? this.#sent.value === value : chosen;
      const node = makeButton(label, key, !now || this.#sent, () => this.#say(now, value, false));
      node.setAttribute("aria-pressed", String(Boolean(isChosen)));
      return node;
    });
    const back = makeButton("Undo", undoKey, !undo || this.#sent, () => this.#say(undo, undo.said.value, true));
    back.classList.add("undo");
    const status = document.createElement("p");
    status.setAttribute("role", "status");
    Object.assign(status.dataset, { state: this.#state() });
    status.append(this.#words());
    this.host.replaceChildren(...buttons, back, status);
  }

  #state() {
    const { waiting, failing, expired, memoryOnly, left } = this.outbox.status();
    if (this.#reason) return "refused";
    if (!waiting) return "saved";
    return failing || expired || memoryOnly || left.length ? "waiting" : "saving";
  }

  #words() {
    const { waiting, stored, failing, expired, memoryOnly, left } = this.outbox.status();
    const kept = keptWords(waiting, memoryOnly ? "tab" : "browser");
    if (this.#reason) return `Not saved: ${this.#reason}.`;
    if (!waiting) return stored ? "All saved." : "";
    if (expired) return `${OVER[expired] ?? "This page was opened too long ago: reload it."} ${kept}.`;
    if (left.length) return `${kept}, of an article that is not on this page: ${left[0].title}. Reload the page.`;
    if (memoryOnly) return `The browser's storage is full or blocked: ${kept}. Leave this tab open until all is saved.`;
    return failing ? `Not saved yet: ${kept}, and sent again until it is stored.` : "Saving …";
  }
}

function keptWords(waiting, place) {
  return `${waiting} ${waiting === 1 ? "answer is" : "answers are"} kept in this ${place}`;
}

// `key` is shown on the button and read aloud.
function makeButton(label, key, isOff, click) {
  const node = document.createElement("button");
  const cap = document.createElement("kbd");
  cap.setAttribute("aria-hidden", "true");
  cap.append(key);
  node.setAttribute("type", "button");
  node.setAttribute("aria-keyshortcuts", key);
  node.disabled = Boolean(isOff);
  node.addEventListener("click", click);
  node.append(cap, label);
  return node;
}

export default function mountAnswerButtons(component) {
  return mountOnce(AnswerButtons, component);
}
