"""A project on another topic: chosen on its page, its guideline read beside the article, its kinds on the screen."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from annotate.topics.project_topic import current_topic
from tests.measure.errands import Walk
from tests.support.browser import (
    CHROMIUM,
    Server,
    choose_files,
    chromium,
    new_page,
    open_reader,
    serving,
    wait_for_run,
    wait_until_saved,
)
from tests.support.corpus import write_corpus
from tests.support.making import paper, query, store
from tests.support.waiting import wait_until

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="needs Chromium (.ci/run installs it)")
TEXT = ("Pain was lower with the drug than with placebo.", "The trial was small.", "It was well done.")


COUNT = ("Samples were kept in buffer overnight.", "The assay ran in wash buffer.", "Cells were washed with buffer.")
DO_NOT = ("MYC is known in cancer.", "We generated a knockout of MYC.", "Growth of the tumours decreased.")
MOST_CLICKS = 12
# An import proposes, too.
PROPOSING = "SELECT id FROM job WHERE kind IN ('import', 'propose') AND state IN ('queued', 'running')"


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
        page.get_by_role("radio", name="All parts").click()
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
        expect(legend).to_have_count(0)  # nothing is highlighted in an article without labels
        expect(page.get_by_role("button", name="Interventions, comparators and outcomes")).to_be_visible()


def test_a_topic_of_ones_own_is_two_pages_from_an_empty_folder_to_the_first_accepted_sentence(
    tiny_home: Path, tmp_path: Path
) -> None:
    articles = write_corpus(tmp_path / "articles", 4)
    with serving(tiny_home) as server, chromium() as browser:
        walk = Walk(new_page(browser, server.url), server.url)
        page = walk.page
        page.goto(server.url)
        walk.click("button", "Import articles")
        choose_files(page, page.get_by_role("tabpanel").locator("input[type=file]").first, [*map(str, articles)])
        page.get_by_text("article0.xml").wait_for()
        walk.click("button", "Import the files")
        page.get_by_text("The import has ended: 4 stored").wait_for(timeout=180_000)
        walk.open("Settings")
        walk.type("Your name", "Anna")
        walk.click("button", "Start")
        page.get_by_role("textbox", name="Name", exact=True).fill("Buffers")
        walk.type("What counts, in two sentences", "It says what was done in a buffer, in the study itself.")
        walk.type("Five or more sentences that count, one a line", "\n".join(COUNT))
        walk.type("Five or more sentences that do not count, one a line", "\n".join(DO_NOT))
        walk.click("button", "Use this topic")
        page.get_by_text("Buffers is the topic now").wait_for()
        wait_until(lambda: not query(PROPOSING), seconds=180)
        walk.click("link", "Review the next article")
        page.wait_for_selector(".reader[data-ready]")
        walk.click("button", "Close")
        walk.press("a")
        page.wait_for_selector('.entry[data-verdict="accept"]')
        wait_until_saved(page)
    assert walk.clicks <= MOST_CLICKS, walk.told()
    assert current_topic().patterns == () and current_topic().rules.cues == ()
    ((place,),) = query("SELECT position FROM verdict JOIN sentence ON sentence.id = sentence_id")
    assert place in (2, 7, 9)  # the three sentences of each article that speak of a buffer
