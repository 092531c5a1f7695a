"""Related in a real browser, over all articles and over Review: a suggestion is not related, another one is opened."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from annotate.finding.search_vectors import store_vectors
from annotate.proposing.encoder_versions import proposing_version
from tests.annotate.related.making import store_linked
from tests.support.browser import CHROMIUM, Server, chromium, new_page, serving, wait_for_run
from tests.support.making import query

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="needs Chromium (.ci/run installs it)")


@pytest.fixture
def server(tiny_home: Path) -> Iterator[Server]:
    from annotate.proposing.embed import embed

    store_linked()
    embed(proposing_version())
    store_vectors(proposing_version())
    with serving(tiny_home) as running:
        yield running


def test_a_suggestion_is_not_related_and_another_is_opened(server: Server) -> None:
    from playwright.sync_api import expect

    with chromium() as browser:
        page = new_page(browser, server.url, "Anna")
        page.goto(f"{server.url}/related?article=1")  # a page of its own once
        page.wait_for_url("**/articles?article=1&panel=related")
        wait_for_run(page)
        expect(page.get_by_text("cites 2 of the same works")).to_be_visible()
        head = page.get_by_role("dialog").locator(".text-table th").first
        expect(head).to_have_css("position", "sticky")
        expect(head).not_to_have_css("background-color", "rgba(0, 0, 0, 0)")  # rows pass below it
        page.get_by_role("button", name="Not related").nth(1).click()
        expect(page.get_by_text("Marked as not related: 1")).to_be_visible()
        assert query("SELECT asked, related FROM related_verdict") == [("pmid:1", 0)]
        page.get_by_role("link", name="On the sleep of mice").first.click()
        page.wait_for_url("**/review?article=2")
        expect(page.get_by_role("heading", name="On the sleep of mice")).to_be_visible()
        page.get_by_role("button", name="Related").click()
        panel = page.get_by_role("dialog")
        expect(panel.get_by_text("On the sleep of mice", exact=True)).to_be_visible()
        expect(panel.get_by_role("button", name="Not related").first).to_be_visible()
        page.keyboard.press("Escape")
        expect(panel).to_be_hidden()
        page.wait_for_url("**/review?article=2")
