// Shows each new ranking on the screen, without moving what the expert is looking at or has judged.
// In: the server's answer, asked for after every stored verdict.
// Out: the proposals, the list and the text, painted again.

import { betweenClicks } from "../shared/between_clicks.js";
import { LiveRanking } from "./live_ranking.js";

export class RankingOnScreen {
  #reader;
  #server;
  #postponed = null; // a ranking that would propose the very sentence being looked at

  constructor(reader) {
    this.#reader = reader;
    const unpressed = betweenClicks(reader.host);
    this.#server = new LiveRanking(
      () => this.#question(),
      (answer, asked) => unpressed(() => this.#take(answer, asked.places)),
      (reason) => reader.outbox.expire(reader.reading.article.id, reason),
    );
  }

  ask() {
    this.#server.ask();
  }

  // The expert looks at another sentence now.
  takePostponed() {
    if (this.#postponed) this.#take(this.#postponed);
  }

  #question() {
    const { isBlind, isOver, outbox, reading } = this.#reader;
    const { article, token, rank_endpoint: endpoint } = reading;
    const mayAsk = endpoint && !isBlind && !isOver && !outbox.isStale(article.id);
    return mayAsk ? [endpoint, { token, places: this.#places() }] : null;
  }

  #places() {
    const { proposals, sentence, answers } = this.#reader;
    return proposals.places(sentence, (number) => answers.verdict(number));
  }

  #take(answer, places) {
    const { rail, reading, sentence, proposals } = this.#reader;
    rail.foot.showNext(answer.next);
    // Any other set is the page's to offer: it would change the list without a verdict's having changed it.
    const isOurs = answer.ranking === "live" || answer.proposal_set === reading.proposal_set;
    if (!isOurs || !answer.proposals.length) return;
    const shown = answer.proposals.filter((fresh) => proposals.isShown(fresh));
    const proposesThis = !proposals.has(sentence) && shown.some((fresh) => fresh.sentence === sentence);
    this.#postponed = proposesThis ? answer : null; // M must go on meaning what it meant when it was reached for
    if (proposesThis) return;
    this.#apply(answer);
    // The expert went on while the server was ranking: it is told what stays, so that it stores what is on the screen.
    const isAsShown = shown.every((fresh) => proposals.get(fresh.sentence)?.rank === fresh.rank);
    if (!isAsShown && JSON.stringify(places) !== JSON.stringify(this.#places())) this.ask();
  }

  #apply({ proposals: ranked, ranking, model = this.#reader.reading.model, proposal_set: set }) {
    const { answers, pane, proposals, rail, sentence: here } = this.#reader;
    const fresh = ranked
      .filter(({ sentence }) => pane.sentences[sentence])
      .map((proposal) => ({ ...proposal, ranking, model, set }));
    const before = proposals.sentences;
    const moved = proposals.renew(fresh, here, (sentence) => answers.verdict(sentence));
    const gone = before.filter((sentence) => !proposals.has(sentence));
    rail.renew(moved, gone);
    for (const sentence of new Set([...gone, ...proposals.sentences])) this.#reader.paint(sentence);
    rail.lists.sayMoved(moved.length);
    rail.showSentence(false);
    if (moved.length || gone.length) this.#reader.showProposals();
  }
}
