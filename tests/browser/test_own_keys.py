"""Keys of one's own, in a real browser: chosen behind the name, pressed in Review, shown by ?."""

import pytest

from tests.support.browser import CHROMIUM, chromium, new_page, open_reader, serving, wait_until_saved
from tests.support.making import query, store_proposed

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
