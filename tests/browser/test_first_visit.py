"""What an expert meets who opens Review for the first time: the tour, a click that changes nothing, a double click."""

import pytest

from tests.support.browser import CHROMIUM, chromium, new_page, open_reader, serving, wait_until_saved
from tests.support.making import query, store_proposed
from tests.support.waiting import wait_until

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="needs Chromium (.ci/run installs it)")


def test_the_tour_has_five_steps_and_comes_again_only_when_asked(home):
    store_proposed(2)
    with serving(home) as server, chromium() as browser:
        page = new_page(browser, server.url, "Anna")
        tour = open_reader(page, server.url, 1).locator(".tour")
        titles = []
        for step in ("Next step",) * 4 + ("Done",):
            titles.append(tour.locator("h3").inner_text())
            assert page.locator(".toured").count() == 1  # what the step is about is pointed at
            tour.get_by_role("button", name=step).click()
        assert [title[: len("1 of 5")] for title in titles] == [f"{step} of 5" for step in range(1, 6)]
        assert tour.is_hidden() and page.locator(".toured").count() == 0

        reader = open_reader(page, server.url, 2)  # still without a verdict, but not for the first time
        assert reader.locator(".tour").is_hidden()
        page.keyboard.press("?")
        reader.get_by_role("button", name="Show the tour").click()
        assert reader.locator(".tour h3").inner_text() == titles[0]

        wait_until(lambda: query("SELECT content FROM setting WHERE name = 'tour'"))
        elsewhere = new_page(browser, server.url, "Anna")  # another browser: the person is the same
        assert open_reader(elsewhere, server.url, 2).locator(".tour").is_hidden()


def test_a_double_click_judges_once_and_the_first_verdict_ends_the_tour(home):
    store_proposed(1)  # the sentences 0 and 1
    with serving(home) as server, chromium() as browser:
        page = new_page(browser, server.url, "Anna")
        reader = open_reader(page, server.url, 1)
        assert reader.locator(".tour").is_visible()
        reader.locator(".card button.reject").dblclick()
        wait_until_saved(page)
        assert reader.locator(".tour").is_hidden() and page.locator(".toured").count() == 0
    assert query("SELECT value FROM verdict") == [("reject",)]


def test_a_click_goes_to_a_sentence_and_the_button_marks_it(home):
    store_proposed(1)  # the sentences 0 and 1
    with serving(home) as server, chromium() as browser:
        page = new_page(browser, server.url, "Anna")
        reader = open_reader(page, server.url, 1)
        reader.locator(".tour").get_by_role("button", name="Close").click()
        sentence = reader.locator('.pane [data-sentence="2"]')
        sentence.click()
        sentence.click()
        assert query("SELECT count(*) FROM verdict") == [(0,)]
        reader.get_by_role("button", name="Mark as a missed key sentence").click()
        wait_until_saved(page)
        sentence.click()
        wait_until_saved(page)
    assert query("SELECT value, position FROM verdict JOIN sentence ON sentence.id = sentence_id") == [("accept", 2)]


def test_where_there_is_no_keyboard_no_hint_names_a_key(home):
    store_proposed(1)
    with serving(home) as server, chromium() as browser:
        page = new_page(browser, server.url, "Anna", width=1024, touch=True)
        reader = open_reader(page, server.url, 1)
        texts = []
        for step in ("Next step", "Next step", "Next step", "Next step", "Done"):
            texts.append(reader.locator(".tour p").inner_text())
            reader.locator(".tour").get_by_role("button", name=step).click()
        assert texts[2] == "Accept, Reject or Unsure is saved, and the next comes. You can undo each."
        assert not any("(" in text for text in texts)
        reader.locator(".sentence").first.click()
        assert "(" not in reader.locator(".hint").inner_text()
        reader.get_by_role("button", name="Comment").click()
        assert reader.locator(".way-out").inner_text() == "Save"
        caps = page.locator("kbd")
        assert caps.count() > 9 and not page.locator("kbd:visible").count()
        reader.get_by_role("button", name="Help").click()
        assert page.locator("kbd:visible").count() > 9  # it lists the keys
