"""Keys of one's own, in a real browser: chosen behind the name, pressed in Review, shown by ?."""

import pytest

from annotate.gold.practice import PracticeRound
from annotate.project.stored_settings import change_settings
from tests.support.browser import (
    CHROMIUM,
    chromium,
    new_page,
    open_reader,
    serving,
    wait_until_saved,
    wait_until_seen,
)
from tests.support.making import judge, query, store_proposed, verdict

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed")


def test_a_key_that_was_chosen_judges_and_the_old_one_does_nothing(home):
    store_proposed(2)
    with serving(home) as server, chromium() as browser:
        page = new_page(browser, server.url, "Anna")
        reader = open_reader(page, server.url, 1)
        page.get_by_role("button", name="Anna").first.click()
        page.get_by_role("button", name="My keys").click()
        dialog = page.get_by_role("dialog")
        page.get_by_test_id("stPopoverBody").wait_for(state="detached")  # it does not lie over the dialog
        dialog.get_by_label("Accept the proposal").fill("X")
        dialog.get_by_role("button", name="Save").click()
        dialog.get_by_text("the key X cannot be both").wait_for()
        dialog.get_by_label("Accept the proposal").fill("1")
        dialog.get_by_role("button", name="Save").click()
        dialog.get_by_text("Saved.").wait_for()
        page.keyboard.press("Escape")
        dialog.wait_for(state="detached")
        reader = open_reader(page, server.url, 1)
        assert reader.locator("button.accept kbd").inner_text() == "1"
        page.keyboard.press("a")
        page.keyboard.press("1")
        wait_until_saved(page)
        page.keyboard.press("?")
        assert reader.locator(".help kbd").first.inner_text() == "1"
    assert query("SELECT value FROM verdict") == [("accept",)]


def test_a_key_that_was_chosen_in_the_practice_round_judges_at_once(home):
    store_proposed(2)
    for article_id in (1, 2):
        judge("Mary", article_id, verdict(1))
    change_settings("Cora", PracticeRound(article_ids=[1, 2]))
    with serving(home) as server, chromium() as browser:
        page = new_page(browser, server.url, "Anna")
        page.goto(f"{server.url}/practice")
        page.get_by_role("button", name="Begin").click()
        page.wait_for_selector(".reader[data-ready]")
        wait_until_seen(page)
        page.get_by_role("button", name="Anna").first.click()
        page.get_by_role("button", name="My keys").click()
        dialog = page.get_by_role("dialog")
        page.get_by_test_id("stPopoverBody").wait_for(state="detached")
        dialog.get_by_label("Accept the proposal").fill("X")
        dialog.get_by_label("Reject it").fill("A")
        dialog.get_by_role("button", name="Save").click()
        dialog.get_by_text("Saved.").wait_for()
        page.keyboard.press("Escape")
        dialog.wait_for(state="detached")
        page.locator("button.accept kbd", has_text="X").wait_for()
        wait_until_seen(page)
        page.keyboard.press("x")
        page.locator('#s1[data-verdict="accept"]').wait_for()
