"""The best sentences of all articles: which are picked for whom, what a verdict on one counts for, and what it does not
claim of its article."""

from dataclasses import replace

import numpy as np
import pytest

import db.active_learning.heads
import db.review.progress
from annotate.active_learning import sentence_queue
from annotate.active_learning.article_rankers import fitting_articles
from annotate.active_learning.heads import known_of
from annotate.active_learning.live_state import forget, state_of
from annotate.active_learning.queue import hand_out
from annotate.active_learning.sentence_queue import next_picked, open_to, still_open, why_none
from annotate.curation.removal import remove
from annotate.evaluation.evaluate_version import articles_with_labels
from annotate.gold.label_sets import current_label_set, live_gold
from annotate.gold.practice import candidates as fit_for_practice
from annotate.project.home import read
from annotate.project.stored_settings import change_settings
from annotate.retraining.training_set import labelled_articles
from annotate.review.article_view import reading_view
from annotate.review.assignments import finish_or_leave, take
from annotate.review.progress import progress
from annotate.review.waiting import done_by, reviewed
from annotate.screening.fit import known_articles
from db.articles import ALL
from db.values import PICKED
from model.active_learning import picking
from model.labelled import KEY, NOT_KEY
from tests.support.live_world import NUMBERS, RANDOM_NEVER, TEXT, held_by_anna, live_world
from tests.support.making import judge, query, reading, verdict


@pytest.fixture
def version(home, monkeypatch):
    """The world of tests/support/live_world.py: eight articles, one of which Anna has in hand.

    They have the same text, and vectors of two dimensions, so that nearly all sentences are alike: that is let be.
    """
    monkeypatch.setattr(picking, "NEARLY_SAME", 2.0)
    yield live_world()
    forget()


def key(one):
    return one.sentence.article_id, one.sentence.position


def said(one, value):
    """The verdict that the page sends for a picked sentence."""
    return verdict(one.sentence.position, value, shown=dict(one.shown))


def answer(reviewer, one, value=None):
    """Says what holds, or this; numbers make a sentence key."""
    value = value or ("accept" if one.sentence.position in NUMBERS else "reject")
    judge(reviewer, one.sentence.article_id, said(one, value))


def pick_all(reviewer, article_id):
    """Judges each proposal of an article as a picked sentence, and returns how many these were."""
    shown = {"ranking": PICKED, "model": "tiny", "rank": 1}
    places = query(
        "SELECT position FROM proposal JOIN proposal_set ON proposal_set.id = set_id "
        "JOIN sentence ON sentence.id = sentence_id WHERE proposal_set.article_id = :of AND rank <= k",
        of=article_id,
    )
    judge(reviewer, article_id, *(verdict(place, shown=shown) for (place,) in places))
    return len(places)


def test_the_likeliest_sentences_of_all_open_articles_come_first(version):
    found = next_picked("Ben", 6)
    with read() as session:
        state = state_of(session)
        head = state.learnt(session).head
    scores = np.where(state.mask, head.log_odds(state.rows), -np.inf)
    scores[state.place[held_by_anna()]] = -np.inf
    best = np.unravel_index(scores.argmax(), scores.shape)
    assert key(found[0]) == (state.ids[best[0]], state.tops[best])
    by_key = {(int(state.ids[a]), int(state.tops[a, m])): scores[a, m] for a, m in np.argwhere(state.mask)}
    ordered = [by_key[key(one)] for one in found]
    assert ordered == sorted(ordered, reverse=True)
    counts = [one.sentence.article_id for one in found]
    assert max(map(counts.count, counts)) <= 2 and held_by_anna() not in counts
    first = found[0]
    assert " ".join(filter(None, (first.before, first.sentence.text, first.after))) == " ".join(TEXT)
    assert first.probability is None  # no calibration yet
    assert first.shown["ranking"] == PICKED and first.shown["model"] == version.name


def test_a_verdict_teaches_at_once_and_its_sentence_does_not_come_again(version):
    asked = set()
    for _ in range(3):
        batch = next_picked("Ben")
        assert not asked & {key(one) for one in batch}
        asked |= {key(one) for one in batch}
        for one in batch:
            answer("Ben", one)
    assert {position for _, position in list(asked)[:4]} <= set(range(9))
    with read() as session:
        labels = current_label_set(session).labels
        learnt = state_of(session).learnt(session)
    assert sum(map(len, labels.values())) == len(asked)
    # Those of test articles count, and do not teach.
    assert 0 < learnt.labels <= len(asked)
    rest = next_picked("Ben", 40)
    assert not asked & {key(one) for one in rest}


def test_what_was_picked_does_not_make_its_article_reviewed(version):
    number = next(key(one)[0] for one in next_picked("Ben"))
    judged = pick_all("Ben", number)
    with read() as session:
        assert not done_by(session)[number] and number not in reviewed(session).here
        found = progress(session)
        assert number not in found.articles and found.found == found.elsewhere == judged
        assert found.missed.judged == found.missed.read == found.stop.judged == 0
        assert number not in known_articles(session).held
        label_set = current_label_set(session)
        assert label_set.picked == live_gold(session).label_set.picked == {number}
        assert number in label_set.labels and not articles_with_labels(session, label_set, ALL)
        assert not fitting_articles(session, version, label_set) and not fit_for_practice(session)
        assert set(known_of(session, [number]).taught(number, np.zeros((9, 3))).labels) == {KEY}
    # One verdict in the article, and it is one whose proposals were judged, like any other.
    place = query("SELECT position FROM sentence WHERE article_id = :of ORDER BY position", of=number)[0][0]
    judge("Ben", number, verdict(place, "reject"))
    with read() as session:
        label_set = current_label_set(session)
        assert not label_set.picked and number in articles_with_labels(session, label_set, ALL)
        assert not done_by(session)[number]  # the last of its proposals was judged without it


@pytest.mark.parametrize("last", ["a proposal", "read in full", "next"])
def test_an_article_is_reviewed_once_it_was_opened_and_finished(version, last):
    number = next(key(one)[0] for one in next_picked("Ben"))
    pick_all("Ben", number)
    take("Ben", number)
    view = reading_view(number, "Ben")
    assert {str(one["sentence"]) for one in view["proposals"][: view["shown"]]} <= view["state"]["verdicts"].keys()
    if last == "a proposal":
        judge("Ben", number, verdict(view["proposals"][0]["sentence"], "reject"))
    elif last == "read in full":
        judge("Ben", number, reading())
    else:
        finish_or_leave("Ben", number)
    with read() as session:
        assert len(done_by(session)[number]) == 1 and number in progress(session).articles
        assert open_to(session, "Ben").article_ids.isdisjoint({number})


def test_an_article_left_with_open_proposals_is_no_reviewed_one(version):
    take("Ben", 8 if held_by_anna() != 8 else 7)
    number = query("SELECT article_id FROM assignment ORDER BY id DESC LIMIT 1")[0][0]
    finish_or_leave("Ben", number)
    pick_all("Ben", number)
    with read() as session:
        assert not done_by(session)[number]


def test_training_takes_what_was_picked_and_validation_does_not(version):
    for one in next_picked("Ben", 40):
        answer("Ben", one)
    with read() as session:
        label_set = current_label_set(session)
        taught = labelled_articles(session, label_set, "train")
        assert len(label_set.picked) == len(label_set.labels) > len(taught) > 0
        assert {label for article in taught for label in article.labels} >= {KEY, NOT_KEY}
        assert labelled_articles(session, label_set, "test") == []
        alone = current_label_set(session)
    assert label_set.split_sha256["test"] == replace(alone, labels={}).split_sha256["test"]


def test_a_picked_sentence_counts_as_proposed_only_where_its_article_would_have_shown_it(version):
    shown = {"ranking": PICKED, "model": "tiny"}
    judge("Ben", 8, verdict(0, shown=shown | {"rank": 2}), verdict(1, shown=shown), verdict(2))
    with read() as session:
        counts = db.review.progress.key_counts(session)[8]
    assert (counts.key, counts.proposed, counts.added) == (3, 1, 2)
    assert query("SELECT DISTINCT origin FROM verdict WHERE ranking = 'picked'") == [("proposed",)]


def test_nothing_is_picked_from_articles_that_several_judge(version):
    change_settings("Mary", replace(RANDOM_NEVER, double_share=1.0))
    assert next_picked("Ben") == []
    assert "Left out: 8 articles for several annotators." in why_none("Ben")


def test_nothing_is_picked_from_an_article_that_is_read_without_proposals(version):
    change_settings("Mary", replace(RANDOM_NEVER, blind_share=1.0))
    handed = [hand_out("Cleo", np.random.default_rng(seed)) for seed in range(1)]
    finish_or_leave("Cleo", handed[0].article_id)
    blind = {number for (number,) in query("SELECT article_id FROM assignment WHERE NOT with_proposals")}
    with read() as session:
        assert blind and not open_to(session, "Ben").article_ids & blind
        assert open_to(session, "Ben").blind == len(blind)


def test_two_who_pick_at_once_are_asked_about_different_sentences(version, monkeypatch):
    hers = {key(one) for one in next_picked("Cleo")}
    his = {key(one) for one in next_picked("Ben")}
    assert hers and his and not hers & his
    assert {key(one) for one in next_picked("Cleo")} == hers  # her own are still hers
    later = sentence_queue.time.monotonic() + RANDOM_NEVER.lease.total_seconds() + 1
    monkeypatch.setattr(sentence_queue.time, "monotonic", lambda: later)
    assert {key(one) for one in next_picked("Ben")} == hers  # she has left


def test_what_came_into_other_hands_meanwhile_is_not_asked_any_more(version):
    batch = next_picked("Ben")
    assert still_open("Ben", batch) == batch
    judged, taken, gone = (
        batch[0],
        batch[-1],
        next(one for one in batch if key(one)[0] not in {key(batch[0])[0], key(batch[-1])[0]}),
    )
    answer("Cleo", judged)
    take("Dora", key(taken)[0])
    remove([key(gone)[0]], "off topic")
    left = still_open("Ben", batch)
    assert left == [one for one in batch if one is not judged and key(one)[0] not in {key(taken)[0], key(gone)[0]}]


def test_before_anything_can_learn_the_proposals_come_by_their_scores(version, monkeypatch):
    monkeypatch.setattr(sentence_queue, "state_of", lambda session: None)
    found = next_picked("Ben", 40)
    scores = {
        (article_id, position): score
        for article_id, position, score in query(
            "SELECT proposal_set.article_id, position, score FROM proposal "
            "JOIN proposal_set ON proposal_set.id = set_id JOIN sentence ON sentence.id = sentence_id"
        )
    }
    ordered = [scores[key(one)] for one in found]
    assert len(found) == 14 and ordered == sorted(ordered, reverse=True)


def test_without_articles_nothing_is_picked_and_said_why(home):
    assert next_picked("Ben") == []
    assert why_none("Ben") == "There are no articles yet."


def test_once_all_is_judged_it_says_so(version):
    while batch := next_picked("Ben"):
        for one in batch:
            answer("Ben", one)
    assert "The best sentences of every waiting article are judged." in why_none("Ben")


def test_two_who_ask_at_once_are_asked_about_other_sentences(version, monkeypatch):
    asked = {}

    def meanwhile(article_ids):
        if "Carl" not in asked:
            asked["Carl"] = []
            asked["Carl"] = [key(one) for one in next_picked("Carl", 3)]
        return []

    monkeypatch.setattr(sentence_queue, "teach_when_shown", meanwhile)
    asked["Ben"] = [key(one) for one in next_picked("Ben", 3)]
    assert len(asked["Ben"]) == len(asked["Carl"]) == 3 and not {*asked["Ben"]} & {*asked["Carl"]}
