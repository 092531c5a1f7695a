"""What moved on a page as it was built, as the browser tells it."""

from itertools import pairwise
from typing import Any

from tests.support.browser import wait_for_run

# Before the page's own scripts: each shift with the elements that moved, from where to where, in CSS pixels.
WATCH = """(() => {
  window.shifts = [];
  const named = (node) => {
    const at = node?.nodeType === 1 ? node : node?.parentElement;
    if (!at) return "gone";
    const near = at.closest("[data-testid]");
    const words = at.textContent.slice(0, 40);
    return [at.tagName.toLowerCase(), near?.dataset.testid, at.className?.baseVal ?? at.className, words].join(" | ");
  };
  const place = (box) => [box.x, box.y, box.width, box.height].map(Math.round).join(" ");
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) {
      if (entry.hadRecentInput) continue;
      window.shifts.push({
        at: entry.startTime, value: entry.value,
        moved: entry.sources.map(
          (one) => `${named(one.node)}: ${place(one.previousRect)} -> ${place(one.currentRect)}`,
        ),
      });
    }
  }).observe({ type: "layout-shift", buffered: true });
})()"""
# Nothing has moved, been added or taken away for this long: what is late counts too.
STILL_MS = 2000
STILL = f"""() => new Promise((done) => {{
  let timer = setTimeout(done, {STILL_MS});
  new MutationObserver(() => {{ clearTimeout(timer); timer = setTimeout(done, {STILL_MS}); }})
    .observe(document.body, {{ subtree: true, childList: true }});
}}).then(() => true)"""
PAUSE_MS, WINDOW_MS = 1000, 5000


def settled(page: Any) -> None:
    """Waits until the page's script has ended and the page stands still."""
    page.wait_for_selector("[data-testid=stMainBlockContainer] [data-testid=stElementContainer]", state="attached")
    wait_for_run(page)
    page.evaluate(STILL)


def shifts(page: Any) -> list[dict[str, Any]]:
    """Each shift so far: `at` in ms since the page was asked for, its `value`, and what `moved`."""
    found: list[dict[str, Any]] = page.evaluate("() => window.shifts")
    return found


def cls(seen: list[dict[str, Any]]) -> float:
    """The cumulative layout shift: the largest sum within a window of 5 s with no pause above 1 s; 0 without any."""
    largest = total = 0.0
    began = None
    for before, shift in pairwise([None, *seen]):
        assert shift is not None
        if began is None or before is None or shift["at"] - before["at"] > PAUSE_MS or shift["at"] - began > WINDOW_MS:
            began, total = shift["at"], 0.0
        total += shift["value"]
        largest = max(largest, total)
    return largest
