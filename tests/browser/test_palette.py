"""Go to: a few letters lead to a section or to an article, from any page, and are no keys of the page below."""

from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.support.browser import (
    CHROMIUM,
    chromium,
    new_page,
    open_palette,
    open_reader,
    serving,
    wait_for_run,
    wait_until_seen,
)
from tests.support.making import paper, query, store, store_proposed

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="needs Chromium (.ci/run installs it)")


def test_letters_lead_to_a_section_and_to_an_article_and_judge_nothing(home: Path) -> None:
    store_proposed(2)
    store(paper(pmid="7654321", title="A hare and its x-ray"))
    with serving(home) as server, chromium() as browser:
        page = new_page(browser, server.url, "Eva")
        open_reader(page, server.url, 1)
        field, rows = page.get_by_role("combobox", name="A section, or an article"), page.get_by_role("option")
        open_palette(page)
        page.keyboard.type("xa")  # keys of Review
        expect(rows).to_have_text(["Find: xa"])
        field.fill("fair")  # a page of its own once
        expect(rows).to_have_text(["Fair testModel, Check", "Find: fair"])
        field.fill("mod")
        of_old = ("ReportModel, Evaluate", "Fair testModel, Check", "AuditModel, Check")
        expect(rows).to_have_text(["RetrainModel", "EvaluateModel", "CheckModel", *of_old, "Find: mod"])
        page.keyboard.press("ArrowDown")
        expect(rows.nth(1)).to_have_attribute("aria-selected", "true")
        expect(field).to_have_attribute("aria-activedescendant", "way1")
        page.keyboard.press("Enter")
        page.get_by_role("heading", name="Evaluate", exact=True).wait_for()
        open_palette(page)
        page.keyboard.type("sta")
        page.keyboard.press("Enter")
        page.get_by_role("heading", name="Start", exact=True).wait_for()
        wait_for_run(page)

        for words in ("hare", "7654321"):
            page.get_by_role("button", name="Go to").click()
            page.keyboard.type(words)
            expect(rows).to_have_text(["A hare and its x-ray", f"Find: {words}"])
            page.keyboard.press("Escape")
            expect(field).to_be_hidden()
        open_palette(page)
        page.keyboard.type("hare")
        rows.first.click()
        page.wait_for_selector('.reader[data-ready="3"]')
        assert page.url.endswith("/review?article=3")
        open_palette(page)
        page.keyboard.type("7654321 ")
        page.keyboard.press("Enter")  # before the articles have come
        expect(field).to_be_hidden()
        open_palette(page)
        page.keyboard.type("no such title")
        page.keyboard.press("Enter")
        page.wait_for_url("**/find?q=no%20such%20title")
        assert query("SELECT count(*) FROM verdict") == [(0,)]


TYPED_AND_ENTERED = """(field) => {
  field.value = "sta";
  field.dispatchEvent(new Event("input"));
  field.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter" }));
}"""


def test_nothing_is_looked_for_once_a_section_is_opened(home: Path) -> None:
    """What was found would be drawn into a page that is no more, and a slow browser showed none after that."""
    sent: list[bytes] = []
    with serving(home) as server, chromium() as browser:
        page = new_page(browser, server.url, "Eva")
        with page.expect_websocket() as socket:
            page.goto(f"{server.url}/evaluate")
        socket.value.on("framesent", lambda payload: sent.append(payload))  # noqa: PLW0108 (Playwright marks functions)
        open_palette(page)
        page.get_by_role("combobox", name="A section, or an article").evaluate(TYPED_AND_ENTERED)
        page.get_by_role("heading", name="Start", exact=True).wait_for()
        wait_until_seen(page)
        wait_for_run(page)
    assert sent and not any(b'"sta"' in payload for payload in sent)
