"""The features of a sentence within its article, by hand-computed numbers."""

from dataclasses import replace

import numpy as np
import pytest

from model.active_learning.features import FEATURES, KNOTS, features_of, groups_of, prior_of
from model.proposing.ranking import Pool, by_hybrid
from model.proposing.rules import Examples
from tests.support.labels import gene_terms
from tests.support.topics import RULES

TAGGED = (
    "TITLE: A trial ABSTRACT.BACKGROUND: Little is known.",
    "ABSTRACT.RESULTS: Growth was lower than before (p < 0.05, 95% CI 1.5 to 2.5).",
    "BODY.METHODS: We asked.",
    "BODY.THE CHILDREN: They answered.",
    "BODY.CONCLUSIONS: It is so.",
)


def column(name: str, pool: Pool) -> list[float]:
    return features_of(pool)[:, FEATURES.index(name)].tolist()


@pytest.mark.parametrize("n", [0, 1, 2, 5])
@pytest.mark.parametrize("fill", [None, 0.5, np.nan])
def test_there_is_one_finite_row_a_sentence(n, fill):
    pool = Pool(TAGGED[:n], None if fill is None else np.full(n, fill))
    features = features_of(pool)
    assert features.shape == (n, len(FEATURES)) and np.isfinite(features).all()


def test_every_feature_is_named_in_plain_words():
    assert len(set(FEATURES)) == len(FEATURES) and all(groups_of(RULES)[name] for name in FEATURES)


def test_the_cosine_is_standardised_and_its_neighbours_are_seen():
    pool = Pool(TAGGED, np.array([0.0, 0.5, 0.5, 0.5, 1.0]))  # mean 1/2, deviation sqrt(1/10)
    one = 0.5 / 0.1**0.5
    assert column("cosine", pool) == pytest.approx([-one, 0, 0, 0, one])
    assert column("cosine before", pool) == pytest.approx([0, -one, 0, 0, 0])
    assert column("cosine after", pool) == pytest.approx([0, 0, 0, one, 0])
    assert column("cosine nearby", pool) == pytest.approx([0, one, one, one, 0])
    ranks = column("cosine rank", pool)  # 1 for the first, and the last stays above 0
    assert ranks[4] == 1 and min(ranks) == ranks[0] == pytest.approx(1 - np.log(5) / np.log(6))


def test_likeness_to_the_examples_is_a_column_that_counts_as_the_topic_says():
    rules = replace(RULES, examples=Examples(("a",), ("b",), 0.5))
    like = np.arange(5.0)
    assert column("examples", Pool(TAGGED, like=like, rules=rules)) == like.tolist()
    assert column("examples", Pool(TAGGED)) == [0.0] * 5
    place = FEATURES.index("examples")
    assert (prior_of(rules, 0.25)[place], prior_of(RULES, 0.25)[place]) == (0.5, 0.0)


def test_inline_headings_tell_the_section_until_the_next_one_that_says_something():
    pool = Pool(TAGGED)
    assert column("abstract", pool) == [1, 1, 0, 0, 0]
    assert column("body", pool) == [0, 0, 1, 1, 1]
    assert column("introduction", pool) == [1, 0, 0, 0, 0]
    assert column("results", pool) == [0, 1, 0, 0, 0]
    assert column("methods", pool) == [0, 0, 1, 1, 0]  # "THE CHILDREN" is a part of them
    assert column("discussion", pool) == [0, 0, 0, 0, 1]
    assert column("place in the abstract", pool) == [0.5, 1, 0, 0, 0]
    assert column("heading", pool) == [1] * 5


def test_a_plain_heading_leaves_the_kind_of_section_as_it_was():
    pool = Pool(["ABSTRACT.AIMS: One.", "RESULTS: Two.", "Three."])
    assert column("abstract", pool) == [1, 1, 1]
    assert column("results", pool) == [0, 1, 1]


def test_tied_cosines_rank_in_reading_order():
    ranks = column("cosine rank", Pool(["One."] * 40, np.array([0.1, 0.9] * 20)))
    assert ranks[1::2] == sorted(ranks[1::2], reverse=True) and ranks[::2] == sorted(ranks[::2], reverse=True)
    assert ranks[39] > ranks[0]


def test_sections_and_titles_count_as_headings_do():
    pool = Pool(["One.", "Two.", "Three."], sections=["abstract", "body", "body"], titles=["", "Results", "Mice"])
    assert (column("abstract", pool), column("results", pool)) == ([1, 0, 0], [0, 1, 1])
    assert column("heading", pool) == [0, 0, 0]


def test_a_new_section_kind_forgets_the_heading_before():
    pool = Pool(["One.", "Two."], sections=["abstract", "body"], titles=["Results", ""])
    assert column("results", pool) == [1, 0]


def test_numbers_and_words_of_a_finding_count_with_their_logarithm():
    pool = Pool(TAGGED)
    assert column("digits", pool)[1] == pytest.approx(np.log1p(4))  # 0.05, 95, 1.5, 2.5
    assert [column(name, pool)[1] for name in ("p value", "per cent", "confidence interval")] == [np.log(2)] * 3
    assert column("finding", pool)[1] == pytest.approx(2 * np.log(2))  # lower | than
    assert column("finding", pool)[2] == 0


def test_a_length_is_the_logarithm_of_its_ratio_to_150_characters():
    pool = Pool(["x" * 149, "x" * 299])
    assert column("length", pool) == pytest.approx([0.0, np.log(2)])
    assert column("length squared", pool) == pytest.approx([0.0, np.log(2) ** 2])


def test_a_product_is_one_of_its_factors_where_the_section_is_its_own():
    pool = Pool(TAGGED)
    assert column("results x p value", pool) == column("p value", pool)
    assert column("methods x p value", pool) == [0] * 5


def test_the_position_is_spread_over_two_deciles():
    features = features_of(Pool(["A sentence."] * 5))
    places = features[:, [FEATURES.index(f"position {knot}") for knot in range(KNOTS + 1)]]
    assert places.sum(axis=1) == pytest.approx(np.ones(5))
    assert places[1, 2] == places[1, 3] == 0.5  # a quarter of the way
    assert column("position 10", Pool(["One.", "Two."])) == [0, 1]
    assert column("position 0", Pool(["One."])) == [1]


def test_the_prior_is_the_fixed_hybrid():
    terms = gene_terms(("FOXA1",), ("MCF-7",), "KO")
    sentences = ["FOXA1 is known.", "Here we generated a FOXA1 knockout in MCF-7 cells using CRISPR.", "The weather."]
    pool = Pool(sentences, np.array([0.1, 0.2, 0.6]), terms, cosine_weight=0.75, rules=RULES)
    assert features_of(pool) @ prior_of(RULES, 0.75) == pytest.approx(by_hybrid(pool))
    by_words = replace(pool, rules=replace(RULES, shared_words=0.5))
    assert features_of(by_words) @ prior_of(by_words.rules, 0.75) == pytest.approx(by_hybrid(by_words))
    assert by_hybrid(by_words)[1] > by_hybrid(pool)[1]
