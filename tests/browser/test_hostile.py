"""Text that would run, fetch or draw something if it were taken for markup, on every page in a real browser.

The pages are those of the menu, so that a new one is walked too. 23 and 24 are lines of the bar.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from annotate.articles.document import Article
from annotate.articles.parsing import from_bytes
from annotate.jobs.lifecycle import run_here
from annotate.project.home import write
from annotate.project.names import clean_name
from annotate.project.rights import Right
from annotate.proposing.embed import embed
from annotate.proposing.encoder_versions import proposing_version
from annotate.proposing.propose import propose
from annotate.work import HANDLERS
from pages.parts.frame.entries import FIRST, entries
from tests.support.browser import (
    CHROMIUM,
    Server,
    choose_files,
    chromium,
    go_on_to,
    new_page,
    open_reader,
    serving,
    wait_for_run,
    wait_until_saved,
)
from tests.support.ingesting import ingest
from tests.support.labels import gene_labels, set_labels
from tests.support.making import comment, judge, pmids, query, reading, store, verdict

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="needs Chromium (.ci/run installs it)")

EVIL = (
    "<script>alert(1)</script><svg/onload=alert(2)><img src=http://x.invalid/a.png onerror=alert(3)> "
    "[x](javascript:alert(4)) ![b](http://x.invalid/b.png) [y](http://x.invalid/c) $a_1$ :material/delete: "
    ":red[red] `code` **bold** <iframe src='http://x.invalid/'></iframe> {{7*7}} & p<0.05 "
    "-> www.x.invalid a@x.invalid :smile: 5 >= 4 -- :100: "
    "\u03b2\u2082 \u0394\u03c8 e\u0301tude \u05d0\u05d1\u05d2 \u0627\u0644 zero\u200bwidth "
    "\U0001f468\u200d\U0001f52c \U0001f9ec"
)
# An annotator's name is short and holds neither : nor ;
EVE = clean_name("<img src=//x.invalid/e onerror=alert(5)> ![b](//x.invalid)")
FILE_NAME = "<img src=x onerror=alert(6)> ![b](x.invalid).xml"
# What is in the page only if some text was taken for markup.
MADE_OF_TEXT = (
    "img[src*='x.invalid'], img[src='x'], a[href*='x.invalid'], a[href^='javascript'], iframe[src*='x.invalid'], "
    "svg[onload], [onerror], .katex"
)


def fill(home: Path) -> None:
    """Articles, labels, verdicts, comments, an audit, a report and an import that all hold hostile text."""
    rows = ["title,abstract,pmid,journal"]
    chosen = [*pmids("test", 2), *pmids("train", 2)]
    for pmid in chosen:
        quoted = EVIL.replace('"', '""')
        abstract = f"{quoted} We edited TP53 in HeLa cells. The {quoted} was measured."
        rows.append(f'"{quoted} {pmid}","{abstract}",{pmid},"{quoted}"')
    report = ingest(from_bytes(FILE_NAME.replace(".xml", ".csv"), "\n".join(rows).encode()))
    assert report.counts["stored"] == len(chosen)
    store(Article("No text", pmid="7", sections=()))
    for article in range(1, 5):
        with write(Right.LABEL) as session:
            set_labels(session, article, gene_labels("<b>TP53</b>|![p](//x.invalid)", "HeLa <i>x</i>", "KO"))
    embed(proposing_version())
    propose()
    for article in range(1, 4):
        judge(EVE, article, verdict(0), verdict(1, "reject"), comment(0, EVIL), comment(None, EVIL), reading())
        judge("Ben", article, verdict(0, "reject"), verdict(1, "reject"))
        judge("Cleo", article, verdict(0), verdict(1))
    version = proposing_version().name
    run_here("evaluate", {"versions": [version], "rankings": ["cosine"]}, HANDLERS, lambda progress: None)
    run_here("report", {"version": version, "ranking": "cosine"}, HANDLERS, lambda progress: None)
    bad = home / "uploads" / "x"
    bad.mkdir(parents=True)
    (bad / "00000.xml").write_text("<rss/>")
    paths = {"paths": [str(bad / "00000.xml")], "names": {str(bad / "00000.xml"): FILE_NAME}}
    result = run_here("import", paths, HANDLERS, lambda progress: None)
    assert FILE_NAME in result["failures"][0][0]


class Watched:
    """A tab and whatever its text made it do: dialogs, and requests to elsewhere."""

    def __init__(self, browser: Any, server: Server) -> None:
        self.server = server
        self.page = new_page(browser, server.url)
        self.page.context.add_cookies([{"name": "keyline_annotator", "value": quote(EVE), "url": server.url}])
        self.dialogs: list[str] = []
        self.elsewhere: list[str] = []
        self.refused: list[str] = []
        self.page.on("console", self._said)
        self.page.on("dialog", self._dialog)
        self.page.on("request", self._request)

    def _dialog(self, dialog: Any) -> None:
        self.dialogs.append(dialog.message)
        dialog.dismiss()

    def _said(self, message: Any) -> None:
        if message.type == "error" and "Content Security Policy" in message.text:
            self.refused.append(message.text)

    def _request(self, request: Any) -> None:
        if not request.url.startswith((self.server.url, "data:", "blob:", f"ws://127.0.0.1:{self.server.port}/")):
            self.elsewhere.append(request.url)

    def open(self, name: str) -> None:
        """Opens a page, from the one that is open if there is one, and all on it that is folded up."""
        path = "" if name == FIRST else name
        if self.page.url.startswith(self.server.url):
            go_on_to(self.page, path, entries()[name].title)
        else:
            self.page.goto(f"{self.server.url}/{path}")
            self.page.wait_for_selector("[data-testid=stMainBlockContainer]")
            wait_for_run(self.page)
        for tab in self.page.get_by_role("tab").all() or [None]:
            if tab is not None:
                tab.click()
            for folded in self.page.locator("[data-testid=stExpander] summary:visible").all():
                folded.click()
        for button in self.page.locator("[data-testid=stPopover] button:enabled").all():
            button.click()
            wait_for_run(self.page)
            self.check()
            self.page.keyboard.press("Escape")
        wait_for_run(self.page)

    def check(self) -> None:
        """Nothing ran, was fetched, or was made of the text."""
        assert self.dialogs == []
        assert self.elsewhere == []
        assert self.refused == []
        assert self.page.locator(MADE_OF_TEXT).count() == 0
        assert self.page.locator("[data-testid=stException]").count() == 0


@pytest.fixture(scope="module")
def served(shared_tiny_home: Path) -> Iterator[Server]:
    """The app on a database full of hostile text; the tests share it."""
    fill(shared_tiny_home)
    with serving(shared_tiny_home) as server:
        yield server


@pytest.fixture
def watched(served: Server) -> Iterator[Watched]:
    """A tab of it."""
    with chromium() as browser:
        yield Watched(browser, served)


def test_23_24_on_no_page_is_text_taken_for_markup(watched: Watched) -> None:
    literal: set[str] = set()
    for name in entries():
        watched.open(name)
        watched.check()
        # What is drawn on a canvas, and in the reader, is not in these words; elsewhere it is there to the letter.
        words = " ".join(watched.page.locator("body").inner_text().split())
        if EVIL in words:
            literal.add(name)
    assert {"queue", "adjudicate"} <= literal


def test_23_24_the_reader_shows_and_keeps_every_character(watched: Watched) -> None:
    page = watched.page
    for article in (1, 3):
        reader = open_reader(page, watched.server.url, article)
        assert EVIL in page.get_by_role("heading", level=1).text_content()
        assert reader.text_content().count(EVIL) >= 2
        page.keyboard.press("a")
        page.keyboard.press("c")
        page.keyboard.type(EVIL)
        page.keyboard.press("Enter")
        wait_until_saved(page)
        page.reload()
        page.wait_for_selector(f'.reader[data-ready="{article}"]')
        watched.check()
        ((text,),) = query("SELECT text FROM comment ORDER BY id DESC LIMIT 1")
        assert EVIL in text


def test_23_an_uploaded_file_shows_its_name_as_it_is(watched: Watched) -> None:
    page = watched.page
    watched.open("import_articles")
    page.get_by_role("tab").first.click()
    file = {"name": FILE_NAME, "mimeType": "text/xml", "buffer": b"<rss/>"}
    choose_files(page, page.locator("input[type=file]").first, file)
    page.get_by_text("6.0B").wait_for()
    page.get_by_role("button", name="Import the files").click()
    page.get_by_text("1 failed").nth(1).wait_for()  # the first is of the import that the app began with
    page.get_by_role("tab", name="Gold").click()
    wait_for_run(page)
    table = {"name": FILE_NAME.replace(".xml", ".csv"), "mimeType": "text/csv", "buffer": b"<rss/>"}
    gold = page.get_by_role("tabpanel", name="Gold")
    choose_files(page, gold.locator("input[type=file]"), table)
    gold.get_by_text("6.0B").wait_for()
    page.get_by_role("button", name="Import gold").click()
    page.get_by_text("needs a column").wait_for()
    watched.check()


def test_24_a_script_that_got_into_a_page_does_not_run(watched: Watched) -> None:
    watched.open("articles")
    watched.check()
    for script in (
        "document.head.append(Object.assign(document.createElement('script'), {textContent: 'window.ran = 1'}))",
        "document.body.insertAdjacentHTML('beforeend', '<img src=\"data:,\" onerror=\"window.ran = 1\">')",
        "document.head.append(Object.assign(document.createElement('script'), {src: 'data:text/javascript,ran = 1'}))",
    ):
        watched.page.evaluate(f"() => {{ {script} }}")
    while len(watched.refused) < 3:
        watched.page.wait_for_event("console")
    assert watched.page.evaluate("window.ran") is None


def test_16_an_article_without_text_says_so(watched: Watched) -> None:
    (number,) = query("SELECT id FROM article WHERE title = 'No text'")[0]
    open_reader(watched.page, watched.server.url, number)
    watched.page.locator(".reader p.empty", has_text="This article has no text to review.").wait_for()
    watched.check()
