"""Sentences written otherwise that mean the same."""

import pytest

from annotate.entities.vocabularies import renamed, written_out
from model.entities.kinds import Entry
from model.entities.lexicon import Lexicon

GENES = Lexicon.build([Entry("7157", "TP53", ("P53", "LFS1")), Entry("1", "A1BG")])


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("TP53 was cut in A1BG cells.", "P53 was cut in A1BG cells."),
        ("Of P53 nothing is known.", "Of P53 nothing is known."),  # a synonym is no symbol
        ("A1BG has no other name.", "A1BG has no other name."),
    ],
)
def test_a_gene_goes_by_its_first_synonym(text, expected):
    assert renamed(text, GENES) == expected


def test_an_abbreviation_is_written_out_in_all_sentences():
    texts = ["Wild type (WT) cells grew.", "WT cells stayed."]
    assert list(written_out(texts))[1] == "Wild type cells stayed."
