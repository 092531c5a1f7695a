// Asks the server to rank the rest of the article by the latest verdicts.
// In: a question, put together at the moment of asking. Out: the server's answer.

import { postJson } from "../shared/posting.js";

// One request at a time and one more waiting, so that a burst of verdicts costs few.
// Saving never waits for it, and a failure leaves the ranking as it is.
export class LiveRanking {
  #asking = false;
  #again = false;

  // `question` gives [endpoint, message] or null where nothing may be asked;
  // `onAnswer` gets what the server says and the message.
  constructor(question, onAnswer, onExpired) {
    Object.assign(this, { question, onAnswer, onExpired });
  }

  async ask() {
    this.#again = true;
    if (this.#asking) return;
    this.#asking = true;
    while (this.#again) {
      this.#again = false;
      // oxlint-disable-next-line no-await-in-loop -- only one request at a time
      await this.#askOnce();
    }
    this.#asking = false;
  }

  async #askOnce() {
    const question = this.question();
    if (!question) return;
    try {
      const { ok, expired, answer } = await postJson(...question);
      if (expired) this.onExpired(expired);
      else if (ok && this.question()) this.onAnswer(answer, question[1]);
    } catch {
      // No network, a time-out, or a proxy's page instead of an answer: the next verdict asks again.
    }
  }
}
