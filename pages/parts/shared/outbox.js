// The way of a verdict from the expert's key press to the server's disk.
// In: events, as they are made. Out: the same events, named as stored or refused by the server.
// Nothing here knows the page.
//
// An event is first written to the browser's storage, then sent, and forgotten only when the server names its id.
// The server ignores an id that it has already stored, so sending twice is harmless; losing an event is not.

import { postJson } from "./posting.js";
import { storage } from "./storage.js";

const BATCH_LENGTH = 50;
const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 10_000;

function newId() {
  if (crypto.randomUUID) return crypto.randomUUID(); // only on https and localhost
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = (bytes[6] & 0x0f) | 0x40;
  bytes[8] = (bytes[8] & 0x3f) | 0x80;
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/u, "$1-$2-$3-$4-$5");
}

// One outbox per reviewer, kind of events and browser tab. It outlives the reader on the page, so that an article
// left in mid-burst is still sent, and a shared browser never sends one person's verdicts in another's name.
export class Outbox {
  static #byOwner = new Map();

  // What goes to another address than verdicts do has a box of its own: "audit-" of audits.
  static of(reviewer, box = "") {
    const owner = `${box}:${reviewer}`;
    if (!Outbox.#byOwner.has(owner)) Outbox.#byOwner.set(owner, new Outbox(reviewer, box));
    return Outbox.#byOwner.get(owner);
  }

  #records = new Map(); // event id -> {article, title, token, event}, waiting for the server
  #refused = new Map(); // event id -> the same with the server's reason
  #stored = []; // records the server acknowledged since the page was loaded
  #memoryOnly = new Set(); // ids that localStorage did not take
  #tokens = new Map(); // article -> token of an open reader, fresher than the ones kept with the records
  #stale = new Map(); // article whose token the server no longer takes -> why
  #watchers = new Set();
  #isUnheard = false; // something was stored while no part of the page was there to hear it
  #article = null; // the one on screen: sent first
  #endpoint = "";
  #seq = 0;
  #batchLength = BATCH_LENGTH;
  #sending = false;
  #failing = false;
  #timer = 0;
  #wait = FIRST_WAIT_MS;

  constructor(reviewer, box) {
    const owner = encodeURIComponent(reviewer);
    this.waitingPrefix = `keyline:${box}outbox:${owner}:`;
    this.refusedPrefix = `keyline:${box}refused:${owner}:`;
    window.addEventListener("online", () => this.#retryNow());
    window.addEventListener("beforeunload", (event) => {
      if (this.#memoryOnly.size) event.preventDefault(); // everything else survives a reload
    });
  }

  // Called when a reader shows an article, and again when it gets a fresh token for it.
  open({ article, token, endpoint }) {
    this.#article = article.id;
    this.#endpoint = endpoint;
    if (this.#tokens.get(article.id) !== token) this.#stale.delete(article.id);
    this.#tokens.set(article.id, token);
    this.#adopt();
    this.#tell();
    this.#send();
  }

  // Takes over what an earlier visit, or another tab, left in this browser.
  #adopt() {
    for (const [prefix, records] of [
      [this.waitingPrefix, this.#records],
      [this.refusedPrefix, this.#refused],
    ]) {
      for (const key of storage.keys(prefix)) {
        const record = storage.read(key);
        if (!record?.event?.id || records.has(record.event.id)) continue;
        records.set(record.event.id, record);
        this.#seq = Math.max(this.#seq, record.event.seq);
      }
    }
  }

  // Takes an answer, {kind, sentence, value, ...}; returns the id of its event.
  add({ article, token }, said) {
    const now = Date.now();
    // Milliseconds, pushed on when two fall together: one order over reloads, tabs and browsers alike.
    this.#seq = Math.max(this.#seq + 1, now);
    const event = { ...said, id: newId(), seq: this.#seq, time: now / 1000 };
    const record = { article: article.id, title: article.title, token, event };
    this.#records.set(event.id, record);
    // One key per event: tabs never overwrite each other's lists.
    if (!storage.put(this.#keyOf(this.waitingPrefix, record), record)) this.#memoryOnly.add(event.id);
    this.#tell();
    this.#send();
    return event.id;
  }

  // Events of one article that the reader has to lay over the state it was given, oldest first.
  stored(article) {
    return this.#stored.filter((record) => record.article === article).map((record) => record.event);
  }

  waiting(article) {
    return this.#inOrder()
      .filter((record) => record.article === article)
      .map((record) => record.event);
  }

  // True once after something was stored between two parts of the page: what the new one shows was counted before.
  takeUnheard() {
    const isUnheard = this.#isUnheard;
    this.#isUnheard = false;
    return isUnheard;
  }

  // Returns a function that ends the watching. The watcher gets the events just stored and just refused.
  watch(watcher) {
    this.#watchers.add(watcher);
    return () => this.#watchers.delete(watcher);
  }

  status() {
    const records = [...this.#records.values()];
    const left = new Map(); // articles other than the open one that only a visit can rescue
    for (const { article, title } of records) {
      if (article === this.#article || !this.#stale.has(article)) continue;
      left.set(article, { article, title, count: (left.get(article)?.count ?? 0) + 1 });
    }
    return {
      waiting: records.length,
      stored: this.#stored.length,
      failing: this.#failing,
      expired: this.#stale.get(this.#article) ?? "",
      memoryOnly: this.#memoryOnly.size,
      refused: [...this.#refused.values()],
      left: [...left.values()],
    };
  }

  // Resolves once nothing of this article waits for the server, or after that many milliseconds.
  settled(article, most) {
    if (!this.waiting(article).length) return Promise.resolve();
    return new Promise((resolve) => {
      const end = () => {
        unwatch();
        clearTimeout(timer);
        resolve();
      };
      const unwatch = this.watch(() => this.waiting(article).length || end());
      const timer = setTimeout(end, most);
    });
  }

  // Tells the server that the article is still in this expert's hands; saving tells it as well.
  async beat() {
    const article = this.#article;
    if (this.isStale(article)) return;
    try {
      const { expired } = await postJson(this.#endpoint, { token: this.#tokens.get(article), events: [] });
      if (expired) this.expire(article, expired);
    } catch {
      // The next beat, or the next verdict, comes through.
    }
  }

  isStale(article) {
    return this.#stale.has(article);
  }

  // Nothing more is sent for this article until the page has a fresh token; the notice asks for a reload.
  expire(article, reason) {
    this.#stale.set(article, reason);
    this.#tell();
  }

  dismissRefused() {
    for (const record of this.#refused.values()) storage.remove(this.#keyOf(this.refusedPrefix, record));
    this.#refused.clear();
    this.#tell();
  }

  #keyOf(prefix, { article, event }) {
    return `${prefix}${article}:${event.id}`;
  }

  #inOrder() {
    return [...this.#records.values()].sort((a, b) => a.event.seq - b.event.seq);
  }

  // A token speaks for one article, so a batch never mixes two.
  #nextBatch() {
    const ready = this.#inOrder().filter((record) => !this.#stale.has(record.article));
    const first = ready.find((record) => record.article === this.#article) ?? ready[0];
    return ready.filter((record) => record.article === first.article).slice(0, this.#batchLength);
  }

  async #send() {
    if (this.#sending || this.#timer) return; // one request at a time keeps the order
    const batch = this.#nextBatch();
    if (!batch.length) return;
    this.#sending = true;
    const settled = await this.#post(batch);
    this.#sending = false;
    if (settled) this.#wait = FIRST_WAIT_MS;
    else this.#retryLater();
    this.#failing = !settled;
    this.#tell(settled ?? {});
    this.#send();
  }

  // Returns the events the server settled, or null when there is nothing to do but try again later.
  async #post(batch) {
    const { article, token } = batch.at(-1);
    const message = { token: this.#tokens.get(article) ?? token, events: batch.map((record) => record.event) };
    try {
      const { ok, expired, answer } = await postJson(this.#endpoint, message);
      if (ok) return this.#settle(batch, answer);
      if (expired) {
        this.#stale.set(article, expired);
        return {};
      }
    } catch {
      // No network, a time-out, or a proxy's page instead of an answer.
    }
    this.#batchLength = Math.max(1, this.#batchLength >> 1); // should one event be the cause, the rest get through
    return null;
  }

  #settle(batch, { stored = [], refused = [] }) {
    const isStored = new Set(stored);
    const reasons = new Map(refused.map(({ id, reason }) => [id, reason]));
    const settled = { article: batch[0].article, stored: [], refused: [] };
    for (const record of batch) {
      const { id } = record.event;
      if (isStored.has(id)) {
        this.#stored.push(record);
        settled.stored.push(record.event);
      } else if (reasons.has(id)) {
        this.#setApart(record, reasons.get(id));
        settled.refused.push(record.event);
      } else {
        continue; // not named: it stays
      }
      this.#forget(record);
    }
    const someone = settled.stored.length + settled.refused.length > 0;
    if (someone) this.#batchLength = BATCH_LENGTH;
    return someone ? settled : null;
  }

  #setApart(record, reason) {
    const apart = { ...record, reason: String(reason) };
    this.#refused.set(record.event.id, apart);
    storage.put(this.#keyOf(this.refusedPrefix, record), apart);
  }

  #forget(record) {
    this.#records.delete(record.event.id);
    this.#memoryOnly.delete(record.event.id);
    storage.remove(this.#keyOf(this.waitingPrefix, record));
  }

  #retryLater() {
    const jitter = 0.75 + Math.random() / 2; // a restarted server should not meet every browser at once
    this.#timer = setTimeout(() => this.#retryNow(), this.#wait * jitter);
    this.#wait = Math.min(this.#wait * 2, LONGEST_WAIT_MS);
  }

  #retryNow() {
    clearTimeout(this.#timer);
    this.#timer = 0;
    this.#send();
  }

  #tell(settled = {}) {
    if (settled.stored?.length && !this.#watchers.size) this.#isUnheard = true;
    for (const watcher of this.#watchers) watcher(settled);
  }
}
