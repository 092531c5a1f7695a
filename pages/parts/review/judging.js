// Answering: verdicts, marks, comments, read in full, and taking each of them back.
// In: what the expert decides about the sentence on show. Out: an event for the outbox; the screen shows it at once.

import { VERDICT_NAMES, withKeys } from "./words.js";

export class Judging {
  #reader;
  #undo = []; // the answer before each one of this visit

  constructor(reader) {
    this.#reader = reader;
  }

  judge(verdict) {
    const { sentence, proposals, rail, isBlind, nothingHere } = this.#reader;
    if (sentence == null) {
      rail.say(nothingHere);
    } else if (proposals.has(sentence)) {
      this.#answer("verdict", sentence, verdict);
      this.#reader.settleChanges();
      this.#goOn(`${VERDICT_NAMES[verdict]}, ${rail.progress.judged.textContent}`);
    } else {
      this.#say(
        `This sentence was not proposed: {missed} marks it${isBlind ? "." : ", {next_proposal} goes to the next proposal."}`,
      );
    }
  }

  #say(words) {
    const { keys, rail } = this.#reader;
    rail.say(withKeys(words, keys));
  }

  #goOn(done) {
    const { moving, rail, sentence } = this.#reader;
    const next = moving.nextOpen();
    this.#reader.go(next ? next.sentence : sentence, true, done);
    if (!next) rail.sayDone();
  }

  toggleMissed() {
    const { sentence, proposals, rail, nothingHere } = this.#reader;
    if (sentence == null) rail.say(nothingHere);
    else if (proposals.has(sentence))
      this.#say("This sentence is already proposed: use {accept}, {reject} or {unsure}.");
    else this.#toggleMark(sentence);
  }

  #toggleMark(sentence) {
    const { answers, rail, isBlind } = this.#reader;
    const isMarked = answers.verdict(sentence) === "accept";
    this.#answer("verdict", sentence, isMarked ? "withdrawn" : "accept");
    rail.showSentence();
    const marked = `Marked as a ${isBlind ? "" : "missed "}key sentence. You can undo it ({undo}).`;
    this.#say(isMarked ? "Mark removed. You can undo it ({undo})." : marked);
  }

  toggleRead() {
    const { answers, moving, rail } = this.#reader;
    this.#answer("read", null, !answers.read);
    if (!answers.read) rail.say("No longer marked as read in full.");
    else if (moving.nextOpen()) rail.say("Marked as read in full.");
    else rail.sayDone("Marked as read in full.");
  }

  // `target` is a sentence, or null for the article.
  comment(target = this.#reader.sentence) {
    this.#reader.rail.comments.edit(target);
  }

  setComment(target, text) {
    const { answers, rail } = this.#reader;
    if (text === answers.comment(target)) return;
    this.#answer("comment", target, text);
    rail.showSentence();
  }

  // `given`: names by the key of a kind, or null for the article's labels.
  setLabels(sentence, given) {
    const { rail } = this.#reader;
    this.#answer("labels", sentence, given);
    rail.showSentence();
    this.#say("Saved what this sentence names. You can undo it ({undo}).");
  }

  undo() {
    const { rail, sentence: here } = this.#reader;
    rail.labels.save();
    rail.comments.saveDraft();
    const last = this.#undo.pop();
    if (!last) {
      rail.say("Nothing to undo in this visit.");
      return;
    }
    const { kind, sentence, before } = last;
    this.#send(kind, sentence, before);
    this.#reader.go(sentence ?? here, true, "Undone");
    rail.card.say("Undone.");
  }

  #answer(kind, sentence, value) {
    // Labels are of the verdict that stands: what is being typed comes before one that rejects.
    const { rail, tour } = this.#reader;
    if (kind === "verdict") {
      rail.labels.save();
      if (tour.isDue) tour.leave();
    }
    this.#undo.push({ kind, sentence, before: this.#valueNow(kind, sentence) });
    this.#send(kind, sentence, value);
  }

  #valueNow(kind, sentence) {
    const { answers } = this.#reader;
    if (kind === "read") return answers.read;
    if (kind === "comment") return answers.comment(sentence);
    if (kind === "labels") return answers.labels(sentence);
    return answers.verdict(sentence) ?? "withdrawn";
  }

  // Undo comes here too: it is one more event, nothing is ever taken back from the log.
  #send(kind, sentence, value) {
    const { answers, outbox, pane, reading } = this.#reader;
    answers.set({ kind, sentence, value });
    const shown = kind === "read" ? { sentences: pane.sentences.length } : this.#shown(sentence);
    outbox.add(reading, { kind, sentence, value, shown });
    // A sentence accepted again keeps its labels where they are stored: another tab may have newer ones.
    this.#reader.repaint(sentence);
  }

  // What the expert was shown when deciding.
  #shown(sentence) {
    const proposal = this.#reader.proposals.get(sentence);
    if (!proposal) return null;
    const { rank, cosine, ranking, model, set } = proposal;
    return { rank, cosine, ranking, model, set };
  }
}
