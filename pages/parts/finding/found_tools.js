// The line above found articles: keys, what is done to all of them, and how far saving is.

import { makeButton } from "./found_rows.js";

const OVER = {
  "logged out": "You are logged out: log in again as the same person, then open this page.",
  "not allowed": "You may not do this any more: ask an admin.",
};

// `waiting`: how many of the listed articles match and wait for review; `acts`: what undo and queue do.
export function makeTools({ keys: keyOf, one }, waiting, acts, status) {
  const bar = document.createElement("div");
  bar.className = "tools";
  const keys = document.createElement("span");
  keys.className = "keys";
  const { next, previous, relevant, not, unsure, undo, queue } = keyOf;
  const judging = `${relevant} relevant · ${not} not · ${unsure} unsure · ${undo} undo · ${queue} queue · `;
  keys.append(`${next} ${previous} move · ${one ? "" : judging}Enter opens`);
  bar.append(keys);
  if (one) bar.append(makeButton("Undo", { key: undo }, acts.undo));
  else if (waiting) bar.append(makeButton(`Queue the ${waiting} below that match and wait`, {}, acts.queue));
  bar.append(status);
  return bar;
}

// How far saving is: {state, words}. `reason`: why the server refused an answer, else empty.
export function savingTold({ waiting, stored, failing, expired, memoryOnly }, reason) {
  const kept = `${waiting} kept in this ${memoryOnly ? "tab" : "browser"}`;
  if (reason) return { state: "refused", words: `Not saved, and undone here: ${reason}.` };
  if (!waiting) return { state: "saved", words: stored ? "All saved." : "" };
  if (expired) {
    const why = OVER[expired] ?? "This page was opened too long ago: reload it.";
    return { state: "waiting", words: `${why} ${kept}.` };
  }
  if (failing) return { state: "waiting", words: `Not saved yet: ${kept}, and sent again until stored.` };
  return { state: "saving", words: "Saving …" };
}
