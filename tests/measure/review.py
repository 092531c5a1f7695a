"""The review page measured in a real browser: feedback, saving, opening, kill -9 in a burst, memory.

    python -m tests.measure.review [--kills 20]

Makes a data folder of its own with a made-up article of 786 sentences (the longest of the reference corpus).
"""

import argparse
import os
import random
import statistics
import tempfile
import time
from pathlib import Path
from typing import Any

import psutil
from sqlalchemy import func, select

from tests.support.browser import Server, chromium, new_page, open_reader, serving, wait_until_saved

SENTENCES = 786
PARAGRAPH = 6
# Two frames after a key the screen shows what it did; the probe reports the time from the key to then.
PROBE = """() => {
  window.feedback = [];
  window.addEventListener("keydown", (event) => {
    if (!"axs".includes(event.key)) return;
    const start = event.timeStamp;
    requestAnimationFrame(() => requestAnimationFrame((now) => window.feedback.push(performance.now() - start)));
  }, true);
}"""


def long_article(title: str) -> str:
    """A Markdown article whose every third sentence edits a gene."""
    templates = (
        "We generated a TP53 knockout in HeLa cells using CRISPR-Cas9, clone {n}.",
        "The samples of batch {n} were washed in buffer and measured twice.",
        "Growth of the cells decreased in assay {n}, as was previously reported.",
    )
    lines = [templates[n % 3].format(n=n) for n in range(SENTENCES)]
    paragraphs = [" ".join(lines[i : i + PARAGRAPH]) for i in range(0, SENTENCES, PARAGRAPH)]
    return f"# {title}\n\n## Results\n\n" + "\n\n".join(paragraphs)


def prepare() -> int:
    """Stores the article twice under two titles, with 60 proposals each; returns the first one's id."""
    import db.articles
    import db.proposing
    from annotate.articles.parsing import from_bytes
    from annotate.project.home import write
    from annotate.project.rights import Right
    from annotate.proposing.encoder_versions import proposing_version
    from db import tables
    from tests.support.ingesting import ingest

    for title in ("A long article", "Another long article"):
        ingest(from_bytes("long.md", long_article(title).encode()))
    version = proposing_version()
    with write(Right.SYSTEM) as session:
        article_ids = session.scalars(select(tables.Article.id).order_by(tables.Article.id)).all()
        for article_id in article_ids:
            ids = db.articles.sentence_ids(session, article_id)
            chosen = [
                {"rank": r + 1, "sentence_id": ids[r * 13], "score": 1 - r / 60, "cosine": 0.8} for r in range(60)
            ]
            values = {"article_id": article_id, "version_id": version.id, "ranking": "hybrid", "query": "q", "k": 60}
            db.proposing.insert_proposals(session, [values], [chosen])
    return article_ids[0]


def percentiles(values: list[float]) -> str:
    """p50, p95 and the maximum, in milliseconds."""
    ordered = sorted(values)
    p95 = ordered[min(len(ordered) - 1, int(0.95 * len(ordered)))]
    return f"p50 {statistics.median(ordered):.0f} ms, p95 {p95:.0f} ms, max {ordered[-1]:.0f} ms (n = {len(ordered)})"


def save_lags() -> list[float]:
    """Milliseconds from the key press to the stored row, by the clocks of one machine."""
    from datetime import datetime

    from annotate.project.home import read
    from db.tables import Verdict

    with read() as session:
        rows = session.execute(select(Verdict.given_at, Verdict.stored_at)).all()
    return [(datetime.fromisoformat(b) - datetime.fromisoformat(a)).total_seconds() * 1000 for a, b in rows]


def measure_typing(browser: Any, server: Server, article_id: int) -> None:
    """Feedback and save latency of 60 verdicts at two a second, and the time to open."""
    opened = []
    for _ in range(5):
        page = new_page(browser, server.url, "Anna")
        started = time.perf_counter()
        open_reader(page, server.url, article_id)
        opened.append((time.perf_counter() - started) * 1000)
        built = page.evaluate("performance.getEntriesByName('article reader built')[0].duration")
        page.context.close()
    print("page load to readable, cold browser:", percentiles(opened), f"of which the reader {built:.0f} ms")
    page = new_page(browser, server.url, "Anna")
    open_reader(page, server.url, article_id)
    page.evaluate(PROBE)
    for number in range(60):
        page.keyboard.press("axs"[number % 3])
        time.sleep(0.5)
    wait_until_saved(page)
    print("key to painted:", percentiles(page.evaluate("window.feedback")))
    print("key to row on disk:", percentiles(save_lags()))
    switched = []
    for _ in range(6):  # n and p go to and fro between the two articles
        page.wait_for_timeout(2000)
        there = page.locator(".reader").get_attribute("data-ready")
        started = time.perf_counter()
        page.keyboard.press("n" if there == str(article_id) else "p")
        page.wait_for_selector(f'.reader[data-ready]:not([data-ready="{there}"])')
        switched.append((time.perf_counter() - started) * 1000)
        if len(switched) == 1:
            page.keyboard.press("a")
            wait_until_saved(page)
    print("next or previous article, open to read:", percentiles(switched))
    started = time.perf_counter()
    page.reload()
    page.wait_for_selector(".reader[data-ready]")
    print(f"reload: {(time.perf_counter() - started) * 1000:.0f} ms")
    memory = psutil.Process(server.process.pid).memory_info().rss / 2**20  # type: ignore[union-attr]
    print(f"memory of the app: {memory:.0f} MiB")
    page.context.close()


def measure_kills(browser: Any, server: Server, article_id: int, kills: int) -> None:
    """kill -9 during bursts of ten verdicts a second: what was acknowledged must be stored, all of it once."""
    from annotate.project.home import read
    from db.tables import Annotator, Verdict

    generator = random.Random(7)
    totals = dict.fromkeys(("given", "acknowledged", "acknowledged_lost", "given_lost", "doubled", "dialogs"), 0)
    query = select(func.count(), func.count(func.distinct(Verdict.event_id))).join(Annotator)
    for round_number in range(kills):
        name = f"Burst {round_number}"
        page = new_page(browser, server.url, name)
        open_reader(page, server.url, article_id)
        for _ in range(30):
            page.keyboard.press("a")
            if generator.random() < 0.06 and server.process and server.process.poll() is None:
                server.kill()
            time.sleep(0.1)
        if server.process and server.process.poll() is None:
            server.kill()
        saved = int(page.locator(".reader").get_attribute("data-saved"))
        # Streamlit covers the page with a dialog when it has lost its server; keys pressed then give no verdict.
        given = page.locator("[data-sentence][data-verdict]").count()
        totals["dialogs"] += page.locator("[role=dialog]").count()
        with read() as session:
            rows, _ = session.execute(query.where(Annotator.name == name)).one()
        totals["given"] += given
        totals["acknowledged"] += saved
        totals["acknowledged_lost"] += max(0, saved - rows)
        server.start()
        wait_until_saved(page)
        with read() as session:
            rows, distinct = session.execute(query.where(Annotator.name == name)).one()
        totals["given_lost"] += max(0, given - rows)
        totals["doubled"] += rows - distinct + max(0, rows - given)
        page.context.close()
    print(f"kill -9 x {kills}:", ", ".join(f"{count} {what.replace('_', ' ')}" for what, count in totals.items()))


def main() -> None:
    """Runs all measurements."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=20)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        os.environ["KEYLINE_HOME"] = f"{folder}/keyline"
        article_id = prepare()
        with serving(Path(folder) / "keyline") as server, chromium() as browser:
            measure_typing(browser, server, article_id)
            measure_kills(browser, server, article_id, options.kills)


if __name__ == "__main__":
    main()
