"""What somebody who hears a page is told: live regions as they change, what has the focus, how the page is built.

A screen reader reads the browser's accessibility tree; `at_focus` and `Page` read the same tree.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

# Before the page's own scripts: what live regions say, also those of components, each text once a change.
HEAR = """(() => {
  window.heard = [];
  const LIVE = "[aria-live=polite], [aria-live=assertive], [role=status], [role=alert], [role=log]";
  const said = new WeakMap();
  const words = (node) => (node.getAttribute("aria-label") || node.textContent || "").replace(/\\s+/g, " ").trim();
  const tell = (node) => {
    if (node.closest("[hidden], [aria-hidden=true]")) return;
    const text = words(node);
    if (said.get(node) === text) return;
    said.set(node, text);
    if (text) window.heard.push(text);
  };
  // What is there when its region comes is read only where it is an alert.
  const first = (node) => {
    const text = words(node);
    if (said.has(node)) return;
    said.set(node, text);
    if (text && (node.matches("[role=alert], [aria-live=assertive]"))) window.heard.push(text);
  };
  const watch = (root) => {
    const seen = new MutationObserver((changes) => {
      for (const { target, addedNodes } of changes) {
        const at = target.nodeType === 1 ? target : target.parentElement;
        const live = at?.closest(LIVE);
        if (live && said.has(live)) tell(live);
        else if (live) { said.set(live, ""); tell(live); }
        for (const node of addedNodes) {
          if (node.nodeType !== 1) continue;
          for (const one of [node, ...node.querySelectorAll(LIVE)]) if (one.matches(LIVE) && one !== live) first(one);
        }
      }
    });
    seen.observe(root, { subtree: true, childList: true, characterData: true });
  };
  const attach = Element.prototype.attachShadow;
  Element.prototype.attachShadow = function (options) {
    const root = attach.call(this, options);
    watch(root);
    return root;
  };
  watch(document);
})()"""
_FOCUSED = """() => {
  let at = document.activeElement;
  while (at?.shadowRoot?.activeElement) at = at.shadowRoot.activeElement;
  return at;
}"""
_TOLD = ("checked", "pressed", "expanded", "disabled", "required", "invalid", "selected")
_CONTROLS = {"button", "link", "textbox", "combobox", "checkbox", "radio", "switch", "slider", "spinbutton", "tab"}
_LANDMARKS = {"banner", "main", "navigation", "complementary", "contentinfo", "search", "form", "region"}
_PICTURES = {"image", "img", "figure", "graphics-document"}


@dataclass(frozen=True, slots=True)
class Node:
    """One node of the accessibility tree."""

    role: str
    name: str
    states: tuple[str, ...] = ()
    level: int = 0

    def __str__(self) -> str:
        return ", ".join([self.name or "WITHOUT A NAME", self.role, *self.states])


@dataclass
class Outline:
    """How a page is built, for those who jump by headings, landmarks, tables and pictures."""

    headings: list[Node] = field(default_factory=list)
    landmarks: list[Node] = field(default_factory=list)
    tables: list[Node] = field(default_factory=list)
    pictures: list[Node] = field(default_factory=list)
    frames: list[Node] = field(default_factory=list)
    nameless: list[Node] = field(default_factory=list)


def _node(told: dict[str, Any]) -> Node:
    states, level = [], 0
    for one in told.get("properties", []):
        value = one["value"].get("value")
        if one["name"] == "level":
            level = int(value)
        elif one["name"] in _TOLD and value not in (None, "false"):
            plain = value in (True, "true")
            no = value is False
            if not (no and one["name"] in ("disabled", "required", "invalid", "selected")):
                states.append(one["name"] if plain else f"not {one['name']}" if no else f"{one['name']}: {value}")
    role = str(told.get("role", {}).get("value", ""))
    return Node(role, str(told.get("name", {}).get("value", "")).strip(), tuple(states), level)


def at_focus(page: Any) -> Node:
    """What has the focus, as the accessibility tree has it; the role is RootWebArea where it is nowhere."""
    session = page.context.new_cdp_session(page)
    try:
        found = session.send("Runtime.evaluate", {"expression": f"({_FOCUSED})()"})
        asked = {"objectId": found["result"]["objectId"], "fetchRelatives": False}
        return _node(session.send("Accessibility.getPartialAXTree", asked)["nodes"][0])
    finally:
        session.detach()


def html_at_focus(page: Any) -> str:
    """The beginning of the element that has the focus, for whoever looks for it."""
    return str(page.evaluate(f"() => ({_FOCUSED})().outerHTML.slice(0, 160)"))


def tree(page: Any) -> Iterator[Node]:
    """Every node that is told to a screen reader, in order."""
    session = page.context.new_cdp_session(page)
    try:
        told = session.send("Accessibility.getFullAXTree")["nodes"]
    finally:
        session.detach()
    by_id = {one["nodeId"]: one for one in told}
    stack = [one["nodeId"] for one in reversed(told) if one.get("parentId") not in by_id]
    while stack:
        one = by_id.get(stack.pop())
        if one is None:
            continue
        if not one.get("ignored"):
            yield _node(one)
        stack.extend(reversed(one.get("childIds", [])))


def outline(page: Any) -> Outline:
    """The page as it is built now."""
    found = Outline()
    for node in tree(page):
        if node.role == "heading":
            found.headings.append(node)
        elif node.role in _LANDMARKS:
            found.landmarks.append(node)
        elif node.role in ("table", "grid"):
            found.tables.append(node)
        elif node.role in _PICTURES:
            found.pictures.append(node)
        elif node.role == "Iframe":
            found.frames.append(node)
        if not node.name and node.role in _CONTROLS | _PICTURES | {"heading"}:
            found.nameless.append(node)
    return found


def heard(page: Any) -> list[str]:
    """What live regions have said since it was last asked."""
    said: list[str] = page.evaluate("() => window.heard.splice(0)")
    return said
