// The proposals on the screen. In: the proposals of the reading, then each new ranking. Out: who is where in the list.

// Each proposal carries the ranking, set and model that put it where it is: a verdict tells what was on the screen.
// The best are shown at first; the rest is there, and shown when somebody asks for more.
export class Proposals {
  #all = new Map();
  #bySentence = new Map(); // those that are shown
  #shown; // how many
  #held = new Set(); // looked at when a ranking would have moved them: they keep their place until they are judged
  #changed = new Map(); // sentence -> its place before the rankings since the last verdict, null where it is new

  constructor({ proposals, ranking, model, proposal_set: set, shown = proposals.length }) {
    this.#shown = shown;
    this.#put(proposals.map((proposal) => ({ ...proposal, ranking, model, set })));
  }

  #put(proposals) {
    const bySentence = proposals.map((proposal) => [proposal.sentence, proposal]);
    this.#all = new Map(bySentence);
    this.#bySentence = new Map(bySentence.filter(([, proposal]) => this.isShown(proposal)));
  }

  isShown({ rank }) {
    return rank <= this.#shown;
  }

  get hidden() {
    return this.#all.size - this.#bySentence.size;
  }

  // Returns the sentences that were not shown before.
  showAll() {
    const before = this.#bySentence;
    this.#shown = Infinity;
    this.#put([...this.#all.values()]);
    return this.sentences.filter((sentence) => !before.has(sentence));
  }

  get count() {
    return this.#bySentence.size;
  }

  get sentences() {
    return [...this.#bySentence.keys()];
  }

  has(sentence) {
    return this.#bySentence.has(sentence);
  }

  get(sentence) {
    return this.#bySentence.get(sentence);
  }

  inOrder(order) {
    const by = order === "reading" ? "sentence" : "rank";
    return [...this.#bySentence.values()].sort((a, b) => a[by] - b[by]);
  }

  // sentence -> rank of what a new ranking must leave where it is: judged sentences and the current one.
  places(current, isJudged) {
    const stays = this.#staying(current, isJudged);
    return Object.fromEntries(
      this.inOrder("rank")
        .filter(stays)
        .map(({ sentence, rank }) => [sentence, rank]),
    );
  }

  #staying(current, isJudged) {
    return ({ sentence }) => sentence === current || isJudged(sentence) || this.#held.has(sentence);
  }

  // Takes over a new ranking and returns the sentences that have come or whose rank is another.
  // Kept entries stay where they are, the rest fills the free places in the ranking's order.
  renew(fresh, current, isJudged) {
    const before = this.#bySentence;
    const twins = new Map(fresh.map((proposal) => [proposal.sentence, proposal]));
    if (before.has(current) && twins.get(current)?.rank !== before.get(current).rank) this.#held.add(current);
    const stays = this.#staying(current, isJudged);
    const kept = [...this.#all.values()].filter(stays).map((proposal) => {
      const twin = twins.get(proposal.sentence);
      return twin?.rank === proposal.rank ? twin : { ...proposal, probability: (twin ?? proposal).probability };
    });
    const old = [...this.#all.values()].filter(({ sentence }) => !twins.has(sentence)); // should the new ones not suffice
    const free = [...fresh, ...old].filter((proposal) => !stays(proposal));
    this.#put([...kept, ...fill(kept, free, fresh.length)]);
    const moved = this.sentences.filter((sentence) => before.get(sentence)?.rank !== this.get(sentence).rank);
    this.#noteChanged(moved, before);
    return moved;
  }

  #noteChanged(moved, before) {
    for (const sentence of moved)
      if (!this.#changed.has(sentence)) this.#changed.set(sentence, before.get(sentence)?.rank ?? null);
  }

  // "new", "was 7", or "" where no ranking has changed the proposal since the last verdict.
  changeOf(sentence) {
    if (!this.#changed.has(sentence)) return "";
    const was = this.#changed.get(sentence);
    if (was == null) return "new";
    return was === this.get(sentence)?.rank ? "" : `was ${was}`;
  }

  // A verdict has been given: what changed before it is settled. Returns the sentences that bore a mark.
  settle() {
    const marked = [...this.#changed.keys()];
    this.#changed.clear();
    return marked;
  }
}

// Gives the free ranks to the others in turn, until there are `count` in all.
function fill(kept, others, count) {
  const taken = new Set(kept.map(({ rank }) => rank));
  let rank = 0;
  return others.slice(0, Math.max(0, count - kept.length)).map((proposal) => {
    do rank++;
    while (taken.has(rank));
    return { ...proposal, rank };
  });
}
