"""Feedback: what is like what was called relevant comes first; without both kinds nothing changes."""

import numpy as np
import pytest
from threadpoolctl import threadpool_info, threadpool_limits

from model.finding import feedback
from model.finding.feedback import pool_of, scores, standardised, telling_words

TEXTS = [("Knockout of TP53", "Cells lacking the gene grew faster.")] * 4 + [
    ("Teeth of pupils", "Sweets in schools.")
] * 4
VECTORS = np.repeat(np.eye(2, dtype=np.float32), 4, axis=0)


@pytest.mark.parametrize("vectors", [VECTORS, None], ids=["with vectors", "words alone"])
def test_what_is_like_the_relevant_comes_first(vectors):
    found = scores(pool_of(TEXTS, vectors), [0, 7], [True, False])
    assert found[:4].min() > found[4:].max()
    turned = scores(pool_of(TEXTS, vectors), [0, 7], [False, True])
    assert turned[:4].max() < turned[4:].min()


def test_until_both_kinds_are_known_the_prior_holds():
    prior = np.arange(8.0)
    pool = pool_of(TEXTS, VECTORS, prior)
    assert scores(pool, [], []).tolist() == prior.tolist()
    assert np.argmax(scores(pool, [0], [False])) == 7


def test_what_looked_promising_comes_before_what_never_did():
    texts = [*TEXTS, *[("Dental braces", "Braces of adults.")] * 4]
    vectors = np.repeat(np.eye(3, dtype=np.float32), 4, axis=0)
    pool = pool_of(texts, vectors)
    places, relevant = [0, 4, 8], [True, False, False]
    found = scores(pool, places, relevant, [True, True, False])
    assert found[1] > found[5] > found[9]
    assert scores(pool, places, relevant, relevant).tolist() == scores(pool, places, relevant).tolist()


def test_where_vectors_say_another_thing_than_words_the_words_lead():
    turned = np.roll(VECTORS, 4, axis=0)
    turned[0], turned[7] = [0, 1], [1, 0]
    found = scores(pool_of(TEXTS, turned), [0, 7], [True, False])
    assert found[1:4].min() > found[4:7].max()


def test_words_tell_the_relevant_from_the_others_and_common_ones_do_not():
    pool = pool_of(TEXTS)
    assert telling_words(pool, [0, 7], [True, False])[:2] in (["cells", "faster"], ["cells", "gene"])
    assert set(telling_words(pool, [0, 7], [True, False])) == {"cells", "faster", "gene", "grew", "knockout", "lacking"}
    assert telling_words(pool, [0, 7], [False, True], most=1) in (["pupils"], ["schools"], ["sweets"], ["teeth"])


def test_the_first_sight_counts_half():
    texts = [("Knockout of TP53", ""), ("Mice without insulin", ""), ("Teeth of pupils", "")] * 3
    found = scores(pool_of(texts), [0, 1, 2], [True, False, False], [True, True, False])
    assert found[3] > found[4] > found[5]
    assert found[3] - found[4] > found[4] - found[5]  # what is dropped later is nearer to what never looked relevant


def test_what_has_no_text_stands_between_what_is_likely_and_what_is_not():
    pool = pool_of([*TEXTS, ("", " ")], np.vstack([VECTORS, -VECTORS[:1]]), np.arange(9.0))
    assert pool.prior[8] == 3.5
    for said in ([True, False], [False, True], [True, False, False], [True, False, True]):
        found = scores(pool, [0, 7, 8][: len(said)], said)
        assert found[:8].min() < found[8] < found[:8].max()


def test_texts_without_words_are_ordered_by_their_vectors():
    found = scores(pool_of([("", "")] * 8, VECTORS), [0, 7], [True, False])
    assert found[:4].min() > found[4:].max()


def test_vectors_of_another_number_are_refused():
    with pytest.raises(ValueError, match="8 texts"):
        pool_of(TEXTS, VECTORS[:3])


def test_it_learns_in_one_thread_and_leaves_as_many_as_there_were(monkeypatch):
    used = []
    monkeypatch.setattr(feedback, "standardised", lambda values: used.append(threads()) or values)
    with threadpool_limits(2):
        scores(pool_of(TEXTS, VECTORS), [0, 7], [True, False])
        assert used == [{1}, {1}]
        assert threads() == {2}


def threads() -> set[int]:
    """How many threads products of matrices may take now, over all libraries."""
    return {library["num_threads"] for library in threadpool_info()}


def test_scores_are_standardised_within_the_candidates():
    found = standardised(np.array([[1.0, 5.0], [3.0, 5.0]]))
    assert found.tolist() == [[-1.0, 0.0], [1.0, 0.0]]
