// The article reader: the paper on the left, the verdicts on the right, every action also a key.
// A verdict is painted at once and handed to the outbox (outbox.js); Streamlit only hears "open another article".
// Text reaches the page as text nodes alone, never as markup.

// Holds what is shown and carries out every action, whether a key, a click or a button asked for it.
class Reader {
  #component;
  #undo = [];
  #byNumber = new Map(); // sentence -> proposal
  #lastProposal = null; // where J and K go on from after a walk over other sentences
  #leavingUntil = 0;

  constructor(component) {
    const start = performance.now();
    this.#component = component;
    this.reading = component.data;
    this.order = shelf.read(ORDER_KEY) === "reading" ? "reading" : "score";
    this.sentence = null;
    for (const proposal of this.reading.proposals) this.#byNumber.set(proposal.sentence, proposal);
    this.#openOutbox();
    this.pane = new ArticlePane(this.reading, (sentence) => this.pick(sentence));
    this.rail = new Rail(this);
    this.#mount();
    this.#paintAll();
    this.#start();
    this.#listen();
    this.host.dataset.ready = this.reading.article.id;
    performance.measure("article reader built", { start });
  }

  #openOutbox() {
    const { article, reviewer, state } = this.reading;
    this.outbox = Outbox.of(reviewer);
    this.outbox.open(this.reading);
    this.answers = new Answers(state, this.outbox.stored(article.id), this.outbox.waiting(article.id));
  }

  #mount() {
    const { article } = this.reading;
    this.host = this.#component.parentElement.querySelector(".reader");
    delete this.host.dataset.ready;
    const source = [article.journal, article.year, ...article.ids].filter(Boolean).join(" · ");
    this.head = el("header", {}, el("h1", { title: article.title }, article.title),
      el("div", { class: "row" }, el("span", { class: "source", title: source }, source), this.#sectionMenu()));
    this.help = this.#helpPanel();
    const paper = el("div", { class: "paper" }, this.head,
      el("div", { class: "text" }, this.pane.node, this.pane.ruler, this.help));
    this.host.replaceChildren(el("div", { class: "frame" }, paper, this.rail.node));
  }

  #sectionMenu() {
    const counts = new Map();
    for (const { sentence } of this.reading.proposals) {
      const { section } = this.pane.sentences[sentence];
      counts.set(section, (counts.get(section) ?? 0) + 1);
    }
    const options = this.pane.sectionsWithText.map(({ index, title, depth }) => {
      const count = counts.has(index) ? `  (${counts.get(index)})` : "";
      return el("option", { value: index }, `${"\u2003".repeat(depth)}${title}${count}`);
    });
    const menu = el("select", { class: "sections", "aria-label": "Go to section" },
      el("option", { value: "" }, "Go to section"), ...options);
    menu.addEventListener("change", () => {
      if (menu.value) this.pane.scrollToSection(Number(menu.value));
      menu.value = "";
      this.pane.node.focus({ preventScroll: true }); // a focused menu would swallow the keys
    });
    menu.hidden = options.length < 2;
    return menu;
  }

  #helpPanel() {
    const rows = HELP.flatMap(([keys, meaning]) => [
      el("dt", {}, ...keys.split(" ").map((key) => el("kbd", {}, key))), el("dd", {}, meaning)]);
    return el("section", { class: "help", "aria-label": "Keys", hidden: true },
      el("h3", {}, "Keys"), el("dl", {}, ...rows),
      el("p", {}, "Click a highlighted sentence to judge it, any other sentence to mark it as missed."),
      button("Close", { class: "quiet", click: () => this.toggleHelp() }, "Esc"));
  }

  #listen() {
    const onKey = (event) => this.#key(event);
    const onHide = () => this.rail.saveDraft();
    const onResize = () => this.fit();
    // Capture: Streamlit has keys of its own (c, r) that must not fire as well.
    window.addEventListener("keydown", onKey, true);
    window.addEventListener("pagehide", onHide);
    window.addEventListener("resize", onResize);
    const unwatch = this.outbox.watch((settled) => this.#onSettled(settled));
    const textSize = new ResizeObserver(() => this.#drawRuler());
    textSize.observe(this.pane.node);
    this.dispose = () => {
      this.rail.saveDraft();
      window.removeEventListener("keydown", onKey, true);
      window.removeEventListener("pagehide", onHide);
      window.removeEventListener("resize", onResize);
      textSize.disconnect();
      unwatch();
    };
  }

  #start() {
    const first = this.#nextOpen() ?? this.proposalsInOrder[0];
    this.fit();
    this.#show(first?.sentence ?? null, true);
    // With the focus on the text, Space and PageDown scroll it; but never take it from a field being typed in.
    if (document.activeElement === document.body) this.pane.node.focus({ preventScroll: true });
    if (!first) this.rail.say(this.#nothingHere);
    else if (!this.#nextOpen()) this.rail.sayDone();
  }

  // Streamlit calls again on every rerun; an article being judged must not be rebuilt under the expert's hands.
  update(component) {
    this.#component = component;
    const { article, reviewer, queue } = component.data;
    if (article.id !== this.reading.article.id || reviewer !== this.reading.reviewer) return false;
    this.reading = { ...this.reading, token: component.data.token, endpoint: component.data.endpoint, queue };
    this.outbox.open(this.reading);
    this.rail.showQueue(queue);
    this.fit();
    return true;
  }

  // The rest of the window below whatever the page has put above.
  fit() {
    let top = this.host.getBoundingClientRect().top;
    for (let node = this.host; node; node = node.parentElement ?? node.getRootNode().host) top += node.scrollTop;
    this.host.style.setProperty("--top", `${Math.max(0, Math.round(top))}px`);
  }

  // --- What is shown ---

  proposalOf(sentence) {
    return this.#byNumber.get(sentence);
  }

  get proposalsInOrder() {
    const by = this.order === "reading" ? "sentence" : "rank";
    return [...this.reading.proposals].sort((a, b) => a[by] - b[by]);
  }

  get judgedCount() {
    return this.reading.proposals.filter(({ sentence }) => this.answers.verdict(sentence)).length;
  }

  get missed() {
    return this.answers.sentences.filter((sentence) => this.pane.sentences[sentence]
      && !this.#byNumber.has(sentence) && this.answers.verdict(sentence) === "accept");
  }

  #paint(sentence) {
    if (!this.pane.sentences[sentence]) return;
    const { answers } = this;
    this.pane.paint(sentence, {
      verdict: answers.verdict(sentence), proposal: this.proposalOf(sentence), comment: answers.comment(sentence),
    });
    this.rail.paintEntry(sentence);
  }

  #paintAll() {
    for (const sentence of new Set([...this.#byNumber.keys(), ...this.answers.sentences])) this.#paint(sentence);
    this.rail.arrange();
    this.rail.showProgress();
    this.rail.showMissed();
    this.#showSaving();
  }

  // After an answer on one sentence, or on the article (null).
  #repaint(sentence) {
    if (sentence != null) this.#paint(sentence);
    this.rail.showProgress();
    if (this.#byNumber.has(sentence)) return;
    this.rail.showMissed();
    this.#drawRuler();
  }

  #drawRuler() {
    const numbers = [...this.#byNumber.keys(), ...this.missed];
    this.pane.drawRuler(numbers, (sentence) => this.go(sentence));
  }

  #show(sentence, scroll) {
    this.sentence = sentence;
    if (this.#byNumber.has(sentence)) this.#lastProposal = sentence;
    this.pane.setCurrent(sentence, scroll);
    this.rail.showSentence();
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
      for (const event of refused) {
        this.answers.refuse(event, this.outbox.waiting(article));
        this.#repaint(event.sentence);
      }
      if (refused.length) this.rail.showSentence();
    }
    this.#showSaving();
  }

  get #nothingHere() {
    return this.pane.sentences.length ? NO_PROPOSALS : NO_TEXT;
  }

  // --- Moving ---

  go(sentence, scroll = true) {
    this.rail.saveDraft();
    this.rail.say("");
    this.#show(sentence, scroll);
  }

  // The next proposal to judge, from the current one onwards and then from the top; undefined when all are judged.
  #nextOpen() {
    const proposals = this.proposalsInOrder;
    const here = proposals.findIndex(({ sentence }) => sentence === this.sentence);
    const ahead = [...proposals.slice(here + 1), ...proposals.slice(0, here + 1)];
    return ahead.find(({ sentence }) => !this.answers.verdict(sentence));
  }

  stepProposal(step) {
    const proposals = this.proposalsInOrder;
    if (!proposals.length) return this.rail.say(this.#nothingHere);
    const target = proposals[this.#proposalIndex(proposals, step)];
    if (target) this.go(target.sentence);
    else this.rail.say(step > 0 ? "This is the last proposal." : "This is the first proposal.");
  }

  #proposalIndex(proposals, step) {
    const indexOf = (number) => proposals.findIndex(({ sentence }) => sentence === number);
    if (this.#byNumber.has(this.sentence)) return indexOf(this.sentence) + step;
    if (this.order === "score") return Math.max(0, indexOf(this.#lastProposal)); // back from the walk
    const after = proposals.findIndex(({ sentence }) => sentence > this.sentence);
    const next = after < 0 ? proposals.length : after;
    return step > 0 ? next : next - 1;
  }

  stepSentence(step) {
    const last = this.pane.sentences.length - 1;
    if (last < 0) return;
    const target = this.sentence == null ? 0 : this.sentence + step;
    this.go(Math.max(0, Math.min(last, target)));
  }

  stepParagraph(step) {
    const { sentences } = this.pane;
    const starts = sentences.map(({ paragraph }, number) => [paragraph, number])
      .filter(([paragraph, number]) => paragraph !== sentences[number - 1]?.paragraph);
    if (!starts.length) return;
    const here = sentences[this.sentence]?.paragraph ?? -1;
    const index = starts.findIndex(([paragraph]) => paragraph === here) + step;
    this.go(starts[Math.max(0, Math.min(starts.length - 1, index))][1]);
  }

  // A click on a sentence of the article.
  pick(sentence) {
    this.go(sentence, false);
    if (!this.#byNumber.has(sentence)) this.toggleMissed();
  }

  setOrder(order) {
    if (order === this.order) return;
    this.order = order;
    shelf.put(ORDER_KEY, order);
    this.rail.arrange();
    this.rail.showSentence();
    this.rail.say(order === "score" ? "Best score first." : "In reading order.");
  }

  // --- Answering ---

  judge(verdict) {
    if (this.sentence == null) return this.rail.say(this.#nothingHere);
    if (!this.#byNumber.has(this.sentence)) {
      return this.rail.say("This sentence was not proposed: M marks it, J goes to the next proposal.");
    }
    this.#answer("verdict", this.sentence, verdict);
    const next = this.#nextOpen();
    this.go(next ? next.sentence : this.sentence);
    if (!next) this.rail.sayDone();
  }

  toggleMissed() {
    const { sentence } = this;
    if (sentence == null) return this.rail.say(this.#nothingHere);
    if (this.#byNumber.has(sentence)) return this.rail.say("This sentence is already proposed: use A, X or S.");
    const isMarked = this.answers.verdict(sentence) === "accept";
    this.#answer("verdict", sentence, isMarked ? "withdrawn" : "accept");
    this.rail.showSentence();
    this.rail.say(isMarked ? "Mark removed. U brings it back." : "Marked as a missed key sentence. U undoes it.");
  }

  toggleRead() {
    this.#answer("read", null, !this.answers.read);
    this.rail.say(this.answers.read ? "Marked as read in full." : "No longer marked as read in full.");
  }

  comment(target = this.sentence) {
    this.rail.editComment(target);
  }

  setComment(target, text) {
    if (text === this.answers.comment(target)) return;
    this.#answer("comment", target, text);
    this.rail.showSentence();
  }

  undo() {
    const last = this.#undo.pop();
    if (!last) return this.rail.say("Nothing to undo in this visit.");
    this.#send(last.kind, last.sentence, last.before);
    this.go(last.sentence ?? this.sentence);
    this.rail.say("Undone.");
  }

  #answer(kind, sentence, value) {
    this.#undo.push({ kind, sentence, before: this.#valueNow(kind, sentence) });
    this.#send(kind, sentence, value);
  }

  #valueNow(kind, sentence) {
    if (kind === "read") return this.answers.read;
    if (kind === "comment") return this.answers.comment(sentence);
    return this.answers.verdict(sentence) ?? "withdrawn";
  }

  // Undo comes here too: it is one more event, nothing is ever taken back from the log.
  #send(kind, sentence, value) {
    this.answers.set({ kind, sentence, value });
    const shown = kind === "read" ? { sentences: this.pane.sentences.length } : this.#shown(sentence);
    this.outbox.add(this.reading, { kind, sentence, value, shown });
    this.#repaint(sentence);
  }

  // What the expert was shown when deciding.
  #shown(sentence) {
    const proposal = this.proposalOf(sentence);
    if (!proposal) return null;
    const { ranking, model } = this.reading;
    return { rank: proposal.rank, cosine: proposal.cosine, ranking, model };
  }

  // --- Leaving ---

  open(direction) {
    const article = this.reading.queue[direction];
    if (article != null) return this.openArticle(article);
    this.rail.say(`This is the ${direction === "next" ? "last" : "first"} article of the queue.`);
  }

  openArticle(article) {
    this.rail.saveDraft();
    this.#leavingUntil = performance.now() + LEAVING_MS;
    this.rail.say("Opening …");
    this.#component.setTriggerValue("open", article);
  }

  toggleHelp() {
    this.help.hidden = !this.help.hidden;
    if (this.help.hidden) this.pane.node.focus({ preventScroll: true });
    else this.help.querySelector("button").focus({ preventScroll: true });
  }

  // --- Keys ---

  #key(event) {
    if (event.defaultPrevented || !this.host.isConnected || isElsewhere(event)) return;
    const action = this.#actionOf(event);
    if (!action) return;
    event.preventDefault();
    event.stopPropagation();
    if (event.repeat && !MOVING_KEYS.has(event.key.toLowerCase())) return; // a held key must not judge twice
    if (performance.now() < this.#leavingUntil) return;
    action(event.shiftKey);
  }

  #actionOf({ key }) {
    const back = (byParagraph) => (byParagraph ? this.stepParagraph(-1) : this.stepSentence(-1));
    const onward = (byParagraph) => (byParagraph ? this.stepParagraph(1) : this.stepSentence(1));
    const previous = () => this.stepProposal(-1);
    const next = () => this.stepProposal(1);
    if (key === "Escape") return this.help.hidden ? null : () => this.toggleHelp();
    return {
      a: () => this.judge("accept"),
      x: () => this.judge("reject"),
      s: () => this.judge("unsure"),
      u: () => this.undo(),
      m: () => this.toggleMissed(),
      c: () => this.comment(),
      f: () => this.toggleRead(),
      o: () => this.setOrder(this.order === "score" ? "reading" : "score"),
      n: () => this.open("next"),
      p: () => this.open("previous"),
      "?": () => this.toggleHelp(),
      j: next, arrowdown: next,
      k: previous, arrowup: previous,
      "]": onward, "}": onward, arrowright: onward,
      "[": back, "{": back, arrowleft: back,
    }[key.toLowerCase()];
  }
}

const MOVING_KEYS = new Set(
  ["j", "k", "arrowdown", "arrowup", "]", "}", "arrowright", "[", "{", "arrowleft"]);
const TYPING = "input:not([type=checkbox], [type=button]), textarea, select, [contenteditable=true]";
const OWN_KEYS = "[role=slider], [role=listbox], [role=menu], [role=grid], [role=tablist], [role=radiogroup]";

// True when the key is someone else's: a text being typed, another widget, an open dialog, a browser shortcut.
function isElsewhere(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return true;
  if (document.querySelector("[role=dialog]")) return true;
  return event.composedPath().some((node) => node.matches?.(`${TYPING}, ${OWN_KEYS}`));
}

// Streamlit calls this on every change of the data and runs only the last cleanup it was given, so the
// reader of a mount is kept here and its listeners are added once.
const READERS = new WeakMap();

export default function mountReader(component) {
  const { parentElement } = component;
  const reader = READERS.get(parentElement);
  if (!reader?.update(component)) {
    reader?.dispose();
    READERS.set(parentElement, new Reader(component));
  }
  return () => {
    READERS.get(parentElement)?.dispose();
    READERS.delete(parentElement);
  };
}
