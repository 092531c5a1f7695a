// The article reader: the paper on the left, the verdicts on the right, every action also a key.
// A verdict is painted at once and handed to the outbox (outbox.js); Streamlit only hears "open another article".
// Text reaches the page as text nodes alone, never as markup.

// Holds what is shown and carries out every action, whether a key, a click or a button asked for it.
class Reader {
  #component;
  #undo = [];
  #lastProposal = null; // where J and K go on from after a walk over other sentences
  #leavingUntil = 0;
  #isOver = false;
  #postponed = null; // a ranking that would propose the very sentence being looked at
  #dropped = { at: -Infinity, sentences: [] }; // what the last ranking proposes no more

  constructor(component) {
    const start = performance.now();
    this.#component = component;
    this.reading = component.data;
    this.order = shelf.read(ORDER_KEY) === "reading" ? "reading" : "score";
    this.sentence = null;
    this.proposals = new Proposals(this.reading);
    this.#openOutbox();
    this.ranking = new LiveRanking(() => this.#rankingQuestion(), (answer, asked) => this.#takeRanking(answer, asked.places),
      (reason) => this.outbox.expire(this.reading.article.id, reason));
    this.pane = new ArticlePane(this.reading, (sentence) => this.pick(sentence));
    this.rail = new Rail(this);
    this.#mount();
    this.#paintAll();
    this.#start();
    this.#listen();
    this.rail.takeDraft();
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
    this.sections = this.#sectionMenu();
    this.head = el("header", {}, el("h1", { title: article.title }, article.title), this.#reason(),
      el("div", { class: "row" }, el("span", { class: "source", title: source }, source), this.sections));
    this.help = this.#helpPanel();
    const paper = el("div", { class: "paper" }, this.head,
      el("div", { class: "text" }, this.pane.node, this.pane.ruler, this.help));
    this.host.replaceChildren(el("div", { class: "frame" }, paper, this.rail.node));
  }

  #reason() {
    const { strategy, reason } = this.reading.assignment ?? {};
    const text = `Next because: ${reason}`;
    return el("p", { class: "reason", title: text, hidden: !reason || strategy === "by hand" }, text);
  }

  #sectionMenu() {
    const options = this.pane.sectionsWithText.map(({ index }) => el("option", { value: index }));
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

  #countSections() {
    const counts = new Map();
    for (const sentence of this.proposals.sentences) {
      const { section } = this.pane.sentences[sentence];
      counts.set(section, (counts.get(section) ?? 0) + 1);
    }
    this.pane.sectionsWithText.forEach(({ index, title, depth }, position) => {
      const count = counts.has(index) ? `  (${counts.get(index)})` : "";
      this.sections.options[position + 1].textContent = `${"\u2003".repeat(depth)}${title}${count}`;
    });
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
    const heartbeat = setInterval(() => document.visibilityState === "visible" && this.outbox.beat(), HEARTBEAT_MS);
    const textSize = new ResizeObserver(() => this.#drawRuler());
    textSize.observe(this.pane.node);
    this.dispose = () => {
      this.#isOver = true;
      this.rail.saveDraft();
      window.removeEventListener("keydown", onKey, true);
      window.removeEventListener("pagehide", onHide);
      window.removeEventListener("resize", onResize);
      textSize.disconnect();
      clearInterval(heartbeat);
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
    this.ranking.ask();
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

  get proposalsInOrder() {
    return this.proposals.inOrder(this.order);
  }

  get judgedCount() {
    return this.proposals.sentences.filter((sentence) => this.answers.verdict(sentence)).length;
  }

  get missed() {
    return this.answers.sentences.filter((sentence) => this.pane.sentences[sentence]
      && !this.proposals.has(sentence) && this.answers.verdict(sentence) === "accept");
  }

  #paint(sentence) {
    if (!this.pane.sentences[sentence]) return;
    const { answers } = this;
    this.pane.paint(sentence, {
      verdict: answers.verdict(sentence), proposal: this.proposals.get(sentence), comment: answers.comment(sentence),
    });
    this.rail.paintEntry(sentence);
  }

  #paintAll() {
    for (const sentence of new Set([...this.proposals.sentences, ...this.answers.sentences])) this.#paint(sentence);
    this.#countSections();
    this.rail.arrange();
    this.rail.showProgress();
    this.rail.showMissed();
    this.#showSaving();
  }

  // After an answer on one sentence, or on the article (null).
  #repaint(sentence) {
    if (sentence != null) this.#paint(sentence);
    this.rail.showProgress();
    if (this.proposals.has(sentence)) return;
    this.rail.showMissed();
    this.#drawRuler();
  }

  #drawRuler() {
    const numbers = [...this.proposals.sentences, ...this.missed];
    this.pane.drawRuler(numbers, (sentence) => this.go(sentence));
  }

  #show(sentence, scroll) {
    this.sentence = sentence;
    if (this.proposals.has(sentence)) this.#lastProposal = sentence;
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
      if (stored.some(({ kind }) => kind === "verdict")) this.ranking.ask();
      for (const event of refused) {
        this.answers.refuse(event, this.outbox.waiting(article));
        this.#repaint(event.sentence);
      }
      if (refused.length) this.rail.showSentence();
    }
    this.#showSaving();
  }

  get #nothingHere() {
    if (!this.pane.sentences.length) return NO_TEXT;
    return this.isBlind ? "M marks the sentence as key." : NO_PROPOSALS;
  }

  // Read without proposals, which shows what experts find by themselves.
  get isBlind() {
    return this.reading.with_proposals === false;
  }

  // --- The ranking that learns ---

  #rankingQuestion() {
    const { article, token, rank_endpoint: endpoint } = this.reading;
    const mayAsk = endpoint && !this.isBlind && !this.#isOver && !this.outbox.isStale(article.id);
    return mayAsk ? [endpoint, { token, places: this.#places() }] : null;
  }

  #places() {
    return this.proposals.places(this.sentence, (sentence) => this.answers.verdict(sentence));
  }

  #takeRanking(answer, places) {
    this.rail.showNext(answer.next);
    // Any other set is the page's to offer: it would change the list without a verdict's having changed it.
    const isOurs = answer.ranking === "live" || answer.proposal_set === this.reading.proposal_set;
    if (!isOurs || !answer.proposals.length) return;
    const { sentence, proposals } = this;
    const proposesThis = !proposals.has(sentence) && answer.proposals.some((fresh) => fresh.sentence === sentence);
    this.#postponed = proposesThis ? answer : null; // M must go on meaning what it meant when it was reached for
    if (proposesThis) return;
    this.#applyRanking(answer);
    // The expert went on while the server was ranking: it is told what stays, so that it stores what is on the screen.
    const isAsShown = answer.proposals.every((fresh) => proposals.get(fresh.sentence)?.rank === fresh.rank);
    if (!isAsShown && JSON.stringify(places) !== JSON.stringify(this.#places())) this.ranking.ask();
  }

  #applyRanking({ proposals: ranked, ranking, model = this.reading.model, proposal_set: set, learnt }) {
    const fresh = ranked.filter(({ sentence }) => this.pane.sentences[sentence])
      .map((proposal) => ({ ...proposal, ranking, model, set }));
    const before = this.proposals.sentences;
    const moved = this.proposals.renew(fresh, this.sentence, (sentence) => this.answers.verdict(sentence));
    const gone = before.filter((sentence) => !this.proposals.has(sentence));
    this.rail.renew(moved, gone);
    for (const sentence of new Set([...gone, ...this.proposals.sentences])) this.#paint(sentence);
    const hasLearnt = ranking === "live" || fresh.some(({ probability }) => probability != null);
    this.rail.showLearnt(hasLearnt ? learnt : 0, moved.length);
    this.rail.showSentence(false);
    if (!moved.length && !gone.length) return;
    this.#dropped = { at: performance.now(), sentences: gone };
    this.rail.showProgress();
    this.#countSections();
    this.#drawRuler();
  }

  // --- Moving ---

  go(sentence, scroll = true) {
    this.rail.saveDraft();
    this.rail.say("");
    const postponed = sentence === this.sentence ? null : this.#postponed;
    this.#show(sentence, scroll);
    if (postponed) this.#takeRanking(postponed);
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
    if (this.proposals.has(this.sentence)) return indexOf(this.sentence) + step;
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
    const { at, sentences } = this.#dropped;
    const hasJustGone = sentences.includes(sentence) && performance.now() < at + MISCLICK_MS;
    this.go(sentence, false);
    if (hasJustGone) this.rail.say("Proposed no more: M marks it all the same.");
    else if (!this.proposals.has(sentence)) this.toggleMissed();
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
    if (!this.proposals.has(this.sentence)) {
      const onward = this.isBlind ? "." : ", J goes to the next proposal.";
      return this.rail.say(`This sentence was not proposed: M marks it${onward}`);
    }
    this.#answer("verdict", this.sentence, verdict);
    const next = this.#nextOpen();
    this.go(next ? next.sentence : this.sentence);
    if (!next) this.rail.sayDone();
  }

  toggleMissed() {
    const { sentence } = this;
    if (sentence == null) return this.rail.say(this.#nothingHere);
    if (this.proposals.has(sentence)) return this.rail.say("This sentence is already proposed: use A, X or S.");
    const isMarked = this.answers.verdict(sentence) === "accept";
    this.#answer("verdict", sentence, isMarked ? "withdrawn" : "accept");
    this.rail.showSentence();
    const marked = `Marked as a ${this.isBlind ? "" : "missed "}key sentence. U undoes it.`;
    this.rail.say(isMarked ? "Mark removed. U brings it back." : marked);
  }

  toggleRead() {
    this.#answer("read", null, !this.answers.read);
    if (!this.answers.read) this.rail.say("No longer marked as read in full.");
    else if (this.#nextOpen()) this.rail.say("Marked as read in full.");
    else this.rail.sayDone("Marked as read in full.");
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
    const proposal = this.proposals.get(sentence);
    if (!proposal) return null;
    const { rank, cosine, ranking, model, set } = proposal;
    return { rank, cosine, ranking, model, set };
  }

  // --- Leaving ---

  // Which article is next the server decides, when it is asked.
  openNext() {
    this.openArticle("next");
  }

  openPrevious() {
    const { previous } = this.reading.queue;
    if (previous != null) this.openArticle(previous);
    else this.rail.say("This is the first article of the queue.");
  }

  async openArticle(article) {
    if (performance.now() < this.#leavingUntil) return;
    this.rail.saveDraft();
    this.#leavingUntil = Infinity;
    this.rail.say("Opening …");
    await this.outbox.settled(this.reading.article.id, SAVING_MS);
    this.#leavingUntil = performance.now() + LEAVING_MS;
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
      n: () => this.openNext(),
      p: () => this.openPrevious(),
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
