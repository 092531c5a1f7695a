// Moving through the article: by proposal, by sentence, by paragraph; and asking for more proposals.
// In: a step, 1 or -1, from the sentence on show. Out: the reader goes to another sentence, or says why it stays.

export class Moving {
  #reader;
  #lastProposal = null; // where J and K go on from after a walk over other sentences

  constructor(reader) {
    this.#reader = reader;
  }

  // Told of every sentence that comes on show.
  passed(sentence) {
    if (this.#reader.proposals.has(sentence)) this.#lastProposal = sentence;
  }

  // The next proposal to judge, from the current one onwards and then from the top; undefined when all are judged.
  nextOpen() {
    const { proposalsInOrder: proposals, sentence: here, answers } = this.#reader;
    const index = proposals.findIndex(({ sentence }) => sentence === here);
    const ahead = [...proposals.slice(index + 1), ...proposals.slice(0, index + 1)];
    return ahead.find(({ sentence }) => !answers.verdict(sentence));
  }

  stepProposal(step) {
    const { proposalsInOrder: proposals, rail, nothingHere } = this.#reader;
    if (!proposals.length) {
      rail.say(nothingHere);
      return;
    }
    const target = proposals[this.#proposalIndex(proposals, step)];
    if (target) this.#reader.go(target.sentence);
    else rail.say(step > 0 ? "This is the last proposal." : "This is the first proposal.");
  }

  #proposalIndex(proposals, step) {
    const { sentence: here, order } = this.#reader;
    const indexOf = (number) => proposals.findIndex(({ sentence }) => sentence === number);
    if (this.#reader.proposals.has(here)) return indexOf(here) + step;
    if (order === "score") return Math.max(0, indexOf(this.#lastProposal)); // back from the walk
    const after = proposals.findIndex(({ sentence }) => sentence > here);
    const next = after < 0 ? proposals.length : after;
    return step > 0 ? next : next - 1;
  }

  // Shows the proposals that are not shown at first. What is being looked at stays, and where it is.
  showMore() {
    const { proposals, rail, pane, nothingHere } = this.#reader;
    if (!proposals.hidden) {
      rail.say(proposals.count ? "All proposals are shown." : nothingHere);
      return;
    }
    const isOnButton = rail.node.getRootNode().activeElement === rail.lists.more;
    const come = proposals.showAll();
    rail.lists.add(come);
    for (const sentence of come) this.#reader.paint(sentence);
    this.#reader.showProposals();
    rail.showMissed();
    rail.showSentence(false);
    rail.say(`${come.length} more ${come.length === 1 ? "is" : "are"} shown.`);
    if (isOnButton) pane.focus(); // the button is gone
  }

  stepSentence(step) {
    const { pane, sentence } = this.#reader;
    const last = pane.sentences.length - 1;
    if (last < 0) return;
    const target = sentence == null ? 0 : sentence + step;
    this.#reader.go(Math.max(0, Math.min(last, target)));
  }

  stepParagraph(step) {
    const {
      pane: { sentences },
      sentence,
    } = this.#reader;
    const starts = sentences
      .map(({ paragraph }, number) => [paragraph, number])
      .filter(([paragraph, number]) => paragraph !== sentences[number - 1]?.paragraph);
    if (!starts.length) return;
    const here = sentences[sentence]?.paragraph ?? -1;
    const index = starts.findIndex(([paragraph]) => paragraph === here) + step;
    this.#reader.go(starts[Math.max(0, Math.min(starts.length - 1, index))][1]);
  }
}
