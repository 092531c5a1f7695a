"""Screening by key in a real browser: from the key to the next record, and until the new counts and order are there.

    python -m tests.measure.screening_keys --docs DOCS.jsonl.gz [--records 1000] [--keys 20]

Makes a data folder of its own of the first records of the file that have an abstract; calls every third one relevant.
"""

import argparse
import gzip
import json
import os
import statistics
import tempfile
import time
from pathlib import Path
from typing import Any

from tests.support.browser import chromium, new_page, serving, wait_for_run

# A frame after the record has changed it is on the screen. Begun before the page, so that it hears a key first.
PROBE = """(() => {
  window.waits = [];
  window.addEventListener("keydown", ({ timeStamp }) => {
    const now = () => [...document.querySelectorAll("*")].map(({ shadowRoot }) => shadowRoot)
      .map((root) => root?.querySelector(".found > article")?.dataset.key).find(Boolean);
    const before = now();
    const look = () => now() === before ? requestAnimationFrame(look)
      : requestAnimationFrame(() => window.waits.push(performance.now() - timeStamp));
    requestAnimationFrame(look);
  }, true);
})()"""


def prepare(docs: Path, records: int) -> None:
    """Stores the records as articles, and indexes them."""
    from annotate.search.upkeep import update
    from tests.support.making import paper, store

    with gzip.open(docs, "rt", encoding="utf-8") as file:
        told = [each for each in map(json.loads, file) if each["text"].strip()][:records]
    store(*(paper((each["text"],), pmid=each["id"], title=each["title"]) for each in told))
    update()


def measure(page: Any, keys: int) -> dict[str, float]:
    """Medians in seconds, after as many answers that are not measured, so that the order learns."""
    counted = []
    for number in range(2 * keys):
        wait_for_run(page)
        page.wait_for_timeout(500)
        started = time.perf_counter()
        page.keyboard.press("r" if number % 3 == 0 else "x")
        page.wait_for_function(
            "(n) => document.querySelector('[data-testid=stMetricValue]').textContent.trim() === n", arg=str(number + 1)
        )
        counted.append(time.perf_counter() - started)
    waits = page.evaluate("window.waits")[keys:]
    return {
        "n": len(waits),
        "key_to_next_record": statistics.median(waits) / 1000,
        "key_to_next_record_worst": max(waits) / 1000,
        "key_to_new_counts": statistics.median(counted[keys:]),
    }


def main() -> None:
    """Prints the measures as JSON, with the machine's load."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--docs", type=Path, required=True)
    parser.add_argument("--records", type=int, default=1000)
    parser.add_argument("--keys", type=int, default=20)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        os.environ["KEYLINE_HOME"] = f"{folder}/keyline"
        prepare(options.docs, options.records)
        with serving(Path(folder) / "keyline", as_people_do=True) as server, chromium() as browser:
            page = new_page(browser, server.url, "Anna")
            page.add_init_script(PROBE)
            page.goto(f"{server.url}/find?find_view=Screen")
            page.locator(".found > article").wait_for()
            told = measure(page, options.keys)
    print(json.dumps(told | {"load": os.getloadavg()[0]}, indent=1))


if __name__ == "__main__":
    main()
