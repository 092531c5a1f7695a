"""Triage in the app: what it learns from, what it tells of each article, and that none is told by its own verdicts."""

from typing import Any

import pytest

import db.active_learning.screening
import db.articles
import db.rows
from annotate.jobs import lifecycle
from annotate.project.home import read, write
from annotate.project.rights import Right
from annotate.screening import fit, refit
from annotate.screening.fit import fold_of, known_articles, learn_triage, store_cues
from annotate.screening.standing import PLACE, PROBABILITY, Promise, explanation, promises, weights
from annotate.topics.file import shipped
from annotate.topics.project_topic import use_topic
from db.tables import Job, TriageFit
from db.values import Split
from tests.support.making import judge, paper, pmids_of, query, reading, store, store_proposed, verdict

HOLDS = ("We deleted TP53 in HeLa cells by CRISPR.", "The knockout cells grew slowly.")
OTHER = ("Pupils of four schools were asked about their teeth.", "Most of them ate sweets.")


@pytest.fixture
def articles(home: Any) -> dict[int, bool]:
    """Forty articles of two kinds in turn, none of the test split: {id: whether it is of the kind that holds}."""
    numbers = pmids_of("train")
    store(*(paper(OTHER if n % 2 else HOLDS, pmid=next(numbers), title=f"Study {n}") for n in range(40)))
    return {n + 1: not n % 2 for n in range(40)}


def say(article_id: int, holds: bool) -> None:
    """Somebody reads an article in full."""
    events = [verdict(0)] if holds else [verdict(0, "reject")]
    judge("Anna", article_id, *events, reading())


def probabilities() -> dict[int, float | None]:
    with read() as session:
        return {number: p for number, _, _, p in db.active_learning.screening.scores(session)}


@pytest.mark.postgresql
def test_before_any_label_articles_have_places_by_their_cues(articles):
    found = learn_triage()
    assert found == {"articles": 0, "held": 0, "by_proposals": 0, "missed": 0.0, "calibrated": False}
    with read() as session:
        promised, known = promises(session, list(articles)), weights(session)
        assert explanation(session) == PLACE and PLACE.endswith("for a probability.")
    assert all(promise.probability is None for promise in promised.values())
    assert {promised[n].words for n, holds in articles.items() if holds} == {"1st most likely"}
    assert min(known[n] for n, holds in articles.items() if holds) > max(
        known[n] for n, holds in articles.items() if not holds
    )


@pytest.mark.parametrize(
    ("place", "words"),
    [(2, "2nd"), (3, "3rd"), (11, "11th"), (12, "12th"), (21, "21st"), (112, "112th"), (1023, "1,023rd")],
)
def test_places_are_said_as_people_say_them(place, words):
    assert Promise(None, place).words == f"{words} most likely"


@pytest.mark.postgresql
def test_with_labels_of_both_kinds_there_are_probabilities_also_of_articles_that_nobody_read(articles):
    for number in range(1, 31):
        say(number, articles[number])
    found = learn_triage()
    assert found["calibrated"] and (found["articles"], found["held"]) == (30, 15)
    assert found["auroc"] == 1.0 and 0 <= found["ece"] <= 1
    p = probabilities()
    assert all((p[number] > 0.5) == holds for number, holds in articles.items())
    with read() as session:
        promised = promises(session, [39, 40])
        assert weights(session) == p and explanation(session) == PROBABILITY
    assert promised[39].words.endswith("%") and promised[39].probability > promised[40].probability


def test_no_article_is_told_by_what_was_said_of_itself(articles):
    for number in range(1, 31):
        say(number, articles[number])
    learn_triage()
    before = probabilities()
    say(39, False)
    learn_triage()
    after = probabilities()
    own = [n for n, key in query("SELECT id, key FROM article") if fold_of(key) == fold_of(_key(39))]
    assert 39 in own and all(after[number] == before[number] for number in own)
    assert any(after[number] != before[number] for number in articles if number not in own)


def _key(article_id: int) -> str:
    return str(query("SELECT key FROM article WHERE id = :n", n=article_id)[0][0])


def test_only_articles_judged_to_the_end_teach_that_they_hold_nothing(articles):
    judge("Anna", 1, verdict(0, "reject"))  # the other sentence may still be key
    judge("Anna", 2, verdict(0, "reject"), verdict(1, "reject"))
    judge("Anna", 3, verdict(0))
    say(4, False)
    with read() as session:
        assert known_articles(session).held == {2: False, 3: True, 4: False}


def test_articles_with_a_disputed_or_unsure_sentence_do_not_teach_that_they_hold_nothing(articles):
    judge("Anna", 1, verdict(0), reading())
    judge("Ben", 1, verdict(0, "reject"), reading())
    judge("Anna", 2, verdict(0, "unsure"), reading())
    judge("Anna", 3, verdict(0, "unsure"), verdict(1), reading())
    say(4, False)
    with read() as session:
        assert known_articles(session).held == {3: True, 4: False}


@pytest.mark.postgresql
def test_what_reading_in_full_has_shown_weighs_articles_whose_proposals_were_all_rejected(home):
    store_proposed(12)
    with read() as session:
        numbers = [n for n, split in db.articles.splits(session, range(1, 13)).items() if split != Split.TEST]
    for number in numbers:
        judge("Anna", number, verdict(0, "reject"), verdict(1, "reject"))
    with read() as session:
        known = known_articles(session)
    assert known.by_proposals == set(numbers) and set(known.chances.values()) == {0.0}  # nobody has looked further
    for place, number in enumerate(numbers[:5]):
        judge("Anna", number, *([verdict(2)] if place < 2 else []), reading())
    with read() as session:
        known = known_articles(session)
    assert known.by_proposals == set(numbers[5:]) and known.missed == 0.4
    assert [known.chances[number] for number in numbers[:6]] == [1.0, 1.0, 0.0, 0.0, 0.0, 0.4]


def test_people_are_told_by_what_articles_with_rejected_proposals_are_weighed(articles):
    for number in range(1, 31):
        say(number, articles[number])
    learn_triage()
    with write(Right.SYSTEM) as session:
        fitted = db.rows.find(session, TriageFit)
        fitted.counts = {**fitted.counts, "missed": 0.21}
    with read() as session:
        assert explanation(session).startswith(PROBABILITY) and "rejected, 21% hold one" in explanation(session)


def test_articles_of_the_test_split_teach_nothing(home):
    store(paper(HOLDS, pmid=next(pmids_of("test"))))
    say(1, True)
    with read() as session:
        assert known_articles(session).held == {}


def test_cues_are_computed_once_and_a_cancelled_pass_is_gone_on_with(articles, monkeypatch):
    monkeypatch.setattr(fit, "BATCH", 15)
    rounds = iter([False, True])
    assert store_cues(cancelled=lambda: next(rounds)) == 15
    assert store_cues() == 25 and store_cues() == 0


def test_a_fit_is_due_after_a_batch_of_articles_and_begun_as_a_job(articles, monkeypatch):
    started: list[str] = []
    monkeypatch.setattr(lifecycle, "start", lambda kind, payload: started.append(kind) or 7)
    for number in range(1, 11):
        say(number, articles[number])
    assert refit.tick() is None  # the first fit is the propose job's
    learn_triage()
    for number in range(11, 20):
        say(number, articles[number])
    assert refit.tick() is None
    say(20, articles[20])
    assert refit.tick() == 7 and started == ["triage"]


@pytest.mark.postgresql
@pytest.mark.parametrize("state", ["failed", "cancelled"])
def test_a_fit_that_ended_badly_is_not_begun_again_at_once(articles, monkeypatch, state):
    monkeypatch.setattr(lifecycle, "start", lambda kind, payload: 7)
    learn_triage()
    for number in range(1, 12):
        say(number, articles[number])
    with write(Right.SYSTEM) as session:
        last = Job(kind="triage", state=state, payload={}, progress={}, result={}, attempts=1, cancel_requested=False)
        session.add(last)
    assert refit.tick() is None
    with write(Right.SYSTEM) as session:
        session.get(Job, last.id).created_at = "2021-01-01T00:00:00.000000+00:00"
    assert refit.tick() == 7


def test_a_fit_that_runs_already_is_left_alone(articles, monkeypatch):
    def refuse(kind: str, payload: dict[str, Any]) -> int:
        raise lifecycle.AlreadyRunning("one runs")

    monkeypatch.setattr(lifecycle, "start", refuse)
    monkeypatch.setattr(refit, "is_due", lambda: True)
    assert refit.tick() is None


@pytest.mark.postgresql
def test_a_kind_that_lies_in_one_fold_leaves_places(articles, monkeypatch):
    for number in range(1, 31):
        say(number, articles[number])
    monkeypatch.setattr(fit, "fold_of", lambda key: 0)
    assert learn_triage()["calibrated"] is False
    assert set(probabilities().values()) == {None}


def test_another_topic_is_another_cue_score(articles):
    store_cues()
    use_topic(shipped("blank").text, by="Cora")
    assert store_cues() == 40 and store_cues() == 0
    assert (
        len(set(query("SELECT cue FROM article_scan WHERE kind = 'triage'"))) == 1
    )  # nothing to go by: all matter alike


@pytest.mark.postgresql
def test_articles_that_their_cues_do_not_tell_apart_have_no_place(home):
    numbers = pmids_of("train")
    store(*(paper(OTHER, pmid=next(numbers)) for _ in range(3)))
    learn_triage()
    with read() as session:
        assert promises(session, [1, 2, 3]) == {}
