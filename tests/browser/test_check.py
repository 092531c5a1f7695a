"""Check in a real browser: the audit and the fair test by keyboard, each word on disk before the screen moves on."""

import csv
import io
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import expect

from annotate.proposing.encoder_versions import proposing_version
from tests.support.browser import (
    CHROMIUM,
    FOUND_AGAIN_MS,
    Server,
    chromium,
    downloaded,
    new_page,
    serving,
    wait_for_question,
    wait_for_run,
)
from tests.support.making import (
    judge,
    paper,
    pmids,
    query,
    reading,
    store,
    store_cosines,
    verdict,
    version_without_weights,
)
from tests.support.topics import BEST_GENERIC, GENERIC_QUERIES

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="needs Chromium (.ci/run installs it)")
GENERIC = GENERIC_QUERIES[BEST_GENERIC]
SENTENCES = ("The <b>gene</b> is known.", "Here we deleted *TP53* in HeLa cells.", "The assay was measured.")
TEXT = tuple(f"The {word} was there on that day." for word in "sun rain wind snow hail fog dew ice".split())


@pytest.fixture(scope="module")
def server(shared_tiny_home: Path) -> Iterator[Server]:
    """Three test articles in each of which the second sentence ranks first and the first is key, read in full; and a
    fourth, of which the proposing version's first five are judged: a child asks for the other three."""
    *audited, asked = pmids("test", 4)
    store(*(paper(SENTENCES, pmid=pmid) for pmid in audited), paper(TEXT, pmid=asked))
    version = proposing_version()
    child = version_without_weights("child", parent_id=version.id)
    for article_id, cosine in ((1, 0.75), (2, 0.875), (3, 0.5)):
        for each in (version, child):
            store_cosines(each, article_id, GENERIC, (0.125, cosine, 0.25))
        judge("Ben", article_id, verdict(0), reading())
    rising = np.linspace(0.1, 0.9, len(TEXT))
    store_cosines(version, 4, GENERIC, rising[::-1])
    store_cosines(child, 4, GENERIC, rising)
    judge("Ben", 4, verdict(0), *(verdict(number, "reject") for number in (1, 2, 3, 4)))
    with serving(shared_tiny_home) as running:
        yield running


def stored(name: str) -> list[tuple[Any, ...]]:
    """What a person said in the audit."""
    return query(
        "SELECT article_id, value, rank, round(cosine, 2), ranking, version FROM audit_verdict a "
        f"JOIN annotator n ON n.id = a.annotator_id WHERE n.name = '{name}' ORDER BY a.id"
    )


def opened(page: Any, address: str, progress: str) -> None:
    page.goto(address)
    page.get_by_text(progress).wait_for()
    wait_for_question(page)


def press(page: Any, key: str, progress: str) -> None:
    """Presses a key and waits until the screen has moved on."""
    page.keyboard.press(key)
    expect(page.get_by_text(progress)).to_be_visible()
    wait_for_question(page)


def expect_error(page: Any, number: int) -> None:
    """The first is article 2's, the second article 1's, by similarity to the query."""
    expect(page.get_by_text(f"Error {number} of 3, the most similar to the query first")).to_be_visible()


def test_an_expert_audits_by_keyboard(server: Server) -> None:
    with chromium() as browser:
        page = new_page(browser, server.url, "Anna")
        opened(page, f"{server.url}/audit", "0 of 3 audited by you")  # the address of earlier releases
        page.wait_for_url(f"{server.url}/check?what=audit")
        at = page.locator(".st-key-audit_text")
        assert at.locator("mark").text_content() == SENTENCES[1]
        assert (
            "Abstract · rank 1 of its article" in at.text_content() and "cosine" not in page.inner_text("body").lower()
        )
        expect_error(page, 1)
        assert SENTENCES[0] in at.text_content()
        assert page.locator(".st-key-audit_keys").text_content() == SENTENCES[0]
        press(page, "a", "1 of 3 audited by you")
        assert stored("Anna") == [(2, "correct", 1, 0.88, "cosine", "tiny")]
        expect_error(page, 2)
        press(page, "x", "2 of 3 audited by you")
        press(page, "u", "1 of 3 audited by you")
        expect_error(page, 2)
        assert [row[:2] for row in stored("Anna")] == [(2, "correct"), (1, "wrong"), (1, "")]

        # What is typed into a field is no verdict.
        page.get_by_role("button", name="Anna").click()
        page.get_by_role("combobox", name="Working as").fill("axs")
        page.keyboard.press("Escape")
        page.keyboard.press("Escape")
        wait_for_run(page)
        assert len(stored("Anna")) == 3

        opened(page, f"{server.url}/audit", "1 of 3 audited by you")  # a reload begins at the first open error
        expect_error(page, 2)
        press(page, "s", "2 of 3 audited by you")
        page.get_by_role("button", name="Correct").click()
        page.get_by_text("3 of 3 audited by you").wait_for()
        wait_for_run(page)
        assert [row[:2] for row in stored("Anna")[3:]] == [(1, "inconclusive"), (3, "correct")]

        # As labelled one article of four has its key sentence first; after the audit two more have one of two.
        expect(page.get_by_test_id("stMetricValue")).to_have_text(["0.250", "0.500"])
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


def test_an_answer_is_stored_once_whether_the_server_is_away_refuses_it_or_is_not_heard(server: Server) -> None:
    with chromium() as browser:
        page = new_page(browser, server.url, "Berta")
        opened(page, f"{server.url}/check?what=audit", "0 of 3 audited by you")
        server.kill()
        page.keyboard.press("a")
        page.keyboard.press("x")  # of the same sentence: it has been answered
        status = page.locator(".answers [role=status]")
        expect(status).to_have_text(
            "Not saved yet: 1 answer is kept in this browser, and sent again until it is stored."
        )
        expect(page.get_by_role("button", name="Correct")).to_have_attribute("aria-pressed", "true")
        assert waiting_in(page) == ["correct"] and stored("Berta") == []
        server.start()
        nothing_waits_in(page)
        assert [row[:2] for row in stored("Berta")] == [(2, "correct")]
        page.reload()  # Streamlit itself looks for the server ever more seldom, at last once a minute
        page.get_by_text("1 of 3 audited by you").wait_for()
        wait_for_question(page)
        expect_error(page, 2)

        def of_another(route: Any) -> None:
            route.continue_(post_data=route.request.post_data.replace("tiny", "gone"))

        page.route("**/api/audit", of_another)
        page.keyboard.press("a")
        expect(page.locator(".answers [data-state=refused]")).to_contain_text("there is no version 'gone'")
        page.unroute("**/api/audit")
        press(page, "x", "2 of 3 audited by you")
        assert [row[:2] for row in stored("Berta")[1:]] == [(1, "wrong")]
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
        assert unheard == [200] and [row[:2] for row in stored("Berta")[2:]] == [(3, "inconclusive")]


def test_what_is_kept_outlives_the_tab_and_is_sent_by_the_next_one(server: Server) -> None:
    with chromium() as browser:
        page = new_page(browser, server.url, "Carla")
        opened(page, f"{server.url}/check?what=audit", "0 of 3 audited by you")
        page.route("**/api/audit", lambda route: route.abort())
        page.keyboard.press("x")
        page.locator(".answers [data-state=waiting]").wait_for()
        again = page.context.new_page()
        page.close()
        again.goto(f"{server.url}/check?what=audit")
        again.get_by_text("1 of 3 audited by you").wait_for()
        assert [row[:2] for row in stored("Carla")] == [(2, "wrong")]
        nothing_waits_in(again)


def test_the_fair_test_asks_once_takes_an_answer_back_and_keeps_what_the_server_did_not_hear(server: Server) -> None:
    def given() -> list[tuple[Any, ...]]:
        return query(
            "SELECT s.position, v.value, v.origin FROM verdict v JOIN sentence s ON s.id = v.sentence_id "
            "JOIN annotator n ON n.id = v.annotator_id WHERE n.name = 'Dora' ORDER BY v.id"
        )

    with chromium() as browser:
        page = new_page(browser, server.url, "Dora")
        opened(page, f"{server.url}/fair_test", "0 judged, 3 to go")
        press(page, "x", "1 judged, 2 to go")
        page.get_by_role("button", name="Reject").click()
        expect(page.get_by_text("2 judged, 1 to go")).to_be_visible()
        wait_for_question(page)
        (first, *_), (second, *_) = given()
        press(page, "u", "1 judged, 2 to go")
        press(page, "s", "2 judged, 1 to go")
        assert [(number, value) for number, value, _ in given()[2:]] == [(second, "withdrawn"), (second, "unsure")]
        server.kill()
        page.keyboard.press("x")
        page.locator(".answers [data-state=waiting]").wait_for()
        server.start()  # which has forgotten the tab: it asks for nothing that is answered
        done = page.get_by_text("You have judged all: every labelled test article is fair to both versions.")
        done.wait_for(timeout=FOUND_AGAIN_MS)
        page.get_by_role("button", name="Evaluate both versions").wait_for()
        assert {number for number, _, _ in given()} == {5, 6, 7} and first != second
        assert given()[4][1] == "reject" and len(given()) == 5
        # They are no proposals of anybody's.
        assert {origin for _, _, origin in given()} == {"added"}
