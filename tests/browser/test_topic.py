"""A project on another topic: chosen on its page, its guideline read beside the article, its kinds on the screen."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from annotate.topics.project_topic import current_topic
from tests.support.browser import (
    CHROMIUM,
    Server,
    chromium,
    new_page,
    open_reader,
    serving,
    wait_for_run,
    wait_until_saved,
)
from tests.support.making import paper, store

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="needs Chromium (.ci/run installs it)")
TEXT = ("Pain was lower with the drug than with placebo.", "The trial was small.", "It was well done.")


@pytest.fixture
def server(tiny_home: Path) -> Iterator[Server]:
    store(paper(TEXT, pmid="1"))
    with serving(tiny_home) as running:
        yield running


def test_another_topic_is_chosen_and_its_guideline_is_read_while_judging(server: Server) -> None:
    from playwright.sync_api import expect

    with chromium() as browser:
        page = new_page(browser, server.url, "Anna")
        page.goto(f"{server.url}/topic")
        wait_for_run(page)
        page.get_by_role("combobox").last.click()
        page.get_by_role("option", name="shipped: Clinical trial findings").click()
        page.get_by_role("button", name="Use this topic and propose again").click()
        page.get_by_text("In use: Clinical trial findings").wait_for()
        assert current_topic().name == "Clinical trial findings"

        reader = open_reader(page, server.url, 1)
        guideline = reader.locator(".guideline")
        expect(guideline).to_be_hidden()
        page.keyboard.press("g")
        expect(guideline).to_contain_text("A key sentence reports a finding of this trial")
        assert guideline.locator("li").count() > 5
        page.keyboard.press("m")  # judging goes on beside it
        wait_until_saved(page)
        page.keyboard.press("Escape")
        expect(guideline).to_be_hidden()
        legend = reader.locator(".legend mark")
        assert legend.all_text_contents() == ["Intervention", "Comparator", "Outcome"]
        assert "blue solid" in str(legend.first.get_attribute("class"))
        expect(page.get_by_role("button", name="Interventions, comparators and outcomes")).to_be_visible()
