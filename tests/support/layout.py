"""What is wrong with how a form lies on the screen: parts that overlap, stick out, are cut, covered or tiny."""

from typing import Any

# Of a form that is on show, in words; nothing where all is well. A part is a control, a key cap or a line of text.
# What a scrolling box hides for now is no fault, but what a box without a scroll bar hides is.
FAULTS = """(form) => {
  const CONTROLS = "button, input, select, textarea, summary, a[href], [role=button], [role=checkbox]";
  const FIELDS = "input:not([type=checkbox], [type=radio]), select, textarea";
  const OF_STREAMLIT = "[data-testid=stMultiSelect] *"; // draws the cross of a choice larger than its button
  const SLACK = 1.5; // borders, and halves of a pixel
  const [SMALL, NARROW] = [16, 60]; // of a control, and of a field
  const GLYPHS = 0.15; // of a line's height, above and below: fonts claim more than their letters take

  const parentOf = (node) => node.assignedSlot ?? node.parentElement ?? node.getRootNode().host ?? null;
  const ancestors = (node) => {
    const found = [];
    for (let at = parentOf(node); at; at = parentOf(at)) found.push(at);
    return found;
  };
  const boxOf = ({ left, top, right, bottom }) => ({ left, top, right, bottom });
  const width = (box) => box.right - box.left;
  const height = (box) => box.bottom - box.top;
  const both = (a, b) => ({
    left: Math.max(a.left, b.left), right: Math.min(a.right, b.right),
    top: Math.max(a.top, b.top), bottom: Math.min(a.bottom, b.bottom),
  });
  const isEmpty = (box) => width(box) <= SLACK || height(box) <= SLACK;
  const isWithin = (box, outer) =>
    box.left >= outer.left - SLACK && box.right <= outer.right + SLACK &&
    box.top >= outer.top - SLACK && box.bottom <= outer.bottom + SLACK;
  const said = (text) => JSON.stringify(text.trim().replaceAll(/\\s+/g, " ").slice(0, 40));
  const isForEarsAlone = (node) => {
    const style = getComputedStyle(node);
    const clips = style.clipPath !== "none" || (style.clip !== "auto" && style.position === "absolute");
    return clips && node.offsetWidth <= 1;
  };
  const isShown = (node) =>
    node.checkVisibility({ visibilityProperty: true, opacityProperty: true }) &&
    ![node, ...ancestors(node)].some(isForEarsAlone);

  // The part of a box that its ancestors leave in sight, and whether one without a scroll bar has cut it.
  const inSight = (node, box, until) => {
    let cut = false;
    for (const outer of ancestors(node)) {
      const { overflowX, overflowY, textOverflow, webkitLineClamp } = getComputedStyle(outer);
      if (overflowX !== "visible" || overflowY !== "visible") {
        const left = both(box, boxOf(outer.getBoundingClientRect()));
        const scrolls = [overflowX, overflowY].some((one) => one === "auto" || one === "scroll");
        const tellsSo = textOverflow === "ellipsis" || webkitLineClamp !== "none";
        if (!scrolls && !tellsSo && !isWithin(box, outer.getBoundingClientRect())) cut = true;
        box = left;
      }
      if (outer === until) break;
    }
    return { box, cut };
  };

  // What scrolls may pass under what sticks to the edge of the same box.
  const sticks = (node) => node.nodeType === Node.ELEMENT_NODE && getComputedStyle(node).position === "sticky";
  const stuck = (node) => [node, ...ancestors(node)].find(sticks);
  const passes = (one, other) => {
    const [a, b] = [stuck(one), stuck(other)];
    return Boolean(a && parentOf(a).contains(other) && a !== b) || Boolean(b && parentOf(b).contains(one) && a !== b);
  };

  const parts = [];
  const add = (node, box, name, isControl) => {
    const seen = inSight(node, box, form);
    if (seen.cut) faults.push(`${name} is cut`);
    if (!isEmpty(seen.box)) parts.push({ node, box: seen.box, name, isControl });
  };
  const faults = [];
  const addText = (text) => {
    const range = document.createRange();
    range.selectNodeContents(text);
    const control = ancestors(text).find((node) => node === form || node.matches(CONTROLS));
    for (const line of range.getClientRects()) {
      const rim = GLYPHS * line.height;
      const box = { left: line.left, right: line.right, top: line.top + rim, bottom: line.bottom - rim };
      if (isEmpty(box)) continue;
      if (control === form) add(text, box, said(text.data), false);
      else if (!isWithin(inSight(text, box, control).box, control.getBoundingClientRect()))
        faults.push(`${said(text.data)} sticks out of its control`);
    }
  };
  const walk = (node) => {
    if (node.nodeType === Node.TEXT_NODE) {
      if (node.data.trim() && node.parentElement && isShown(node.parentElement)) addText(node);
      return;
    }
    if (node.nodeType !== Node.ELEMENT_NODE || node.tagName === "OPTION" || node.tagName === "svg") return;
    const isControl = node.matches(CONTROLS) && !node.parentElement?.closest(CONTROLS);
    const isCap = node.tagName === "KBD" && !node.closest(CONTROLS);
    if (node !== form && (isControl || isCap) && isShown(node)) {
      const name = said(node.getAttribute("aria-label") ?? node.innerText ?? node.placeholder ?? node.tagName);
      const type = node.type ? `${node.tagName.toLowerCase()} ${node.type}` : node.tagName.toLowerCase();
      add(node, boxOf(node.getBoundingClientRect()), `${type} ${name}`, isControl);
    }
    for (const child of (node.shadowRoot ?? node).childNodes) walk(child);
  };
  walk(form);

  const outline = boxOf(form.getBoundingClientRect());
  const window_ = { left: 0, top: 0, right: innerWidth, bottom: innerHeight };
  const left = both(inSight(form, outline, null).box, window_);
  if (!isWithin(outline, left)) faults.push("the form is not all in sight");
  for (const { node, box, name, isControl } of parts) {
    if (!isWithin(box, outline)) faults.push(`${name} is outside of the form`);
    if (!isControl || !isWithin(box, window_)) continue;
    const whole = node.getBoundingClientRect();
    const isTooSmall = whole.height < SMALL || whole.width < (node.matches(FIELDS) ? NARROW : SMALL);
    if (isTooSmall && !node.matches(OF_STREAMLIT))
      faults.push(`${name} is small: ${Math.round(whole.width)} by ${Math.round(whole.height)}`);
    let hit = document.elementFromPoint((box.left + box.right) / 2, (box.top + box.bottom) / 2);
    while (hit?.shadowRoot) {
      const deeper = hit.shadowRoot.elementFromPoint((box.left + box.right) / 2, (box.top + box.bottom) / 2);
      if (!deeper || deeper === hit) break;
      hit = deeper;
    }
    if (hit && hit !== node && !node.contains(hit) && !hit.contains(node) && !passes(node, hit))
      faults.push(`${name} is covered by ${hit.tagName.toLowerCase()} ${said(hit.innerText ?? "")}`);
  }
  for (const [place, one] of parts.entries())
    for (const other of parts.slice(place + 1))
      if (
        !one.node.contains(other.node) && !other.node.contains(one.node) &&
        !isEmpty(both(one.box, other.box)) && !passes(one.node, other.node)
      )
        faults.push(`${one.name} and ${other.name} overlap`);
  return [...new Set(faults)];
}"""


def faults(form: Any) -> list[str]:
    """What is wrong with how a form that is on show lies on the screen, in words, once its movements are over.

    Parts that overlap, stick out of the form or of their control, are cut, covered by something else, or too small to
    hit; and a form that is not all in sight. `form` is a locator of one element.
    """
    form.evaluate(
        "(form) => Promise.allSettled(form.getAnimations({ subtree: true }).map((each) => each.finished)).then(() => 0)"
    )
    found: list[str] = form.evaluate(FAULTS)
    return found
