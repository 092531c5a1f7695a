// The notices that ask the expert for something: a session that is over, answers that are not stored yet.
// In: the outbox's status. Out: an element, empty most of the time.

import { button, el, plural } from "./elements.js";

const EXPIRED_NOTES = {
  expired: "Your session has expired: reload the page.",
  "logged out": "You are logged out: log in again as the same person.",
  "not allowed": "You may not review articles any more: ask an admin.",
};

export class Notices {
  constructor(reader) {
    this.reader = reader;
    this.node = el("div", { class: "notices", role: "status", "aria-live": "polite" });
  }

  show(status) {
    const { reader } = this;
    this.node.replaceChildren(
      ...heldNotice(reader.reading),
      ...expiredNotice(status),
      ...memoryNotice(status),
      ...leftNotices(status, (article) => reader.leaving.openArticle(article)),
      ...refusedNotice(status, () => reader.outbox.dismissRefused()),
    );
  }
}

// Each of these returns a list of notices, empty where there is nothing to say.

function heldNotice({ held_by: holder }) {
  return holder ? [el("div", { class: "notice held" }, `${holder} is working on this article now.`)] : [];
}

function expiredNotice({ waiting, expired }) {
  if (!expired) return [];
  const verb = waiting === 1 ? "is" : "are";
  const kept = waiting ? ` ${plural(waiting, "verdict")} ${verb} kept in this browser.` : "";
  const note = `${EXPIRED_NOTES[expired] ?? EXPIRED_NOTES.expired}${kept} `;
  return [el("div", { class: "notice expired" }, note, ...wayBack(expired))];
}

function wayBack(expired) {
  if (expired !== "logged out") return [];
  const here = encodeURIComponent(location.pathname + location.search);
  return [el("a", { href: `/login?next=${here}` }, "Log in, and come back here")];
}

function memoryNotice({ memoryOnly }) {
  if (!memoryOnly) return [];
  const kept = `${plural(memoryOnly, "verdict")} kept in this tab only`;
  const text = `This browser's storage is full or blocked: ${kept}. Leave this tab open until all is saved.`;
  return [el("div", { class: "notice memory" }, text)];
}

function leftNotices({ left }, open) {
  return left.map(({ article, title, count }) =>
    el(
      "div",
      { class: "notice left" },
      `${plural(count, "verdict")} kept in this browser for another article. Open it to save: `,
      button(title, { class: "link", click: () => open(article) }),
    ),
  );
}

function refusedNotice({ refused }, dismiss) {
  if (!refused.length) return [];
  const reasons = [...new Set(refused.map(({ reason }) => reason))].join("; ");
  return [
    el(
      "div",
      { class: "notice refused" },
      `The server did not accept ${plural(refused.length, "verdict")}: ${reasons} `,
      button("Dismiss", { class: "link", click: dismiss }),
    ),
  ];
}
