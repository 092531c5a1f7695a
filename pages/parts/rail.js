// Everything right of the article. It reads the reader's state and calls its actions; it keeps none itself.
class Rail {
  #buttons = {};
  #entries = new Map(); // sentence -> list entry
  #answer; // what speaks for each proposal: a promise, once somebody has asked
  #editing; // the sentence whose comment is open: a number, null for the article, undefined for none

  constructor(reader) {
    this.reader = reader;
    this.node = el("aside", { class: "rail", "aria-label": "Review" },
      this.#progress(), this.#notices(), this.#card(), this.#lists(), this.#foot());
  }

  #progress() {
    this.judged = el("b", { class: "judged", role: "status", "aria-live": "polite" });
    this.save = el("span", { class: "save", role: "status", "aria-live": "polite" });
    this.found = el("span", { class: "found" });
    this.bar = el("i");
    return el("div", { class: "progress" },
      el("div", { class: "row" }, this.judged, this.found, this.save),
      el("div", { class: "bar", "aria-hidden": "true" }, this.bar));
  }

  #notices() {
    this.notices = el("div", { class: "notices", role: "status", "aria-live": "polite" });
    return this.notices;
  }

  #card() {
    const { reader } = this;
    this.where = el("div", { class: "where" });
    this.section = el("div", { class: "path" });
    this.scores = el("div", { class: "scores" });
    this.verdicts = el("div", { class: "verdicts" });
    for (const [key, verdict, label] of VERDICT_KEYS) {
      const sign = el("span", { class: "sign", "aria-hidden": "true" }, SIGNS[verdict]);
      this.#buttons[verdict] = button(label, { class: verdict, click: () => reader.judge(verdict) }, key);
      this.#buttons[verdict].append(sign);
      this.verdicts.append(this.#buttons[verdict]);
    }
    this.mark = button("", { class: "mark", click: () => reader.toggleMissed() });
    this.hint = el("div", { class: "hint", role: "status", "aria-live": "polite" });
    const tools = el("div", { class: "tools" },
      button("Comment", { class: "quiet", click: () => reader.comment() }, "C"),
      button("Undo", { class: "quiet", click: () => reader.undo() }, "U"),
      button("Article note", { class: "quiet", click: () => reader.comment(null) }));
    this.comments = el("div", { class: "comments" });
    const about = el("div", { class: "about" }, this.where, this.section, this.scores);
    return el("div", { class: "card" }, about, this.verdicts, this.mark, this.#why(), tools, this.comments, this.hint);
  }

  // Closed until somebody asks; the answer for all proposals of the article is fetched once.
  #why() {
    this.reasons = el("div", { class: "reasons", role: "status", "aria-live": "polite" });
    this.why = el("details", { class: "why", toggle: () => this.#showWhy() },
      el("summary", {}, "Why was this proposed?"), this.reasons);
    return this.why;
  }

  async #showWhy() {
    if (!this.why.open) return;
    const { reading } = this.reader;
    // Posted: an address is written into logs, and the token would stand there.
    const body = JSON.stringify({ token: reading.token });
    this.#answer ??= fetch(reading.why_endpoint, { method: "POST", body })
      .then((response) => (response.ok ? response.json() : null), () => null);
    const answer = await this.#answer;
    if (!answer) this.#answer = undefined; // asked again when it is opened again
    this.reasons.replaceChildren(...reasonLines(answer, this.reader.sentence));
  }

  #lists() {
    const { reader } = this;
    const option = (order, label) =>
      (this.#buttons[order] = button(label, { click: () => reader.setOrder(order), title: "Switch order: O" }));
    this.proposals = el("ol", { class: "proposals", "aria-label": "Proposed key sentences" });
    const missed = reader.isBlind ? "Key sentences" : "Missed key sentences";
    this.missed = el("ol", { class: "missed", "aria-label": missed });
    this.missedHead = el("h3", {}, missed);
    for (const sentence of reader.proposals.sentences) this.#addEntry(sentence);
    const switcher = el("span", { class: "switch", role: "group", "aria-label": "Order of the proposals" },
      option("score", "Score"), option("reading", "Reading"));
    this.learnt = el("p", { class: "learnt" });
    this.news = el("span", { class: "unseen", role: "status", "aria-live": "polite" });
    const head = el("div", { class: "head", hidden: !reader.proposals.count },
      el("div", { class: "row" }, el("h3", {}, "Proposed key sentences"), switcher), this.learnt, this.news);
    const blind = el("p", { class: "blind", hidden: !reader.isBlind }, WITHOUT_PROPOSALS);
    this.list = el("div", { class: "lists" }, head, blind, this.proposals, this.missedHead, this.missed);
    return this.list;
  }

  #addEntry(sentence) {
    const { text } = this.reader.pane.sentences[sentence];
    const entry = el("button", { type: "button", class: "entry", click: () => this.reader.go(sentence) },
      el("span", { class: "sign" }), el("span", { class: "rank" }), el("span", { class: "cosine" }),
      el("span", { class: "text" }, text));
    this.#entries.set(sentence, entry);
  }

  // After a new ranking. The entry being looked at stays where it is on the screen, whatever comes in above it.
  renew(moved, gone) {
    this.#answer = undefined; // what spoke for the proposals may do so no more
    for (const sentence of gone) this.#entries.delete(sentence);
    for (const sentence of moved) if (!this.#entries.has(sentence)) this.#addEntry(sentence);
    if (!moved.length && !gone.length) return;
    const here = this.#entries.get(this.reader.sentence);
    const before = here?.getBoundingClientRect().top;
    this.arrange(moved);
    if (here) this.list.scrollTop += here.getBoundingClientRect().top - before;
  }

  showLearnt(labels, changes) {
    if (!labels) return;
    const text = `Ranking learnt from ${plural(labels, "verdict")}`;
    if (this.learnt.textContent !== text) this.learnt.textContent = text;
    if (changes) this.news.textContent = text; // read aloud only where the list has changed
  }

  showNext(next) {
    this.next.title = next ? `${next.title}: ${next.reason}` : "";
  }

  #foot() {
    const { reader } = this;
    this.read = button("I have read the whole article",
      { class: "read", role: "checkbox", click: () => reader.toggleRead() });
    this.read.prepend(el("span", { class: "box", "aria-hidden": "true" }));
    this.read.append(el("kbd", { "aria-hidden": "true" }, "F"));
    const legend = el("div", { class: "legend", "aria-label": "Highlighted terms" });
    for (const [kind, name] of Object.entries(TERM_NAMES)) legend.append(el("mark", { class: `term ${kind}` }, name));
    legend.append(button("Help", { class: "quiet", click: () => reader.toggleHelp() }, "?"));
    this.queue = el("span", { class: "queue" });
    this.previous = button("Previous", { class: "previous", click: () => reader.openPrevious() }, "P");
    this.next = button("Next", { class: "next", click: () => reader.openNext() }, "N");
    this.showQueue(reader.reading.queue);
    return el("div", { class: "foot" }, this.read, legend,
      el("div", { class: "row turn" }, this.previous, this.queue, this.next));
  }

  showQueue({ previous, reviewed, total }) {
    this.queue.textContent = `${reviewed} of ${total} reviewed`;
    this.previous.disabled = previous == null;
  }

  showProgress() {
    const { judgedCount: judged, proposals: { count }, isBlind } = this.reader;
    const text = count ? `${judged} of ${count} judged` : isBlind ? "Without proposals" : "No proposals";
    if (this.judged.textContent !== text) this.judged.textContent = text; // or screen readers repeat it
    this.bar.style.width = `${count ? (100 * judged) / count : 0}%`;
    this.read.setAttribute("aria-checked", this.reader.answers.read);
  }

  showSentence(scroll = true) {
    const { reader } = this;
    const { sentence, pane } = reader;
    const proposal = reader.proposals.get(sentence);
    const verdict = reader.answers.verdict(sentence);
    const here = pane.sentences[sentence];
    this.where.textContent = this.#whereText(sentence, proposal);
    this.section.textContent = here ? pane.sectionPath(here.section) : "";
    this.section.title = this.section.textContent;
    this.scores.replaceChildren(...this.#scoreParts(proposal));
    this.verdicts.hidden = this.why.hidden = !proposal;
    this.#showWhy();
    for (const [, name] of VERDICT_KEYS) this.#buttons[name].setAttribute("aria-pressed", verdict === name);
    this.mark.hidden = Boolean(proposal) || !here;
    this.mark.replaceChildren(el("kbd", {}, "M"),
      verdict === "accept" ? "Unmark: not a key sentence" : `Mark as a ${reader.isBlind ? "" : "missed "}key sentence`);
    this.mark.setAttribute("aria-pressed", verdict === "accept");
    this.#showComments();
    this.#showCurrentEntry(sentence, scroll);
  }

  #whereText(sentence, proposal) {
    if (sentence == null) return "No sentence selected";
    if (proposal) return `Proposal ${proposal.rank} of ${this.reader.proposals.count}`;
    const { isBlind, answers } = this.reader;
    if (answers.verdict(sentence) === "accept") return isBlind ? "Key sentence" : "Missed key sentence";
    return isBlind ? "Not marked" : "Not proposed";
  }

  #scoreParts(proposal) {
    if (!proposal) return [];
    const { cosine, score, probability, ranking } = proposal;
    const part = (name, value) => el("span", {}, `${name} `, el("b", {}, value));
    const parts = [part("cosine", showScore(cosine, 3))];
    if (probability != null) parts.push(el("span", {}, el("b", {}, percent(probability)), " likely key"));
    else if (score != null) parts.push(part(`${ranking} score`, showScore(score, 2)));
    return parts;
  }

  #showCurrentEntry(sentence, scroll) {
    this.node.querySelector(".entry[aria-current]")?.removeAttribute("aria-current");
    const entry = this.#entries.get(sentence);
    if (!entry) return;
    entry.setAttribute("aria-current", "true");
    if (!scroll) return;
    const { list } = this;
    const [box, frame] = [entry.getBoundingClientRect(), list.getBoundingClientRect()];
    const head = list.firstElementChild.offsetHeight; // sticky: it covers the first entry
    if (box.top < frame.top + head) list.scrollTop += box.top - frame.top - head;
    else if (box.bottom > frame.bottom) list.scrollTop += box.bottom - frame.bottom;
  }

  paintEntry(sentence) {
    const entry = this.#entries.get(sentence);
    if (!entry) return;
    const verdict = this.reader.answers.verdict(sentence);
    const { rank, cosine, probability } = this.reader.proposals.get(sentence);
    const likely = probability == null ? "" : `${percent(probability)} likely key, `;
    setData(entry, "verdict", verdict);
    [SIGNS[verdict] ?? "", rank, showScore(cosine, 2)].forEach((text, cell) => (entry.children[cell].textContent = text));
    entry.title = `${likely}cosine ${showScore(cosine, 3)}`;
    entry.setAttribute("aria-label",
      `${rank}: ${VERDICT_NAMES[verdict] ?? "Not judged"}: ${this.reader.pane.sentences[sentence].text}`);
  }

  // Entries of the sentences that have moved fade in.
  arrange(moved = []) {
    const { order, proposalsInOrder } = this.reader;
    const focused = this.node.getRootNode().activeElement; // taking it out of the list would take the focus off it
    this.proposals.replaceChildren(...proposalsInOrder.map(({ sentence }) => {
      const entry = this.#entries.get(sentence);
      entry.classList.toggle("moved", moved.includes(sentence));
      return el("li", {}, entry);
    }));
    if (focused?.isConnected && this.proposals.contains(focused)) focused.focus({ preventScroll: true });
    for (const name of ["score", "reading"]) this.#buttons[name].setAttribute("aria-pressed", order === name);
  }

  showMissed() {
    const { pane, missed, isBlind } = this.reader;
    this.missedHead.hidden = !missed.length;
    this.found.textContent = missed.length ? `+${missed.length} ${isBlind ? "marked" : "missed"}` : "";
    this.missed.replaceChildren(...missed.map((sentence) => el("li", {},
      el("button", { type: "button", class: "entry", "data-missed": true, click: () => this.reader.go(sentence) },
        el("span", { class: "sign" }, "+"), el("span", { class: "text" }, pane.sentences[sentence].text)))));
  }

  say(text) {
    this.hint.replaceChildren(text);
  }

  // Shown when no proposal is left to judge: the one moment to look ahead.
  sayDone(done = "All proposals are judged.") {
    const more = this.reader.answers.read ? "" : " Missed sentences? Read on, then press F.";
    this.hint.replaceChildren(done + more,
      button("Next article", { class: "offer", click: () => this.reader.openNext() }, "N"));
  }

  // --- Comments ---

  #showComments() {
    if (this.#editing !== undefined) return; // the editor stays until it is saved or cancelled
    const { answers, sentence } = this.reader;
    const targets = sentence == null ? [null] : [sentence, null];
    const shown = targets.map((target) => [target, answers.comment(target), target == null ? "Article note" : "Comment"])
      .filter(([, text]) => text);
    this.comments.replaceChildren(...shown.map(([target, text, label]) =>
      el("button", { type: "button", class: "comment", title: "Edit", click: () => this.reader.comment(target) },
        el("b", {}, label), text)));
  }

  editComment(target) {
    this.saveDraft();
    this.#editing = target;
    const name = target == null ? "Note on the article" : "Comment on this sentence";
    this.draft = el("textarea", {
      rows: 3, maxlength: COMMENT_LENGTH, "aria-label": name, placeholder: name,
      keydown: (event) => this.#draftKey(event),
      input: () => shelf.put(this.#draftPlace(), [target, this.draft.value]),
    });
    this.draft.value = this.reader.answers.comment(target);
    this.comments.replaceChildren(this.draft, el("div", { class: "row keys" },
      el("span", {}, el("kbd", {}, "Enter"), "saves ", el("kbd", {}, "Esc"), "cancels"),
      button("Save", { class: "quiet", click: () => this.saveDraft() })));
    this.draft.focus();
  }

  #draftKey(event) {
    event.stopPropagation();
    if (event.isComposing) return; // Enter picks a word in an input method
    if (event.key === "Escape") this.#closeDraft();
    else if (event.key === "Enter" && !event.shiftKey) this.saveDraft();
    else return;
    event.preventDefault();
  }

  // Also called when the expert moves on: typed words are never dropped.
  saveDraft() {
    if (this.#editing === undefined) return;
    const [target, text] = [this.#editing, this.draft.value.trim()];
    this.#closeDraft();
    this.reader.setComment(target, text);
  }

  // Words that were being typed when the browser died are saved when the article is open again.
  takeDraft() {
    const [target, text] = shelf.read(this.#draftPlace()) ?? [];
    shelf.remove(this.#draftPlace());
    if (text !== undefined) this.reader.setComment(target, text.trim());
  }

  #draftPlace() {
    const { article, reviewer } = this.reader.reading;
    return `keyline:draft:${encodeURIComponent(reviewer)}:${article.id}`;
  }

  #closeDraft() {
    this.#editing = undefined;
    shelf.remove(this.#draftPlace());
    this.#showComments();
    this.reader.pane.node.focus({ preventScroll: true });
  }

  // --- Saving ---

  showSaving(status) {
    const [state, text] = savingText(status);
    if (this.save.textContent !== text) this.save.textContent = text;
    this.save.dataset.state = state;
    this.notices.replaceChildren(...this.#noticeLines(status));
  }

  #noticeLines({ waiting, expired, memoryOnly, refused, left }) {
    const lines = [];
    const { held_by: holder } = this.reader.reading;
    if (holder) lines.push(el("div", { class: "notice held" }, `${holder} is working on this article now.`));
    if (expired) {
      const verb = waiting === 1 ? "is" : "are";
      const kept = waiting ? ` ${plural(waiting, "verdict")} ${verb} kept in this browser.` : "";
      lines.push(el("div", { class: "notice expired" }, `${EXPIRED_NOTES[expired] ?? EXPIRED_NOTES.expired}${kept}`));
    }
    if (memoryOnly) {
      lines.push(el("div", { class: "notice memory" },
        `This browser's storage is full or blocked: ${memoryOnly} kept in this tab only. `
        + "Leave it open until all is saved."));
    }
    for (const { article, title, count } of left) {
      lines.push(el("div", { class: "notice left" },
        `${plural(count, "verdict")} kept for another article; open it to save: `,
        button(title, { class: "link", click: () => this.reader.openArticle(article) })));
    }
    if (refused.length) {
      const reasons = [...new Set(refused.map(({ reason }) => reason))].join("; ");
      lines.push(el("div", { class: "notice refused" }, `${refused.length} not accepted: ${reasons} `,
        button("Dismiss", { class: "link", click: () => this.reader.outbox.dismissRefused() })));
    }
    return lines;
  }
}

const EXPIRED_NOTES = {
  expired: "Your session has expired: reload the page.",
  "logged out": "You are logged out: log in again as the same person, then open this article.",
  "not allowed": "You may not review articles any more: ask an admin.",
};
const REASONS = 6; // the rest is small
const REASON_NOTES = {
  live: "Against this article's mean sentence, by what was learnt from the verdicts so far:",
  learned: "Against this article's mean sentence, by the ranking that learned from the verdicts:",
  hybrid: "Points for and against:",
  terms: "Points for and against:",
  cosine: "By likeness to the query alone:",
};

function reasonLines(answer, sentence) {
  const parts = answer?.parts[sentence];
  if (!parts || !answer.ranking) return [el("p", {}, "No explanation can be had now.")];
  const most = Math.max(...parts.map(([, points]) => Math.abs(points)));
  const rows = parts.slice(0, REASONS).map(([what, points]) => {
    const bar = el("i", { class: points < 0 ? "against" : "for", "aria-hidden": "true" });
    bar.style.width = `${(100 * Math.abs(points)) / most}%`;
    const signed = `${points < 0 ? "−" : "+"}${Math.abs(points).toFixed(2)}`;
    return el("li", {}, el("span", { class: "what" }, what), el("b", {}, signed), bar);
  });
  const list = rows.length ? el("ul", {}, ...rows) : "Nothing stands out.";
  return [el("p", {}, REASON_NOTES[answer.ranking] ?? ""), list];
}

// Never a flat 0 or 100: it is an estimate.
const percent = (probability) => `${Math.round(100 * Math.min(0.99, Math.max(0.01, probability)))} %`;

function savingText({ waiting, failing, expired, memoryOnly, refused, left }) {
  const place = memoryOnly ? "this tab only" : "this browser";
  if (!waiting) return refused.length ? ["refused", `${refused.length} not accepted`] : ["saved", "all saved"];
  const stuck = left.reduce((sum, { count }) => sum + count, 0);
  if (expired || stuck === waiting) return ["kept", `${waiting} kept in ${place}`];
  if (failing) return ["offline", `offline: ${waiting} kept in ${place}`];
  return ["saving", `saving ${waiting}`];
}
