// The comments on the current sentence and on the article, and the field in which one is written.
// In: the reader, for the stored comments. Out: a finished comment, handed to the reader; no typed word is lost.

import { bringIntoSight, button, el, onFormKey, wayOut } from "./elements.js";
import { storage } from "../shared/storage.js";

const COMMENT_LENGTH = 4000;

export class Comments {
  #editing; // the sentence whose comment is open: a number, null for the article, undefined for none

  constructor(reader) {
    this.reader = reader;
    this.node = el("div", { class: "comments" });
  }

  show() {
    if (this.#editing !== undefined) return; // the editor stays until it is saved or cancelled
    const { answers, sentence } = this.reader;
    const targets = sentence == null ? [null] : [sentence, null];
    const shown = targets
      .map((target) => [target, answers.comment(target), target == null ? "Article note" : "Comment"])
      .filter(([, text]) => text);
    const edit = (target) => this.reader.judging.comment(target);
    this.node.replaceChildren(
      ...shown.map(([target, text, label]) =>
        el(
          "button",
          { type: "button", class: "comment", title: "Edit", click: () => edit(target) },
          el("b", {}, label),
          text,
        ),
      ),
    );
  }

  // `target` is a sentence, or null for the article.
  edit(target) {
    this.saveDraft();
    this.#editing = target;
    const name = target == null ? "Note on the article" : "Comment on this sentence";
    this.draft = el("textarea", {
      rows: 3,
      maxlength: COMMENT_LENGTH,
      "aria-label": name,
      placeholder: name,
      keydown: (event) =>
        onFormKey(
          event,
          () => this.saveDraft(),
          () => this.#closeDraft(),
        ),
      input: () => storage.put(this.#draftPlace(), [target, this.draft.value]),
    });
    this.draft.value = this.reader.answers.comment(target);
    this.node.replaceChildren(this.draft, wayOut(button("Save", { class: "quiet", click: () => this.saveDraft() })));
    this.draft.focus();
    bringIntoSight(this.node);
  }

  // Also called when the expert moves on: typed words are never dropped.
  saveDraft() {
    if (this.#editing === undefined) return;
    const [target, text] = [this.#editing, this.draft.value.trim()];
    this.#closeDraft();
    this.reader.judging.setComment(target, text);
  }

  // Words that were being typed when the browser died are saved when the article is open again.
  takeDraft() {
    const [target, text] = storage.read(this.#draftPlace()) ?? [];
    storage.remove(this.#draftPlace());
    if (text !== undefined) this.reader.judging.setComment(target, text.trim());
  }

  #draftPlace() {
    const { article, box, reviewer } = this.reader.reading;
    return `keyline:${box ?? ""}draft:${encodeURIComponent(reviewer)}:${article.id}`;
  }

  #closeDraft() {
    this.#editing = undefined;
    storage.remove(this.#draftPlace());
    this.show();
    this.reader.pane.focus();
  }
}
