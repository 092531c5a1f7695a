"""The report in a real browser: made by a click, each figure leads to the review, and the file needs nothing else."""

import shutil
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.support.browser import CHROMIUM, chromium, downloaded, new_page, serving, wait_for_run
from tests.support.making import judge, paper, pmids, store, verdict

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="needs Chromium (.ci/run installs it)")


@pytest.fixture
def labelled(tiny_home: Path) -> Path:
    """Two test articles of eight sentences, two key sentences each."""
    words = [f"The gene {n} was edited in cells." for n in "1234"]
    store(*(paper(words, words, pmid=pmid) for pmid in pmids("test", 2)))
    for article_id in (1, 2):
        judge("Anna", article_id, verdict(0), verdict(7))
    return tiny_home


def open_tab(page: Any, name: str) -> Any:
    """Opens a section and returns its first figure once it is drawn."""
    page.get_by_role("tab", name=name).click()
    figure = page.locator("[data-testid=stPlotlyChart]:visible").first
    expect(figure.locator(".point").first).to_be_visible()
    return figure


# Plotly places its layers once more when its container has settled.
STILL = """(figure) => new Promise((done) => {
  let timer = setTimeout(done, 500);
  new MutationObserver(() => { clearTimeout(timer); timer = setTimeout(done, 500); })
    .observe(figure, { subtree: true, childList: true, attributes: true });
})"""


def click_first_point(page: Any, figure: Any) -> None:
    """Clicks a point of a figure, which listens to the mouse over its whole area."""
    figure.scroll_into_view_if_needed()
    figure.evaluate(STILL)
    box = figure.locator(".point").first.bounding_box()
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)


def test_a_report_is_made_by_a_click_read_and_taken_along(labelled: Path, tmp_path: Path) -> None:
    with serving(labelled) as server, chromium() as browser:
        page = new_page(browser, server.url, "Anna")
        page.goto(f"{server.url}/report?articles=test")  # the address of earlier releases
        page.wait_for_url(f"{server.url}/evaluate?articles=test")
        page.get_by_role("button", name="Make the report").click()
        expect(page.get_by_text("Made 20")).to_be_visible(timeout=90_000)
        wait_for_run(page)
        for tab in ("Confidence", "Articles", "Map"):
            click_first_point(page, open_tab(page, tab))
            link = page.get_by_role("link", name="Review").and_(page.locator("[href*='/review?article=']")).last
            expect(link).to_be_visible()
        path = Path(shutil.copy(downloaded(page, "HTML file"), tmp_path / "report.html"))
        shared = browser.new_context().new_page()
        said: list[str] = []
        fetched: list[str] = []
        shared.on("console", lambda message: said.append(message.text))
        shared.on("pageerror", lambda error: said.append(str(error)))
        shared.on("request", lambda request: fetched.append(request.url))
        shared.goto(path.as_uri())
        expect(shared.locator(".js-plotly-plot .main-svg").first).to_be_visible()
        assert shared.locator(".js-plotly-plot").count() == 7
        with shared.context.expect_page() as opened:
            click_first_point(shared, shared.locator("#articles + figure"))
        opened.value.wait_for_url(f"{server.url}/review?article=*")
        assert said == []
        assert [url for url in fetched if not url.startswith(("file:", "data:", "blob:"))] == []
