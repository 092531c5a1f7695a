"""Key sentences by their wording: names by their shape, what stands near them, and what is learnt from few examples."""

import numpy as np
import pytest

from model.active_learning.sentence_terms import is_name, near_names, tokens_of, without_names
from model.active_learning.wording import WEIGHTS, fit_wording, structure_of

GENES = ("rsbp-1", "ceh-34", "acs-1", "tph-1", "nmur-1", "uba-1", "klp-20", "qui-1", "mtre-1", "bar-1")
KEY = [f"We saw that {gene} is expressed in the tail" for gene in GENES]
OTHER = [f"Worms that lack {gene} were grown on plates" for gene in GENES]


def no_meaning(texts: list[str]) -> np.ndarray:
    return np.zeros((len(texts), 2))


def test_a_name_is_a_word_with_a_digit_or_with_capitals():
    assert all(map(is_name, ("rsbp-1", "GFP", "cGMP", "DMD-9", "Cas9", "H3")))
    assert not any(map(is_name, ("Expression", "neurons", "We", "a", "2017", "-", "A")))


def test_names_of_one_shape_are_one_word():
    assert tokens_of("The rsbp-1 gene") == ["the", "§a-0", "gene"]
    assert tokens_of("ceh-34, GFP, 12") == ["§a-0", ",", "§A", ",", "#"]
    assert without_names("The (rsbp-1) gene, TP53.") == "The the gene gene, the gene"


def test_words_near_a_name_are_told_apart_by_their_side():
    assert near_names("we saw rsbp-1 expressed") == ["we>", "saw>", "<expressed"]
    assert near_names("no such word") == []


def test_the_structure_is_finite_also_for_an_empty_sentence():
    rows = structure_of(["", "We found (Figure 2) that TP53 and KRAS were not lost, p < 0.05."])
    assert np.isfinite(rows).all() and rows[1, 0] > rows[0, 0] == 0.0


def test_what_is_said_of_some_genes_is_found_said_of_others():
    texts = KEY[:5] + OTHER[:5]
    ranker = fit_wording(texts, np.array([1] * 5 + [0] * 5), np.arange(10) % 5, no_meaning)
    log_odds = ranker.log_odds(KEY[5:] + OTHER[5:])
    assert log_odds[:5].min() > log_odds[5:].max() and (log_odds[:5] > 0).all()
    probability = ranker.probability(KEY[5:] + OTHER[5:])
    assert probability is not None and (probability[:5] > 0.5).all() and (probability[5:] < 0.5).all()


def test_one_article_gives_no_calibration_and_one_label_nothing():
    texts = KEY[:3] + OTHER[:3]
    ranker = fit_wording(texts, np.array([1] * 3 + [0] * 3), np.zeros(6), no_meaning)
    assert ranker.probability(texts) is None and len(ranker.log_odds(texts)) == 6
    with pytest.raises(ValueError, match="sentences that count and sentences that do not"):
        fit_wording(KEY, np.ones(len(KEY)), np.arange(len(KEY)), no_meaning)


@pytest.mark.parametrize("part", WEIGHTS)
def test_every_part_is_weighed(part):
    fitted = fit_wording(KEY + OTHER, np.array([1] * 10 + [0] * 10), np.arange(20), no_meaning).fitted
    assert part in dict(fitted.named_steps["parts"].transformer_list)
