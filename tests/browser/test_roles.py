"""What sentences do in a real browser: the filter, more like this, a function of one's own, two articles aligned."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from pages.parts.shared.tables import ROW_HEIGHT
from tests.support.browser import CHROMIUM, Server, chromium, new_page, open_reader, serving, wait_for_run
from tests.support.making import paper, query, store
from tests.support.waiting import wait_until

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="needs Chromium (.ci/run installs it)")
FIRST = (
    "Little is known about sleep.",
    "We sought to understand sleep.",
    "We measured sleep.",
    "Sleep increased by 12%.",
    "These findings suggest that sleep matters.",
)
HEAD = 35  # of a table on a canvas, in pixels
SECOND = tuple(sentence.replace("sleep", "maize").replace("Sleep", "Maize") for sentence in FIRST)


@pytest.fixture(scope="module")
def server(shared_tiny_home: Path) -> Iterator[Server]:
    from annotate.proposing.embed import embed
    from annotate.proposing.encoder_versions import proposing_version
    from annotate.roles.reading import read_articles

    store(paper(FIRST, pmid="1", title="On sleep"), paper(SECOND, pmid="2", title="On maize"))
    embed(proposing_version())
    read_articles()
    with serving(shared_tiny_home) as running:
        yield running


def test_roles_are_shown_filtered_and_counted_and_lead_to_more_like_this(server: Server) -> None:
    from playwright.sync_api import expect

    with chromium() as browser:
        page = new_page(browser, server.url, "Anna")
        open_reader(page, server.url, 1)
        sentences = page.locator(".pane .sentence")
        roles = [sentences.nth(at).get_attribute("data-role") for at in range(len(FIRST))]
        assert roles == ["background", "objective", "methods", "results", "conclusion"]
        assert "background" in (sentences.nth(0).get_attribute("title") or "")
        sentences.nth(3).click()
        page.select_option(".shown-roles", "no-background")
        expect(sentences.nth(0)).to_be_hidden()
        expect(sentences.nth(1)).to_be_visible()
        page.select_option(".shown-roles", "results")
        expect(sentences.nth(1)).to_have_css("opacity", "0.35")
        page.locator(".role-counts summary").click()
        expect(page.locator(".role-counts tbody tr")).to_have_count(1)
        page.get_by_role("button", name="More like this").click()
        panel = page.get_by_role("dialog")
        expect(panel.get_by_text(FIRST[3])).to_be_visible()
        expect(panel.get_by_text(FIRST[4])).to_be_visible()
        page.keyboard.press("m")  # a key of the reader
        page.keyboard.press("Escape")
        expect(panel).to_be_hidden()
        page.wait_for_url("**/review?article=1&sentence=3")
        assert page.locator(".reader").get_attribute("data-saved") == "0"


def test_three_sentences_that_do_the_same_become_a_function_and_others_are_confirmed(server: Server) -> None:
    from playwright.sync_api import expect

    with chromium() as browser:
        page = new_page(browser, server.url, "Anna")
        page.goto(f"{server.url}/functions?article=1&sentence=3")  # a page once
        page.wait_for_url("**/articles?article=1&sentence=3&panel=alike")
        wait_for_run(page)
        alike = page.get_by_role("dialog")
        alike.get_by_text("All articles").click()
        expect(alike.get_by_text("Maize increased by 12%.")).to_be_visible()
        wait_for_run(page)
        boxes = alike.get_by_role("checkbox", name="Choose")
        for at in range(2):
            boxes.nth(at).check(force=True)
            wait_for_run(page)
        page.get_by_label("Name of the role").fill("a rise")
        page.get_by_role("button", name="Name the role").click()
        expect(page.get_by_text("a rise is a role now")).to_be_visible()
        assert query("SELECT name, created_by FROM own_function") == [("a rise", "Anna")]
        alike.get_by_role("link", name="Roles").click()
        panel = page.get_by_role("tabpanel")  # the one on show
        panel.locator("[data-testid=stCheckbox]").first.click()
        wait_for_run(page)
        panel.get_by_role("button", name="They do not").click()
        counted = "SELECT has_it, count(*) FROM function_example GROUP BY has_it ORDER BY has_it"
        wait_until(lambda: query(counted) == [(0, 1), (1, 3)])
        wait_for_run(page)
        expect(panel.get_by_text("Do these sentences have this role, too?")).to_be_visible()


def test_a_click_in_one_article_goes_to_the_sentence_of_the_other_that_does_the_same(server: Server) -> None:
    from playwright.sync_api import expect

    with chromium() as browser:
        page = new_page(browser, server.url, "Anna")
        open_reader(page, server.url, 2)
        page.get_by_role("button", name="Align").click()
        page.wait_for_selector(".aligned .side")
        left, right = page.locator(".side").nth(0), page.locator(".side").nth(1)
        expect(left).to_contain_text("Maize")  # the article that is open
        left.get_by_text("increased by 12%").click()
        expect(right.locator("[aria-current]")).to_contain_text("increased by 12%")
        expect(left.locator("[aria-current]")).to_contain_text("increased by 12%")


def test_two_articles_that_are_ticked_in_the_list_stand_side_by_side(server: Server) -> None:
    from playwright.sync_api import expect

    with chromium() as browser:
        page = new_page(browser, server.url, "Anna")
        page.goto(f"{server.url}/articles")
        table = page.get_by_test_id("stDataFrame")
        table.wait_for()
        wait_for_run(page)
        for row in range(2):
            table.click(position={"x": 16, "y": HEAD + (row + 0.5) * ROW_HEIGHT})
            expect(page.get_by_text(f"{row + 1} article{'s' * row} chosen")).to_be_visible()
        page.get_by_role("button", name="Align").click()
        sides = page.locator(".aligned .side")
        expect(sides).to_have_count(2)
        for name in ("sleep", "maize"):
            expect(sides.filter(has_text=re.compile(name, re.IGNORECASE))).to_have_count(1)
