"""The pool of works: parts of a ranking put together, years, and texts cut so that nothing is lost."""

import numpy as np
import pytest

from annotate.finding.library import Document
from annotate.related.pool import (
    AGAIN,
    OPENING,
    PASSAGE,
    Asked,
    Pool,
    Ranked,
    passages,
    pooled,
    ranked_again,
    sentences_by_line,
)

WORKS = [
    Document("a", "sleep of mice", year=2000),
    Document("b", "maize fields", year=2005),
    Document("c", "sleep", year=2020),
]
VECTORS = np.array([[1, 0], [0, 1], [0.6, 0.8]], dtype=np.float32)


def keys(ranked) -> list[str]:
    return [WORKS[place].key for place in ranked.places.tolist()]


def test_shares_of_parts_are_weighed_and_added():
    asked = Asked("maize", np.array([1, 0], dtype=np.float32), parts={"references": {"b": 4.0, "c": 2.0, "z": 9.0}})
    ranked = Pool(WORKS, VECTORS).rank(asked, {"meaning": 1.0, "words": 0.5, "references": 2.0}, 0.0)
    assert keys(ranked) == ["b", "c", "a"]
    assert ranked.scores.tolist() == pytest.approx([0.5 + 2.0, 0.6 + 1.0, 1.0])
    assert ranked.parts["references"].tolist() == [0.0, 1.0, 0.5]


def test_a_work_counts_by_the_nearest_work_of_the_list(monkeypatch):
    monkeypatch.setattr("annotate.related.pool.AT_ONCE", 2)
    pool = Pool([*WORKS, Document("d", "wheat")], np.vstack([VECTORS, [[0, 0]]]).astype(np.float32))
    cited = pool.likeness(["a", "b", "d", "none"])  # d has no vector
    assert cited.tolist() == pytest.approx([1, 1, 0.8, 0])
    ranked = pool.rank(Asked("", but=frozenset({"a"}), cited=cited), {"cited": 2.0}, 0.0)
    assert ranked.parts["cited"].tolist() == pytest.approx([0, 1, 0.8, 0])
    assert ranked.scores.tolist() == pytest.approx([2, 1.6, 0])
    assert pool.likeness(["d", "none"]) is None and "cited" not in pool.rank(Asked(""), {"cited": 1.0}).parts


def test_works_after_the_year_are_left_out_and_older_ones_lose_a_little():
    pool = Pool(WORKS, None)
    assert keys(pool.rank(Asked("sleep", year=2010), {"words": 1.0})) == ["a", "b"]
    assert keys(pool.rank(Asked("sleep", year=2010, later=True), {"words": 1.0}))[0] == "c"
    assert keys(pool.rank(Asked("nothing", year=2010), {"words": 1.0}, 0.01)) == ["b", "a"]


def test_what_is_to_be_left_out_is():
    assert keys(Pool(WORKS, None).rank(Asked("sleep", but=frozenset({"c", "z"})), {"words": 1.0})) == ["a", "b"]


def test_reference_lists_have_a_say_and_unknown_ones_are_guessed_by_all_else():
    pool, asked = Pool(WORKS, VECTORS), Asked("", np.array([1, 0], dtype=np.float32), lists={"a": 1.0, "b": 4.0})
    told = pool.rank(asked, {"meaning": 1.0, "lists": 0.5}, 0.0)
    guess = np.exp(0.6 / 0.25) * 5.0 / (np.exp(1 / 0.25) + 1)  # c: meaning .6, between those of a and b
    assert told.parts["lists"].tolist() == pytest.approx([0.25, 1.0, guess / 4])
    assert told.scores.tolist() == pytest.approx(sorted([1.125, 0.5, 0.6 + guess / 8], reverse=True))
    assert keys(told) == ["a", "c", "b"]
    assert "lists" not in pool.rank(asked, {"meaning": 1.0}, 0.0).parts


def test_a_guess_is_at_most_the_best_list_that_is_known():
    asked = Asked("", np.array([1, 0], dtype=np.float32), lists={"b": 2.0})
    assert Pool(WORKS, VECTORS).rank(asked, {"meaning": 1.0, "lists": 1.0}, 0.0).parts["lists"].tolist() == [1, 1, 1]


def test_the_list_of_what_is_left_out_counts_for_none():
    asked = Asked("sleep", lists={"a": 1.0, "c": 8.0}, but=frozenset({"c"}))
    told = Pool(WORKS, None).rank(asked, {"words": 1.0, "lists": 1.0})
    assert keys(told)[0] == "a"
    assert told.parts["lists"].tolist()[0] == 1.0
    assert told.parts["lists"].tolist()[2] == 0.0


def ranked(*scores: float) -> Ranked:
    """Places 0, 1, … with these scores, best first."""
    return Ranked(np.arange(len(scores)), np.array(scores, dtype=np.float32), {})


def test_the_first_works_are_ranked_again_by_their_most_alike_sentences():
    own = np.eye(8, dtype=np.float32)[:7]  # seven sentences of which five count
    other = np.eye(8, dtype=np.float32)[7:]
    of = {0: np.vstack([own[:4], other]), 2: own[2:7]}  # four and five of them said again; none known of place 1
    found = ranked_again(ranked(1.0, 0.95, 0.9), own, of, 1.0)
    assert found.places.tolist() == [2, 1, 0]
    assert found.scores.tolist() == pytest.approx([0.9 + 1.0, 0.95 + 0.9, 1.0 + 0.8])
    assert ranked_again(ranked(1.0, 0.95, 0.9), own, of, 0.1).places.tolist() == [0, 1, 2]


def test_a_work_with_a_title_counts_by_the_sentence_that_is_most_like_it():
    own = np.array([[0, 1], [0.6, 0.8]], dtype=np.float32)
    found = ranked_again(ranked(1.0, 0.9), own, {0: own[:1] * 0.5, 1: np.array([[0.8, 0.6]], dtype=np.float32)}, 1.0)
    assert found.scores.tolist() == pytest.approx([0.9 + 1.0, 1.0 + 0.5 / 0.96])


def test_works_further_down_and_sentences_behind_the_opening_have_no_say():
    own = np.eye(4, dtype=np.float32)
    scores = np.linspace(2, 1, AGAIN + 1)
    late = np.vstack([np.repeat(own[:1], OPENING, axis=0), own[1:]])
    found = ranked_again(ranked(*scores), own, {0: late, 1: own[:2], AGAIN: own}, 1.0)
    order = found.places.tolist()
    assert order.index(1) < order.index(0) and order[-1] == AGAIN
    assert (np.diff(found.scores) <= 0).all()


def test_without_sentences_the_order_stays():
    own, before = np.eye(2, dtype=np.float32), ranked(1.0, 0.5)
    for mine, others in ((own, {}), (own[:0], {0: own}), (own, {0: own[:0]}), (own, {1: -own - 1})):
        assert ranked_again(before, mine, others, 1.0).places.tolist() == [0, 1]


def test_sentences_are_those_of_all_lines():
    assert sentences_by_line("Mice sleep. Rats run.\n\nOthers rest.") == ["Mice sleep.", "Rats run.", "Others rest."]
    assert sentences_by_line(" \n") == []


def test_a_pool_without_vectors_says_so():
    with pytest.raises(ValueError, match="no vectors"):
        _ = Pool(WORKS, None).vectors


def test_passages_hold_every_word_in_order():
    sentences = [f"Word{n} " * 40 for n in range(12)] + ["x" * 10 + " " + "long " * 600]
    found = passages("The title", [sentence.strip() for sentence in sentences])
    assert " ".join(found).split() == ["The", "title", *" ".join(sentences).split()]
    assert max(map(len, found)) <= PASSAGE
    assert len(found) > 3


def test_pooled_is_the_unit_vector_of_the_mean():
    assert pooled(np.eye(2, dtype=np.float32)).tolist() == pytest.approx([0.5**0.5] * 2)
