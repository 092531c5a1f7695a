"""Cosines, embeddings and validation scores, from vectors that are given by hand in place of an encoder's."""

import numpy as np
import pytest

import model.training.validation
from model.labelled import LabelledArticle
from model.training.settings import SelectBy
from model.training.validation import (
    SIMILARITIES,
    cosines_of,
    embeddings_of,
    judged_by,
    mean_key_embedding,
    validation_score,
)

VECTORS = {"q": [1, 0], "r": [0, 2], "east": [3, 0], "north": [0, 4], "both": [3, 4], "west": [-2, 0], "far": [30, 40]}
ONE = LabelledArticle("one", "q", ["north", "east", "both"], [0, 1, -1])
TWO = LabelledArticle("two", "r", ["west", "north"], [0, 1])
THREE = LabelledArticle("three", "q", ["both", "west"], [1, 1])


@pytest.fixture(autouse=True)
def asked(monkeypatch) -> list[tuple[list[str], list[str], bool]]:
    """The queries and the sentences of each encoding, and whether vectors of unit length were asked for."""
    calls = []

    def encode(encoder, texts, *, queries=(), progress=lambda done: None, unit=True):
        assert encoder == "encoder"
        calls.append((list(queries), list(texts), unit))
        progress(len(queries) + len(texts))
        vectors = np.array([VECTORS[text] for text in [*queries, *texts]], dtype=np.float32).reshape(-1, 2)
        return vectors / np.linalg.norm(vectors, axis=1, keepdims=True) if unit else vectors

    monkeypatch.setattr(model.training.validation, "encode", encode)
    return calls


def test_similarities_are_those_computed_by_hand():
    a, b = np.array([[3.0, 4.0], [0.0, 0.0]]), np.array([[0.0, 2.0], [1.0, 1.0]])
    found = {name: of(a, b).tolist() for name, of in SIMILARITIES.items()}
    assert found == {
        "cosine": [pytest.approx(0.8), 0.0],
        "dot product": [8.0, 0.0],
        "Euclidean": [pytest.approx(-(13**0.5)), pytest.approx(-(2**0.5))],
        "Manhattan": [-5.0, -2.0],
    }


def test_cosines_are_to_each_articles_own_query_which_is_encoded_once(asked):
    done = []
    found = cosines_of("encoder", [ONE, TWO, THREE], progress=done.append)
    assert [own.tolist() for own in found] == [pytest.approx([0, 1, 0.6]), [0, 1], pytest.approx([0.6, -1])]
    assert asked == [(["q", "r"], ["north", "east", "both", "west", "north", "both", "west"], True)]
    assert done == [9]


def test_of_no_articles_there_are_no_cosines_and_no_embeddings():
    assert cosines_of("encoder", []) == []
    assert embeddings_of("encoder", []) == []


def test_embeddings_are_those_of_each_articles_sentences(asked):
    done = []
    found = embeddings_of("encoder", [ONE, TWO], progress=done.append)
    assert [own.shape for own in found] == [(3, 2), (2, 2)]
    assert found[0][2] == pytest.approx([0.6, 0.8]) and found[1].tolist() == [[-1, 0], [0, 1]]
    assert (asked, done) == ([([], ["north", "east", "both", "west", "north"], True)], [5])


def test_the_mean_of_key_sentences_has_unit_length(asked):
    assert mean_key_embedding("encoder", [ONE, TWO]) == pytest.approx([0.5**0.5, 0.5**0.5])  # of [1, 0] and [0, 1]
    assert asked[0][:2] == ([], ["east", "north"])
    opposite = [LabelledArticle("four", "q", ["east", "west"], [1, 1])]
    assert mean_key_embedding("encoder", opposite).tolist() == [0, 0]
    with pytest.raises(ValueError, match="no key sentence"):
        mean_key_embedding("encoder", [LabelledArticle("none", "q", ["east"], [0])])


def test_r_precision_is_the_mean_over_articles_by_cosine(asked):
    # One: "east" is key and first. Two: "north" is key and first. Four: of "both" and "far", alike, the first is not.
    four = LabelledArticle("four", "q", ["both", "far"], [0, 1])
    done = []
    score = validation_score("encoder", [ONE, TWO, four], SelectBy.R_PRECISION, progress=done.append)
    assert score == pytest.approx((1 + 1 + 0) / 3)
    assert asked[0][2] is False and done == [9]
    assert validation_score("encoder", [LabelledArticle("no", "q", ["east"], [0])], SelectBy.R_PRECISION) == 0.0


def test_average_precision_is_over_all_pairs_by_the_best_of_four_similarities(asked):
    # By the dot product "far" (30) is before "both" (3) and "west" (-2); by cosine the first two tie in reading order.
    by_dot = [LabelledArticle("dot", "q", ["both", "far", "west"], [0, 1, 0])]
    done = []
    assert validation_score("encoder", by_dot, SelectBy.AVERAGE_PRECISION, progress=done.append) == 1.0
    assert asked[0][2] is False and done == [4]
    # "west" is last by the dot product and by cosine, but nearer to the query (3) than "both" is (4.5): rank 2.
    last = [LabelledArticle("last", "q", ["east", "both", "west"], [0, 0, 1])]
    assert validation_score("encoder", last, SelectBy.AVERAGE_PRECISION) == pytest.approx(1 / 2)
    no_key = [LabelledArticle("no", "q", ["east"], [0])]
    assert validation_score("encoder", no_key, SelectBy.AVERAGE_PRECISION) == 0.0


def test_a_training_is_judged_by_whole_articles_up_to_a_number_of_sentences(monkeypatch):
    articles = [LabelledArticle(str(n), "q", ["a", "b", "c"], [int(n % 2 == 0), 0, 0]) for n in range(10)]
    with_key = articles[::2]
    assert judged_by(articles, 0) == with_key
    monkeypatch.setattr(model.training.validation, "MOST_VALIDATED", 7)
    drawn = {tuple(article.key for article in judged_by(articles, seed)) for seed in range(20)}
    assert all(len(names) == 2 and list(names) == sorted(names) for names in drawn) and len(drawn) > 3
    assert judged_by(articles, 3) == judged_by(articles, 3) and all(own in with_key for own in judged_by(articles, 3))
    monkeypatch.setattr(model.training.validation, "MOST_VALIDATED", 1)
    assert len(judged_by(articles, 0)) == 1
    assert judged_by([], 0) == []


def test_tokens_that_are_given_are_encoded_in_place_of_the_texts(asked):
    given = LabelledArticle("given", "of the query", ["of the first", "of the second"], [0, 1])
    score = validation_score("encoder", [given], SelectBy.R_PRECISION, tokens=(["q"], ["north", "east"]))
    assert score == 1.0 and asked == [(["q"], ["north", "east"], False)]
