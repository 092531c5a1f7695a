// The rail: everything right of the article, put together from its panels.
// In: the reader, whose state the panels read and whose actions they call. Out: an element.
// Verdicts and proposals stand in the reader; the panels only show them.

import { Card } from "./card.js";
import { Comments } from "./comments.js";
import { el } from "./elements.js";
import { Foot } from "./foot.js";
import { Lists } from "./lists.js";
import { Notices } from "./notices.js";
import { Progress } from "./progress.js";
import { SentenceLabels } from "./sentence_labels.js";
import { Spoken } from "./spoken.js";
import { Why } from "./why.js";

export class Rail {
  constructor(reader) {
    this.reader = reader;
    this.spoken = new Spoken();
    this.progress = new Progress(reader);
    this.notices = new Notices(reader);
    this.why = new Why(reader);
    this.comments = new Comments(reader);
    this.labels = new SentenceLabels(reader);
    this.card = new Card(reader, { labels: this.labels, why: this.why, comments: this.comments });
    this.lists = new Lists(reader, this.progress);
    this.foot = new Foot(reader);
    const panels = [this.spoken, this.notices, this.card, this.lists, this.foot];
    this.node = el("aside", { class: "rail", "aria-label": "Review" }, ...panels.map(({ node }) => node));
  }

  // After a new ranking: `moved` sentences have come or changed their rank, `gone` are proposed no more.
  renew(moved, gone) {
    this.why.forget();
    this.lists.renew(moved, gone);
  }

  showSentence(scroll = true) {
    const { head, sentence, proposals } = this.reader;
    head.showSection(sentence);
    this.card.show();
    this.labels.show();
    this.why.showSentence(proposals.get(sentence));
    this.comments.show();
    this.lists.showCurrent(sentence, scroll);
  }

  showProgress() {
    this.progress.showJudged();
    this.foot.showRead();
    this.foot.showReviewed();
  }

  showMissed() {
    this.progress.showMissed();
    this.lists.showMissed();
  }

  showSaving(status) {
    this.progress.showSaving(status);
    this.notices.show(status);
  }

  // Shown and read aloud.
  say(text) {
    this.card.say(text);
    this.tell(text);
  }

  sayDone(done) {
    this.tell(this.card.sayDone(done));
  }

  // Read aloud alone: who sees the screen sees it there.
  tell(...words) {
    this.spoken.tell(...words);
  }

  tellSentence(done) {
    this.tell(done, ...this.card.inWords());
  }
}
