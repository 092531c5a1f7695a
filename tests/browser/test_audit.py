"""The audit in a real browser: by keyboard, each word on disk before the screen moves on."""

import csv
import io
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.support.browser import CHROMIUM, chromium, downloaded, new_page, serving, wait_for_run
from tests.support.making import (
    judge,
    paper,
    pmids,
    propose_with,
    query,
    store,
    store_cosines,
    verdict,
    version_without_weights,
)
from tests.support.topics import BEST_GENERIC, GENERIC_QUERIES

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="needs Chromium (.ci/run installs it)")
GENERIC = GENERIC_QUERIES[BEST_GENERIC]
SENTENCES = ("The <b>gene</b> is known.", "Here we deleted *TP53* in HeLa cells.", "The assay was measured.")


@pytest.fixture
def errors(home: Path) -> Path:
    """Three test articles, in each of which the second sentence ranks first and the first is key."""
    store(*(paper(SENTENCES, pmid=pmid) for pmid in pmids("test", 3)))
    version = version_without_weights("tiny")
    propose_with(version)
    for article_id, cosine in ((1, 0.75), (2, 0.875), (3, 0.5)):
        store_cosines(version, article_id, GENERIC, (0.125, cosine, 0.25))
        judge("Ben", article_id, verdict(0))
    return home


def stored() -> list[tuple[Any, ...]]:
    return query("SELECT article_id, value, rank, round(cosine, 2), ranking, version FROM audit_verdict ORDER BY id")


def press(page: Any, key: str, progress: str) -> None:
    """Presses a key and waits until the screen has moved on."""
    page.keyboard.press(key)
    expect(page.get_by_text(progress, exact=True)).to_be_visible()
    wait_for_run(page)


def expect_error(page: Any, number: int) -> None:
    """The first is article 2's, the second article 1's, by similarity to the query."""
    expect(page.get_by_text(f"Error {number} of 3, the most alike to the query first")).to_be_visible()


def test_an_expert_audits_by_keyboard(errors: Path) -> None:
    with serving(errors) as server, chromium() as browser:
        page = new_page(browser, server.url, "Anna")
        page.goto(f"{server.url}/audit")
        page.get_by_text("0 of 3 audited by you").wait_for()
        wait_for_run(page)
        at = page.locator(".st-key-audit_text")
        assert at.locator("mark").text_content() == SENTENCES[1]
        assert (
            "Abstract · rank 1 of its article" in at.text_content() and "cosine" not in page.inner_text("body").lower()
        )
        expect_error(page, 1)
        assert SENTENCES[0] in at.text_content()
        assert page.locator(".st-key-audit_keys").text_content() == SENTENCES[0]
        press(page, "a", "1 of 3 audited by you")
        assert stored() == [(2, "correct", 1, 0.88, "cosine", "tiny")]
        expect_error(page, 2)
        press(page, "x", "2 of 3 audited by you")
        press(page, "u", "1 of 3 audited by you")
        expect_error(page, 2)
        assert [row[:2] for row in stored()] == [(2, "correct"), (1, "wrong"), (1, "")]

        # What is typed into a field is no verdict.
        page.get_by_role("button", name="Anna").click()
        page.get_by_role("combobox", name="Working as").fill("axs")
        page.keyboard.press("Escape")
        page.keyboard.press("Escape")
        wait_for_run(page)
        assert len(stored()) == 3

        page.goto(f"{server.url}/audit")  # a reload begins at the first open error
        page.get_by_text("1 of 3 audited by you").wait_for()
        wait_for_run(page)
        expect_error(page, 2)
        press(page, "s", "2 of 3 audited by you")
        page.get_by_role("button", name="Correct").click()
        page.get_by_text("3 of 3 audited by you").wait_for()
        wait_for_run(page)
        assert [row[:2] for row in stored()[3:]] == [(1, "inconclusive"), (3, "correct")]

        # As labelled no article has its key sentence first; after the audit two have one of their two among their two.
        expect(page.get_by_test_id("stMetricValue")).to_have_text(["0.000", "0.333"])
        rows = list(csv.DictReader(io.StringIO(downloaded(page, "Audit as CSV").read_text(), newline="")))
        assert [(row["outcome"], row["audits"]) for row in rows] == [
            ("inconclusive", "Anna: inconclusive"),
            ("correct", "Anna: correct"),
            ("correct", "Anna: correct"),
        ]
        assert rows[0]["sentence"] == SENTENCES[1]


def nothing_waits_in(page: Any) -> None:
    """Waits until this browser has heard of all that it sent: the page may have counted it before."""
    page.wait_for_function("() => !Object.keys(localStorage).some((key) => key.startsWith('keyline:audit-outbox:'))")


def waiting_in(page: Any) -> list[str]:
    """The values that this browser keeps of audits."""
    return page.evaluate(
        "Object.keys(localStorage).filter((key) => key.startsWith('keyline:audit-outbox:'))"
        ".map((key) => JSON.parse(localStorage[key]).event.value)"
    )


def test_an_answer_is_stored_once_whether_the_server_is_away_refuses_it_or_is_not_heard(
    errors: Path,
) -> None:
    with serving(errors) as server, chromium() as browser:
        page = new_page(browser, server.url, "Anna")
        page.goto(f"{server.url}/audit")
        page.get_by_text("0 of 3 audited by you").wait_for()
        wait_for_run(page)
        server.kill()
        page.keyboard.press("a")
        page.keyboard.press("x")  # of the same sentence: it has been answered
        status = page.locator(".answers [role=status]")
        expect(status).to_have_text(
            "Not saved yet: 1 answer is kept in this browser, and sent again until it is stored."
        )
        expect(page.get_by_role("button", name="Correct")).to_have_attribute("aria-pressed", "true")
        assert waiting_in(page) == ["correct"] and stored() == []
        server.start()
        nothing_waits_in(page)
        assert [row[:2] for row in stored()] == [(2, "correct")]
        page.reload()  # Streamlit itself looks for the server ever more seldom, at last once a minute
        page.get_by_text("1 of 3 audited by you").wait_for()
        wait_for_run(page)
        expect_error(page, 2)

        def of_another(route: Any) -> None:
            route.continue_(post_data=route.request.post_data.replace("tiny", "gone"))

        page.route("**/api/audit", of_another)
        page.keyboard.press("a")
        expect(page.locator(".answers [data-state=refused]")).to_contain_text("there is no version 'gone'")
        page.unroute("**/api/audit")
        press(page, "x", "2 of 3 audited by you")
        assert [row[:2] for row in stored()[1:]] == [(1, "wrong")]
        nothing_waits_in(page)

        unheard: list[int] = []

        def lose_the_first(route: Any) -> None:
            answer = route.fetch()
            if unheard:
                route.fulfill(response=answer)
            else:
                unheard.append(answer.status)
                route.abort()

        page.route("**/api/audit", lose_the_first)
        press(page, "s", "3 of 3 audited by you")
        assert unheard == [200] and [row[:2] for row in stored()[2:]] == [(3, "inconclusive")]


def test_what_is_kept_outlives_the_tab_and_is_sent_by_the_next_one(errors: Path) -> None:
    with serving(errors) as server, chromium() as browser:
        page = new_page(browser, server.url, "Anna")
        page.goto(f"{server.url}/audit")
        page.get_by_text("0 of 3 audited by you").wait_for()
        wait_for_run(page)
        page.route("**/api/audit", lambda route: route.abort())
        page.keyboard.press("x")
        page.locator(".answers [data-state=waiting]").wait_for()
        again = page.context.new_page()
        page.close()
        again.goto(f"{server.url}/audit")
        again.get_by_text("1 of 3 audited by you").wait_for()
        assert [row[:2] for row in stored()] == [(2, "wrong")]
        nothing_waits_in(again)


def test_without_gold_the_page_says_what_is_missing(home: Path) -> None:
    store(paper(pmid=pmids("test", 1)[0]))
    propose_with(version_without_weights("tiny"))
    with serving(home) as server, chromium() as browser:
        page = new_page(browser, server.url, "Anna")
        page.goto(f"{server.url}/audit")
        page.get_by_text("no article of the test split has a key sentence yet").wait_for()
        judge("Ben", 1, verdict(0))
        page.goto(f"{server.url}/audit")
        page.get_by_text("not embedded under tiny yet").wait_for()
        page.get_by_role("button", name="Evaluate this version").wait_for()
