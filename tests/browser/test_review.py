"""The whole loop in a real browser: import, labels, review by keyboard, gold, retrain, promote."""

import csv
import io
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.support.browser import (
    CHROMIUM,
    FOUND_AGAIN_MS,
    Server,
    choose_files,
    chromium,
    downloaded,
    go_on_to,
    new_page,
    open_reader,
    serving,
    wait_for_run,
    wait_until_saved,
)
from tests.support.corpus import KEY, labels_csv, write_corpus
from tests.support.making import query
from tests.support.waiting import wait_until

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="needs Chromium (.ci/run installs it)")
ARTICLES = 30


@pytest.fixture
def server(tiny_home: Path) -> Iterator[Server]:
    with serving(tiny_home) as running:
        yield running


@pytest.fixture
def stocked(tiny_home: Path, tmp_path: Path) -> Path:
    """A data folder with the made-up corpus, embedded and proposed."""
    from annotate.articles.parsing import find_files, read_articles
    from annotate.proposing.embed import embed
    from annotate.proposing.encoder_versions import proposing_version
    from annotate.proposing.propose import propose
    from tests.support.ingesting import ingest

    write_corpus(tmp_path / "articles", ARTICLES)
    ingest(entry for path in find_files([tmp_path / "articles"]) for entry in read_articles(path))
    embed(proposing_version())
    propose()
    return tiny_home


def stored_verdicts(annotator: str) -> list[tuple[int, str, str]]:
    """(sentence position, value, origin) of all verdict events of an annotator, in order."""
    rows = query(
        "SELECT position, value, origin FROM verdict JOIN sentence ON sentence.id = sentence_id "
        "JOIN annotator ON annotator.id = annotator_id WHERE name = :name ORDER BY verdict.id",
        name=annotator,
    )
    return [(position, value, origin) for position, value, origin in rows]


def go_to_unproposed(page: Any) -> int:
    """Walks from the first sentence to one that is not proposed, and returns its running number.

    A ranking that the last verdicts asked for may propose a sentence on the way, never the one being looked at.
    """
    here = page.locator("[data-sentence][aria-current]")
    while here.get_attribute("data-sentence") != "0":
        page.keyboard.press("[")
    while here.get_attribute("data-rank") is not None:
        page.keyboard.press("]")
    return int(here.get_attribute("data-sentence"))


def gold_of_corpus(path: Path) -> Path:
    """Labels for every sentence of the corpus, as a gold file by text."""
    import db.articles
    from annotate.project.home import read

    with path.open("w", newline="") as file, read() as session:
        writer = csv.writer(file)
        writer.writerow(["pmid", "sentence", "label"])
        for sentence in db.articles.sentences(session, range(1, ARTICLES + 1)):
            article = db.articles.article(session, sentence.article_id)
            writer.writerow([article.pmid, sentence.text, int(sentence.text.startswith(KEY))])
    return path


def test_the_whole_loop_runs_in_the_browser(  # noqa: PLR0915 (one story, told in order)
    server: Server, tmp_path: Path
) -> None:
    articles = write_corpus(tmp_path / "articles", ARTICLES)
    with chromium() as browser:
        page = new_page(browser, server.url)
        page.goto(server.url)
        page.get_by_text("No articles yet").wait_for()

        # A curator imports articles and their document labels.
        go_on_to(page, "import_articles", "Import")
        shown = page.get_by_role("tabpanel").locator("input[type=file]")  # of the tab on show
        choose_files(page, shown.first, [str(path) for path in articles])
        page.get_by_text("article0.xml").wait_for()
        page.get_by_role("button", name="Import the files").click()
        page.get_by_text(f"The import has ended: {ARTICLES} stored").wait_for(timeout=180_000)  # a job of its own
        page.get_by_role("tab", name="Document labels").click()
        choose_files(page, shown, str(labels_csv(tmp_path / "labels.csv", ARTICLES)))
        page.get_by_text("labels.csv").wait_for()
        page.get_by_role("button", name="Add document labels").click()
        page.get_by_text(f"{ARTICLES} articles labelled").wait_for()

        # An expert reviews by keyboard.
        page.goto(f"{server.url}/review?article=1")
        page.get_by_label("Your name").fill("Anna")
        page.get_by_role("button", name="Start").click()
        page.wait_for_selector('.reader[data-ready="1"]')
        page.keyboard.press("l")  # all proposals, also those that are not shown at first
        assert page.locator(".proposals .entry").count() == 5
        for key in "axus":  # accept, reject, undo the rejection, unsure
            page.keyboard.press(key)
        wait_until_saved(page)
        assert [value for _, value, _ in stored_verdicts("Anna")] == ["accept", "reject", "withdrawn", "unsure"]
        unproposed = go_to_unproposed(page)
        page.keyboard.press("m")
        page.keyboard.press("c")
        page.keyboard.type("found by hand")
        page.keyboard.press("Enter")
        page.keyboard.press("f")
        wait_until_saved(page)
        assert stored_verdicts("Anna")[-1] == (unproposed, "accept", "added")
        page.keyboard.press("e")
        page.locator(".labels input").first.fill("GENE1; GENE2")
        page.keyboard.press("Enter")
        wait_until_saved(page)
        assert "GENE1, GENE2" in page.locator(".labels").inner_text()
        page.keyboard.press("n")
        page.wait_for_selector('.reader[data-ready]:not([data-ready="1"])')
        assert "article=1" not in page.url.split("?")[1].split("&")

        # A curator adds gold from elsewhere and exports.
        go_on_to(page, "import_articles", "Import")
        page.get_by_role("tab", name="Gold").click()
        choose_files(page, shown, str(gold_of_corpus(tmp_path / "gold.csv")))
        page.get_by_text("gold.csv").wait_for()
        page.get_by_role("textbox", name="Whose verdicts").fill("Ben")
        page.get_by_role("textbox", name="Whose verdicts").press("Enter")
        wait_for_run(page)
        page.get_by_role("button", name="Import gold").click()
        page.get_by_text("new verdict").wait_for()
        go_on_to(page, "gold", "Gold")
        rows = list(csv.DictReader(io.StringIO(downloaded(page, "CSV", exact=True).read_text(), newline="")))
        added = [row for row in rows if row["origin"] == "added" or "Anna" in row["annotators"]]
        assert len(rows) > 200
        (by_hand,) = [row for row in added if row["comment"] == "Anna: found by hand"]
        assert by_hand["genes"] == "GENE1;GENE2"
        assert page.get_by_text(f"From {ARTICLES} articles.").count() == 1

        # A maintainer retrains, sees both numbers, and promotes.
        go_on_to(page, "retrain", "Retrain")
        page.get_by_role("button", name="Retrain", exact=True).click()
        page.get_by_text("Retraining").first.wait_for()
        page.get_by_role("button", name="Promote").wait_for(timeout=120_000)
        wait_for_run(page)
        assert page.get_by_text("v1 against tiny").count() == 1
        if page.get_by_text("Promote it anyway").count():
            page.get_by_text("Promote it anyway").click()
            wait_for_run(page)
        page.get_by_role("button", name="Promote").click()
        page.get_by_role("button", name="Roll back to tiny").wait_for(timeout=120_000)
        page.locator(".st-key-job_propose").wait_for(state="detached", timeout=120_000)

        # The expert's next article is proposed by the new version; earlier verdicts stay.
        open_reader(page, server.url, 1)
        assert page.locator('[data-verdict="accept"], [data-missed]').count() >= 2
    from annotate.project.home import read
    from db.proposing import current_set
    from db.registry import encoder_in_use

    with read() as session:
        version = encoder_in_use(session)
        assert version is not None
        assert version.name == "v1"
        assert current_set(session, 1).version_id == version.id


def test_fifty_verdicts_at_ten_a_second_arrive_in_order_and_once_over_a_reload_and_a_kill(stocked: Path) -> None:
    names = {"a": "accept", "x": "reject", "s": "unsure"}
    pressed: list[str] = []
    with serving(stocked) as server, chromium() as browser:
        page = new_page(browser, server.url, "Anna")
        open_reader(page, server.url, 1)
        started = time.monotonic()
        for number in range(50):
            key = "axs"[number % 3]
            page.keyboard.press(key)
            pressed.append(names[key])
            if number == 14:
                page.reload()
                page.wait_for_selector('.reader[data-ready="1"]')
                started = time.monotonic() - (number + 1) / 10
            if number == 24:
                server.kill()
            if number == 39:
                server.start()
                # Until the page has found the app again a dialog lies over it, and the reader takes no keys.
                page.wait_for_selector("[role=dialog]", state="detached", timeout=FOUND_AGAIN_MS)
                started = time.monotonic() - (number + 1) / 10
            time.sleep(max(0.0, started + (number + 1) / 10 - time.monotonic()))
        wait_until_saved(page)
    stored = stored_verdicts("Anna")
    assert [value for _, value, _ in stored] == pressed
    assert len(stored) == 50


def test_a_retrain_outlives_the_app_and_is_never_started_twice(stocked: Path, tmp_path: Path) -> None:
    from annotate.gold.import_file import import_gold

    import_gold(gold_of_corpus(tmp_path / "gold.csv"))
    with serving(stocked) as server, chromium() as browser:
        page = new_page(browser, server.url, "Mia")
        page.goto(f"{server.url}/retrain")
        wait_for_run(page)
        page.get_by_role("button", name="Retrain", exact=True).click()
        page.locator(".st-key-job_train").wait_for()
        expect(page.get_by_role("button", name="Retrain", exact=True)).to_be_disabled()
        server.kill()
        server.start()
        page.goto(f"{server.url}/retrain")
        page.get_by_role("button", name="Promote").wait_for(timeout=120_000)
        wait_until(lambda: query("SELECT state FROM job WHERE kind = 'train'") == [("done",)])
    assert query("SELECT name FROM model_version WHERE parent_id IS NOT NULL") == [("v1",)]
