"""A screen that others have overtaken, in a real browser: it shows, ticks and undoes what stands in the rows."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.pages.evaluation.test_check import versions
from tests.support.browser import (
    CHROMIUM,
    chromium,
    go_on_to,
    new_page,
    open_reader,
    serving,
    wait_for_question,
    wait_for_run,
    wait_until_saved,
    wait_until_seen,
)
from tests.support.making import judge, paper, query, store, store_proposed, verdict
from tests.support.waiting import wait_until

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed")
__all__ = ["versions"]
FIRST_ROW = (18, 65)  # the box before the first row of a table


def tick_the_first(page: Any) -> None:
    table = page.get_by_test_id("stDataFrame")
    table.wait_for()
    page.wait_for_timeout(1_500)  # it is painted after it is there
    box = table.bounding_box()
    page.mouse.click(box["x"] + FIRST_ROW[0], box["y"] + FIRST_ROW[1])


@contextmanager
def reading_the_first(home: Path) -> Iterator[Any]:
    """Anna's page, with the first article open in the reader."""
    with serving(home) as server, chromium() as browser:
        page = new_page(browser, server.url, "Anna")
        open_reader(page, server.url, 1)
        wait_until_seen(page)
        yield page


def test_a_tick_never_moves_to_an_article_that_came_meanwhile(home):
    store_proposed(3)
    with serving(home) as server, chromium() as browser:
        page = new_page(browser, server.url, "Anna")
        page.goto(f"{server.url}/articles")
        page.get_by_test_id("stDataFrame").wait_for()
        wait_for_run(page)
        page.wait_for_timeout(1_500)
        store(paper(pmid="4"))  # it comes first in the list, which still begins with the third on the screen
        tick_the_first(page)
        wait_for_run(page)
        page.wait_for_timeout(1_000)
        assert page.get_by_role("button", name="Remove").is_disabled()
        tick_the_first(page)
        page.get_by_text("1 article chosen").wait_for()
        wait_for_run(page)
        page.get_by_role("button", name="Remove").click()
        page.get_by_role("button", name="Remove 1 article").click()
        wait_until(lambda: query("SELECT article_id FROM article_removal") == [(4,)])


def test_what_was_undone_elsewhere_is_not_shown_in_the_reader(home):
    store_proposed(2)
    with reading_the_first(home) as page:
        page.keyboard.press("a")
        wait_until_saved(page)
        go_on_to(page, "history", "History")
        tick_the_first(page)
        page.get_by_role("button", name="Undo my verdict").click()
        page.get_by_text("Undone: ").first.wait_for()
        page.keyboard.press("Escape")
        wait_for_run(page)
        page.get_by_role("link", name="Review").first.click()
        page.wait_for_selector('.reader[data-ready="1"]')
        wait_until_seen(page)
        assert page.locator("#s1").get_attribute("data-verdict") is None
    assert query("SELECT value FROM verdict ORDER BY id") == [("accept",), ("withdrawn",)]


def test_why_shows_a_chip_for_each_word_that_is_quoted(home):
    store_proposed(1)
    told = [["like the examples: “diet”, “stearic”", 1.0], ["a result: “We saw”", 0.5]]
    with serving(home) as server, chromium() as browser:
        page = new_page(browser, server.url, "Anna")
        answer = {"ranking": "hybrid", "parts": {str(position): told for position in range(5)}}
        page.route("**/api/why*", lambda route: route.fulfill(json=answer))
        open_reader(page, server.url, 1)
        page.locator(".chip").first.wait_for()
        assert page.locator(".chip").all_text_contents() == ["diet", "stearic", "We saw"]


def test_undo_takes_a_comment_back_while_its_field_is_open(home):
    store_proposed(1)
    with reading_the_first(home) as page:
        page.keyboard.press("c")
        page.keyboard.type("first thought")
        page.keyboard.press("Enter")
        wait_until_saved(page)
        page.keyboard.press("c")
        page.get_by_role("button", name="Undo").click()
        wait_until_saved(page)
        page.wait_for_timeout(500)
        assert "first thought" not in page.locator(".comments").inner_text()
    assert query("SELECT text FROM comment ORDER BY id") == [("first thought",), ("",)]


def test_another_person_at_the_same_browser_begins_with_nothing_to_undo_and_goes_on(versions, home):
    judge("Cleo", 1, verdict(4, "reject"))
    with serving(home) as server, chromium() as browser:
        page = new_page(browser, server.url, "Ben")
        page.goto(f"{server.url}/check?what=fair_test")
        wait_for_question(page)
        page.keyboard.press("a")
        page.get_by_text("1 judged, 2 to go").wait_for()
        wait_for_question(page)
        page.get_by_role("button", name="Ben").first.click()
        page.get_by_role("combobox", name="Working as").click()
        page.get_by_role("option", name="Cleo").click()
        page.get_by_role("button", name="Cleo").first.wait_for()
        wait_for_run(page)
        page.keyboard.press("Escape")
        page.get_by_text("0 judged, 2 to go").wait_for()
        wait_for_question(page)
        assert page.locator(".answers button.undo").is_disabled()
        page.locator(".answers button").first.click()
        page.get_by_text("1 judged, 1 to go").wait_for()
        wait_for_question(page)
    said = dict(query("SELECT name, count(*) FROM verdict JOIN annotator ON annotator.id = annotator_id GROUP BY name"))
    assert (said["Ben"], said["Cleo"]) == (1, 2)
