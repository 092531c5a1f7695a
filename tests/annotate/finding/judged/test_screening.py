"""Screening simulated: everything is shown once, what is like the included comes early."""

import numpy as np
import pytest

import annotate.finding.judged.screening
from annotate.finding.judged.screening import screen_reviews, screening
from annotate.finding.library import Document, MemoryLibrary
from annotate.finding.question import Question
from model.finding.feedback import pool_of, scores
from tests.annotate.finding.test_find import ToyEncoder

RECORDS = [
    Document(f"r{n}", "Loss of p53" if n % 5 == 0 else "Teeth of pupils", f"Study {n} of many.") for n in range(40)
]
GRADES = {each.key: 2 if n % 5 == 0 else n % 2 for n, each in enumerate(RECORDS)}


def test_what_is_like_the_included_comes_first():
    result = screen_reviews(MemoryLibrary(RECORDS, ToyEncoder()), {"p53": Question("p53")}, {"p53": GRADES})
    review = result["reviews"]["p53"]
    assert (result["n"], review["records"], review["included"]) == (1, 40, 8)
    assert result["mean_wss_at_95"] == review["wss_at_95"] > 0.6
    assert result["mean_recall_at_50_percent"] == 1
    assert 4.5 <= review["atd"] < 20 and 0.8 < review["ndcg"] <= 1


@pytest.mark.parametrize("batch", [0.05, 0.5, 1, 7])
def test_every_record_is_shown_once(batch):
    labels = np.array([grade == 2 for grade in GRADES.values()])
    pool = pool_of([(each.title, each.text) for each in RECORDS])
    order = screening(pool, labels, batch, seed=1)
    assert sorted(order) == list(range(40))
    assert sorted(labels[order[:2]].tolist()) == [False, True]


def test_nothing_is_learnt_once_the_measures_are_known(monkeypatch):
    labels = np.array([grade == 2 for grade in GRADES.values()])
    pool = pool_of([(each.title, each.text) for each in RECORDS])
    fitted = []
    monkeypatch.setattr(
        annotate.finding.judged.screening,
        "scores",
        lambda pool, shown, *rest: fitted.append(len(shown)) or scores(pool, shown, *rest),
    )
    order = screening(pool, labels, 1, seed=1)
    found = np.flatnonzero(labels[order])
    assert fitted == [*range(2, max(found[-1] + 1, 20) + 1)]


def test_a_review_without_two_included_and_an_excluded_record_is_left_out():
    library = MemoryLibrary(RECORDS, ToyEncoder())
    one, every = dict.fromkeys(GRADES, 0) | {"r0": 2}, dict.fromkeys(GRADES, 2)
    given = {"some": GRADES, "none": dict.fromkeys(GRADES, 0), "one": one, "every": every}
    result = screen_reviews(library, {}, given)
    assert (result["n"], result["left_out"]) == (1, ["none", "one", "every"])
    with pytest.raises(ValueError, match="no review"):
        screen_reviews(library, {}, {"none": dict.fromkeys(GRADES, 0)})
    with pytest.raises(ValueError, match="batch of 0"):
        screen_reviews(library, {}, {"all": GRADES}, batch=0)
