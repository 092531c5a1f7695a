// What a question found: judged by key, put into the queue, and how far saving is. One article below the other, or, in a
// screening, one at a time: the next one comes as soon as the browser has kept the answer.
// In: the rows, best first, as the page gives them. Out: events to the outbox; once stored, Streamlit hears "stored".
// What lies before the article at hand, and that article, keep their places when the rest is reordered.

import { betweenClicks } from "../shared/between_clicks.js";
import { Outbox } from "../shared/outbox.js";
import { isElsewhere, Seen } from "../shared/own_keys.js";
import { makeRow } from "./found_rows.js";
import { mountOnce } from "../shared/mounting.js";
import { makeTools, savingTold } from "./found_tools.js";

const BOX = "find-";
const TELL_AFTER_MS = 250; // several answers in a row are one new order

class FoundList {
  #component;
  #order = []; // keys on the screen, not judged
  #rows = new Map();
  #said = new Map(); // key -> {value: "relevant", "not" or "", said in this tab, id of the event}
  #queued = new Map(); // article -> {value: whether asked for in this tab, id of the event}
  #done = []; // {key, before}, for undo
  #at = null;
  #reason = "";
  #seen = new Seen(); // the article at hand
  #timer = 0;
  #unwatch;
  #onKey;
  #unpressed;

  constructor(component) {
    this.host = component.parentElement.querySelector(".found");
    this.#unpressed = betweenClicks(this.host);
    this.#take(component);
    this.#order = component.data.rows.map((row) => row.key);
    this.#done = component.data.judged.map(({ key }) => ({ key, before: "" })).toReversed();
    for (const said of this.outbox.waiting(this.data.question.id)) {
      if (said.kind === "relevance") this.#said.set(said.key, { value: said.value, id: said.id });
    }
    this.#go(this.#firstOpen());
    this.#unwatch = this.outbox.watch((settled) => this.#onSettled(settled));
    this.#onKey = (event) => this.#press(event);
    window.addEventListener("keydown", this.#onKey, true);
    this.#paint();
    // Once Enter has asked, keys are for the list; not where somebody types on.
    const { activeElement } = document;
    if (activeElement?.type === "search" && activeElement.value === this.data.typed) activeElement.blur();
  }

  // False where another question is shown: that is another mount.
  update(component) {
    if (component.data.visit !== this.data.visit) return false;
    this.#take(component);
    this.#reorder(component.data.rows.map((row) => row.key));
    this.#unpressed(() => {
      const before = this.#place();
      this.#draw();
      this.#keepPlace(before);
    });
    return true;
  }

  dispose() {
    this.#unwatch();
    clearTimeout(this.#timer);
    window.removeEventListener("keydown", this.#onKey, true);
  }

  #take(component) {
    this.#component = component;
    this.data = component.data;
    for (const row of [...this.data.rows, ...this.data.judged]) this.#rows.set(row.key, row);
    const { reviewer, question, endpoint } = this.data;
    this.outbox = Outbox.of(reviewer, BOX);
    this.outbox.open({ article: question, token: question.token, endpoint });
  }

  // What was judged leaves the list, unless it was taken back here since. What stands up to the article at hand stays;
  // the rest is as the server has it.
  #reorder(fresh) {
    const judged = new Set(this.data.judged.map((row) => row.key));
    const isLeft = (key) => !judged.has(key) || !this.#sayOf(key);
    const fixed = this.#order.slice(0, this.#order.indexOf(this.#at) + 1).filter(isLeft);
    const kept = new Set(fixed);
    this.#order = [...fixed, ...fresh.filter((key) => !kept.has(key))];
    if (!this.#order.includes(this.#at)) this.#go(this.#firstOpen());
  }

  // The next article that nothing was said of; in a screening also one that was passed over.
  #firstOpen(from = 0) {
    const isOpen = (key) => !this.#sayOf(key);
    const passed = this.data.one ? this.#order.slice(0, from) : [];
    return [...this.#order.slice(from), ...passed].find(isOpen) ?? null;
  }

  #go(key) {
    this.#at = key;
    this.#seen.renew();
  }

  #sayOf(key) {
    return this.#said.get(key)?.value ?? this.#rows.get(key)?.said ?? "";
  }

  #isQueued(row) {
    return this.#queued.get(row.article)?.value ?? row.queued;
  }

  // In a screening, a key or click that came too soon was meant for the record before.
  #act(key, what, event) {
    const row = this.#rows.get(key);
    if (what === "select") this.#move(key);
    else if (what === "queue") this.#queue([row], !this.#isQueued(row));
    else if (!this.data.one || key !== this.#at || this.#seen.by(event))
      this.#judge(row, this.#sayOf(key) === what ? "" : what);
  }

  #judge(row, value) {
    this.#done.push({ key: row.key, before: this.#sayOf(row.key) });
    this.#send(row, value);
    if (row.key === this.#at && value) this.#goOn();
    this.#paint();
  }

  #send(row, value) {
    this.#reason = "";
    const { question } = this.data;
    const waiting = row.drawn ? row.waiting : null;
    const id = this.outbox.add(
      { article: question, token: question.token },
      { kind: "relevance", key: row.key, value, waiting },
    );
    this.#said.set(row.key, { value, id });
  }

  #undo() {
    const last = this.#done.pop();
    if (!last) return;
    this.#send(this.#rows.get(last.key), last.before);
    this.#bringBack(last.key);
    this.#paint();
  }

  // An article whose answer is taken back comes to hand, in a screening from wherever it is.
  #bringBack(key) {
    if (this.data.one) this.#order = [key, ...this.#order.filter((each) => each !== key)];
    if (this.#order.includes(key)) this.#go(key);
  }

  #queue(rows, value) {
    const { question, reason } = this.data;
    for (const row of rows) {
      if (!row.queueable || this.#isQueued(row) === value) continue;
      this.#reason = "";
      const said = { kind: "queue", article: row.article, value, ["for_all"]: false, reason };
      this.#queued.set(row.article, { value, id: this.outbox.add({ article: question, token: question.token }, said) });
    }
    this.#paint();
  }

  #onSettled({ stored = [], refused = [] }) {
    if (refused.length) this.#takeBack(new Set(refused.map(({ id }) => id)));
    if (stored.length) {
      clearTimeout(this.#timer);
      this.#timer = setTimeout(
        () => this.#component.setTriggerValue("stored", { count: stored.length }),
        TELL_AFTER_MS,
      );
    }
    this.#paintStatus();
  }

  // What the server refused never holds: its marks go, unless something else was said since, and the reason stays until
  // the next answer is given. What it did not get at all stays in the outbox, and is sent again.
  #takeBack(ids) {
    const refused = this.outbox.status().refused.find(({ event }) => ids.has(event.id));
    this.#reason = refused?.reason ?? "refused";
    for (const marks of [this.#said, this.#queued]) {
      for (const [key, { id }] of marks) {
        if (!ids.has(id)) continue;
        marks.delete(key);
        this.#done = this.#done.filter((each) => each.key !== key);
        if (this.data.one && marks === this.#said) this.#bringBack(key);
      }
    }
    this.outbox.dismissRefused();
    this.#paint();
  }

  #press(event) {
    if (event.defaultPrevented || !this.host.isConnected || isElsewhere(event)) return;
    const action = this.#actions()[event.key.length === 1 ? event.key.toLowerCase() : event.key];
    if (!action || (event.key === "Enter" && event.composedPath().some((node) => node.matches?.("a, button")))) return;
    event.preventDefault();
    event.stopPropagation();
    if (!event.repeat || event.key.startsWith("Arrow")) action(event); // a held key must not judge twice
  }

  #actions() {
    const here = (what) => (event) => this.#at && this.#act(this.#at, what, event);
    const next = () => this.#step(1);
    const previous = () => this.#step(-1);
    const follow = () => this.host.querySelector("article[aria-current] a")?.click();
    const chosen = {
      next,
      previous,
      relevant: here("relevant"),
      not: here("not"),
      unsure: here("unsure"),
      queue: this.data.one ? () => {} : here("queue"),
      undo: () => this.#undo(),
    };
    const byKey = Object.entries(this.data.keys).map(([name, key]) => [key.toLowerCase(), chosen[name]]);
    return { ...Object.fromEntries(byKey), ArrowDown: next, ArrowUp: previous, Enter: follow };
  }

  #step(by) {
    const key = this.#order[this.#order.indexOf(this.#at) + by];
    if (key) this.#move(key);
  }

  #goOn() {
    const key = this.#firstOpen(this.#order.indexOf(this.#at) + 1);
    if (key) this.#move(key);
    else if (this.data.one) this.#go(null);
  }

  #move(key) {
    if (!this.#order.includes(key)) return;
    this.#go(key);
    this.#paint();
    if (!this.data.one) this.#node()?.scrollIntoView({ block: "nearest" });
    else if (this.host.getBoundingClientRect().top < 0) this.host.scrollIntoView();
  }

  #node() {
    return this.host.querySelector("article[aria-current]");
  }

  #place() {
    return this.#node()?.getBoundingClientRect().top ?? null;
  }

  // The article at hand keeps its place on the screen while things around it change.
  #keepPlace(before) {
    const now = this.#place();
    const moved = before === null || now === null ? 0 : now - before;
    const scroller = this.host.getRootNode().host?.closest("[data-testid=stMain]") ?? document.scrollingElement;
    if (Math.abs(moved) > 1) scroller?.scrollBy(0, moved);
  }

  #paint() {
    this.#unpressed(() => this.#draw());
  }

  #draw() {
    const act = (key, what, event) => this.#act(key, what, event);
    const paint = (key) => {
      const row = this.#rows.get(key);
      const state = { said: this.#sayOf(key), isQueued: this.#isQueued(row), isAt: key === this.#at };
      return makeRow(row, { ...state, keys: this.data.keys }, act);
    };
    const open = (this.data.one ? [this.#at].filter(Boolean) : this.#order).map((key) => paint(key));
    const judged = this.data.judged.filter(({ key }) => !this.#order.includes(key)).map(({ key }) => paint(key));
    const status = document.createElement("p");
    status.setAttribute("role", "status");
    const rows = this.#order.map((key) => this.#rows.get(key)).filter((row) => row.next && !this.#isQueued(row));
    const acts = { undo: () => this.#undo(), queue: () => this.#queue(rows, true) };
    const parts = [makeTools(this.data, rows.length, acts, status), ...open];
    if (judged.length) {
      const list = document.createElement("details");
      const head = document.createElement("summary");
      head.append("Your last verdicts");
      list.open = this.host.querySelector(":scope > details")?.open ?? !this.data.one;
      list.append(head, ...judged);
      parts.push(list);
    }
    this.host.replaceChildren(...parts);
    this.host.dataset.ready = this.data.visit;
    this.host.toggleAttribute("data-one", this.data.one);
    this.#paintStatus();
  }

  #paintStatus() {
    const node = this.host.querySelector("[role=status]");
    if (!node) return;
    const { state, words } = savingTold(this.outbox.status(), this.#reason);
    node.dataset.state = state;
    node.replaceChildren(words);
  }
}

export default function mountFoundList(component) {
  return mountOnce(FoundList, component);
}
