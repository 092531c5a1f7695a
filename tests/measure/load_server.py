"""Load on the running app: L4 thirty experts who click every two seconds, L6 reruns without end.

    python -m tests.measure.load_server L4 [--seconds 60] [--json]
    python -m tests.measure.load_server L6 [--reruns 100000] [--json]

Each expert of L4 is a session with the app over its websocket and posts verdicts as the reader does; where Chromium is
installed three real browsers work beside them. Exit codes as in tests/measure/load.py.
"""

import argparse
import asyncio
import os
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from annotate.review.article_view import ENDPOINT, RANK_ENDPOINT
from annotate.review.verdicts import sign
from tests.measure.load import EVERY, large_project
from tests.support.browser import CHROMIUM, Server, chromium, new_page, open_reader, serving, wait_until_saved
from tests.support.figures import Line, milliseconds
from tests.support.making import query, verdict
from tests.support.oracle import oracle
from tests.support.wire import Tab, open_files, post, resident_mb

EXPERTS, BROWSERS = 30, 3
POOL = 150  # articles; the first half is judged already
CLICKS_PER_ARTICLE = 10
PAGES = ("articles", "queue", "review", "gold")
RERUNS_PER_TAB = 100
# Streamlit keeps a closed session for two minutes, and with it three open files of the event loop of its thread.
KEPT_SECONDS, KEPT_FILES = 120, 3
# Connections that the pools open when the first page needs them, of two files each, and the log's shared memory.
POOLED_FILES = 10


class Office:
    """The experts of L4, and what became of their clicks."""

    def __init__(self, server: Server, begun: float, seconds: float, experts: int, pool: int) -> None:
        self.server, self.begun, self.seconds = server, begun, seconds
        self.experts, self.pool = experts, pool
        self.sent: list[str] = []
        self.acknowledged: list[str] = []
        self.errors: list[str] = []
        self.saved: list[float] = []
        self.ranked: list[float] = []
        self.opened: list[float] = []

    async def expert(self, index: int) -> None:
        """Opens an article, judges ten sentences of it, opens another."""
        name = f"Anna {index}"
        ranking: asyncio.Task[None] | None = None
        async with Tab(self.server, name) as tab:
            for number in range(int(self.seconds / EVERY)):
                due = self.begun + number * EVERY + index * EVERY / self.experts
                await asyncio.sleep(max(0.0, due - time.monotonic()))
                place = (index + self.experts * (number // CLICKS_PER_ARTICLE)) % (self.pool - self.pool // 2)
                article_id = self.pool // 2 + 1 + place
                if number % CLICKS_PER_ARTICLE == 0:
                    started = time.monotonic()
                    await tab.open("review", f"article={article_id}")
                    self.opened.append(time.monotonic() - started)
                    due = max(due, time.monotonic())
                token = sign(name, article_id)
                await asyncio.to_thread(self.click, token, number % CLICKS_PER_ARTICLE, due)
                if ranking is None or ranking.done():  # as the reader: one at a time, and saving never waits for it
                    ranking = asyncio.create_task(asyncio.to_thread(self.rank, token))
            if ranking is not None:
                await ranking

    def click(self, token: str, position: int, due: float) -> None:
        """One verdict."""
        event = verdict(position, "reject")
        self.sent.append(event["id"])
        status, answer = post(self.server, ENDPOINT, token=token, events=[event])
        self.saved.append(time.monotonic() - due)
        if status != 200:
            self.errors.append(f"{status} {answer}")
            return
        self.acknowledged += answer["stored"]

    def rank(self, token: str) -> None:
        """The ranking that the reader asks for after a verdict."""
        started = time.monotonic()
        status, answer = post(self.server, RANK_ENDPOINT, token=token)
        self.ranked.append(time.monotonic() - started)
        if status != 200:
            self.errors.append(f"{status} {answer}")

    def browsers(self) -> list[float]:
        """Three real browsers that press a key every two seconds; returns seconds from each key to its stored row."""
        with chromium() as browser:
            pages = [new_page(browser, self.server.url, f"Ben {index}") for index in range(BROWSERS)]
            for index, page in enumerate(pages):
                open_reader(page, self.server.url, self.pool - index)
            number = 0
            while time.monotonic() < self.begun + self.seconds:
                for page in pages:
                    page.keyboard.press("axs"[number % 3])
                    time.sleep(EVERY / BROWSERS)
                number += 1
            for page in pages:
                wait_until_saved(page)
        rows = query("SELECT (julianday(stored_at) - julianday(given_at)) * 86400 FROM verdict JOIN annotator "
                     "ON annotator.id = annotator_id WHERE annotator.name LIKE 'Ben %'")  # fmt: skip
        return [row[0] for row in rows]


def l4(seconds: float, experts: int = EXPERTS, pool: int = POOL, *, with_browsers: bool = CHROMIUM is not None) -> Line:
    """So many experts at the running app."""
    line = Line("L4")
    large_project(pool, pool // 2)
    before = {row[0] for row in query("SELECT event_id FROM verdict UNION SELECT event_id FROM reading")}
    with serving(Path(os.environ["KEYLINE_HOME"])) as server:
        asyncio.run(_warm_up(server, pool // 2))
        memory = resident_mb(server)
        office = Office(server, time.monotonic() + 1, seconds, experts, pool)
        from_browsers = asyncio.run(_work(office, with_browsers=with_browsers))
        line.limit("memory_growth_mb", resident_mb(server) - memory, 300)
        line.figures["memory_mb"] = round(resident_mb(server))
    sent = before.union(office.sent, (row[0] for row in query(
        "SELECT event_id FROM verdict JOIN annotator ON annotator.id = annotator_id WHERE annotator.name LIKE 'Ben %'"
    )))  # fmt: skip
    found = oracle(office.acknowledged, sent)
    line.figures |= {"clicks": len(office.sent), "lost": found.lost, "doubled": found.doubled + found.unasked}
    line.figures["complaints"] = len(found.complaints)
    line.figures |= {"errors": len(office.errors), "browsers": BROWSERS if with_browsers else 0}
    line.promise(not office.errors, f"{len(office.errors)} errors, the first: {office.errors[:1]}")
    line.promise(found.complaints == (), f"the oracle: {found.complaints}")
    line.promise(set(office.sent) == set(office.acknowledged), "not every click was acknowledged")
    line.limit("click_to_saved_p95_ms", milliseconds(office.saved)["p95_ms"], 1_000)
    line.figures["click_to_saved_max_ms"] = milliseconds(office.saved)["max_ms"]
    line.figures["ranked_p95_ms"] = milliseconds(office.ranked)["p95_ms"]
    line.figures["article_opened_p95_ms"] = milliseconds(office.opened)["p95_ms"]
    if from_browsers:
        line.limit("key_to_stored_in_browsers_p95_ms", milliseconds(from_browsers)["p95_ms"], 1_000)
    return line


async def _warm_up(server: Server, article_id: int) -> None:
    async with Tab(server, "Warm") as tab:
        for page in PAGES:
            await tab.open(page, f"article={article_id}" if page == "review" else "")


async def _work(office: Office, *, with_browsers: bool) -> list[float]:
    asyncio.get_running_loop().set_default_executor(ThreadPoolExecutor(2 * office.experts + 1))
    browsers = [asyncio.to_thread(office.browsers)] if with_browsers else []
    found = await asyncio.gather(*browsers, *(office.expert(index) for index in range(office.experts)))
    return found[0] if with_browsers else []


def l6(reruns: int, pool: int = POOL) -> Line:
    """Page after page, in sessions that come and go. The first fifth warms up, until closed sessions begin to end."""
    line = Line("L6")
    large_project(pool, pool // 2)
    with serving(Path(os.environ["KEYLINE_HOME"])) as server:
        memory, files, ended, seconds = asyncio.run(_rerun(server, reruns, pool))
    full = sum(moment <= ended[0] + 1.5 * KEPT_SECONDS for moment in ended)
    warm = min(max(len(memory) // 5, full), len(memory) - 1)
    growth = memory[-1] / max(memory[: warm + 1]) - 1
    line.figures |= {
        "reruns": reruns,
        "memory_mb": [round(memory[place]) for place in range(0, len(memory), max(1, len(memory) // 8))],
        "memory_growth": round(growth, 3),
        "open_files": [min(files[warm:]), max(files[warm:])],
        "rerun_p50_ms": milliseconds(seconds)["p50_ms"],
    }
    line.promise(growth <= 0.10, f"memory grew by {growth:.0%} after warm-up")
    kept = KEPT_FILES * (_kept_at_once(ended) + 1) + POOLED_FILES
    line.figures |= {"open_files_at_first": files[0], "open_files_more_allowed": kept}
    line.promise(max(files) <= files[0] + kept, f"open files grew from {files[0]} to {max(files)}")
    return line


def _kept_at_once(ended: list[float]) -> int:
    """The most sessions that Streamlit keeps after their end, which came at these moments."""
    return max(sum(moment - KEPT_SECONDS <= earlier <= moment for earlier in ended) for moment in ended)


async def _rerun(server: Server, reruns: int, pool: int) -> tuple[list[float], list[int], list[float], list[float]]:
    """(memory, open files and time, all after each session; seconds of each rerun)."""
    memory, files, ended, seconds = [], [], [], []
    done = 0
    while done < reruns:
        async with Tab(server, f"Anna {done // RERUNS_PER_TAB % 10}") as tab:
            for _ in range(min(RERUNS_PER_TAB, reruns // 15, reruns - done)):
                page = PAGES[done % len(PAGES)]
                started = time.monotonic()
                await tab.open(page, f"article={done % pool + 1}" if page == "review" else "")
                seconds.append(time.monotonic() - started)
                done += 1
            memory.append(resident_mb(server))
            files.append(open_files(server))
            ended.append(time.monotonic())
    return memory, files, ended, seconds


def main() -> int:
    """Measures one line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("line", choices=("L4", "L6"))
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--reruns", type=int, default=100_000)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        os.environ["KEYLINE_HOME"] = f"{folder}/keyline"
        line = l4(options.seconds) if options.line == "L4" else l6(options.reruns)
        return line.report(as_json=options.json)


if __name__ == "__main__":
    sys.exit(main())
