// The article reader: the paper on the left, the verdicts on the right, every action also a key.
// In: the reading, as the page gives it. Out: verdicts to the outbox; Streamlit only hears "open another article".
// A verdict is painted at once and handed to the outbox (outbox.js), which sends it until it is stored.

import { Answers } from "./answers.js";
import { ArticleHead } from "./article_head.js";
import { ArticlePane } from "./article_pane.js";
import { el } from "./elements.js";
import { panelsOf } from "./help.js";
import { Judging } from "./judging.js";
import { listenToKeys } from "./keys.js";
import { Leaving } from "./leaving.js";
import { Moving } from "./moving.js";
import { Outbox } from "../shared/outbox.js";
import { Proposals } from "./proposals.js";
import { Rail } from "./rail.js";
import { RankingOnScreen } from "./ranking_on_screen.js";
import { storage } from "../shared/storage.js";
import { nothingIn } from "./words.js";

const ORDER_KEY = "keyline:order";
const HEARTBEAT_MS = 4 * 60_000; // an article in hand is leased for half an hour

// Holds the state of the screen, and paints it. The actions stand in judging.js, moving.js and leaving.js.
export class Reader {
  #component;

  constructor(component) {
    const start = performance.now();
    this.#component = component;
    this.host = component.parentElement.querySelector(".reader");
    this.reading = component.data;
    this.keys = this.reading.keys; // by action, as they stand on the buttons
    this.order = storage.read(ORDER_KEY) === "reading" ? "reading" : "score";
    this.sentence = null; // the running number of the sentence on show
    this.isOver = false;
    this.proposals = new Proposals(this.reading);
    this.#openOutbox();
    this.judging = new Judging(this);
    this.moving = new Moving(this);
    this.leaving = new Leaving(this, (article) => this.#component.setTriggerValue("open", article));
    this.ranking = new RankingOnScreen(this);
    this.pane = new ArticlePane(this.reading, (sentence) => this.go(sentence, false));
    this.head = new ArticleHead(this.reading, this.pane);
    this.rail = new Rail(this);
    this.#mount();
    this.#paintAll();
    this.#start();
    this.#listen();
    this.rail.comments.takeDraft();
    this.host.dataset.ready = this.reading.article.id;
    performance.measure("article reader built", { start });
  }

  #openOutbox() {
    const { article, reviewer, state } = this.reading;
    this.outbox = Outbox.of(reviewer, this.reading.box);
    this.outbox.open(this.reading);
    this.answers = new Answers(state, this.outbox.stored(article.id), this.outbox.waiting(article.id));
  }

  #mount() {
    delete this.host.dataset.ready;
    Object.assign(this, panelsOf(this)); // help, guideline and tour
    const text = el("div", { class: "text" }, this.pane.node, this.pane.ruler, this.tour.node);
    const body = el("div", { class: "body" }, text, this.guideline);
    const paper = el("div", { class: "paper" }, this.head.node, body, this.help);
    this.host.replaceChildren(el("div", { class: "frame" }, paper, this.rail.node));
  }

  #start() {
    const first = this.moving.nextOpen() ?? this.proposalsInOrder[0];
    const asked = this.pane.sentences[this.reading.open_at] ? this.reading.open_at : null;
    this.fit();
    if (this.tour.isDue) this.tour.begin();
    this.#show(asked ?? first?.sentence ?? null, true);
    this.rail.tellSentence();
    // With the focus on the text, Space and PageDown scroll it; but never take it from a field being typed in.
    if (document.activeElement === document.body) this.pane.focus();
    if (!first) this.rail.say(this.nothingHere);
    else if (!this.moving.nextOpen()) this.rail.sayDone();
    this.ranking.ask();
  }

  #listen() {
    const endKeys = listenToKeys(this);
    const onHide = () => this.#saveTyped();
    window.addEventListener("pagehide", onHide);
    const unwatch = this.outbox.watch((settled) => this.#onSettled(settled));
    const heartbeat = setInterval(() => document.visibilityState === "visible" && this.outbox.beat(), HEARTBEAT_MS);
    // The head above the reader grows with its title, which comes when it likes.
    const sizes = new ResizeObserver(() => {
      this.fit();
      this.pane.settle();
      this.#drawRuler();
    });
    for (const node of [this.pane.node, document.querySelector(".stMainBlockContainer")]) sizes.observe(node);
    this.dispose = () => {
      this.isOver = true;
      this.#saveTyped();
      endKeys();
      window.removeEventListener("pagehide", onHide);
      sizes.disconnect();
      clearInterval(heartbeat);
      unwatch();
    };
  }

  // Streamlit calls again on every rerun; an article being judged must not be rebuilt under the expert's hands.
  update(component) {
    this.#component = component;
    const { article, reviewer, queue } = component.data;
    if (article.id !== this.reading.article.id || reviewer !== this.reading.reviewer) return false;
    this.reading = { ...this.reading, token: component.data.token, endpoint: component.data.endpoint, queue };
    this.outbox.open(this.reading);
    this.rail.foot.showQueue(queue);
    this.fit();
    return true;
  }

  // Takes the rest of the window below the page's own content.
  fit() {
    let { top } = this.host.getBoundingClientRect();
    for (let node = this.host; node; node = node.parentElement ?? node.getRootNode().host) top += node.scrollTop;
    this.host.style.setProperty("--top", `${Math.max(0, Math.round(top))}px`);
  }

  // --- What is shown ---

  get proposalsInOrder() {
    return this.proposals.inOrder(this.order);
  }

  get judgedCount() {
    return this.proposals.sentences.filter((sentence) => this.answers.verdict(sentence)).length;
  }

  // As the server counts an article as reviewed.
  get isDone() {
    const { count } = this.proposals;
    return this.answers.read || (!this.isBlind && count > 0 && this.judgedCount === count);
  }

  get missed() {
    return this.answers.sentences.filter(
      (sentence) =>
        this.pane.sentences[sentence] && !this.proposals.has(sentence) && this.answers.verdict(sentence) === "accept",
    );
  }

  // Read without proposals, which shows what experts find by themselves.
  get isBlind() {
    return this.reading.with_proposals === false;
  }

  get nothingHere() {
    return nothingIn(this);
  }

  // --- Painting ---

  paint(sentence) {
    if (!this.pane.sentences[sentence]) return;
    const { answers } = this;
    this.pane.paint(sentence, {
      verdict: answers.verdict(sentence),
      proposal: this.proposals.get(sentence),
      comment: answers.comment(sentence),
    });
    this.rail.lists.paintEntry(sentence);
  }

  #paintAll() {
    for (const sentence of new Set([...this.proposals.sentences, ...this.answers.sentences])) this.paint(sentence);
    this.head.countSections(this.proposals.sentences);
    this.rail.lists.arrange();
    this.rail.showProgress();
    this.rail.showMissed();
    this.#showSaving();
  }

  // After an answer on one sentence, or on the article (null).
  repaint(sentence) {
    if (sentence != null) this.paint(sentence);
    this.rail.showProgress();
    if (this.proposals.has(sentence)) return;
    this.rail.showMissed();
    this.#drawRuler();
  }

  // What a ranking changed is marked until the next verdict.
  settleChanges() {
    for (const sentence of this.proposals.settle()) this.rail.lists.paintEntry(sentence);
  }

  // After a ranking that has changed the proposals.
  showProposals() {
    this.rail.showProgress();
    this.head.countSections(this.proposals.sentences);
    this.#drawRuler();
  }

  #drawRuler() {
    const numbers = [...this.proposals.sentences, ...this.missed];
    this.pane.drawRuler(numbers, (sentence) => this.go(sentence));
  }

  #showSaving() {
    const status = this.outbox.status();
    this.rail.showSaving(status);
    this.host.dataset.waiting = status.waiting;
    this.host.dataset.saved = status.stored;
    this.host.dataset.refused = status.refused.length;
  }

  #onSettled({ article, stored = [], refused = [] }) {
    if (article === this.reading.article.id) {
      for (const event of stored) this.answers.settle(event);
      if (stored.some(({ kind }) => kind === "verdict")) this.ranking.ask();
      for (const event of refused) {
        this.answers.refuse(event, this.outbox.waiting(article));
        this.repaint(event.sentence);
      }
      if (refused.length) this.rail.showSentence();
    }
    this.#showSaving();
  }

  // --- Going to a sentence ---

  #show(sentence, scroll) {
    this.sentence = sentence;
    this.moving.passed(sentence);
    this.pane.setCurrent(sentence, scroll);
    this.rail.showSentence();
  }

  // What stands in open fields.
  #saveTyped() {
    this.rail.comments.saveDraft();
    this.rail.labels.save();
  }

  // `done` is what led here, for those who hear it.
  go(sentence, scroll = true, done = "") {
    this.#saveTyped();
    this.rail.say("");
    const isAnother = sentence !== this.sentence;
    this.#show(sentence, scroll);
    this.rail.tellSentence(done);
    if (isAnother) this.ranking.takePostponed();
  }

  setOrder(order) {
    if (order === this.order) return;
    this.order = order;
    storage.put(ORDER_KEY, order);
    this.rail.lists.arrange();
    this.rail.showSentence();
    this.rail.say(order === "score" ? "The most likely first." : "In reading order.");
  }

  toggleHelp() {
    this.help.hidden = !this.help.hidden;
    if (this.help.hidden) this.pane.focus();
    else this.help.querySelector("button").focus({ preventScroll: true });
  }

  askAlike() {
    this.#component.setTriggerValue("alike", this.sentence);
  }

  tellToured() {
    this.#component.setTriggerValue("toured", true);
  }

  showTour() {
    this.toggleHelp();
    this.tour.begin();
  }

  // The focus stays on the text: the keys go on judging while the guideline is read.
  toggleGuideline() {
    this.guideline.hidden = !this.guideline.hidden;
    this.rail.tell(this.guideline.hidden ? "Guideline closed" : "The guideline stands behind the article's text");
    this.pane.focus();
    this.#drawRuler();
  }
}
