"""The page Start in numbers, and the next steps by what the person who looks may do."""

import pytest

import annotate.operations.overview
import db.jobs
from annotate.operations.overview import PROPOSING, Step, next_steps, overview, work_waiting
from annotate.project.acting import OPERATOR, acting
from annotate.project.home import read, write
from annotate.project.rights import Right
from annotate.retraining.advice import Advice, Worth
from annotate.review.assignments import take
from annotate.team.logins import actor_of
from tests.support.making import judge, reading, store, store_proposed, verdict
from tests.support.team import browser, cheap_hashes, team


@pytest.fixture
def people(home, monkeypatch):
    """The token of each of a team, by name: Anna annotates, Cora curates, Mats maintains."""
    monkeypatch.setenv("KEYLINE_AUTH", "local")
    with cheap_hashes():
        with acting(OPERATOR):
            team()
        yield {name: browser(name)[0] for name in ("Anna", "Cora", "Mats")}


def steps(token: str, name: str) -> list[Step]:
    with acting(actor_of(token)), read() as session:
        return next_steps(session, name, overview(session, name))


def step(token: str, name: str) -> Step:
    return steps(token, name)[0]


def worth_training(monkeypatch) -> None:
    monkeypatch.setattr(
        annotate.operations.overview, "advise", lambda *_: Advice(Worth.WORTH, "It may gain", None, (), None)
    )


def test_without_articles_curators_import_and_experts_wait(people):
    assert step(people["Cora"], "Cora").page == "import_articles"
    found = step(people["Anna"], "Anna")
    assert (found.label, found.why) == ("", "No articles yet: a curator imports them.")


@pytest.mark.parametrize("kind", PROPOSING)
def test_while_the_first_sentences_are_ranked_everybody_is_asked_for_patience(people, kind):
    with acting(OPERATOR), write(Right.SYSTEM) as session:
        assert db.jobs.insert_job(session, kind, {})
    for name in people:
        assert step(people[name], name).why == "Sentences are being ranked: your first article comes in a moment."
    with acting(OPERATOR):
        store_proposed(1)
    assert step(people["Anna"], "Anna").page == "review"


def test_each_role_has_its_own_next_step(people):
    with acting(OPERATOR):
        store_proposed(3)
    assert [step(people[name], name).page for name in ("Anna", "Cora", "Mats")] == ["review"] * 3
    with acting(OPERATOR):
        judge("Anna", 1, verdict(0), verdict(1), reading())
        judge("Ben", 1, verdict(0, "reject"), verdict(1))
    assert step(people["Anna"], "Anna") == Step("review", "Review the next article", "2 articles wait for you.")
    assert [each.page for each in steps(people["Cora"], "Cora")] == ["review", "adjudicate"]
    assert steps(people["Cora"], "Cora")[1] == Step(
        "adjudicate", "Decide 1 disputed sentence", "1 disputed sentence waits for a decision."
    )
    for name, work in {"Anna": {"review": 2}, "Cora": {"review": 2, "adjudicate": 1}, "Mats": {"review": 2}}.items():
        with acting(actor_of(people[name])), read() as session:
            assert work_waiting(session, name) == work
    assert [each.page for each in steps(people["Anna"], "Anna")] == ["review"]


@pytest.mark.parametrize("trains", [False, True])
def test_review_stays_first_where_a_training_is_worth_it_and_nobody_is_sent_to_one_that_runs(home, monkeypatch, trains):
    store_proposed(3)
    judge("Anna", 1, verdict(0), reading())
    worth_training(monkeypatch)
    if trains:
        with write(Right.SYSTEM) as session:
            assert db.jobs.insert_job(session, "train", {})
    with read() as session:
        found = next_steps(session, "Anna", overview(session, "Anna"))
    assert [each.page for each in found] == ["review", *([] if trains else ["retrain"])]
    assert found[0] == Step("review", "Review the next article", "2 articles wait for you.")


def test_where_nothing_waits_to_be_reviewed_the_other_duties_come_first(home, monkeypatch):
    store_proposed(1)
    judge("Anna", 1, verdict(0), verdict(1), reading())
    worth_training(monkeypatch)
    with read() as session:
        found = next_steps(session, "Anna", overview(session, "Anna"))
    assert [each.page for each in found] == ["retrain", "import_articles"]


def test_the_numbers_of_an_empty_and_a_small_project(home):
    with read() as session:
        empty = overview(session, None)
    assert (empty.articles, empty.reviewed.in_words, empty.proposed) == (0, "0 of 0 reviewed", 0)
    store()
    store_proposed(2)
    judge("Anna", 1, verdict(0), verdict(1, "reject"))
    with read() as session:
        now = overview(session, "Anna")
    assert (now.articles, now.reviewed.in_words, now.proposed) == (2, "1 of 2 reviewed", 2)


def test_what_experts_are_still_at_work_on_is_not_to_be_decided_yet(people):
    with acting(OPERATOR):
        store_proposed(3)
        judge("Anna", 1, verdict(0), verdict(1))
        judge("Ben", 1, verdict(0, "reject"), verdict(1))
        assert take("Dora", 1)
    assert step(people["Cora"], "Cora").page == "review"
