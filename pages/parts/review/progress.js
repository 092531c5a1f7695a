// The head of the list: how many proposals are judged, how many sentences were missed, and whether all is saved.
// In: the reader, and the outbox's status. Out: an element.

import { el } from "./elements.js";

export class Progress {
  constructor(reader) {
    this.reader = reader;
    this.judged = el("h3", { class: "judged" });
    this.save = el("span", { class: "save" });
    this.told = el("span", { class: "unseen", role: "status", "aria-live": "polite" });
    this.found = el("span", { class: "found" });
    this.node = el("div", { class: "progress" }, this.judged, this.found, this.save, this.told);
  }

  showJudged() {
    const {
      judgedCount: judged,
      proposals: { count },
      isBlind,
    } = this.reader;
    const none = isBlind ? "Without proposals" : "No proposals";
    this.judged.textContent = count ? `${judged} of ${count} judged` : none;
  }

  showMissed() {
    const { missed, isBlind } = this.reader;
    this.found.textContent = missed.length ? `+${missed.length} ${isBlind ? "marked" : "missed"}` : "";
  }

  showSaving(status) {
    const [state, text] = savingText(status);
    this.save.textContent = text;
    const told = state === "saving" ? "" : text; // that it is under way says nothing: only how it ended is read aloud
    if (this.told.textContent !== told) this.told.textContent = told;
    this.save.dataset.state = state;
  }
}

function savingText({ waiting, failing, expired, memoryOnly, refused, left }) {
  const place = memoryOnly ? "this tab only" : "this browser";
  if (!waiting) return refused.length ? ["refused", `${refused.length} not accepted`] : ["saved", "all saved"];
  const stuck = left.reduce((sum, { count }) => sum + count, 0);
  if (expired || stuck === waiting) return ["kept", `${waiting} kept in ${place}`];
  if (failing) return ["offline", `offline: ${waiting} kept in ${place}`];
  return ["saving", `saving ${waiting}`];
}
