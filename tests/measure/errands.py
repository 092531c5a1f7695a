"""Twelve everyday errands of experts, curators and maintainers in a real browser: clicks, keys and seconds.

    python -m tests.measure.errands                          # loads the sample into a new data folder first
    python -m tests.measure.errands --home X                 # on a copy of what stands in X
    python -m tests.measure.errands --only first_sentence gold_csv retraining        # the three tours

Each begins at the address of the app and ends when what was wanted is on the screen, on the disk or in a file. A
choice of a file and a drop count as one click each. Seconds count from the call of the address, without a pause
between two steps. Somebody who is known to the browser walks all errands but the first.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.support.browser import Server, choose_files, chromium, new_page, serving, wait_for_run, wait_until_saved
from tests.support.making import judge, verdict
from tests.support.paths import ROOT

LONG_MS = 1_200_000  # a job, on a machine that has much else to do
OWN = {
    "name": "mdm2.md",
    "mimeType": "text/markdown",
    "buffer": b"# Loss of MDM2 in U2OS cells\n\n## Abstract\n\nWe knocked out MDM2 in U2OS cells with CRISPR-Cas9.\n",
}


class Walk:
    """One person's way through the app: counts what they do, and says when they are where."""

    def __init__(self, page: Any, url: str) -> None:
        self.page, self.url = page, url
        self.clicks = self.keys = 0
        self.began = time.monotonic()

    def begin(self) -> None:
        """Opens the address and waits for what stands there first."""
        self.page.goto(self.url)
        self.page.get_by_role("heading", name="Start", exact=True).wait_for()

    def click(self, role: str, name: str | re.Pattern[str]) -> None:
        """Clicks what bears this name."""
        self.page.get_by_role(role, name=name, exact=True).first.click()
        self.clicks += 1

    def open(self, place: str, section: str = "") -> None:
        """Opens a place of the menu, and by its row one of its sections. What waits there stands behind its name."""
        for title in filter(None, (place, section)):
            before = self.page.title()
            self.click("link", re.compile(rf"^{title}( [\d,]+\+?)?$"))
            self.page.wait_for_function("(before) => document.title !== before", arg=before)
            wait_for_run(self.page)

    def type(self, label: str, text: str, role: Any = "textbox") -> None:
        """Types into a field, after a click into it where it has not the focus."""
        field = self.page.get_by_role(role, name=label)
        if not field.evaluate("(node) => node === document.activeElement"):
            field.click()
            self.clicks += 1
        field.fill(text)
        self.keys += len(text)

    def press(self, key: str) -> None:
        """Presses a key."""
        self.page.keyboard.press(key)
        self.keys += 1

    def see(self, text: str | re.Pattern[str]) -> None:
        """Waits until a text stands on the page, a job's result too."""
        self.page.get_by_text(text).first.wait_for(timeout=LONG_MS)

    @property
    def seconds(self) -> float:
        """Since the walk began."""
        return time.monotonic() - self.began

    def told(self) -> str:
        """What it took until now."""
        return f"{self.clicks} clicks, {self.keys} keys, {self.seconds:.1f} s"


def _accept(walk: Walk) -> None:
    """Accepts the proposal at hand and waits until that is on the disk."""
    walk.page.wait_for_selector(".reader[data-ready]")
    walk.press("a")
    walk.page.wait_for_selector('.entry[data-verdict="accept"]')
    wait_until_saved(walk.page)


def first_sentence(walk: Walk) -> None:
    """expert: a newcomer accepts the first key sentence"""
    walk.page.goto(walk.url)
    walk.click("button", "Review the next article")
    walk.type("Your name", "Eva")
    walk.press("Enter")
    walk.page.locator(".tour").wait_for()
    _accept(walk)


def next_article(walk: Walk) -> None:
    """expert: accepts a sentence of the next article, and of the one after it"""
    walk.begin()
    walk.click("button", "Review the next article")
    _accept(walk)
    before = walk.page.locator(".reader").get_attribute("data-ready")
    walk.press("n")
    walk.page.wait_for_selector(f'.reader[data-ready]:not([data-ready="{before}"])')
    _accept(walk)


def gene_in_cell(walk: Walk) -> None:
    """expert: finds a gene in a cell line, and reads the sentence in its article"""
    walk.begin()
    walk.open("Find")
    walk.type("What do you look for?", "FOXA1 MCF-7", "searchbox")
    walk.press("Enter")
    walk.page.locator(".found > article .sentence a").first.click()
    walk.clicks += 1
    walk.page.wait_for_selector(".reader[data-ready] .sentence[aria-current]")


def what_is_left(walk: Walk) -> None:
    """expert: how many key sentences are probably still missing"""
    walk.begin()
    walk.open("Articles")
    walk.see("Still to find")


def file_in(walk: Walk) -> None:
    """curator: imports a file and reads what became of it"""
    walk.begin()
    walk.open("Import")
    choose_files(walk.page, walk.page.locator("input[type=file]").first, OWN)
    walk.clicks += 1
    walk.page.get_by_text(OWN["name"]).first.wait_for()
    walk.click("button", "Import the files")
    walk.see(f"{OWN['name']}: ")


def gold_csv(walk: Walk) -> None:
    """curator: takes the gold along as CSV"""
    walk.begin()
    walk.open("Gold")
    with walk.page.expect_download() as download:
        walk.click("button", "CSV")
    assert Path(download.value.path()).stat().st_size


def dispute(walk: Walk) -> None:
    """curator: decides a sentence on which two experts disagree"""
    walk.begin()
    walk.click("button", re.compile("^Decide "))
    walk.click("button", re.compile("^(.* )?Key( .*)?$"))
    walk.see(re.compile("1 decided"))


def agreement(walk: Walk) -> None:
    """curator: how far experts agree"""
    walk.begin()
    walk.open("Team")
    walk.see("Krippendorff")


def listed(walk: Walk) -> None:
    """curator: what the list of articles says of one, by its PMID"""
    walk.begin()
    walk.open("Articles", "All articles")
    walk.type("Search", "30996981")
    walk.press("Enter")
    walk.see("1 article, 1 page")


def retraining(walk: Walk) -> None:
    """maintainer: retrains, and sees how the new version stands"""
    walk.begin()
    walk.open("Model")
    walk.click("button", "Retrain")
    walk.page.get_by_role("button", name="Promote", exact=True).first.wait_for(timeout=LONG_MS)
    walk.page.get_by_role("button", name="Cancel", exact=True).wait_for(state="detached", timeout=LONG_MS)
    wait_for_run(walk.page)


def report(walk: Walk) -> None:
    """maintainer: has the report of the version in use made, and reads it"""
    walk.begin()
    walk.open("Model", "Evaluate")
    walk.click("button", "Make the report")
    walk.see(re.compile(r"^Made \d{4}"))


def audit(walk: Walk) -> None:
    """maintainer: says of an error of the version in use that it is none"""
    walk.begin()
    walk.open("Model", "Check")
    walk.see("0 of ")
    walk.press("a")
    walk.see("audited by you")


ERRANDS: dict[str, Callable[[Walk], None]] = {
    errand.__name__: errand
    for errand in (
        *(first_sentence, next_article, gene_in_cell, what_is_left),
        *(file_in, gold_csv, dispute, agreement, listed),
        *(retraining, report, audit),
    )
}


def sample_into(home: Path) -> None:
    """Loads the sample into a new data folder, as `make run` does."""
    command = [sys.executable, "-m", "annotate", "sample", "--if-empty"]
    subprocess.run(command, cwd=ROOT, env={"KEYLINE_HOME": str(home), "HF_HUB_OFFLINE": "1"}, check=True)


@contextmanager
def app_data(home: Path | None) -> Iterator[Path]:
    """A copy of this data folder, or the sample where there is none; it goes at the end."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:  # a job may write still
        own = Path(folder) / "keyline"
        if home:
            shutil.copytree(home, own)
        else:
            sample_into(own)
        yield own


@contextmanager
def app_and_browser(home: Path | None) -> Iterator[tuple[Server, Any]]:
    """The app on such data, and a browser."""
    with app_data(home) as own, serving(own, as_people_do=True) as server, chromium() as browser:
        yield server, browser


def disagree(home: Path) -> None:
    """Two made-up experts disagree on three sentences of the first article: something for a curator to decide."""
    os.environ["KEYLINE_HOME"] = str(home)
    for number, (one, other) in enumerate((("accept", "reject"), ("reject", "accept"), ("accept", "reject"))):
        judge("Ada", 1, verdict(number, one))
        judge("Ben", 1, verdict(number, other))


def main() -> None:
    """Walks the errands and prints what each took."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--home", type=Path, help="a data folder to copy; without one the sample is loaded")
    parser.add_argument("--only", nargs="*", default=list(ERRANDS), choices=ERRANDS)
    given = parser.parse_args()
    with app_and_browser(given.home) as (server, browser):
        disagree(server.home)
        print(f"load {os.getloadavg()[0]:.0f}\n| errand | clicks | keys | seconds |\n|---|---|---|---|", flush=True)
        for name in given.only:
            page = new_page(browser, server.url, None if name == "first_sentence" else "Cara")
            walk = Walk(page, server.url)
            ERRANDS[name](walk)
            print(f"| {ERRANDS[name].__doc__} | {walk.clicks} | {walk.keys} | {walk.seconds:.1f} |", flush=True)
            page.context.close()


if __name__ == "__main__":
    main()
