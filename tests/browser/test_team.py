"""A team in real browsers: two experts annotate one article blind, a curator decides, nobody goes beyond their role."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from annotate.project.acting import AUTH, OPERATOR, acting
from annotate.project.rights import RIGHTS, Role
from annotate.project.stored_settings import change_settings
from annotate.review.queue_settings import QueueSettings
from annotate.review.verdicts import sign
from annotate.team.people import add
from pages.parts.frame.entries import entries
from tests.support.browser import (
    CHROMIUM,
    Server,
    chromium,
    go_on_to,
    new_page,
    serving,
    wait_for_run,
    wait_until_saved,
)
from tests.support.making import query, store_proposed, verdict

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="needs Chromium (.ci/run installs it)")
COUNTS = "SELECT (SELECT count(*) FROM verdict), (SELECT count(*) FROM job), (SELECT count(*) FROM promotion)"
PASSWORD = "correct horse battery staple"
TEAM = {"Anna": Role.ANNOTATOR, "Ben": Role.ANNOTATOR, "Clara": Role.CURATOR}


@pytest.fixture
def team(home: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    """The app with accounts and one article, which two experts are to annotate."""
    monkeypatch.setenv(AUTH, "local")
    with acting(OPERATOR):
        store_proposed(1)
        for name, role in TEAM.items():
            add(name, role, password=PASSWORD)
        settings = QueueSettings(double_share=1.0, experts=2, blind_share=0.0, random_share=0.0, learn_at_once=False)
        change_settings("Clara", settings)
    with serving(home) as server:
        yield server


def logged_in(browser: Any, server: Server, name: str) -> Any:
    """A browser of its own in which this person has logged in."""
    page = new_page(browser, server.url)
    page.goto(f"{server.url}/login")
    page.get_by_label("Name").fill(name)
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button").click()
    page.wait_for_selector("[data-testid=stApp]")
    return page


def open_what_is_next(page: Any, server: Server) -> None:
    page.goto(f"{server.url}/review")
    page.wait_for_selector('.reader[data-ready="1"]')


def open_page(page: Any, server: Server, name: str) -> None:
    page.goto(f"{server.url}/{name}")
    page.wait_for_selector("[data-testid=stMainBlockContainer]")
    wait_for_run(page)


def wait_for_words(page: Any, words: str) -> None:
    """Waits until the page says so: Streamlit draws some elements only after its script has ended."""
    page.get_by_test_id("stMain").get_by_text(words).first.wait_for()


def values() -> dict[str, dict[int, str]]:
    """What each person said of each sentence, the last word counts."""
    rows = query(
        "SELECT a.name, s.position, v.value FROM verdict v JOIN annotator a ON a.id = v.annotator_id "
        "JOIN sentence s ON s.id = v.sentence_id ORDER BY v.id"
    )
    found: dict[str, dict[int, str]] = {}
    for name, position, value in rows:
        found.setdefault(name, {})[position] = value
    return found


def test_two_annotate_blind_and_at_once_and_a_curator_decides_what_they_disagree_on(team):
    with chromium() as browser:
        anna, ben, clara = (logged_in(browser, team, name) for name in TEAM)
        for page in (anna, ben):  # both at once: the article is in two hands
            open_what_is_next(page, team)
        anna.keyboard.press("a")
        wait_until_saved(anna)
        ben.reload()
        ben.wait_for_selector('.reader[data-ready="1"]')
        assert ben.locator('.reader [data-verdict="accept"]').count() == 0  # nothing of Anna's is on Ben's screen
        assert "Anna" not in ben.locator(".reader").inner_text()
        anna.keyboard.press("a")
        ben.keyboard.press("a")
        ben.keyboard.press("x")
        for page in (anna, ben):
            wait_until_saved(page)
        said = values()
        assert sorted(said["Anna"].values()) == ["accept", "accept"]
        assert sorted(said["Ben"].values()) == ["accept", "reject"]
        (disputed,) = (place for place, value in said["Ben"].items() if value == "reject")
        for page in (anna, ben):
            page.keyboard.press("n")
            page.get_by_text("You have reviewed ").wait_for()

        go_on_to(clara, "adjudicate", "Adjudicate")
        wait_for_words(clara, "1 disputed sentence in 1 article")
        clara.get_by_role("button", name="Not key").click()
        clara.get_by_text("All decided").or_(clara.get_by_text("1 decided")).first.wait_for()
        wait_for_run(clara)
        assert values()["Clara"] == {disputed: "reject"}
        assert query("SELECT count(*) FROM verdict WHERE role = 'adjudicator'") == [(1,)]
        assert values()["Anna"][disputed] == "accept"  # what she said stays

        go_on_to(clara, "agreement", "Agreement")
        for words in ("Krippendorff", "50%"):  # of two sentences they agree on one
            wait_for_words(clara, words)
        clara.locator("svg text", has_text="Anna").first.wait_for()  # the chart of pairs names them
        assert clara.locator("svg text", has_text="Ben").count()
        go_on_to(clara, "gold", "Gold")
        for name in ("Key sentences", "Tied"):  # each kind of element comes with a file of its own
            clara.locator("[data-testid=stMetric]", has_text=name).wait_for()
        counts = clara.locator("[data-testid=stMetricValue]").all_inner_texts()
        assert counts[:3] == ["2", "1", "1"] and set(counts[3:]) == {"0"}  # rows, key, not key; nothing is disputed
        go_on_to(clara, "history", "History")
        clara.get_by_label(
            "Who", exact=True
        ).click()  # the table is drawn on a canvas; here is everybody who has done something
        for name in TEAM:
            clara.get_by_role("option", name=name).wait_for()


def test_an_annotator_reaches_no_page_and_no_write_of_other_roles_by_address_or_forged_event(team):
    with chromium() as browser:
        anna = logged_in(browser, team, "Anna")
        # One page of each right; every page for every role: tests/pages/frame/test_rights.py.
        for right, name in {entry.right: name for name, entry in entries().items()}.items():
            open_page(anna, team, name)
            refused = "You are Anna, annotator."
            if right not in RIGHTS[Role.ANNOTATOR]:
                wait_for_words(anna, refused)
            else:
                assert not anna.get_by_text(refused).count(), name
        before = query(COUNTS)

        def post(path: str, message: dict[str, Any]) -> int:
            """The status of a request from Anna's browser, with her cookie."""
            return anna.evaluate(
                """([path, body]) => fetch(path, {method: "POST", body}).then((answer) => answer.status)""",
                [path, json.dumps(message)],
            )

        anna.goto(f"{team.url}/articles")
        with acting(OPERATOR):
            stolen = sign("Ben", 1)
        events = [verdict(0)]
        assert post("/api/review", {"token": stolen, "events": events}) in (401, 403)
        assert post("/api/review", {"token": "forged", "events": events}) == 403
        assert post("/api/review", {"events": events}) == 400
        assert query(COUNTS) == before
