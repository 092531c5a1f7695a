"""Words as they are indexed: stems, and names whose spellings are the same."""

import pytest

from annotate.search.entries import label_terms
from annotate.search.words import stems


@pytest.mark.parametrize(
    ("written", "same"),
    [
        ("IL-6", "IL6"),
        ("TNF-α", "TNFα"),
        ("TNF-α", "TNF-alpha"),
        ("TNF-α", "TNFalpha"),
        ("β-catenin", "beta-catenin"),
        ("FOXA1-/-", "FOXA1"),
        ("COVID‑19", "covid-19"),
        ("Müller", "muller"),
        ("µM", "μM"),
    ],
)
def test_spellings_of_a_name_are_the_same_words(written, same):
    assert stems(written) == stems(same) != []


def test_words_are_cut_to_stems_and_stop_words_are_left_out():
    assert stems("The mutations of mutated cells") == ["mutat", "mutat", "cell"]


def test_a_hyphen_after_a_long_word_keeps_the_word_findable():
    assert stems("caspase-3 and anti-CD4") == ["caspas", "3", "anti", "cd4"]


def test_a_name_is_folded_to_one_word():
    spelled = [label_terms("cell", name) for name in ("HEK-293T", "hek 293T", "HEK293T")]
    assert spelled == [["label/cell/hek293t", "label//hek293t"]] * 3
