// What a key sentence names, such as its gene, cells and edit, and the fields in which that is corrected.
// In: the reader, for the labels found and those given. Out: given labels, handed to the reader.

import { bringIntoSight, button, el, onFormKey, wayOut } from "./elements.js";
import { withKeys } from "./words.js";

export class SentenceLabels {
  #editing; // the sentence whose fields are open
  #fields = []; // [kind, input]

  constructor(reader) {
    this.reader = reader;
    this.node = el("div", { class: "labels" });
  }

  get #kinds() {
    return this.reader.reading.topic.kinds;
  }

  // The labels that a person gave, else the labels of its article that the sentence names.
  #labels(sentence) {
    const { answers, reading } = this.reader;
    return answers.labels(sentence) ?? reading.labels_named[sentence] ?? {};
  }

  show() {
    if (this.#editing !== undefined) return; // the fields stay until they are saved or cancelled
    const { answers, sentence } = this.reader;
    const isKey = sentence != null && answers.verdict(sentence) === "accept";
    this.node.replaceChildren(...(isKey && this.#kinds.length ? [this.#summary(sentence)] : []));
  }

  #summary(sentence) {
    const labels = this.#labels(sentence);
    const told = this.#kinds.filter(({ key }) => labels[key]).map((kind) => this.#told(kind, labels[kind.key]));
    const from = this.reader.answers.labels(sentence) ? "corrected" : "from the article's labels";
    const title = withKeys(`What this sentence names, ${from}. A click corrects it ({labels}).`, this.reader.keys);
    const edit = () => this.edit();
    return el(
      "button",
      { type: "button", class: "comment", title, click: edit },
      el("b", {}, "Named here"),
      ...(told.length ? told.flatMap((one, at) => (at ? [" · ", one] : [one])) : ["nothing"]),
    );
  }

  #told({ key, name }, names) {
    return el("span", { class: "told", "data-kind": key }, `${name} ${names.replaceAll(";", ", ")}`);
  }

  edit() {
    const { answers, rail, sentence } = this.reader;
    if (!this.#kinds.length) return;
    if (sentence == null || answers.verdict(sentence) !== "accept") {
      rail.say("Only a key sentence has names: accept it first.");
      return;
    }
    this.save();
    this.#editing = sentence;
    const labels = this.#labels(sentence);
    this.#fields = this.#kinds.map((kind) => [kind, this.#field(kind, labels[kind.key] ?? "")]);
    const rows = this.#fields.map(([{ name }, input]) => el("label", {}, el("span", {}, name), input));
    const asNamed = () => this.#close(null);
    const buttons = [
      button("As labelled", { class: "quiet", click: asNamed }),
      button("Save", { class: "quiet", click: () => this.save() }),
    ];
    this.node.replaceChildren(...rows, wayOut(...buttons));
    this.#fields[0][1].focus();
    bringIntoSight(this.node);
  }

  #field({ choices }, names) {
    const keydown = (event) =>
      onFormKey(
        event,
        () => this.save(),
        () => this.#close(),
      );
    if (!choices.length) {
      const input = el("input", { type: "text", maxlength: 1000, placeholder: "names, separated by ;", keydown });
      input.value = names.replaceAll(";", "; ");
      return input;
    }
    // What another topic, or two edits at once, have left stays a choice.
    const offered = [...new Set(["", ...choices, names])];
    const select = el("select", { keydown }, ...offered.map((one) => el("option", { value: one }, one || "none")));
    select.value = names;
    return select;
  }

  // Also called when the expert moves on: typed words are never dropped.
  save() {
    if (this.#editing === undefined) return;
    const before = this.#labels(this.#editing);
    const given = Object.fromEntries(this.#fields.map(([{ key }, input]) => [key, tidy(input.value)]));
    const isNews = Object.entries(given).some(([key, names]) => names !== (before[key] ?? ""));
    this.#close(isNews ? given : undefined);
  }

  // `given`: labels, null for the article's, undefined for no change.
  #close(given) {
    const sentence = this.#editing;
    this.#editing = undefined;
    this.#fields = [];
    if (given !== undefined) this.reader.judging.setLabels(sentence, given);
    this.show();
    this.reader.pane.focus();
  }
}

const tidy = (names) =>
  names
    .split(";")
    .map((name) => name.trim())
    .filter(Boolean)
    .join(";");
