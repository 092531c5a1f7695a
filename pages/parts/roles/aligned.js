// Two articles side by side: a click on a sentence goes to the one of the other that does the same.
// In: two lists of sentences with number, section, text, role and the number of the counterpart, -1 without one.

import { el } from "../review/elements.js";

function sentenceNode({ text, role, link, number }) {
  const told = link < 0 ? "nothing like it in the other" : "click: to its counterpart";
  const about = { "data-number": number, "data-role": role, title: `${role} · ${told}` };
  return el("span", link < 0 ? about : { ...about, role: "button", tabindex: 0 }, text);
}

function paneOf(sentences, name) {
  const pane = el("div", { class: "side", "aria-label": name });
  let section = null;
  let paragraph = null;
  for (const sentence of sentences) {
    if (sentence.section !== section || !paragraph) {
      ({ section } = sentence);
      paragraph = el("p");
      pane.append(el("h3", {}, section || " "), paragraph);
    }
    paragraph.append(sentenceNode(sentence), " ");
  }
  return pane;
}

function mark(pane, number) {
  for (const node of pane.querySelectorAll("[aria-current]")) node.removeAttribute("aria-current");
  const node = pane.querySelector(`[data-number="${number}"]`);
  node?.setAttribute("aria-current", "true");
  return node;
}

function go(panes, sides, from, number) {
  const { link } = sides[from].find((sentence) => sentence.number === number);
  if (link < 0) return;
  mark(panes[from], number);
  const node = mark(panes[1 - from], link);
  const box = node.getBoundingClientRect();
  const pane = panes[1 - from].getBoundingClientRect();
  panes[1 - from].scrollTop += box.top - pane.top - (pane.height - box.height) / 3;
}

export default function mountAligned({ parentElement, data }) {
  const host = parentElement.querySelector(".aligned");
  const panes = [paneOf(data.sides[0], "One article"), paneOf(data.sides[1], "The other")];
  for (const [from, pane] of panes.entries()) {
    const jump = (event) => {
      const node = event.target.closest("[data-number]");
      if (node) go(panes, data.sides, from, Number(node.dataset.number));
    };
    pane.addEventListener("click", jump);
    pane.addEventListener("keydown", (event) => event.key === "Enter" && jump(event));
  }
  host.replaceChildren(...panes);
}
