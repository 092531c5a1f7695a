"""The page Encoders in a real browser: a folder is named, encoders are compared, and the table tells the difference."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from annotate.encoders.results import all_results
from annotate.encoders.tasks.registry import CHEAP
from tests.support.browser import CHROMIUM, Server, chromium, new_page, serving, wait_for_run
from tests.support.encoder_tasks import task_folder
from tests.support.waiting import wait_until

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="needs Chromium (.ci/run installs it)")


@pytest.fixture
def server(tiny_home: Path) -> Iterator[Server]:
    with serving(tiny_home) as running:
        yield running


def test_a_folder_is_named_and_encoders_are_compared(server: Server, tmp_path: Path) -> None:
    from playwright.sync_api import expect

    folder = task_folder(tmp_path / "tasks")
    with chromium() as browser:
        page = new_page(browser, server.url, "Anna", width=1024, height=768)
        page.goto(f"{server.url}/encoders")
        wait_for_run(page)
        expect(page.get_by_text("No encoder was compared yet.")).to_be_visible()
        expect(page.get_by_role("button", name="Run", exact=True)).to_be_disabled()
        page.get_by_role("textbox", name="Folder of the tasks' files").fill(str(folder))
        page.get_by_role("button", name="Use it").click()
        run = page.get_by_role("button", name="Run", exact=True)
        expect(run).to_be_enabled()
        run.click()
        table = page.get_by_test_id("stTable")
        expect(table.get_by_role("row")).to_have_count(3)  # the headings, tiny and words
        expect(table).to_contain_text("BIOSSES, Pearson")
        expect(table.get_by_role("row").nth(1)).to_contain_text("tiny")
        expect(page.get_by_role("button", name="All numbers as CSV")).to_be_visible()
        wanted = {(source, task) for source in ("words", "tiny") for task in CHEAP}
        wait_until(lambda: {(one.source, one.task) for one in all_results()} == wanted)
