"""Rankings of one article's pool, by hand-computed scores and over the registry."""

from dataclasses import replace
from functools import partial

import numpy as np
import pytest

from annotate.topics.file import read_topic
from model.proposing import ranking as module
from model.proposing.ranking import Ranking, by_cosine, by_hybrid, by_terms, parts_of, standardised, top_k
from model.proposing.rules import BLANK, Examples
from model.proposing.shared_words import word_likeness
from model.proposing.terms import DocumentTerms
from tests.support.labels import gene_terms
from tests.support.topics import COLUMNS, CUES, RULES, SMALL

Pool = partial(module.Pool, rules=RULES)
TERMS = gene_terms(("FOXA1",), ("MCF-7",), "KO")
SENTENCES = (
    "FOXA1 is a known transcription factor of many tissues.",
    "Here we generated a FOXA1 knockout in MCF-7 cells using CRISPR.",
    "The weather was fine that day and nobody was in the laboratory.",
)


def part(text: str, name: str, terms: DocumentTerms = TERMS, **kinds: list[str]) -> float:
    return parts_of(Pool([text], terms=terms, **kinds))[0, COLUMNS.index(CUES[name])]


@pytest.mark.parametrize("ranking", list(Ranking))
@pytest.mark.parametrize("n", [0, 1, 3])
@pytest.mark.parametrize("terms", [TERMS, gene_terms()])
@pytest.mark.parametrize("fill", [0.5, np.nan, np.inf])
def test_every_ranking_gives_one_finite_score_a_sentence(ranking, n, terms, fill):
    scores = ranking.scores(Pool(SENTENCES[:n], np.full(n, fill), terms, ranker=by_hybrid, answered=np.zeros(n)))
    assert scores.shape == (n,) and np.isfinite(scores).all()


def test_the_terms_score_is_the_weighted_sum_of_the_parts():
    # gene 1, earlier -1/2 | edit 1, tool 1/2, gene, cell, near, made 1 each | nothing
    assert by_terms(Pool(SENTENCES, terms=TERMS)).tolist() == [0.5, 5.5, 0.0]


def test_the_hybrid_adds_a_quarter_of_the_standardised_cosine():
    pool = Pool(SENTENCES, np.array([0.1, 0.1, 0.4]), TERMS)  # mean 0.2, deviation 0.1 sqrt(2)
    assert by_hybrid(pool) == pytest.approx([0.5 - 0.25 / 2**0.5, 5.5 - 0.25 / 2**0.5, 0.5 / 2**0.5])


def test_the_hybrid_does_not_change_with_the_range_of_the_cosines():
    cosines = np.array([0.1, 0.3, 0.2])
    one, other = (by_hybrid(Pool(SENTENCES, c, TERMS)) for c in (cosines, 0.9 + cosines / 100))
    assert one == pytest.approx(other)


def test_the_hybrid_without_cosines_is_the_terms_score_and_cosine_needs_them():
    pool = Pool(SENTENCES, terms=TERMS)
    assert by_hybrid(pool).tolist() == by_terms(pool).tolist()
    with pytest.raises(ValueError, match="needs a pool with cosines"):
        Ranking.COSINE.scores(pool)


def test_a_language_models_scores_rank_and_equal_ones_are_parted_by_the_hybrid():
    cosines = np.array([0.1, 0.2, 0.3])
    scores = Ranking.LLM.scores(Pool(["It was.", "It is.", "It will be."], cosines, answered=np.array([0.2, 0.1, 0.1])))
    assert top_k(scores, 3) == [0, 2, 1]
    assert scores == pytest.approx([0.2, 0.1, 0.1], abs=1e-4)
    with pytest.raises(ValueError, match="was not asked about this article"):
        Ranking.LLM.scores(Pool(SENTENCES, cosines))


def test_the_learned_ranking_is_that_of_the_pools_ranker_and_needs_one():
    pool = Pool(SENTENCES, ranker=lambda asked: np.arange(len(asked.sentences)) / 2)
    assert Ranking.LEARNED.scores(pool).tolist() == [0.0, 0.5, 1.0]
    with pytest.raises(ValueError, match="needs a pool with a ranker"):
        Ranking.LEARNED.scores(Pool(SENTENCES))


def test_standardised_is_clipped_and_flat_values_are_zero():
    assert standardised(np.array([1.0] + [0.0] * 99)).max() == 3.0
    assert standardised(np.array([0.4, 0.4])).tolist() == [0.0, 0.0]
    assert standardised(np.array([])).shape == (0,)


@pytest.mark.parametrize(
    ("text", "name", "expected"),
    [
        ("FOXA1 knockdown slowed growth.", "edit", 0.5),  # another kind than the document's KO
        ("FOXA1 deletion slowed growth.", "edit", 1.0),
        ("FOXA1 was seen in HeLa.", "cell", 0.5),  # a cell, though not the document's
        ("FOXA1 was seen long before; after many other words came a deletion.", "near", 0.0),
        ("We generated antibodies to FOXA1.", "made", 0.0),  # nothing edited
        ("We performed genome editing of FOXA1.", "made", 1.0),
        ("Previously, FOXA1 was deleted.", "earlier", 1.0),
        ("FOXA1 null.", "aside", 1.0),
    ],
)
def test_a_part_answers_its_question(text, name, expected):
    assert part(text, name) == expected


def test_captions_and_tables_are_aside():
    text = "Generation of the FOXA1 knockout in MCF-7 cells, with controls."
    assert [part(text, "aside", paragraphs=[kind]) for kind in ("paragraph", "caption", "table")] == [0, 1, 2]
    assert [part(text, "aside", sections=[kind]) for kind in ("abstract", "body", "sub-article")] == [0, 0, 2]


def test_without_labels_the_gene_is_guessed():
    assert top_k(by_terms(Pool(SENTENCES)), 1) == [1]


def test_a_pool_of_unequal_lengths_names_the_misfit():
    with pytest.raises(ValueError, match="cosines has 2 values for 3 sentences"):
        Pool(SENTENCES, np.zeros(2))
    with pytest.raises(ValueError, match="paragraphs has 1 values"):
        Pool(SENTENCES, paragraphs=["table"])
    with pytest.raises(ValueError, match="titles has 1 values"):
        Pool(SENTENCES, titles=["Results"])


def test_top_k_keeps_reading_order_where_scores_tie():
    assert top_k(np.array([1.0, 2.0, 1.0, 2.0]), 3) == [1, 3, 0]
    assert top_k(np.array([0.5, 1.0] * 20), 30) == [*range(1, 40, 2), *range(0, 20, 2)]
    assert top_k(np.array([1.0]), 5) == [0]
    assert top_k(np.array([1.0]), 0) == []
    assert top_k(np.array([]), 5) == []
    with pytest.raises(ValueError, match="k is -1"):
        top_k(np.array([1.0]), -1)


def test_words_shared_with_the_queries_of_names_are_points_of_terms_and_hybrid():
    sentences, cosines = ["Warm feet helped.", "Nothing helped.", "Cold feet did not."], np.array([0.1, 0.3, 0.2])
    rules = replace(read_topic(SMALL).rules, cues=(), shared_words=2.0)
    pool = module.Pool(sentences, cosines, DocumentTerms.of({"cause": ["warm feet"]}), rules=rules)
    shared = standardised(word_likeness(sentences, ["sleep by warm feet"]))
    assert top_k(shared, 3) == [0, 2, 1] and pool.shared_words == pytest.approx(shared)
    assert by_terms(pool) == pytest.approx(2 * shared)
    assert by_hybrid(pool) == pytest.approx(2 * shared + 0.25 * standardised(cosines))
    assert by_terms(replace(pool, rules=replace(rules, shared_words=0.0))).tolist() == [0, 0, 0]
    nameless = replace(pool, terms=DocumentTerms())  # nothing is said, so that the cosine ranks
    assert by_hybrid(nameless) == pytest.approx(standardised(cosines))


def test_where_no_cue_speaks_for_any_sentence_the_hybrid_is_the_cosine():
    cosines = np.array([0.3, 0.1, 0.2])
    off_topic = [
        "Oral health improved over a year of follow-up visits.",
        "x" * 50,
        "The weather was fine that day, as ever.",
    ]
    assert by_hybrid(Pool(off_topic, cosines)).tolist() == standardised(cosines).tolist()
    aside = Pool(off_topic, cosines, paragraphs=["caption"] * 3)
    assert top_k(by_hybrid(aside), 3) == top_k(by_cosine(aside), 3) == [0, 2, 1]


def test_likeness_to_the_examples_adds_its_log_odds_times_their_weight_also_where_no_cue_speaks():
    cosines, like = np.array([0.1, 0.1, 0.4]), np.array([1.0, -2.0, 0.5])
    rules = replace(BLANK, examples=Examples(("a",), ("b",), 0.5))
    pool = Pool(SENTENCES, cosines, like=like, rules=rules, cosine_weight=0.1)
    assert by_hybrid(pool) == pytest.approx(0.5 * like + 0.1 * standardised(cosines))
    assert by_hybrid(replace(pool, cosines=None)) == pytest.approx(0.5 * like)
    with pytest.raises(ValueError, match="like has 2 values for 3 sentences"):
        Pool(SENTENCES, like=like[:2])


@pytest.mark.parametrize("terms", [TERMS, gene_terms()])
def test_blank_rules_leave_the_cosine_alone(terms):
    pool = module.Pool(SENTENCES, np.array([0.1, 0.2, 0.6]), terms, paragraphs=["table", "paragraph", "caption"])
    assert pool.rules is BLANK
    assert by_hybrid(pool).tolist() == standardised(by_cosine(pool)).tolist()
    assert by_terms(pool).tolist() == [0.0] * 3
