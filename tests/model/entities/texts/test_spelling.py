"""How names in texts agree with the spellings of vocabularies."""

import pytest

from model.entities.genes import HUMAN, Organisms
from model.entities.texts.spelling import Agreement, agreement


@pytest.mark.parametrize(
    ("written", "spelling", "found"),
    [
        ("IFN-γ", "IFNG", Agreement.SAME),
        ("IFN-gamma", "IFNG", Agreement.SAME),
        ("TNFα", "TNFA", Agreement.SAME),
        ("PPARγ", "PPARG", Agreement.SAME),
        ("PKCα", "PRKCA", Agreement.FOLDED),
        ("ifng", "IFNG", Agreement.FOLDED),
        ("IFN-γ", "IFNB", Agreement.FOLDED),
    ],
)
def test_a_greek_letter_agrees_with_the_latin_capital_of_a_symbol(written, spelling, found):
    assert agreement(written, spelling) is found


@pytest.mark.parametrize("taxon", ["7955", "8090", "6239"])
def test_a_text_on_a_fish_or_worm_alone_has_no_human_genes(taxon):
    assert Organisms("It has tp53.", [(0, taxon)]).shares({HUMAN}, {}) == {taxon: 1.0}
    assert Organisms("It has tp53 in yeast two-hybrid screens.", [(15, "4932")]).shares({HUMAN}, {}) == {HUMAN: 1.0}
