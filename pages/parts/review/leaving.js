// Leaving for another article, once the verdicts on this one are stored.
// In: an article's id, or "next". Out: the message to Streamlit, which opens that article.

const SAVING_MS = 2000; // the queue is asked for the next article when it knows the verdicts on this one
const LONGEST_MS = 15_000; // then what was asked for was lost on its way: the server was gone

export class Leaving {
  #reader;
  #open; // tells Streamlit which article to open
  isUnderWay = false; // keys typed ahead of the next article must not judge this one, however long it takes to come

  constructor(reader, open) {
    this.#reader = reader;
    this.#open = open;
  }

  // Which article is next the server decides, when it is asked.
  openNext() {
    this.openArticle("next");
  }

  openPrevious() {
    const { reading, rail } = this.#reader;
    const { previous } = reading.queue;
    if (previous == null) rail.say("This is the first article of the queue.");
    else this.openArticle(previous);
  }

  async openArticle(article) {
    if (this.isUnderWay) return;
    const { rail, outbox, reading } = this.#reader;
    rail.comments.saveDraft();
    rail.labels.save();
    this.isUnderWay = true;
    rail.say("Opening …");
    await outbox.settled(reading.article.id, SAVING_MS);
    this.#open(article);
    setTimeout(() => this.#giveUp(), LONGEST_MS);
  }

  #giveUp() {
    this.isUnderWay = false;
    this.#reader.rail.say("The other article has not come: try again.");
  }
}
