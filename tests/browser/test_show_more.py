"""The proposals that are not shown at first, asked for by a button and by a key."""

from pathlib import Path
from typing import Any

import pytest

import db.review.assignments
from annotate.project.home import read
from annotate.proposing.propose import propose
from model.proposing.ranking import Ranking
from tests.support.browser import CHROMIUM, chromium, new_page, open_reader, serving, wait_until_saved
from tests.support.hearing import HEAR
from tests.support.making import paper, propose_with, query, store, store_cosines, version_without_weights
from tests.support.topics import BEST_GENERIC, GENERIC_QUERIES

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="needs Chromium (.ci/run installs it)")
SENTENCES = [f"This is the sentence number {number} about the gene." for number in range(8)]


@pytest.fixture
def home_with_more(home: Path) -> Path:
    """Two articles of five proposals, the sentences 0 to 4, of which two are shown at first."""
    store(*(paper(SENTENCES, pmid=str(number)) for number in (1, 2)))
    version = version_without_weights("tiny")
    propose_with(version)
    for article_id in (1, 2):
        store_cosines(version, article_id, GENERIC_QUERIES[BEST_GENERIC], [0.9 - number / 10 for number in range(8)])
    propose(ranking=Ranking.COSINE, k=5, shown=lambda session, chosen: dict.fromkeys(chosen, 2))
    return home


def ranks(page: Any) -> list[str]:
    return page.locator("[data-sentence][data-rank]").evaluate_all("all => all.map((one) => one.dataset.rank)")


def reviewed() -> list[int]:
    with read() as session:
        return [row[0] for row in db.review.assignments.judged_whole(session)]


def test_an_article_is_reviewed_when_what_was_shown_at_first_is_judged(home_with_more):
    with serving(home_with_more) as server, chromium() as browser:
        page = new_page(browser, server.url, "Anna")
        page.add_init_script(HEAR)
        open_reader(page, server.url, 1)
        assert ranks(page) == ["1", "2"]
        assert page.locator(".judged").inner_text() == "0 of 2 judged"
        assert page.locator(".where").inner_text() == "Proposal 1 of 2"
        assert page.get_by_role("button", name="Show 3 more", exact=True).get_attribute("aria-keyshortcuts") == "L"
        page.keyboard.press("a")
        page.keyboard.press("a")
        assert page.locator(".judged").inner_text() == "2 of 2 judged"
        page.wait_for_function("() => window.heard.some((said) => said.includes('3 more can be shown (L)'))")
        wait_until_saved(page)
        assert reviewed() == [1]


def test_more_are_shown_where_they_stand_and_are_judged_as_any(home_with_more):
    with serving(home_with_more) as server, chromium() as browser:
        page = new_page(browser, server.url, "Anna")
        page.add_init_script(HEAR)
        for article_id, how in ((1, "key"), (2, "button")):
            open_reader(page, server.url, article_id)
            before = page.evaluate("() => [scrollY, document.querySelector('.stMain').scrollTop]")
            more = page.locator(".lists .more")
            if how == "key":
                page.keyboard.press("l")
            else:
                more.focus()
                page.keyboard.press("Enter")
            page.wait_for_function("() => window.heard.some((said) => said.includes('3 more are shown'))")
            assert page.evaluate("() => [scrollY, document.querySelector('.stMain').scrollTop]") == before
            assert ranks(page) == ["1", "2", "3", "4", "5"] and not more.is_visible()
            assert page.locator(".where").inner_text() == "Proposal 1 of 5"
            page.keyboard.press("j")
            page.keyboard.press("j")
            assert page.locator(".where").inner_text() == "Proposal 3 of 5"
            page.keyboard.press("x")
            wait_until_saved(page)
            said = "SELECT value, origin, rank FROM verdict WHERE article_id = :article"
            assert query(said, article=article_id) == [("reject", "proposed", 3)]
            page.keyboard.press("l")
            assert page.locator(".hint").inner_text() == "All proposals are shown."
            open_reader(page, server.url, article_id)  # those that were judged are shown again
            assert ranks(page) == ["1", "2", "3"] and more.inner_text().endswith("Show 2 more")


def test_a_hidden_proposal_that_is_marked_as_missed_is_no_proposal_until_more_are_shown(home_with_more):
    with serving(home_with_more) as server, chromium() as browser:
        page = new_page(browser, server.url, "Anna")
        open_reader(page, server.url, 1)
        for key in ("j", "]", "]", "m"):
            page.keyboard.press(key)
        assert page.locator(".found").inner_text() == "+1 missed"
        page.keyboard.press("l")
        assert page.locator(".found").inner_text() == ""
        assert page.locator(".judged").inner_text() == "1 of 5 judged"
        wait_until_saved(page)
        assert query("SELECT value, origin FROM verdict") == [("accept", "added")]
