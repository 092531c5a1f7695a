"""Search in a real browser: asked, a hit opened at its sentence, judged there, and found again as judged."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from annotate.search.upkeep import update
from tests.support.browser import CHROMIUM, Server, chromium, new_page, serving, wait_for_run, wait_until_saved
from tests.support.making import paper, query, store

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="needs Chromium (.ci/run installs it)")
FILLER = tuple(f"Sentence number {number} tells of nothing at all." for number in range(60))


@pytest.fixture(scope="module")
def server(shared_tiny_home: Path) -> Iterator[Server]:
    store(
        paper(("Cells grew.",), (*FILLER, "The zebrafish swam away."), pmid="1", title="A long paper"),
        paper(("Mice <b>ran</b>.",), pmid="2", title="Another paper"),
    )
    update()
    with serving(shared_tiny_home) as running:
        yield running


def test_a_sentence_that_is_found_opens_in_review_and_can_be_judged(server: Server) -> None:
    from playwright.sync_api import expect

    with chromium() as browser:
        page = new_page(browser, server.url, "Anna")
        page.goto(f"{server.url}/search")
        wait_for_run(page)
        box = page.get_by_role("searchbox", name="Search")
        box.fill("zebrafish swims")
        box.press("Enter")
        hits = page.get_by_test_id("search-hits")
        expect(hits.locator("mark")).to_have_text(["zebrafish"])  # "swam" is another stem
        page.get_by_text("Sentences", exact=True).click()
        box.fill("zebraf*")
        box.press("Enter")
        expect(page.get_by_text("1 sentence ·")).to_be_visible()
        hits.get_by_role("link", name="Open at sentence 62").click()
        page.wait_for_selector(".reader[data-ready]")
        assert "sentence=61" in page.url
        here = page.locator(".reader .sentence[aria-current]")
        expect(here).to_contain_text("zebrafish")
        expect(here).to_be_in_viewport()
        page.keyboard.press("m")
        wait_until_saved(page)
        assert query("SELECT position FROM sentence JOIN verdict ON sentence.id = sentence_id") == [(61,)]


def test_a_search_is_an_address_and_its_filters_work(server: Server) -> None:
    from playwright.sync_api import expect

    with chromium() as browser:
        page = new_page(browser, server.url, "Anna", width=1024, height=768)
        page.goto(f"{server.url}/search?q=mice+OR+cells")
        hits = page.get_by_test_id("search-hits")
        expect(hits.locator("article")).to_have_count(2)
        expect(hits).to_contain_text("Mice <b>ran</b>.")
        wait_for_run(page)
        page.get_by_text("Filters", exact=True).click()
        results = page.get_by_role("option", name="results")
        while not results.count():  # a list that opens while the filters unfold closes again
            page.get_by_role("combobox", name="Section").click()
            page.wait_for_timeout(500)
        results.click()
        expect(hits.locator("article")).to_have_count(1)
        page.goto(f"{server.url}/search?q=(mice")
        expect(page.get_by_text("This parenthesis is not closed")).to_be_visible()
