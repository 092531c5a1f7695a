"""Key sentences by their wording: names by their shape, what stands near them, and what is learnt from few examples."""

import numpy as np
import pytest

from model.active_learning.sentence_terms import is_name, near_names, tokens_of, without_names
from model.active_learning.structure import STRUCTURE, structure_of
from model.active_learning.wording import Counted, Wording, fit_wording

GENES = ("rsbp-1", "ceh-34", "acs-1", "tph-1", "nmur-1", "uba-1", "klp-20", "qui-1", "mtre-1", "bar-1")
KEY = [f"We saw that {gene} is expressed in the tail" for gene in GENES]
OTHER = [f"Worms that lack {gene} were grown on plates" for gene in GENES]


def no_meaning(texts: list[str]) -> np.ndarray:
    return np.zeros((len(texts), 2))


def learnt(texts: list[str], truth: np.ndarray, articles: np.ndarray | None = None) -> Wording:
    return fit_wording(texts, no_meaning(texts), truth, articles)


def test_a_name_is_a_word_with_a_digit_or_with_capitals():
    assert all(map(is_name, ("rsbp-1", "GFP", "cGMP", "DMD-9", "Cas9", "H3")))
    assert not any(map(is_name, ("Expression", "neurons", "We", "a", "2017", "-", "A")))


def test_names_of_one_shape_are_one_word():
    assert tokens_of("The rsbp-1 gene") == ["the", "§a-0", "gene"]
    assert tokens_of("ceh-34, GFP, 12") == ["§a-0", ",", "§A", ",", "#"]
    assert without_names("The (rsbp-1) gene, TP53.") == "The the gene gene, the gene"


def test_words_near_a_name_are_told_apart_by_their_side():
    assert near_names(tokens_of("we saw rsbp-1 expressed")) == ["we>", "saw>", "<expressed"]
    assert near_names(tokens_of("no such word")) == []


def test_the_structure_is_finite_also_for_an_empty_sentence():
    rows = structure_of(["", "We found (Figure 2) that TP53 and KRAS were not lost, p < 0.05."])
    assert np.isfinite(rows).all() and rows[1, 0] > rows[0, 0] == 0.0


def test_what_is_said_of_some_genes_is_found_said_of_others():
    texts = KEY[:5] + OTHER[:5]
    ranker, unseen = learnt(texts, np.array([1] * 5 + [0] * 5), np.arange(10) % 5), KEY[5:] + OTHER[5:]
    log_odds = ranker.log_odds(unseen, no_meaning(unseen))
    assert log_odds[:5].min() > log_odds[5:].max() and (log_odds[:5] > 0).all()
    assert ranker.platt is not None
    probability = ranker.platt.probability(log_odds)
    assert (probability[:5] > 0.5).all() and (probability[5:] < 0.5).all()


def test_what_is_told_of_an_article_held_out_is_what_one_tells_that_learnt_from_the_others():
    texts, truth, articles = np.array(KEY + OTHER), np.array([1] * 10 + [0] * 10), np.arange(20) % 5
    found = Counted.of(KEY + OTHER, no_meaning(KEY + OTHER)).held_out(truth, articles)
    for article in range(5):
        own, others = articles == article, articles != article
        by_others = learnt(texts[others].tolist(), truth[others]).log_odds(texts[own].tolist())
        assert found[own] == pytest.approx(by_others, abs=0.001) and abs(by_others).min() > 1


def test_one_article_gives_no_calibration_and_one_label_nothing():
    texts = KEY[:3] + OTHER[:3]
    ranker = learnt(texts, np.array([1] * 3 + [0] * 3), np.zeros(6))
    assert ranker.platt is None
    assert len(ranker.log_odds(texts, no_meaning(texts))) == 6 and len(ranker.log_odds([], np.zeros((0, 2)))) == 0
    with pytest.raises(ValueError, match="sentences that count and sentences that do not"):
        learnt(KEY, np.ones(len(KEY)), np.arange(len(KEY)))


def test_what_sentences_mean_counts_where_it_is_known():
    texts = ["One and the same."] * 20  # and no name in any
    by_meaning = fit_wording(texts, np.array([[1.0, 0.0]] * 10 + [[0.0, 1.0]] * 10), np.array([1] * 10 + [0] * 10))
    found = by_meaning.log_odds(texts[:2], np.eye(2))
    assert found[0] > 1 > -1 > found[1] and found.sum() == pytest.approx(0.0, abs=0.1)
    assert by_meaning.log_odds(texts[:2]) == pytest.approx([0.0, 0.0], abs=0.1)


def test_a_term_of_a_long_sentence_counts_less_but_in_rankings_that_were_stored_before():
    for by_length, points in ((True, 1 / 5**0.5), (False, 1.0)):  # two words, a full stop and two pairs
        told = Wording({"fell": 1.0}, np.zeros(len(STRUCTURE)), by_length=by_length).log_odds(["It fell."])
        assert told.tolist() == pytest.approx([points])


def test_the_words_that_told_a_sentence_are_named_without_names_and_signs():
    ranker = learnt(KEY + OTHER, np.array([1] * 10 + [0] * 10))
    assert ranker.telling_words("We saw that zig-3 is expressed in worms, 12") == ["expressed", "saw"]
    assert ranker.telling_words("Worms that lack rsbp-1 were seen", against=True) == ["lack", "worms"]
    assert ranker.telling_words("Nothing known at all") == []


def test_two_are_mixed_by_their_shares():
    begun, taught = (learnt(texts, np.array([1] * 5 + [0] * 5)) for texts in (KEY[:5] + OTHER[:5], OTHER[:5] + KEY[:5]))
    there = (KEY[5:], no_meaning(KEY[5:]))
    first, last = begun.log_odds(*there), taught.log_odds(*there)
    for share in (0.0, 0.5, 0.75):
        assert begun.mixed(taught, share).log_odds(*there) == pytest.approx((1 - share) * first + share * last)
    assert "expressed" in begun.mixed(taught, 0.25).telling_words(KEY[5])
    assert "expressed" in begun.mixed(taught, 0.75).telling_words(KEY[5], against=True)


def test_a_sentence_that_weighs_nothing_teaches_nothing():
    texts, truth = [*KEY[:5], *OTHER[:5], *KEY[5:]], np.array([1] * 5 + [0] * 10)
    weights = np.array([1.0] * 10 + [0.0] * 5)
    with_all, weighed = (fit_wording(texts, no_meaning(texts), truth, weights=own) for own in (None, weights))
    there = (KEY[5:], no_meaning(KEY[5:]))
    assert (weighed.log_odds(*there) > 0).all() and (with_all.log_odds(*there) < weighed.log_odds(*there)).all()
