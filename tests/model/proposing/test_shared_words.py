"""Likeness in words, by hand-computed numbers."""

from math import log, sqrt

import numpy as np
import pytest

from model.proposing.query import queries_by_name
from model.proposing.shared_words import word_likeness, words_shared
from model.proposing.terms import DocumentTerms
from tests.support.labels import gene_terms
from tests.support.topics import RULES


def test_it_is_the_cosine_of_words_and_pairs_weighed_by_how_rare_they_are_in_the_article():
    # Of two sentences "pain" stands in both, its weight is 1; all else in one, and "fell" is 1 + ln(3/2).
    rare = 1 + log(3 / 2)
    by_pain = 1 / sqrt(1 + rare**2 + rare**2)  # pain, fell, "pain fell"
    assert word_likeness(["Pain fell", "Pain rose"], ["pain"]) == pytest.approx([by_pain, by_pain])
    by_both = rare / sqrt(1 + 2 * rare**2) * rare / sqrt(rare**2 + 2 * (1 + log(3)) ** 2)
    assert word_likeness(["Pain fell", "Pain rose"], ["fell asleep"]) == pytest.approx([by_both, 0])


def test_it_is_the_likeness_to_the_nearest_query():
    sentences = ["Pain fell.", "Sleep lasted longer.", "The weather was fine."]
    found = word_likeness(sentences, ["pain fell", "sleep lasted longer"])
    assert found == pytest.approx([1, 1, 0])


@pytest.mark.parametrize(
    ("sentences", "queries"), [([], ["pain"]), (["Pain fell."], []), (["...", ""], ["?"]), ([""], [""])]
)
def test_without_words_or_queries_it_is_0(sentences, queries):
    assert word_likeness(sentences, queries).tolist() == [0.0] * len(sentences)


def test_a_word_that_is_said_again_counts_by_its_logarithm():
    often, once = (1 + log(2)) / sqrt((1 + log(2)) ** 2 + 1), 1.0
    assert word_likeness(["pain pain", "pain"], ["pain"]) == pytest.approx([often * 1, once], abs=0.2)
    assert np.all(word_likeness(["pain pain", "pain"], ["pain"]) <= 1 + 1e-9)


def test_the_words_that_a_sentence_shares_are_named_as_the_queries_order_them():
    sentence = "At 6 weeks the intensity of PAIN had fallen; sleep had not."
    assert words_shared(sentence, ["pain intensity at 6 weeks", "sleep", "pain"]) == [
        "pain",
        "intensity",
        "weeks",
        "sleep",
    ]
    assert words_shared(sentence, []) == []


def test_only_names_make_queries_whose_words_count():
    assert queries_by_name(RULES, gene_terms(("FOXA1",), ("MCF-7",), "KO")) == ("FOXA1 knockout from MCF-7",)
    assert queries_by_name(RULES, DocumentTerms()) == queries_by_name(RULES, gene_terms((), (), "KO")) == ()
